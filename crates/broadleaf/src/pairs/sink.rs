//! Where candidate pairs go: the exact tests, and then the caller.

use super::bucket::{Matches, Side};
use super::pair::Pair;
use crate::Handle;
use crate::data::Data;
use crate::data::ids::{Location, ObjectWord, Row};
use crate::data::view::{QueryStats, View};
use crate::geometry::Aabb;
use crate::geometry::overlap;
use core::ops::ControlFlow;

/// Takes the pairs found.
pub(super) struct Sink<'a, F> {
    pub(super) view: View<'a>,
    pub(super) visit: F,
    pub(super) stats: QueryStats,
    /// The blocks that objects are tested against.
    pub(super) side: Side<'a>,
    pub(super) matches: Matches,
}

impl<'a, F: FnMut(Pair) -> ControlFlow<()>> Sink<'a, F> {
    pub(super) fn new(view: View<'a>, visit: F) -> Self {
        Self { view, visit, stats: QueryStats::default(), side: Side::NONE, matches: Matches::EMPTY }
    }

    /// Takes two objects whose boxes overlap and of which at least one moves; `handle` is the first one's.
    #[inline]
    pub(super) fn candidate(&mut self, a: ObjectWord, handle: Handle, b: ObjectWord) -> ControlFlow<()> {
        if (a.0 | b.0) & (ObjectWord::SPHERE | ObjectWord::LAYERED) != 0 && !interact(self.view.data, a, b) {
            return ControlFlow::Continue(());
        }
        self.stats.hits += 1;
        (self.visit)(Pair::new(handle, self.view.handle(b)))
    }
}

/// Whether two objects whose boxes overlap also pass the tests of layers and of spheres.
pub(super) fn interact(data: &Data, a: ObjectWord, b: ObjectWord) -> bool {
    let (at_a, at_b) = (data.objects.location(a.row()), data.objects.location(b.row()));
    if (a.0 | b.0) & ObjectWord::LAYERED != 0 && !data.layers(a, at_a).interacts(data.layers(b, at_b)) {
        return false;
    }
    match (a.has(ObjectWord::SPHERE), b.has(ObjectWord::SPHERE)) {
        (false, false) => true,
        (true, true) => overlap::sphere_sphere(&data.blocks.sphere(at_a), &data.blocks.sphere(at_b)),
        (true, false) => overlap::aabb_sphere(&aabb(data, at_b), &data.blocks.sphere(at_a)),
        (false, true) => overlap::aabb_sphere(&aabb(data, at_a), &data.blocks.sphere(at_b)),
    }
}

fn aabb(data: &Data, at: Location) -> Aabb {
    data.blocks[at.block()].boxes.get(at.lane())
}

/// The word of a living row.
pub(super) fn word(data: &Data, row: Row) -> ObjectWord {
    let at = data.objects.location(row);
    data.blocks[at.block()].objects[at.lane()]
}
