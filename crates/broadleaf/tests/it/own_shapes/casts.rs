//! Casts of a caller's own.

use super::{AnyCast, Block, Path, is_a_box};
use crate::support::{asked, asked_among, random_world, selections, work};
use broadleaf::query::CastHit;
use broadleaf::{Aabb, Batch, Handle, Scratch, Shape, Sphere, Threads, View, query::Cast};
use std::cell::Cell;
use workloads::oracle::Selection;
use workloads::{Oracle, Random, with_options};

/// A cast that checks what it is asked, and counts.
pub(super) struct WatchedCast<'a> {
    path: &'a Path,
    /// Tests are not wanted any farther.
    bound: f32,
    tests: Cell<u32>,
    /// Tests that were, and hits that were made.
    beyond: Cell<u32>,
    hits: Cell<u32>,
}

impl<'a> WatchedCast<'a> {
    pub(super) fn new(path: &'a Path, bound: f32) -> Self {
        Self { path, bound, tests: Cell::new(0), beyond: Cell::new(0), hits: Cell::new(0) }
    }

    fn watch(&self, limit: f32) {
        assert!(0.0 <= limit && limit <= self.path.length, "{limit}");
        self.tests.set(self.tests.get() + 1);
        self.beyond.set(self.beyond.get() + u32::from(limit > self.bound));
    }
}

/// Without bounds of its own.
impl Cast for WatchedCast<'_> {
    type Hit = Block;

    fn reach(&self) -> f32 {
        self.path.reach()
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        assert!(is_a_box(aabb), "{aabb:?}");
        self.watch(limit);
        self.path.meets_aabb(aabb, limit)
    }

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        assert_eq!(sphere.check(), Ok(()));
        self.watch(limit);
        self.path.meets_sphere(sphere, limit)
    }

    fn hit(&self, met: &CastHit) -> Block {
        assert!(met.entry <= self.path.length && met.distance >= 0.0, "{met:?}");
        self.hits.set(self.hits.get() + 1);
        self.path.hit(met)
    }
}

/// What a path meets by asking every object, first to last, then the lowest handle.
pub(super) fn blocks(oracle: &Oracle, path: &dyn Cast<Hit = Block>, among: Selection) -> Vec<Block> {
    let objects = oracle.objects().iter().filter(|(handle, object)| among.includes(*handle, object));
    let block = |handle: Handle, shape: &Shape| {
        let aabb = shape.aabb().clamped_to_finite();
        let (entry, shape) = match *shape {
            Shape::Aabb(_) => (path.meets_aabb(&aabb, path.reach())?, aabb.into()),
            Shape::Sphere(sphere) => (path.meets_sphere(&sphere, path.reach())?, *shape),
            _ => unreachable!("a shape that is not known here"),
        };
        let met = CastHit { handle, shape, entry, distance: entry };
        (entry <= path.reach() && path.bounds().overlaps(&aabb)).then(|| path.hit(&met))
    };
    let mut found: Vec<Block> = objects.filter_map(|(handle, object)| block(*handle, &object.shape)).collect();
    found.sort_by(|a, b| a.walked.total_cmp(&b.walked));
    found
}

fn by_way(mut found: Vec<Block>) -> Vec<Block> {
    found.sort_by(|a, b| a.walked.total_cmp(&b.walked).then(a.handle.cmp(&b.handle)));
    found
}

/// Asks a cast behind a wrapper in every form, and compares it with brute force on the cast itself; the number of hits.
fn compare_cast(view: View<'_>, oracle: &Oracle, cast: &dyn Cast<Hit = Block>, among: Selection) -> usize {
    let (expected, mut scratch) = (blocks(oracle, cast, among), Scratch::new());
    let cast = &AnyCast(cast);
    assert_eq!(by_way(asked_among!(view.cast(cast), among)), expected);
    assert_eq!(asked_among!(view.cast(cast).in_order(&mut scratch), among), expected);
    let query = || with_options!(view.cast(cast), among).filter(|handle| among.accepts(handle));
    assert_eq!(query().closest(), expected.first().copied());
    let part = expected.get(expected.len() / 2).map_or(cast.reach() * 0.5, |block| block.walked);
    for bound in [part, part.next_down(), 0.0, -1.0, f32::NAN, f32::INFINITY] {
        let within: Vec<Block> = expected.iter().filter(|block| block.walked <= bound).copied().collect();
        let mut found = Vec::new();
        query().within(bound).collect_into(&mut found);
        assert_eq!(by_way(found.clone()), within, "within {bound}");
        query().within(bound).in_order(&mut scratch).collect_into(&mut found);
        assert_eq!(found, within, "in order within {bound}");
        assert_eq!(query().within(bound).closest(), within.first().copied());
    }
    // A narrow phase that leaves out balls, and meets the rest a little later.
    let exact = |block: &Block| (!block.is_ball).then_some(block.walked + 0.5);
    let boxes = expected.iter().filter(|block| !block.is_ball && block.walked + 0.5 <= cast.reach());
    let refined = by_way(boxes.map(|block| Block { walked: block.walked + 0.5, ..*block }).collect());
    assert_eq!(by_way(asked!(query().refine(exact))), refined);
    assert_eq!(asked!(query().refine(exact).in_order(&mut scratch)), refined);
    assert_eq!(query().refine(exact).closest(), refined.first().copied());
    expected.len()
}

#[test]
fn a_cast_of_the_callers_answers_as_brute_force_does() {
    let mut hits = 0;
    for seed in 0..12 {
        let ((mut tree, oracle), mut random) = (random_world(seed + 80, 300), Random::new(seed));
        for among in selections(&oracle, &mut random) {
            for _ in 0..3 {
                hits += compare_cast(tree.view(), &oracle, &Path::random(&mut random), among);
            }
        }
        let path = Path::random(&mut random);
        let (mut direct, mut scratch) = (Vec::new(), Scratch::new());
        tree.view().cast(&path).in_order(&mut scratch).collect_into(&mut direct);
        assert_eq!(direct, blocks(&oracle, &path, Selection::ALL));
        hits += compare_cast(tree.view(), &oracle, &path, Selection::ALL);
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn a_cast_is_told_how_far_it_is_wanted() {
    let (mut tree, oracle) = random_world(7, 2_000);
    let (view, mut random) = (tree.view(), Random::new(7));
    let (mut closest, mut all) = (0, 0);
    for _ in 0..60 {
        let path = Path::random(&mut random);
        let cast = WatchedCast::new(&path, path.length);
        let expected = blocks(&oracle, &path, Selection::ALL);
        assert_eq!(view.cast(&cast).closest(), expected.first().copied());
        closest += cast.tests.replace(0);
        assert_eq!(view.cast(&cast).count(), expected.len());
        all += cast.tests.replace(0);
        // Within a bound no test goes farther, but the one that says where a hit's shape is met.
        let cast = WatchedCast::new(&path, path.length * 0.25);
        let near = expected.iter().filter(|block| block.walked <= cast.bound).count();
        assert_eq!(asked!(view.cast(&cast).within(cast.bound)).len(), near);
        assert!(cast.beyond <= cast.hits, "{:?} tests beyond the bound, {:?} hits", cast.beyond, cast.hits);
    }
    assert!(closest < all, "{closest} tests for the closest of {all}");
}

/// A cast that breaks its word: its reach is no number.
struct Unreached;

impl Cast for Unreached {
    type Hit = Handle;

    fn reach(&self) -> f32 {
        f32::NAN
    }

    fn meets_aabb(&self, _: &Aabb, _: f32) -> Option<f32> {
        Some(0.0)
    }

    fn meets_sphere(&self, _: &Sphere, _: f32) -> Option<f32> {
        Some(0.0)
    }

    fn hit(&self, met: &CastHit) -> Handle {
        met.handle
    }
}

#[test]
fn regression_nothing_is_within_a_reach_that_is_no_number() {
    let (mut tree, _) = random_world(3, 100);
    let view = tree.view();
    assert_eq!(view.cast(&Unreached).count(), 0);
    for bound in [0.0, 5.0, f32::INFINITY] {
        assert_eq!(view.cast(&Unreached).within(bound).count(), 0, "{bound}");
        let (mut all, mut closest) = (Batch::new(), Batch::new());
        view.cast_many(&[Unreached, Unreached]).within(bound).collect_into(&mut all);
        view.cast_many(&[Unreached, Unreached]).within(bound).closest_into(&mut closest);
        assert_eq!((all.answers(), closest.answers()), (&[][..], &[None; 2][..]), "{bound}");
    }
    tree.validate().unwrap();
}

#[test]
fn batches_of_the_callers_casts_are_single_questions() {
    let pool = crate::support::pool(3);
    for seed in 0..3 {
        let ((mut tree, oracle), mut random) = (random_world(seed + 90, 400), Random::new(seed));
        let paths: Vec<Path> = (0..200).map(|_| Path::random(&mut random)).collect();
        let view = tree.view();
        let (mut all, mut closest, mut any) = (Batch::new(), Batch::new(), Batch::new());
        for among in selections(&oracle, &mut random) {
            let among = Selection { exclude: None, ..among };
            for (threads, bound) in
                [(Threads::One, f32::INFINITY), (Threads::Pool, f32::INFINITY), (Threads::Pool, 9.0)]
            {
                macro_rules! many {
                    () => {{
                        let mut query = view.cast_many(&paths).threads(threads).within(bound);
                        if let Some(layers) = among.layers {
                            query = query.layers(layers);
                        }
                        if let Some(only) = among.only {
                            query = query.only(only);
                        }
                        query.filter(|handle| among.accepts(handle))
                    }};
                }
                let stats = pool.install(|| work(|stats| many!().stats(stats).collect_into(&mut all)));
                assert_eq!(stats.hits, all.answers().len() as u64);
                pool.install(|| many!().closest_into(&mut closest));
                pool.install(|| many!().any_into(&mut any));
                for (index, path) in paths.iter().enumerate() {
                    let mut expected = blocks(&oracle, path, among);
                    expected.retain(|block| block.walked <= bound);
                    assert_eq!(by_way(all.of(index).to_vec()), expected);
                    assert_eq!(closest.of(index), [expected.first().copied()]);
                    assert_eq!(any.of(index), [all.of(index).first().copied()]);
                }
            }
        }
    }
}
