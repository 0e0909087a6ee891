//! Taking objects out of their lanes.

use super::Octree;
use crate::Handle;
use crate::data::blocks::{Entry, Link};
use crate::data::ids::{Location, NodeId};
use crate::data::nodes::ITSELF_CHANGED;
use crate::data::object::Object;

impl Octree {
    /// Removes an object and returns it; `None` if the handle is stale.
    ///
    /// *Cost:* constant; empty branches are pruned by the next view.
    pub fn remove(&mut self, handle: Handle) -> Option<Object> {
        let row = self.data.objects.row(handle)?;
        let object = self.data.describe(row);
        self.take(self.data.objects.location(row));
        self.data.objects.release(row);
        self.data.journal.removed(handle, self.data.objects.len());
        Some(object)
    }

    /// Empties a lane and returns what it held.
    pub(super) fn take(&mut self, at: Location) -> Entry {
        let link = self.data.blocks.link(at.block());
        if link.lane == Link::CHAINED {
            if link.owner.is_node() {
                self.data.nodes.mark_changed(link.owner, ITSELF_CHANGED);
            }
            self.data.take_chained(link.owner, at)
        } else {
            self.take_from_bucket(link.owner, usize::from(link.lane), at)
        }
    }

    fn take_from_bucket(&mut self, bucket: NodeId, lane: usize, at: Location) -> Entry {
        let entry = self.data.blocks.read(at);
        self.data.blocks.erase(at);
        self.data.nodes.mark_changed(bucket, 1 << lane);
        let node = &mut self.data.nodes[bucket];
        node.occupied[lane] &= !(1 << at.lane());
        node.moving[lane] &= !(1 << at.lane());
        if node.occupied[lane] == 0 {
            // The bucket must still be visited by the refit, though this lane is gone.
            node.changed |= ITSELF_CHANGED;
            if let Some(moved) = node.move_last_lane(lane) {
                #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
                {
                    self.data.blocks.link_mut(moved).lane = lane as u8;
                }
            }
            self.data.blocks.release(at.block());
        }
        entry
    }
}
