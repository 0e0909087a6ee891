//! Visitors that stop, and questions for any answer: what they get is the beginning of all answers, also where
//! these fill the queue of blocks many times, and where they stand in piles.

use crate::support::{listing, sorted, work};
use broadleaf::glam::Vec3;
use broadleaf::query::Region;
use broadleaf::{Aabb, Handle, Layers, Mobility, Object, Octree, QueryStats, Ray, Scratch, Sphere};
use workloads::{Oracle, Random};

/// Answers after which a visitor stops: around a block, eight blocks and the queue.
const STOPS: [usize; 12] = [1, 2, 7, 8, 9, 63, 64, 65, 448, 512, 513, 2000];

/// Small boxes evenly, and boxes as long as the world, some of which cross all of it: piles of one bucket and of many.
fn world() -> Octree {
    let mut random = Random::new(11);
    let cube = Aabb::new(Vec3::ZERO, Vec3::splat(24.0));
    let mut add = |half: Vec3| Object::new(Aabb::from_center_half_extents(random.point(&cube), half));
    let mut objects: Vec<Object> = (0..4000).map(|_| add(Vec3::splat(0.4))).collect();
    objects.extend((0..900).map(|index| {
        let mut half = Vec3::splat(0.2);
        half[index % 3] = if index % 2 == 0 { 12.0 } else { 3.0 };
        add(half)
    }));
    let mut tree = Octree::default();
    tree.insert_many(&objects, &mut Vec::new()).unwrap();
    tree.validate().unwrap();
    tree
}

/// Compares stopped visitors and `any` with the whole list; the work of `any`, and that of the list.
fn check_region(tree: &mut Octree, region: &impl Region) -> [QueryStats; 2] {
    let view = tree.view();
    let mut all: Vec<Handle> = Vec::new();
    let whole = work(|stats| view.overlap(region).unwrap().stats(stats).collect_into(&mut all));
    for stop in STOPS {
        let mut first = Vec::new();
        let _ = view.overlap(region).unwrap().try_for_each(listing(&mut first, stop));
        assert_eq!(first, all[..stop.min(all.len())]);
    }
    let mut any = None;
    let least = work(|stats| any = view.overlap(region).unwrap().stats(stats).any());
    assert_eq!(any, all.first().copied());
    assert!(least.nodes_visited <= whole.nodes_visited && least.objects_tested <= whole.objects_tested);
    [least, whole]
}

#[test]
fn stopped_visitors_of_regions_get_the_first_answers() {
    let mut tree = world();
    let everywhere = Aabb::new(Vec3::splat(-20.0), Vec3::splat(50.0));
    let [any, whole] = check_region(&mut tree, &everywhere);
    assert_eq!(whole.hits, 4900);
    assert!(any.nodes_visited <= 12 && any.objects_tested <= 64, "{any:?}");
    check_region(&mut tree, &Sphere::new(Vec3::splat(12.0), 9.0));
    check_region(&mut tree, &Aabb::new(Vec3::splat(3.0), Vec3::splat(4.5)));
    check_region(&mut tree, &Aabb::new(Vec3::splat(99.0), Vec3::splat(100.0)));
}

#[test]
fn stopped_visitors_of_rays_and_partners_get_the_first_answers() {
    let mut tree = world();
    let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
    let view = tree.view();
    let mut most = 0;
    for start in [Vec3::new(-9.0, 3.0, 5.0), Vec3::new(-1.0, -1.0, -1.0), Vec3::splat(12.0)] {
        let ray = Ray::new(start, Vec3::new(1.0, 0.9, 0.8)).unwrap();
        let mut all = Vec::new();
        let whole = work(|stats| view.cast(&ray).stats(stats).collect_into(&mut all));
        for stop in STOPS {
            let mut first = Vec::new();
            let _ = view.cast(&ray).try_for_each(listing(&mut first, stop));
            assert_eq!(first, all[..stop.min(all.len())]);
        }
        let mut any = None;
        let least = work(|stats| any = view.cast(&ray).stats(stats).any());
        assert_eq!(any, all.first().copied());
        assert!(least.nodes_visited <= whole.nodes_visited && least.objects_tested <= whole.objects_tested);
        most = most.max(all.len());
    }
    assert!(most > 10, "{most}");
    for handle in handles.into_iter().step_by(97) {
        let mut all = Vec::new();
        view.pairs_of(handle).unwrap().collect_into(&mut all);
        assert_eq!(view.pairs_of(handle).unwrap().any(), all.first().copied());
    }
}

/// A crowd in which each object overlaps dozens, and giants that overlap hundreds: boxes and spheres, static and moving,
/// on layers or not. One object in so many moves; where none is named, all but one in five.
fn crowd(layered: bool, one_in: Option<usize>) -> (Octree, Vec<Object>, Vec<Handle>) {
    let mut random = Random::new(31);
    let cube = Aabb::new(Vec3::ZERO, Vec3::splat(20.0));
    let objects: Vec<Object> = (0..1200)
        .map(|index| {
            let (center, half) = (random.point(&cube), if index % 60 == 0 { 7.0 } else { 1.6 });
            let object = if index % 3 == 0 {
                Object::new(Sphere::new(center, half))
            } else {
                Object::new(Aabb::from_center_half_extents(center, Vec3::splat(half)))
            };
            let moves = one_in.map_or(index % 5 != 1, |share| index % share == 3);
            let object = if moves { object } else { object.with_mobility(Mobility::Static) };
            if layered && index % 4 == 3 {
                object.with_layers(Layers::new(1 << (index % 8), 1 << (index % 7)))
            } else {
                object
            }
        })
        .collect();
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&objects, &mut handles).unwrap();
    tree.validate().unwrap();
    (tree, objects, handles)
}

#[test]
fn pairs_of_crowds_and_giants_are_complete_and_visitors_of_them_stop() {
    // Of those of which one in eight moves, three groups walk the tree.
    let cases = [None, Some(5), Some(8)].map(|one_in| [(false, one_in), (true, one_in)]);
    for (layered, one_in) in cases.into_iter().flatten() {
        let (mut tree, objects, handles) = crowd(layered, one_in);
        let mut oracle = Oracle::default();
        handles.iter().zip(&objects).for_each(|(&handle, object)| oracle.insert(handle, *object));
        let mut all = Vec::new();
        let mut scratch = Scratch::new();
        let whole = work(|stats| tree.view().pairs(&mut scratch).stats(stats).collect_into(&mut all));
        assert_eq!(whole.hits, all.len() as u64);
        let least = if one_in == Some(8) { 3 } else { 5 };
        assert!(all.len() > least * objects.len(), "{}", all.len());
        if one_in == Some(8) {
            // A pass counts an object once for each bucket that it meets, the walk for each block. 150 move.
            assert!(whole.objects_tested > 100 * 150, "{whole:?}");
        }
        assert_eq!(sorted(all.iter().map(|pair| (pair.a(), pair.b())).collect::<Vec<_>>()), oracle.pairs());
        for stop in STOPS {
            let mut first = Vec::new();
            let part = work(|stats| {
                let _ = tree.view().pairs(&mut scratch).stats(stats).try_for_each(listing(&mut first, stop));
            });
            assert_eq!((first.as_slice(), part.hits), (&all[..stop], stop as u64));
        }
    }
}
