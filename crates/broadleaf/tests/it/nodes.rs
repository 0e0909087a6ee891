//! What the tree says of its nodes adds up.

use crate::support::{cube, nodes};
use broadleaf::{Octree, PairTracker, inspect::NodeInfo};
use workloads::{Player, Scene};

fn built(name: &str) -> Octree {
    let scene = Scene::by_name(name, 2_000, 3).expect("a scene");
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).expect("legal objects");
    tree
}

#[test]
fn objects_blocks_and_children_add_up() {
    for name in Scene::NAMES {
        let mut tree = built(name);
        let nodes = nodes(&mut tree);
        let sum = |of: fn(&NodeInfo) -> u32| nodes.iter().map(of).sum::<u32>() as usize;
        assert_eq!(sum(|node| node.objects), tree.len(), "{name}");
        assert_eq!(nodes[0].objects_below as usize, tree.len(), "{name}");
        assert_eq!(sum(|node| node.children) + 1, nodes.len(), "{name}");
        assert_eq!(sum(|node| node.blocks), tree.counters().blocks_live, "{name}");
        for (index, node) in nodes.iter().enumerate() {
            assert_eq!(node.leaf, node.children == 0, "{name}");
            assert!(node.objects <= 8 * node.blocks && node.blocks <= node.objects, "{name}: {node:?}");
            // Parents come before children, and children side by side with what is below them.
            let below = nodes[index + 1..].iter().take_while(|other| other.depth > node.depth);
            let objects = node.objects + below.clone().map(|other| other.objects).sum::<u32>();
            assert_eq!(node.objects_below, objects, "{name}: {node:?}");
            assert!(below.into_iter().all(|other| node.bounds.contains(&other.bounds)), "{name}: {node:?}");
        }
    }
}

#[test]
fn only_what_moved_is_changed_after_events_were_taken() {
    let mut tree = Octree::default();
    let row = |step: u16| cube(f32::from(step) * 3.0, 0.0, 0.0, 1.0);
    let handles: Vec<_> = (0..400).map(|step| tree.insert(row(step)).unwrap()).collect();
    let mut tracker = PairTracker::new();
    assert!(nodes(&mut tree).iter().all(|node| node.changed));
    tracker.update(tree.changes());
    assert!(nodes(&mut tree).iter().all(|node| !node.changed));
    tree.update(handles[7], row(7).translated(broadleaf::glam::Vec3::Y * 0.125)).unwrap();
    let nodes = nodes(&mut tree);
    let changed: Vec<&NodeInfo> = nodes.iter().filter(|node| node.changed).collect();
    assert!(!changed.is_empty() && changed.len() < nodes.len());
    assert!(changed.iter().all(|node| node.bounds.overlaps(&row(7))), "{changed:?}");
}
