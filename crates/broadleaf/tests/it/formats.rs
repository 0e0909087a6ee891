//! Versions of snapshots: another version is refused by its number, and what is
//! written does not change while the number stays.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Octree, PairTracker, Scratch, Sphere, inspect::SnapshotError, pairs::PairBudget};

/// Where the number of the version stands, and where the rest begins.
const VERSION: std::ops::Range<usize> = 8..12;

/// A tree of a box and a sphere that touch, what a tracker knows of them, and a budget that defers them.
fn small() -> (Octree, PairTracker, PairBudget) {
    let mut tree = Octree::default();
    tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
    tree.insert(Sphere::new(Vec3::splat(1.5), 1.0)).unwrap();
    let (mut tracker, mut budget) = (PairTracker::new(), PairBudget::new(1));
    let (mut scratch, mut pairs, mut served) = (Scratch::new(), Vec::new(), Vec::new());
    tree.view().pairs(&mut scratch).collect_into(&mut pairs);
    budget.serve(tree.view(), &pairs, 0, |_| 3, &mut served);
    tracker.update(tree.changes());
    assert_eq!((tracker.pairs().len(), budget.deferred().len()), (1, 1));
    (tree, tracker, budget)
}

type Read = fn(&[u8]) -> Option<SnapshotError>;

/// The name of each kind, its bytes, and what refuses them.
fn kinds() -> [(&'static str, Vec<u8>, Read); 3] {
    let (tree, tracker, budget) = small();
    let mut bytes = [const { Vec::new() }; 3];
    let [of_tree, of_tracker, of_budget] = &mut bytes;
    tree.snapshot_into(of_tree);
    tracker.snapshot_into(of_tracker);
    budget.snapshot_into(of_budget);
    let [of_tree, of_tracker, of_budget] = bytes;
    [
        ("tree", of_tree, |bytes| Octree::from_snapshot(bytes).err()),
        ("tracker", of_tracker, |bytes| PairTracker::from_snapshot(bytes).err()),
        ("budget", of_budget, |bytes| PairBudget::from_snapshot(bytes).err()),
    ]
}

#[test]
fn another_version_is_refused_with_both_versions_named() {
    for (kind, bytes, read) in kinds() {
        assert_eq!(read(&bytes), None, "{kind}");
        let expected = u32::from_le_bytes(bytes[VERSION].try_into().unwrap());
        for found in [0, expected - 1, expected + 1, 256, u32::MAX] {
            let mut other = bytes.clone();
            other[VERSION].copy_from_slice(&found.to_le_bytes());
            let error = read(&other).unwrap();
            assert_eq!(error, SnapshotError::Version { found, expected }, "{kind}");
            assert_eq!(error.to_string(), format!("a snapshot of format {found}; this is format {expected}"));
            // The checksum and the columns are not looked at: they may mean anything.
            other[VERSION.end..].fill(0xff);
            assert_eq!(read(&other), Some(SnapshotError::Version { found, expected }), "{kind}");
        }
    }
}

/// FNV-1a of bytes, which needs no crate.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// If this fails, what is written has changed. If its layout has (a field came,
/// went, moved, or has another type), raise the version beside its magic and tell
/// the changelog: a release that keeps the number reads the old bytes as the new
/// layout. If only values have (where a tree puts an object), pin the new bytes.
#[test]
fn what_is_written_belongs_to_its_version() {
    let mut empty = Vec::new();
    Octree::default().snapshot_into(&mut empty);
    let [(_, tree, _), (_, tracker, _), (_, budget, _)] = kinds();
    let found = [&empty, &tree, &tracker, &budget].map(|bytes| {
        let version = u32::from_le_bytes(bytes[VERSION].try_into().unwrap());
        (version, bytes.len(), format!("{:016x}", hash(bytes)))
    });
    assert_eq!(found.map(|(version, len, hash)| format!("{version} {len} {hash}")), PINNED);
}

/// Version, length and hash of the bytes: of an empty tree, of the small tree, tracker and budget.
const PINNED: [&str; 4] =
    ["5 157 b500f777ecc9264a", "5 818 186908fa20abe87f", "4 33 1700e214a8a1bbcb", "1 29 72b4179081377cab"];
