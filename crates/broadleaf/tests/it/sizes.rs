//! What values cost, and which may cross threads.

use broadleaf::{
    Handle, Neighbor, Octree, Pair, RayHit, Scratch, View,
    query::{SweepHit, VisibleObject},
};

#[test]
fn values_are_as_small_as_promised() {
    assert_eq!(size_of::<Handle>(), 8);
    assert_eq!(size_of::<Option<Handle>>(), 8);
    assert_eq!(size_of::<(Handle, f32)>(), 12);
    assert_eq!(size_of::<Pair>(), 16);
    assert!(size_of::<RayHit>() <= 40);
    assert!(size_of::<Option<RayHit>>() <= 36);
    assert!(size_of::<Neighbor>() <= 36);
    assert!(size_of::<SweepHit>() <= 40);
    assert!(size_of::<VisibleObject>() <= 16);
    assert!(size_of::<View<'_>>() <= 16);
}

#[test]
fn trees_and_views_may_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    fn copies<T: Copy>() {}
    crosses::<Octree>();
    crosses::<View<'_>>();
    crosses::<Scratch>();
    crosses::<broadleaf::Batch<Handle>>();
    copies::<(Neighbor, VisibleObject, SweepHit, RayHit)>();
    let mut tree = Octree::default();
    let handle = tree.insert(crate::support::cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    let view = tree.view();
    let found = std::thread::scope(|scope| {
        let workers = [0, 1].map(|_| scope.spawn(move || view.get(handle)));
        workers.map(|worker| worker.join().unwrap())
    });
    assert!(found[0].is_some() && found[0] == found[1]);
}
