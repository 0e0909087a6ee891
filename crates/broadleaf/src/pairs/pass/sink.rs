//! The sink of the pass: what its steps share, and the exact tests of a pair.

use super::blocks::TestBlocks;
use super::matches::Matches;
use crate::data::{Data, Location, ObjectWord, QueryStats, Row, Take, View};
use crate::geometry::{Aabb, overlap};
use crate::pairs::pair::Pair;

/// Takes the pairs found.
pub(in crate::pairs) struct Sink<'a, T> {
    pub(super) view: View<'a>,
    /// A list or a visitor.
    pub(in crate::pairs) take: T,
    pub(in crate::pairs) stats: QueryStats,
    /// The blocks that objects are tested against.
    pub(super) side: TestBlocks<'a>,
    /// The blocks of those objects, if they are in another bucket.
    pub(super) own: TestBlocks<'a>,
    pub(super) matches: Matches,
}

impl<'a, T: Take<Pair>> Sink<'a, T> {
    #[inline(always)]
    pub(in crate::pairs) fn new(view: View<'a>, take: T) -> Self {
        let (side, own) = (TestBlocks::none_of(view.data), TestBlocks::none_of(view.data));
        Self { view, take, stats: QueryStats::default(), side, own, matches: Matches::new(view.len() as u64) }
    }
}

/// Whether two objects whose boxes overlap also pass the tests of layers and of spheres.
pub(in crate::pairs) fn interact(
    data: &Data,
    (a, at_a): (ObjectWord, Location),
    (b, at_b): (ObjectWord, Location),
) -> bool {
    if !layers_interact(data, (a, at_a), (b, at_b)) {
        return false;
    }
    match (a.has(ObjectWord::SPHERE), b.has(ObjectWord::SPHERE)) {
        (false, false) => true,
        (true, true) => overlap::sphere_sphere(&data.blocks.sphere(at_a), &data.blocks.sphere(at_b)),
        (true, false) => overlap::aabb_sphere(&aabb(data, at_b), &data.blocks.sphere(at_a)),
        (false, true) => overlap::aabb_sphere(&aabb(data, at_a), &data.blocks.sphere(at_b)),
    }
}

/// Whether two objects pass the test of layers.
#[inline(always)]
pub(super) fn layers_interact(
    data: &Data,
    (a, at_a): (ObjectWord, Location),
    (b, at_b): (ObjectWord, Location),
) -> bool {
    (a.0 | b.0) & ObjectWord::LAYERED == 0 || data.layers(a, at_a).interacts(data.layers(b, at_b))
}

pub(super) fn aabb(data: &Data, at: Location) -> Aabb {
    data.blocks[at.block()].boxes.get(at.lane())
}

/// The word of a living row, and where it lies.
pub(in crate::pairs) fn word(data: &Data, row: Row) -> (ObjectWord, Location) {
    let at = data.objects.location(row);
    (data.blocks[at.block()].objects[at.lane()], at)
}
