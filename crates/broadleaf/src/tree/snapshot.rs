//! Saving a tree and loading it again.

use super::Octree;
use crate::Config;
use crate::data::state::sealed::SnapshotError;
use crate::data::state::validate::ensure;
use crate::data::{Counters, Data};
#[cfg(feature = "snapshot")]
use alloc::vec::Vec;

/// A tree as it was read: nothing in it can be trusted yet.
#[derive(serde::Deserialize)]
pub(super) struct SavedTree {
    config: Config,
    data: Data,
    counters: Counters,
}

impl TryFrom<SavedTree> for Octree {
    type Error = SnapshotError;

    fn try_from(saved: SavedTree) -> Result<Self, SnapshotError> {
        let SavedTree { config, mut data, counters } = saved;
        config.check()?;
        data.restore(&config)?;
        ensure(counters.is_countable(), "work is countable", 0)?;
        Ok(Self { config, data, counters, ..Self::with_checked(config) })
    }
}

#[cfg(feature = "snapshot")]
const SEAL: crate::data::state::sealed::Seal = crate::data::state::sealed::Seal { magic: *b"brdleaf\n", version: 5 };

#[cfg(feature = "snapshot")]
impl Octree {
    /// Fills `bytes` with a snapshot: the tree with all that decides what
    /// it does next. Working memory is not part of it.
    ///
    /// *Units and shape:* eight bytes `brdleaf\n`, the version of the
    /// format (u32), the XXH3 hash of the rest (u64), both little-endian;
    /// the rest is the tree in the postcard format. The version is raised
    /// whenever the layout changes. A release reads the version that it
    /// writes and refuses every other, older or newer, by its number
    /// ([`SnapshotError::Version`]).
    ///
    /// *Cost:* linear; no allocation if `bytes` has room.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
        SEAL.write(self, bytes);
    }

    /// The tree of a snapshot. It goes on bit for bit like the one that
    /// the snapshot was taken of.
    ///
    /// *Cost:* linear; everything is checked, as by [`Octree::validate`].
    ///
    /// # Errors
    /// Bytes of another version of the format, bytes that are damaged, or
    /// that describe no tree, however they came about: nothing is used
    /// before it is checked.
    pub fn from_snapshot(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SEAL.read::<SavedTree>(bytes)?.try_into()
    }
}

#[cfg(test)]
mod tests {
    use crate::data::grid::cell::LEVEL_MAX;
    use crate::data::{Cell, Span};
    use crate::{Aabb, Config, Octree};
    use glam::{IVec3, Vec3};

    /// The bounds of such a node would be looked for above the highest level.
    #[test]
    fn regression_a_pile_of_the_highest_level_that_spans_octants_is_refused() {
        let config = Config::default();
        let mut tree = Octree::new(config).unwrap();
        let half = Vec3::splat(0.9 * tree.data.reach_of_settings());
        (0..70).for_each(|_| _ = tree.insert(Aabb::from_center_half_extents(Vec3::ZERO, half)).unwrap());
        tree.view();
        let data = &mut tree.data;
        let cell = Cell { min: IVec3::splat(-(1 << (LEVEL_MAX - 1))), level: LEVEL_MAX };
        data.nodes.arena.slots_mut().iter_mut().for_each(|node| node.cell = cell);
        assert_eq!(data.restore(&config), Ok(()));
        let pile = data.nodes[data.root].residents;
        data.nodes[pile].span = Span::FOUR;
        assert_eq!(data.restore(&config).unwrap_err().invariant, "only a bucket spans octants");
    }
}
