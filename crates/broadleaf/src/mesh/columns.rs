//! What a mesh is made of: nodes of eight boxes, leaves of eight triangles.
//!
//! A child's box holds everything below it. Nodes lie in the order of a
//! depth-first walk, and so do leaves. Lanes that hold nothing are inverted
//! boxes, or triangles that are no numbers, and links to nothing.

use crate::geometry::lanes::{Boxes, LaneMask, Triangles, WIDTH};

/// Where a lane of a node leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct ChildLink(pub(super) u32);

impl ChildLink {
    /// Nowhere.
    pub(super) const NONE: Self = Self(u32::MAX);
    const LEAF: u32 = 1 << 31;

    #[inline]
    pub(super) fn node(index: usize) -> Self {
        debug_assert!(index < Self::LEAF as usize);
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer nodes than triangles")]
        Self(index as u32)
    }

    #[inline]
    pub(super) fn leaf(index: usize) -> Self {
        debug_assert!(index < Self::LEAF as usize - 1);
        #[expect(clippy::cast_possible_truncation, reason = "there are no more leaves than triangles")]
        Self(index as u32 | Self::LEAF)
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// The same link where so many nodes and leaves precede.
    pub(super) fn moved(self, nodes: usize, leaves: usize) -> Self {
        if self == Self::NONE {
            self
        } else if self.is_leaf() {
            Self::leaf(self.index() + leaves)
        } else {
            Self::node(self.index() + nodes)
        }
    }

    /// Of the leaf or the node.
    #[inline]
    pub(super) fn index(self) -> usize {
        (self.0 & !Self::LEAF) as usize
    }
}

/// Eight children: 224 bytes.
#[derive(Debug, Clone)]
#[repr(C)]
pub(super) struct Node {
    pub(super) bounds: Boxes,
    pub(super) links: [ChildLink; WIDTH],
}

impl Node {
    pub(super) const EMPTY: Self = Self { bounds: Boxes::EMPTY, links: [ChildLink::NONE; WIDTH] };
}

/// Eight triangles and their places in the input: 320 bytes, five cache lines.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Leaf {
    pub(super) triangles: Triangles,
    pub(super) ids: [u32; WIDTH],
}

impl Leaf {
    /// The place of a lane that holds nothing.
    pub(super) const NOTHING: u32 = u32::MAX;

    /// How many triangles it holds: they fill the first lanes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ids.iter().take_while(|&&id| id != Self::NOTHING).count()
    }

    /// The same as a number to report.
    #[expect(clippy::cast_possible_truncation, reason = "at most eight")]
    pub(super) fn count(&self) -> u32 {
        self.len() as u32
    }

    /// The lanes that hold a triangle.
    #[inline]
    pub(super) fn occupied(&self) -> LaneMask {
        #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
        (((1_u32 << self.len()) - 1) as LaneMask)
    }
}
