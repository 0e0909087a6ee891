//! Snapshots that were tampered with: each is refused, or is a tree like any other.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Layers, Octree, PairTracker, Scratch, Sphere};

/// A tree in its stored form, without the checksum that would tell that it was changed.
///
/// # Panics
/// If a tree cannot be stored.
#[must_use]
pub fn store(tree: &Octree) -> Vec<u8> {
    postcard::to_allocvec(tree).expect("a tree can be stored")
}

/// The tree of a stored form, whatever was done to it; `None` if it is refused.
#[must_use]
pub fn restore(bytes: &[u8]) -> Option<Octree> {
    postcard::from_bytes(bytes).ok()
}

/// Does all kinds of things to a tree.
///
/// # Panics
/// If the tree does.
pub fn exercise(tree: &mut Octree) {
    let mut scratch = Scratch::new();
    let (mut pairs, mut found) = (Vec::new(), Vec::new());
    let sound = |tree: &Octree| tree.validate().unwrap_or_else(|broken| panic!("{broken}"));
    sound(tree);
    let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
    for (index, &handle) in (0_u8..).zip(handles.iter().take(20)) {
        let at = Vec3::splat(f32::from(index) * 7.0 - 30.0);
        let _ = match index % 4 {
            0 => tree.remove(handle).is_some(),
            1 => tree.update(handle, Sphere::new(at, 1.0)).is_ok(),
            2 => tree.set_layers(handle, Layers::new(1, 3)).is_ok(),
            _ => tree.insert(Aabb::new(at, at + 3.0)).is_ok(),
        };
    }
    sound(tree);
    PairTracker::new().update(tree.changes());
    sound(tree);
    tree.view().pairs(&mut scratch).collect_into(&mut pairs);
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    tree.view().overlap(&everywhere).expect("a legal box").collect_into(&mut found);
    // Objects may be too far out to be moved; then they are not.
    let _ = tree.shift_origin(Vec3::new(1.5, -100.25, 0.1));
    tree.view();
    sound(tree);
    tree.rebuild();
    sound(tree);
    tree.clear();
    sound(tree);
}
