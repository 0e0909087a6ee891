//! Which pairs a pass looks for: those of which at least one object is
//! *active*. What is not active is skipped together, whole subtrees at a time.

use crate::data::Data;
use crate::data::ids::BlockId;
use crate::data::nodes::Node;
use crate::geometry::lanes::LaneMask;

/// Says which objects are active.
pub(super) trait Quest {
    /// Whether an active object may be static, so that pairs of two static
    /// ones must still be told apart.
    const MAY_BE_STATIC: bool;

    /// The lanes of a branch whose subtree holds an active object.
    fn lanes(node: &Node) -> LaneMask;
    /// Whether any resident of a branch is active.
    fn in_residents(node: &Node) -> bool;
    /// Whether any object of a bucket is active.
    fn is_in_bucket(node: &Node) -> bool;
    /// The active objects of a bucket, one bit each.
    fn in_bucket(data: &Data, node: &Node) -> u64;
    /// The active objects of the block in a lane of a bucket.
    fn in_lane(data: &Data, node: &Node, lane: usize) -> LaneMask;
    /// The active objects of a chained block.
    fn in_chained(data: &Data, id: BlockId) -> LaneMask;
}

/// All pairs: objects that move are active.
pub(super) struct Moving;

impl Quest for Moving {
    const MAY_BE_STATIC: bool = false;

    #[inline]
    fn lanes(node: &Node) -> LaneMask {
        node.moving.iter().enumerate().fold(0, |mask, (lane, &moving)| mask | LaneMask::from(moving != 0) << lane)
    }

    #[inline]
    fn in_residents(node: &Node) -> bool {
        node.residents_move
    }

    #[inline]
    fn is_in_bucket(node: &Node) -> bool {
        node.moving_bits() != 0
    }

    #[inline]
    fn in_bucket(_: &Data, node: &Node) -> u64 {
        node.moving_bits()
    }

    #[inline]
    fn in_lane(_: &Data, node: &Node, lane: usize) -> LaneMask {
        node.moving[lane % 8]
    }

    #[inline]
    fn in_chained(data: &Data, id: BlockId) -> LaneMask {
        data.blocks[id].moving()
    }
}

/// The pairs that may be new: objects that have stirred are active.
pub(super) struct Stirred;

impl Quest for Stirred {
    const MAY_BE_STATIC: bool = true;

    #[inline]
    fn lanes(node: &Node) -> LaneMask {
        node.stirred
    }

    #[inline]
    fn in_residents(node: &Node) -> bool {
        node.residents_stirred
    }

    #[inline]
    fn is_in_bucket(node: &Node) -> bool {
        node.stirred != 0
    }

    #[inline]
    fn in_bucket(data: &Data, node: &Node) -> u64 {
        data.stirred_bits(node)
    }

    #[inline]
    fn in_lane(data: &Data, node: &Node, lane: usize) -> LaneMask {
        // Where a whole bucket is still, its links need not be looked at.
        if node.stirred >> lane & 1 == 1 { data.blocks.link_ref(node.child_block(lane)).stirred } else { 0 }
    }

    #[inline]
    fn in_chained(data: &Data, id: BlockId) -> LaneMask {
        data.blocks.link_ref(id).stirred
    }
}
