//! Questions about volumes other than boxes and spheres.

use super::compare::Complaint;
use super::question::{Sink, answers};
use crate::oracle::Oracle;
use broadleaf::{Capsule, ConvexRegion, Handle, Layers, Obb, Plane, View};

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
