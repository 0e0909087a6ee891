//! Questions about planes: convex regions, and what a camera sees.

use super::asked::{answers, asked, asked_among, describe, in_order};
use super::compare::{Complaint, same};
use super::question::{Contained, contained};
use crate::oracle::{Oracle, Selection};
use crate::with_options;
use broadleaf::glam::Vec3;
use broadleaf::query::{SlotSet, Viewpoint, VisibleObject};
use broadleaf::{
    Frustum, Handle, View,
    shape::{ConvexRegion, Plane},
};

pub(super) fn in_convex(view: View<'_>, oracle: &Oracle, planes: &[Plane], among: Selection) -> Result<(), Complaint> {
    let region = ConvexRegion::new(planes).map_err(describe)?;
    let expected: Vec<Contained> = oracle.in_planes(region.planes(), among).into_iter().map(contained).collect();
    let query = || view.overlap(&region).map_err(describe);
    answers(&expected, |ask| asked_among!(query()?.with_containment(), among, ask, contained))?;
    let handles: Vec<Handle> = expected.iter().map(|&(handle, _)| handle).collect();
    answers(&handles, |ask| asked_among!(query()?, among, ask))
}

/// What a camera sees: near to far, sized, and by slot.
pub(super) fn seen(
    view: View<'_>,
    oracle: &Oracle,
    frustum: &Frustum,
    eye: Vec3,
    among: Selection,
) -> Result<(), Complaint> {
    /// A handle, a containment as a number, and the bits of a distance.
    type Parts = (Handle, u8, u32);
    let parts = |seen: VisibleObject| -> Parts { (seen.handle, seen.containment as u8, seen.distance.to_bits()) };
    for size_min in [0.0, 0.25] {
        let from = Viewpoint::new(eye, size_min).map_err(describe)?;
        let expected: Vec<Parts> = oracle.seen(frustum, eye, size_min, among).into_iter().map(parts).collect();
        let query = || view.overlap(frustum).map(|query| query.seen_from(&from)).map_err(describe);
        in_order(&expected, |ask, scratch| asked_among!(query()?.front_to_back(scratch), among, ask, parts))?;
        let mut sorted = expected;
        sorted.sort_unstable();
        answers(&sorted, |ask| asked_among!(query()?, among, ask, parts))?;
    }
    let mut slots = SlotSet::new();
    let query = with_options!(view.overlap(frustum).map_err(describe)?, among);
    query.filter(|handle| among.accepts(handle)).slots_into(&mut slots);
    let expected: Vec<u32> = oracle.in_frustum(frustum, among).iter().map(|(handle, _)| handle.slot()).collect();
    same("slots seen", &slots.iter().collect::<Vec<_>>(), &expected)?;
    same("number of slots seen", &(slots.len(), slots.is_empty()), &(expected.len(), expected.is_empty()))
}
