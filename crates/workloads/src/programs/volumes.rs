//! Questions about volumes other than boxes and spheres.

use super::compare::{Complaint, same};
use super::question::{Sink, answers};
use crate::oracle::Oracle;
use broadleaf::glam::Vec3;
use broadleaf::{Capsule, ConvexRegion, Frustum, Handle, Layers, Obb, Plane, QueryScratch, SlotSet, View, Viewpoint};

/// A handle and a containment as a number.
type Seen = (Handle, u8);

pub(super) fn in_obb(view: View<'_>, oracle: &Oracle, obb: &Obb, layers: Layers) -> Result<(), Complaint> {
    let mut found = Vec::new();
    let stats = view.in_obb_into(obb, layers, &mut found);
    let visit = |sink: Sink<'_, Handle>| Ok(view.in_obb(obb, layers, sink));
    answers(&oracle.in_obb(obb, layers), found, stats, visit)
}

pub(super) fn in_capsule(view: View<'_>, oracle: &Oracle, capsule: &Capsule, layers: Layers) -> Result<(), Complaint> {
    let mut found = Vec::new();
    let stats = view.in_capsule_into(capsule, layers, &mut found);
    let visit = |sink: Sink<'_, Handle>| Ok(view.in_capsule(capsule, layers, sink));
    answers(&oracle.in_capsule(capsule, layers), found, stats, visit)
}

pub(super) fn in_convex(view: View<'_>, oracle: &Oracle, planes: &[Plane], layers: Layers) -> Result<(), Complaint> {
    let region = ConvexRegion::new(planes).map_err(|error| error.to_string())?;
    let plain = |(handle, how)| (handle, how as u8);
    let mut found = Vec::new();
    let stats = view.in_convex_into(&region, layers, &mut found);
    let visit = |sink: Sink<'_, Seen>| Ok(view.in_convex(&region, layers, |handle, how| sink(plain((handle, how)))));
    let expected: Vec<Seen> = oracle.in_planes(region.planes(), layers).into_iter().map(plain).collect();
    answers(&expected, found.into_iter().map(plain).collect(), stats, visit)
}

/// What a camera sees: near to far, sized, and by slot.
pub(super) fn seen(
    view: View<'_>,
    oracle: &Oracle,
    frustum: &Frustum,
    eye: Vec3,
    layers: Layers,
) -> Result<(), Complaint> {
    let (mut found, mut scratch, mut slots) = (Vec::new(), QueryScratch::new(), SlotSet::new());
    for size_min in [0.0, 0.25] {
        let from = Viewpoint::new(eye, size_min).map_err(|error| error.to_string())?;
        let expected = oracle.seen(frustum, eye, size_min, layers);
        let stats = view.in_frustum_from_into(frustum, &from, layers, &mut scratch, &mut found);
        same("what is seen from a point", &found, &expected)?;
        same("hits counted from a point", &stats.hits, &(expected.len() as u64))?;
        let stats = view.in_frustum_sized_into(frustum, &from, layers, &mut found);
        same("hits counted by size", &stats.hits, &(expected.len() as u64))?;
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.handle.cmp(&b.handle)));
        same("what looks large enough", &found, &expected)?;
    }
    view.in_frustum_slots(frustum, layers, &mut slots);
    let expected: Vec<u32> = oracle.in_frustum(frustum, layers).iter().map(|(handle, _)| handle.slot()).collect();
    same("slots seen", &slots.iter().collect::<Vec<_>>(), &expected)?;
    same("number of slots seen", &(slots.len(), slots.is_empty()), &(expected.len(), expected.is_empty()))
}
