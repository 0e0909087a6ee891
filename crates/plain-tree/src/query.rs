//! Boxes in a box, and the nearest box on a ray.

use crate::lanes::{Lanes, bits};
use crate::{BLOCK, Block, PlainTree};
use broadleaf::Aabb;

/// Children that wait on a ray's way: seven of each of twelve levels and eight of the last, and some.
const STACK: usize = 128;

impl PlainTree {
    /// Calls `found` with every box that overlaps another.
    pub fn overlapping(&self, aabb: &Aabb, found: &mut impl FnMut(u32)) {
        if !self.blocks.is_empty() {
            self.overlapping_under(self.root, aabb, found);
        }
    }

    fn overlapping_under(&self, child: u32, aabb: &Aabb, found: &mut impl FnMut(u32)) {
        let mut look_at = |block: &Block| bits(block.boxes.overlapping(aabb)).for_each(|l| found(block.indices[l]));
        if child & BLOCK != 0 {
            return look_at(self.block(child));
        }
        let node = &self.nodes[child as usize];
        self.blocks(&node.own).iter().for_each(look_at);
        for lane in bits(node.bounds.overlapping(aabb)) {
            self.overlapping_under(node.children[lane], aabb, found);
        }
    }

    /// The nearest box on a ray and where the ray enters it, zero from inside.
    /// Children are visited in the order in which the ray enters them.
    #[must_use]
    pub fn nearest_hit(&self, ray: &Lanes, distance_max: f32) -> Option<(u32, f32)> {
        if self.blocks.is_empty() {
            return None;
        }
        let (mut best, mut reach) = (None, distance_max);
        let mut look_at = |block: &Block, reach: &mut f32| {
            let (mask, enters) = block.boxes.met_by(ray, *reach);
            for lane in bits(mask) {
                if best.is_none_or(|(_, distance)| enters[lane] < distance) {
                    best = Some((block.indices[lane], enters[lane]));
                    *reach = enters[lane];
                }
            }
        };
        let mut stack = [(0.0, 0_u32); STACK];
        stack[0] = (0.0, self.root);
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (enter, child) = stack[waiting];
            if enter > reach {
                continue;
            }
            if child & BLOCK != 0 {
                look_at(self.block(child), &mut reach);
                continue;
            }
            let node = &self.nodes[child as usize];
            self.blocks(&node.own).iter().for_each(|block| look_at(block, &mut reach));
            let (mask, enters) = node.bounds.met_by(ray, reach);
            let first = waiting;
            for lane in bits(mask) {
                // The farthest first, so that the nearest is taken next.
                let mut place = waiting;
                while place > first && stack[place - 1].0 < enters[lane] {
                    stack[place] = stack[place - 1];
                    place -= 1;
                }
                stack[place] = (enters[lane], node.children[lane]);
                waiting += 1;
            }
        }
        best
    }
}
