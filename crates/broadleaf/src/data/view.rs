//! The read-only borrow that carries every question.

use super::Data;
use crate::data::{Handle, Location, Object, Shape};
use crate::geometry::Aabb;
use crate::geometry::lanes::{placeable, set_bits};

/// A tree that is up to date, borrowed for asking.
///
/// A view is two words at most: copy it freely, send it to other threads. It
/// cannot outlive the next change, so a question never sees a stale tree.
///
/// Each family of questions has one opening. Options and one terminal follow, as the
/// page of [`query`](crate::query) lists them.
///
/// | to know | ask | of many at once |
/// |---|---|---|
/// | what overlaps a region | [`View::overlap`] | [`View::overlap_many`] |
/// | what a ray or a moving shape meets | [`View::cast`] | [`View::cast_many`] |
/// | what is nearest to a point or a box | [`View::nearest`] | [`View::nearest_many`] |
/// | what overlaps one object | [`View::pairs_of`] | [`View::pairs`]: all pairs |
///
/// The order of answers is a function of the sequence of calls on the tree alone.
///
/// *Cost:* what each question says of nodes includes those of piles, in which stand
/// the objects that no child of a branch holds ([`NodeInfo::objects`] counts them),
/// and those that no cell holds ([`Counters::outsized`](crate::inspect::Counters::outsized)).
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub(crate) data: &'a Data,
}

/// The work that a question took; deterministic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryStats {
    /// Nodes whose children were tested, eight at a time.
    pub nodes_visited: u64,
    /// Objects tested, eight at a time.
    pub objects_tested: u64,
    /// Results handed out.
    pub hits: u64,
}

impl QueryStats {
    /// Adds the work of a question to what a caller counts, if it does.
    #[inline]
    pub(crate) fn add_to(self, stats: Option<&mut Self>) {
        if let Some(stats) = stats {
            *stats += self;
        }
    }
}

impl core::ops::AddAssign for QueryStats {
    fn add_assign(&mut self, other: Self) {
        self.nodes_visited += other.nodes_visited;
        self.objects_tested += other.objects_tested;
        self.hits += other.hits;
    }
}

/// A node of the tree, for drawing and for tuning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeInfo {
    /// The box that decides placement, a cube but in flat and long worlds; of
    /// a leaf that several octants share, the box that they fill.
    pub cell: Aabb,
    /// Fitted bounds of the contents; may reach beyond the cell.
    pub bounds: Aabb,
    /// Levels below the root.
    pub depth: u32,
    /// Objects that the node holds itself. Those of a branch are residents: too
    /// large for a smaller cell, or too many in a smallest one.
    pub objects: u32,
    /// Blocks of eight that they are kept in: objects over eight times as many is the occupancy.
    pub blocks: u32,
    /// Objects in and below the node.
    pub objects_below: u32,
    /// Nodes right below.
    pub children: u32,
    /// Whether anything in or below the node has changed since pair events
    /// were last taken; always, if they never were.
    pub changed: bool,
    /// Whether the node has no child nodes.
    pub leaf: bool,
}

impl<'a> View<'a> {
    /// The handle of the object in a lane.
    #[inline]
    pub(crate) fn handle_at(self, at: Location) -> Handle {
        self.data.blocks[at.block()].handle(at.lane())
    }

    /// Objects in the tree.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        self.data.objects.len()
    }

    /// Whether the tree holds no object.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The object of a handle, as [`Octree::get`](crate::Octree::get) gives it; `None` if it is stale.
    #[inline]
    #[must_use]
    pub fn get(self, handle: Handle) -> Option<Object> {
        self.data.objects.row(handle).map(|row| self.data.describe(row))
    }

    /// The shape of a handle as the tree keeps it: larger than
    /// [`View::get`] says where there is a [`Margin`](crate::Margin). `None` if it is stale.
    #[must_use]
    pub fn fat_shape(self, handle: Handle) -> Option<Shape> {
        self.data.objects.row(handle).map(|row| self.data.stored_shape(row))
    }

    /// The user data of a handle; `None` if it is stale.
    #[inline]
    #[must_use]
    pub fn user_data(self, handle: Handle) -> Option<u64> {
        self.data.objects.row(handle).map(|row| self.data.objects.user_data(row))
    }

    /// The smallest box around all objects that a cell holds, or could hold by the settings; `None` if
    /// there are none. Unbounded and far-away objects do not count. World units; both corners belong to it.
    ///
    /// *Cost:* that of a look at the root, and at each outsized object
    /// ([`Counters::outsized`](crate::inspect::Counters::outsized)).
    #[must_use]
    pub fn bounds(self) -> Option<Aabb> {
        let (mut bounds, reach) = (self.data.tree_bounds(), self.data.reach_of_settings());
        self.data.visit_outsized(|boxes| {
            let held = set_bits(u64::from(placeable(boxes, reach)));
            bounds = held.fold(bounds, |all, lane| all.union(&boxes.get(lane)));
        });
        (bounds.min.x <= bounds.max.x).then_some(bounds)
    }
}
