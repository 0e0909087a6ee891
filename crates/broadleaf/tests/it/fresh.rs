//! A view through a shared reference: there exactly while the tree is up to date.

use crate::support::{cube, oracle_of, pairs, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Config, Handle, Layers, Margin, Mobility, Object, Octree, Pair, PairTracker, Scratch, Sphere, Threads,
};
use std::sync::RwLock;
use workloads::{Player, Random, Scene};

/// The pairs that a view through a shared reference sees, if there is one.
fn try_pairs(tree: &Octree) -> Option<Vec<Pair>> {
    let view = tree.try_view()?;
    let mut found = Vec::new();
    view.pairs_into(&mut Scratch::new(), &mut found);
    Some(found)
}

/// A tree of a few hundred objects that is up to date.
fn filled(config: Config) -> (Octree, Vec<Handle>) {
    let (mut tree, mut handles) = (Octree::new(config).unwrap(), Vec::new());
    tree.insert_many(Scene::by_name("shapes", 300, 6).unwrap().objects(), &mut handles).unwrap();
    tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::ONE)).unwrap();
    tree.view();
    (tree, handles)
}

type Change = (&'static str, fn(&mut Octree, &[Handle]));

/// Every change after which the next view has something to do.
const CHANGES: [Change; 12] = [
    ("insert", |tree, _| _ = tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap()),
    ("insert_many", |tree, _| tree.insert_many(&[cube(0.0, 0.0, 0.0, 1.0); 3], &mut Vec::new()).unwrap()),
    ("remove", |tree, handles| _ = tree.remove(handles[5]).unwrap()),
    ("remove_many", |tree, handles| tree.remove_many(&handles[5..9]).unwrap()),
    ("retain", |tree, handles| tree.retain(|handle, _| handle != handles[5])),
    ("update", |tree, handles| tree.update(handles[5], cube(1.0, 2.0, 3.0, 9.0)).unwrap()),
    ("update to a sphere", |tree, handles| tree.update(handles[5], Sphere::new(Vec3::ONE, 9.0)).unwrap()),
    ("update_many", |tree, handles| tree.update_many(&handles[5..7], &[cube(1.0, 2.0, 3.0, 9.0); 2]).unwrap()),
    ("update all", |tree, handles| {
        let shapes: Vec<_> = handles.iter().map(|&handle| tree.get(handle).unwrap().shape).rev().collect();
        tree.update_many(handles, &shapes).unwrap();
    }),
    ("set_layers", |tree, handles| tree.set_layers(handles[5], Layers::new(1, 2)).unwrap()),
    ("set_mobility", |tree, handles| tree.set_mobility(handles[5], Mobility::Static).unwrap()),
    ("shift_origin", |tree, _| tree.shift_origin(Vec3::new(0.1, 2.0, 3.0)).unwrap()),
];

#[test]
fn a_change_leaves_no_view_until_the_next_is_taken() {
    let margin = Margin { absolute: 0.01, relative: 0.0 };
    for config in [Config::default(), Config { margin, ..Config::default() }] {
        for (name, change) in CHANGES {
            let (mut tree, handles) = filled(config);
            assert!(tree.try_view().is_some());
            change(&mut tree, &handles);
            assert!(tree.try_view().is_none(), "{name}");
            assert!(tree.clone().try_view().is_none(), "{name}, cloned");
            let expected = pairs(&mut tree);
            assert_eq!(try_pairs(&tree), Some(expected), "{name}");
            assert_eq!(try_pairs(&tree.clone()), try_pairs(&tree), "{name}, cloned");
            change(&mut tree, &handles[20..]);
            assert!(tree.try_view().is_none(), "{name}, again");
            PairTracker::new().update(tree.changes());
            assert!(tree.try_view().is_some(), "{name}");
        }
    }
}

#[test]
fn what_changes_no_answer_leaves_the_view() {
    let margin = Margin { absolute: 0.5, relative: 0.0 };
    let (mut tree, handles) = filled(Config { margin, ..Config::default() });
    let stale = handles[9];
    tree.remove(stale).unwrap();
    tree.view();
    let same = tree.get(handles[3]).unwrap().shape;
    tree.set_user_data(handles[3], 8).unwrap();
    tree.update(handles[3], same).unwrap();
    assert!(tree.remove(stale).is_none() && tree.update(stale, same).is_err());
    assert!(tree.insert(Sphere::new(Vec3::ZERO, -1.0)).is_err());
    assert!(tree.update_many(&handles[..12], &vec![same; 12]).is_err());
    assert!(tree.remove_many(&handles[..12]).is_err());
    assert!(tree.shift_origin(Vec3::NAN).is_err());
    tree.remove_many(&[]).unwrap();
    tree.retain(|_, _| true);
    tree.reserve(10);
    tree.shrink_to_fit();
    tree.set_threads(Threads::Pool);
    assert!(tree.try_view().is_some());
    assert_eq!(try_pairs(&tree), Some(pairs(&mut tree)));
}

#[test]
fn new_cleared_and_rebuilt_trees_have_a_view() {
    let mut tree = Octree::default();
    assert!(tree.try_view().is_some_and(|view| view.is_empty()));
    tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    assert!(tree.try_view().is_none());
    tree.clear();
    assert!(tree.try_view().is_some_and(|view| view.is_empty()));
    let (mut tree, handles) = filled(Config::default());
    tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    tree.update(handles[0], cube(3.0, 0.0, 0.0, 1.0)).unwrap();
    tree.rebuild();
    assert_eq!(try_pairs(&tree), Some(pairs(&mut tree)));
    // A snapshot into a tree that is not up to date.
    let (mut other, handles) = filled(Config::default());
    other.remove(handles[1]);
    other.clone_from(&tree);
    assert_eq!(try_pairs(&other), try_pairs(&tree));
    tree.remove(handles[1]);
    other.clone_from(&tree);
    assert!(other.try_view().is_none());
}

#[cfg(feature = "snapshot")]
#[test]
fn restored_trees_are_as_up_to_date_as_the_original() {
    let restored = |tree: &Octree| {
        let mut bytes = Vec::new();
        tree.snapshot_into(&mut bytes);
        Octree::from_snapshot(&bytes).unwrap()
    };
    for (name, change) in CHANGES {
        let (mut tree, handles) = filled(Config::default());
        assert_eq!(try_pairs(&restored(&tree)), Some(pairs(&mut tree)));
        change(&mut tree, &handles);
        assert!(restored(&tree).try_view().is_none(), "{name}");
    }
}

#[test]
fn a_view_that_is_there_answers_as_the_next_would() {
    let (scene, mut player) = (&mut Scene::by_name("bullets", 400, 2).unwrap(), Player::new());
    let (mut tree, mut random, mut there) = (Octree::default(), Random::new(5), 0);
    player.load(&mut tree, scene.objects()).unwrap();
    for step in 0..200 {
        let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
        let handle = handles[random.below(u32::try_from(handles.len()).unwrap()) as usize];
        match random.below(5) {
            0 => player.play(&mut tree, scene.step()).unwrap(),
            // Comes and goes again before it has a place.
            1 => _ = tree.insert(cube(0.0, 1.0, 0.0, 2.0)).map(|handle| tree.remove(handle)).unwrap(),
            2 => tree.set_user_data(handle, step).unwrap(),
            3 => _ = tree.view(),
            _ => {
                // An outsized object that comes, and goes.
                let handle = tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)).unwrap();
                tree.view();
                tree.remove(handle).unwrap();
            }
        }
        if let Some(found) = try_pairs(&tree) {
            there += 1;
            let oracle = oracle_of(&tree).pairs();
            assert_eq!(sorted(found.clone()), oracle.into_iter().map(|(a, b)| Pair::new(a, b)).collect::<Vec<_>>());
            assert_eq!(found, pairs(&mut tree));
        }
    }
    assert!((40..200).contains(&there), "{there} views");
}

#[test]
fn readers_behind_a_lock_ask_side_by_side() {
    let (tree, handles) = filled(Config::default());
    let lock = RwLock::new(tree);
    for frame in 0..10_u8 {
        {
            let mut tree = lock.write().unwrap();
            let moved: Object = cube(f32::from(frame), 0.0, 0.0, 1.0).into();
            tree.update(handles[usize::from(frame)], moved.shape).unwrap();
            assert!(tree.try_view().is_none());
            tree.view();
        }
        let expected = pairs(&mut lock.read().unwrap().clone());
        // All hold their guard and their view at the same time.
        let together = std::sync::Barrier::new(3);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let guard = lock.read().unwrap();
                    let view = guard.try_view().expect("up to date");
                    together.wait();
                    let mut found = Vec::new();
                    view.pairs_into(&mut Scratch::new(), &mut found);
                    assert_eq!(found, expected);
                    together.wait();
                });
            }
        });
    }
}
