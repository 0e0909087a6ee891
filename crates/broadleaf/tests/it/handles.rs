//! Handles as numbers, and calls that take or give many of them.

use crate::support::{agree, contents, cube, oracle_of, pairs};
use broadleaf::{Aabb, Error, Handle, Octree, PairTracker, SliceError};
use workloads::{Random, Scene};

#[test]
fn handles_come_back_from_their_bits() {
    let mut tree = Octree::default();
    for _ in 0..5 {
        let handle = tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
        assert_eq!(Handle::from_bits(handle.to_bits()), Some(handle));
        tree.remove(handle);
        tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
        assert!(!tree.contains(Handle::from_bits(handle.to_bits()).unwrap()));
    }
    let bits = |slot: u32, generation: u32| u64::from(slot) << 32 | u64::from(generation);
    let slot_max = (1 << 28) - 2;
    for (slot, generation) in [(0, 1), (7, 3), (slot_max, u32::MAX)] {
        let handle = Handle::from_bits(bits(slot, generation)).unwrap();
        assert_eq!((handle.slot(), handle.generation(), handle.to_bits()), (slot, generation, bits(slot, generation)));
        assert!(!tree.contains(handle) || slot == 0);
    }
    // Of no generation, of an even one, beyond all slots.
    for (slot, generation) in [(0, 0), (3, 0), (3, 2), (3, u32::MAX - 1), (slot_max + 1, 1), (u32::MAX, u32::MAX)] {
        assert_eq!(Handle::from_bits(bits(slot, generation)), None, "{slot}, {generation}");
    }
}

#[test]
fn many_are_removed_at_once() {
    let mut original = Octree::default();
    let mut handles = Vec::new();
    original.insert_many(Scene::by_name("shapes", 500, 3).unwrap().objects(), &mut handles).unwrap();
    let mut tracker = PairTracker::new();
    tracker.update(original.changes());
    let mut random = Random::new(2);
    for count in [0, 1, 2, 100, 499, 500] {
        let mut chosen = handles.clone();
        for last in (1..chosen.len()).rev() {
            chosen.swap(last, random.below(u32::try_from(last).unwrap() + 1) as usize);
        }
        chosen.truncate(count);
        let (mut many, mut one, mut tracker) = (original.clone(), original.clone(), tracker.clone());
        many.remove_many(&chosen).unwrap();
        chosen.iter().for_each(|&handle| assert!(one.remove(handle).is_some()));
        assert_eq!((many.len(), many.state_hash()), (500 - count, one.state_hash()));
        assert!(chosen.iter().all(|&handle| !many.contains(handle)));
        let mut oracle = oracle_of(&original);
        chosen.iter().for_each(|&handle| _ = oracle.remove(handle));
        agree(&mut many, &oracle);
        let known = tracker.begun().len();
        tracker.update(many.changes());
        assert_eq!(pairs(&mut many).len(), known - tracker.ended().len());
        assert!(tracker.begun().is_empty());
    }
}

#[test]
fn a_stale_or_repeated_handle_removes_nothing() {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(Scene::by_name("shapes", 200, 3).unwrap().objects(), &mut handles).unwrap();
    let stale = handles[150];
    tree.remove(stale);
    tree.view();
    let (before, objects) = (tree.state_hash(), contents(&tree));
    let refused = |index, handle| Err(SliceError { index, error: Error::StaleHandle { handle } });
    let beyond = Handle::from_bits(u64::from(1_000_000_u32) << 32 | 1).unwrap();
    for (list, expected) in [
        (vec![stale], refused(0, stale)),
        (vec![handles[1], handles[2], stale, beyond], refused(2, stale)),
        (vec![handles[1], beyond], refused(1, beyond)),
        (vec![handles[1], handles[2], handles[1]], refused(2, handles[1])),
        (vec![handles[199], handles[64], handles[63], handles[63]], refused(3, handles[63])),
        (handles.clone(), refused(150, stale)),
    ] {
        assert_eq!(tree.remove_many(&list), expected);
        assert_eq!(tree.state_hash(), before);
    }
    assert_eq!(contents(&tree), objects);
    assert_eq!(tree.validate(), Ok(()));
}

#[test]
fn some_are_retained() {
    let mut original = Octree::default();
    original.insert_many(Scene::by_name("shapes", 300, 3).unwrap().objects(), &mut Vec::new()).unwrap();
    for step in [1, 2, 3, 7, 1000] {
        for is_placed in [false, true] {
            let mut tree = original.clone();
            tree.insert_many(&[cube(0.0, 0.0, 0.0, 1.0); 20], &mut Vec::new()).unwrap();
            if is_placed {
                tree.view();
            }
            let before = contents(&tree);
            let (mut asked, mut one) = (Vec::new(), tree.clone());
            tree.retain(|handle, object| {
                asked.push((handle, object));
                handle.slot() % step == 0
            });
            assert_eq!(asked, before, "each once, lowest slot first");
            for (handle, _) in before.iter().filter(|(handle, _)| handle.slot() % step != 0) {
                one.remove(*handle).unwrap();
            }
            assert_eq!(tree.state_hash(), one.state_hash());
            agree(&mut tree, &oracle_of(&one));
        }
    }
    original.retain(|_, _| false);
    assert!(original.is_empty());
    original.retain(|_, _| unreachable!("there is nothing to ask about"));
    agree(&mut original, &oracle_of(&Octree::default()));
}

#[test]
fn an_error_in_a_slice_is_an_error() {
    fn load(boxes: &[Aabb]) -> Result<Octree, Error> {
        let mut tree = Octree::new(broadleaf::Config::default())?;
        tree.insert_many(boxes, &mut Vec::new())?;
        Ok(tree)
    }
    let (good, bad) = (cube(0.0, 0.0, 0.0, 1.0), cube(0.0, f32::NAN, 0.0, 1.0));
    assert_eq!(load(&[good, good]).unwrap().len(), 2);
    assert_eq!(load(&[good, bad]).unwrap_err(), Error::NotANumber { field: "min.y" });
}
