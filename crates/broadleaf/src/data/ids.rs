//! Private indices: one newtype a column set, no bare integers between rooms.

/// Index of a node in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct NodeId(pub(crate) u32);

/// Index of a block of eight objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BlockId(pub(crate) u32);

/// Index of an object's columns: the slot of its handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Row(pub(crate) u32);

impl NodeId {
    /// No node.
    pub(crate) const NONE: Self = Self(u32::MAX);
    /// Owner of the blocks of pending objects.
    pub(crate) const PENDING: Self = Self(u32::MAX - 1);
    /// Owner of the blocks of objects that no cell can hold.
    pub(crate) const OUTSIZED: Self = Self(u32::MAX - 2);

    /// Whether this is an index rather than one of the names above.
    #[inline]
    pub(crate) fn is_node(self) -> bool {
        self.0 < Self::OUTSIZED.0
    }
}

impl BlockId {
    /// No block: the end of a chain.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// Where an object lies: a block and one of its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location(pub(crate) u32);

impl Location {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
    pub(crate) fn new(block: BlockId, lane: usize) -> Self {
        Self(block.0 << 3 | (lane as u32 & 7))
    }

    #[inline]
    pub(crate) fn block(self) -> BlockId {
        BlockId(self.0 >> 3)
    }

    #[inline]
    pub(crate) fn lane(self) -> usize {
        (self.0 & 7) as usize
    }
}

/// What a block stores of an object besides its box: the row, and the flags that decide
/// which further tests it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub(crate) struct ObjectWord(pub(crate) u32);

impl ObjectWord {
    /// An empty lane.
    pub(crate) const EMPTY: Self = Self(u32::MAX);
    /// Rows that a word can name.
    pub(crate) const ROW_LIMIT: u32 = (1 << 28) - 1;
    /// The object is a sphere.
    pub(crate) const SPHERE: u32 = 1 << 28;
    /// The object is static.
    pub(crate) const STATIC: u32 = 1 << 29;
    /// The object's layers are not [`Layers::ALL`](crate::Layers::ALL).
    pub(crate) const LAYERED: u32 = 1 << 30;

    #[inline]
    pub(crate) fn row(self) -> Row {
        Row(self.0 & Self::ROW_LIMIT)
    }

    #[inline]
    pub(crate) fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Whether a lane holds a sphere; not so if it is empty.
    #[inline]
    pub(crate) fn is_sphere(self) -> bool {
        self.has(Self::SPHERE) && self != Self::EMPTY
    }

    #[inline]
    pub(crate) fn with(self, flag: u32, on: bool) -> Self {
        if on { Self(self.0 | flag) } else { Self(self.0 & !flag) }
    }
}
