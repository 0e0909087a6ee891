//! parry3d's `Bvh`, kept up to date leaf by leaf, and a map of the pairs: what
//! rapier3d's broad phase does, but with exact boxes and nothing around it.

use super::cases::EventFrame;
use super::{EventSubject, IndexPair, index_pair};
use broadleaf::{Aabb, Mobility, Object};
use foldhash::fast::FixedState;
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhNode, BvhWorkspace};
use std::collections::HashMap;

/// Too small to change a coordinate other than zero, yet it turns change detection on.
const MARGIN: f32 = f32::MIN_POSITIVE;

/// The tree, the pairs, and each object's partners.
#[derive(Default)]
pub(super) struct ParryEvents {
    tree: Bvh,
    workspace: BvhWorkspace,
    moves: Vec<bool>,
    pairs: HashMap<IndexPair, (), FixedState>,
    partners: Vec<Vec<u32>>,
    /// Leaves that changed in this frame, and in the one before.
    changed: Vec<u32>,
    changed_before: Vec<u32>,
    is_changed: Vec<bool>,
    begun: Vec<IndexPair>,
    ended: Vec<IndexPair>,
}

fn convert(aabb: &Aabb) -> ParryAabb {
    ParryAabb { mins: Vector::from(aabb.min.to_array()), maxs: Vector::from(aabb.max.to_array()) }
}

fn is_same(node: &BvhNode, aabb: &ParryAabb) -> bool {
    node.mins() == aabb.mins && node.maxs() == aabb.maxs
}

impl ParryEvents {
    fn remember(&mut self, objects: &[Object]) {
        self.moves.extend(objects.iter().map(|object| object.mobility == Mobility::Moving));
        self.partners.resize(self.moves.len(), Vec::new());
        self.is_changed.resize(self.moves.len(), false);
    }

    fn set(&mut self, index: u32, aabb: &Aabb) {
        let aabb = convert(aabb);
        let mut status = self.tree.insert_or_update_partially(aabb, index, MARGIN);
        if status == BvhLeafUpdateStatus::Unchanged && self.tree.leaf_node(index).is_some_and(|n| !is_same(n, &aabb)) {
            // It has shrunk within its old box, which would stay: marked by a
            // box elsewhere, then written without a margin.
            let elsewhere = ParryAabb { mins: aabb.mins - Vector::splat(1e6), maxs: aabb.maxs + Vector::splat(1e6) };
            self.tree.insert_or_update_partially(elsewhere, index, MARGIN);
            status = self.tree.insert_or_update_partially(aabb, index, 0.0);
        }
        if status != BvhLeafUpdateStatus::Unchanged {
            self.changed.push(index);
        }
    }

    /// Forgets a removed object; its pairs end.
    fn remove(&mut self, index: u32) {
        self.tree.remove(index);
        for other in std::mem::take(&mut self.partners[index as usize]) {
            let pair = index_pair(index, other);
            self.pairs.remove(&pair);
            self.partners[other as usize].retain(|&partner| partner != index);
            self.ended.push(pair);
        }
    }

    fn refit(&mut self, has_removals: bool) {
        let leaves = self.tree.leaf_count() as usize;
        if has_removals || (self.changed.len() + self.changed_before.len()) * 16 >= leaves {
            self.tree.refit(&mut self.workspace);
        } else {
            self.tree.refit_partial(&self.changed_before, &self.changed);
        }
    }

    fn find_begun(&mut self) {
        let Self { tree, workspace, moves, pairs, begun, partners, .. } = self;
        tree.traverse_bvtt_single_tree::<true>(workspace, &mut |a, b| {
            let pair = index_pair(a, b);
            if (moves[a as usize] || moves[b as usize]) && pairs.insert(pair, ()).is_none() {
                begun.push(pair);
                partners[a as usize].push(b);
                partners[b as usize].push(a);
            }
        });
    }

    fn find_ended(&mut self) {
        let first = self.ended.len();
        for &index in &self.changed {
            self.is_changed[index as usize] = true;
        }
        for &index in &self.changed {
            let Some(own) = self.tree.leaf_node(index) else { continue };
            for &other in &self.partners[index as usize] {
                let once = index < other || !self.is_changed[other as usize];
                if once && self.tree.leaf_node(other).is_some_and(|node| !own.intersects(node)) {
                    self.ended.push(index_pair(index, other));
                }
            }
        }
        for &index in &self.changed {
            self.is_changed[index as usize] = false;
        }
        for pair in &self.ended[first..] {
            self.pairs.remove(pair);
            for (own, other) in [*pair, (pair.1, pair.0)] {
                let partners = &mut self.partners[own as usize];
                if let Some(at) = partners.iter().position(|&partner| partner == other) {
                    partners.swap_remove(at);
                }
            }
        }
    }
}

impl EventSubject for ParryEvents {
    fn name(&self) -> &'static str {
        "parry3d Bvh and map"
    }

    fn load(&mut self, objects: &[Object]) {
        *self = Self::default();
        self.remember(objects);
        let boxes = objects.iter().enumerate().map(|(index, object)| (index, convert(&object.shape.aabb())));
        self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        // The first refit resolves the marks of new leaves; then all count as changed.
        self.tree.refit(&mut self.workspace);
        self.changed.extend((0..).zip(objects).map(|(index, _)| index));
        let Self { tree, workspace, moves, pairs, begun, partners, .. } = self;
        tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| {
            if moves[a as usize] || moves[b as usize] {
                pairs.insert(index_pair(a, b), ());
                begun.push(index_pair(a, b));
                partners[a as usize].push(b);
                partners[b as usize].push(a);
            }
        });
        std::mem::swap(&mut self.changed, &mut self.changed_before);
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.begun.clear();
        self.ended.clear();
        self.changed.clear();
        for &index in &frame.removed {
            self.remove(index);
        }
        let first = self.moves.len();
        self.remember(&frame.spawned);
        for (&index, aabb) in frame.moved.iter().zip(&frame.boxes) {
            self.set(index, aabb);
        }
        for (index, object) in (first..).zip(&frame.spawned) {
            self.set(u32::try_from(index).expect("few objects"), &object.shape.aabb());
        }
        if !self.changed.is_empty() || !self.changed_before.is_empty() || !frame.removed.is_empty() {
            self.refit(!frame.removed.is_empty());
            self.find_begun();
            self.find_ended();
        }
        std::mem::swap(&mut self.changed, &mut self.changed_before);
        self.begun.len() + self.ended.len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        self.begun.clone()
    }

    fn ended(&self) -> Vec<IndexPair> {
        self.ended.clone()
    }
}
