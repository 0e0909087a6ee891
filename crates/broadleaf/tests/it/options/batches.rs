//! Options of batches.

use super::{aabb, point};
use crate::support::{random_world, selections, work};
use broadleaf::{Aabb, Batch, QueryStats, Ray, Threads, View};
use workloads::oracle::Selection;
use workloads::{Random, with_options};

/// A batch of questions with the options that batches have.
macro_rules! many {
    ($query:expr, $among:expr, $threads:expr) => {{
        let mut query = $query.threads($threads);
        if let Some(layers) = $among.layers {
            query = query.layers(layers);
        }
        if let Some(only) = $among.only {
            query = query.only(only);
        }
        query.filter(|handle| $among.accepts(handle))
    }};
}

/// A single question with the same options.
macro_rules! single {
    ($query:expr, $among:expr) => {
        with_options!($query, $among).filter(|handle| $among.accepts(handle))
    };
}

#[test]
fn batches_with_options_are_single_questions_with_options() {
    let pool = crate::support::pool(3);
    for seed in 0..2 {
        let ((mut tree, oracle), mut random) = (random_world(seed, 150), Random::new(seed));
        let view = tree.view();
        let boxes: Vec<Aabb> = (0..300).map(|_| aabb(&mut random)).collect();
        let rays = (0..300).map(|_| Ray::new(point(&mut random), random.direction()).unwrap());
        let rays: Vec<Ray> = rays.map(|ray| ray.with_distance_max(15.0).unwrap()).collect();
        for among in selections(&oracle, &mut random) {
            let among = Selection { exclude: None, ..among };
            for threads in [Threads::One, Threads::Pool] {
                pool.install(|| batches_of_regions(view, &boxes, among, threads));
                pool.install(|| batches_of_casts(view, &rays, among, threads));
                pool.install(|| batches_of_places(view, &boxes, among, threads));
            }
        }
    }
}

fn batches_of_regions(view: View<'_>, boxes: &[Aabb], among: Selection, threads: Threads) {
    let (mut found, mut lying, mut singly, mut lying_singly) = (Batch::new(), Batch::new(), Vec::new(), Vec::new());
    let question = || many!(view.overlap_many(boxes).unwrap(), among, threads);
    let stats = work(|stats| question().stats(stats).collect_into(&mut found));
    question().with_containment().collect_into(&mut lying);
    let mut expected = QueryStats::default();
    for (index, aabb) in boxes.iter().enumerate() {
        single!(view.overlap(aabb).unwrap(), among).stats(&mut expected).collect_into(&mut singly);
        assert_eq!(found.of(index), singly);
        single!(view.overlap(aabb).unwrap(), among).with_containment().collect_into(&mut lying_singly);
        assert_eq!(lying.of(index), lying_singly);
    }
    assert_eq!(stats, expected);
    question().collect_into(&mut found);
    assert_eq!(stats.hits, found.answers().len() as u64, "nor does counting change anything");
}

fn batches_of_casts(view: View<'_>, rays: &[Ray], among: Selection, threads: Threads) {
    let (mut all, mut closest, mut any, mut singly) = (Batch::new(), Batch::new(), Batch::new(), Vec::new());
    for bound in [f32::INFINITY, 6.0, 0.0, f32::NAN] {
        let question = || many!(view.cast_many(rays), among, threads).within(bound);
        let stats = [
            work(|stats| question().stats(stats).collect_into(&mut all)),
            work(|stats| question().stats(stats).closest_into(&mut closest)),
            work(|stats| question().stats(stats).any_into(&mut any)),
        ];
        let mut expected = [QueryStats::default(); 3];
        for (index, ray) in rays.iter().enumerate() {
            let query = || single!(view.cast(ray), among).within(bound);
            query().stats(&mut expected[0]).collect_into(&mut singly);
            assert_eq!(all.of(index), singly);
            assert_eq!(closest.of(index), [query().stats(&mut expected[1]).closest()]);
            assert_eq!(any.of(index), [query().stats(&mut expected[2]).any()]);
        }
        assert_eq!(stats, expected);
        question().closest_into(&mut any);
        assert_eq!(any.answers(), closest.answers());
    }
}

fn batches_of_places(view: View<'_>, boxes: &[Aabb], among: Selection, threads: Threads) {
    let (mut some, mut closest, mut singly) = (Batch::new(), Batch::new(), Vec::new());
    for bound in [f32::INFINITY, 2.0, f32::NAN] {
        let question = || many!(view.nearest_many(boxes).unwrap(), among, threads).within(bound);
        let stats = [
            work(|stats| question().stats(stats).k_into(4, &mut some)),
            work(|stats| question().stats(stats).closest_into(&mut closest)),
        ];
        let mut expected = [QueryStats::default(); 2];
        for (index, aabb) in boxes.iter().enumerate() {
            let query = || single!(view.nearest(*aabb).unwrap(), among).within(bound);
            query().stats(&mut expected[0]).k_into(4, &mut singly);
            assert_eq!(some.of(index), singly);
            assert_eq!(closest.of(index), [query().stats(&mut expected[1]).closest()]);
        }
        assert_eq!(stats, expected);
    }
}
