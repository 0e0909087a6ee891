//! Questions whose answers lie at a distance, asked in every way: for the
//! closest, any, all, in order, and with a narrow phase.

use super::asked::{answers, asked, asked_among, describe, in_order};
use super::compare::{Complaint, same};
use crate::oracle::{Oracle, Selection};
use crate::with_options;
use broadleaf::glam::Vec3;
use broadleaf::query::{Neighbor, RayHit, StartInside, SweepHit, Viewpoint, VisibleObject};
use broadleaf::{Aabb, Handle, Ray, Scratch, Sweep, View};

/// A handle and the bits of a distance.
type At = (Handle, u32);

fn bits((handle, distance): (Handle, f32)) -> At {
    (handle, distance.to_bits())
}

fn all_bits(found: &[(Handle, f32)]) -> Vec<At> {
    found.iter().copied().map(bits).collect()
}

fn sorted(expected: &[At]) -> Vec<At> {
    let mut sorted = expected.to_vec();
    sorted.sort_unstable();
    sorted
}

/// A narrow phase: vetoes some objects, and puts others farther away.
fn narrow(handle: Handle, distance: f32) -> Option<f32> {
    match handle.slot() % 4 {
        0 => None,
        1 => Some(distance + 0.75),
        _ => Some(distance),
    }
}

/// What the narrow phase leaves of the oracle's answers, nearest first.
fn narrowed(expected: &[(Handle, f32)], limit: f32) -> Vec<At> {
    let left = expected.iter().filter_map(|&(handle, distance)| Some((handle, narrow(handle, distance)?)));
    let mut left: Vec<(Handle, f32)> = left.filter(|(_, distance)| *distance <= limit).collect();
    left.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    all_bits(&left)
}

fn ray_bits(hit: RayHit) -> At {
    bits((hit.handle, hit.distance))
}

/// A ray, with each choice for objects that contain its origin.
pub(super) fn cast(view: View<'_>, oracle: &Oracle, ray: &Ray, among: Selection) -> Result<(), Complaint> {
    for inside in [StartInside::Hit, StartInside::Skip, StartInside::Exit] {
        let all = oracle.cast(ray, inside, among);
        let expected = all_bits(&all);
        let query = || view.cast(ray).inside(inside);
        answers(&sorted(&expected), |ask| asked_among!(query(), among, ask, ray_bits))?;
        in_order(&expected, |ask, scratch| asked_among!(query().in_order(scratch), among, ask, ray_bits))?;
        let query = || with_options!(query(), among).filter(|handle| among.accepts(handle));
        let mut found = Vec::new();
        query().in_order(&mut Scratch::new()).collect_into(&mut found);
        same("closest hit", &query().closest(), &found.first().copied())?;
        let refine = |hit: &RayHit| narrow(hit.handle, hit.distance);
        let left = narrowed(&all, ray.distance_max());
        let closest = query().refine(refine).closest();
        same("closest hit of a narrow phase", &closest.map(ray_bits), &left.first().copied())?;
        let candidate = closest.and_then(|hit| found.iter().find(|other| other.handle == hit.handle));
        let place = |hit: &RayHit| (hit.position, hit.normal);
        same("where a narrow phase leaves the hit", &closest.as_ref().map(place), &candidate.map(place))?;
        answers(&sorted(&left), |ask| asked!(query().refine(refine), ask, ray_bits))?;
        in_order(&left, |ask, scratch| asked!(query().refine(refine).in_order(scratch), ask, ray_bits))?;
        if let Some(hit) = found.iter().find(|hit| hit.distance > 0.0 && inside == StartInside::Exit) {
            let unit = (hit.normal.length() - 1.0).abs() < 1e-3 || hit.normal == Vec3::ZERO;
            same("a normal of length one", &unit, &true)?;
        }
    }
    Ok(())
}

fn swept_bits(hit: SweepHit) -> At {
    bits((hit.handle, hit.time))
}

/// A moving shape.
pub(super) fn swept(view: View<'_>, oracle: &Oracle, sweep: &Sweep, among: Selection) -> Result<(), Complaint> {
    let all = oracle.swept(sweep, among);
    let expected = all_bits(&all);
    answers(&sorted(&expected), |ask| asked_among!(view.cast(sweep), among, ask, swept_bits))?;
    in_order(&expected, |ask, scratch| asked_among!(view.cast(sweep).in_order(scratch), among, ask, swept_bits))?;
    let query = || with_options!(view.cast(sweep), among).filter(|handle| among.accepts(handle));
    let mut found = Vec::new();
    query().in_order(&mut Scratch::new()).collect_into(&mut found);
    same("first swept", &query().closest(), &found.first().copied())?;
    if let Some(&(_, half)) = all.get(all.len() / 2) {
        let within: Vec<At> = all_bits(&all).into_iter().filter(|at| f32::from_bits(at.1) <= half).collect();
        answers(&sorted(&within), |ask| asked!(query().within(half), ask, swept_bits))?;
    }
    let refine = |hit: &SweepHit| narrow(hit.handle, hit.time);
    let (first, left) = (query().refine(refine).closest(), narrowed(&all, 1.0));
    answers(&sorted(&left), |ask| asked!(query().refine(refine), ask, swept_bits))?;
    in_order(&left, |ask, scratch| asked!(query().refine(refine).in_order(scratch), ask, swept_bits))?;
    same("first swept of a narrow phase", &first.map(swept_bits), &left.first().copied())?;
    let candidate = first.and_then(|hit| found.iter().find(|other| other.handle == hit.handle));
    let place = |hit: &SweepHit| (hit.position, hit.normal);
    same("where a narrow phase leaves the touch", &first.as_ref().map(place), &candidate.map(place))?;
    for hit in found.iter().filter(|hit| hit.time == 0.0) {
        same("the normal of an overlap", &hit.normal, &Vec3::ZERO)?;
    }
    Ok(())
}

fn near_bits(near: Neighbor) -> At {
    bits((near.handle, near.distance))
}

/// What is near a box, or a point: `count` objects within a distance.
pub(super) fn near(
    view: View<'_>,
    oracle: &Oracle,
    from: &Aabb,
    limit: f32,
    count: u8,
    among: Selection,
) -> Result<(), Complaint> {
    let all = oracle.nearest(from, limit, among);
    let (expected, left) = (all_bits(&all), narrowed(&all, limit));
    let box_query = || view.nearest(*from).map(|query| query.within(limit)).map_err(describe);
    answers(&sorted(&expected), |ask| asked_among!(box_query()?, among, ask, near_bits))?;
    in_order(&expected, |ask, scratch| asked_among!(box_query()?.in_order(scratch), among, ask, near_bits))?;
    let query =
        || -> Result<_, Complaint> { Ok(with_options!(box_query()?, among).filter(|handle| among.accepts(handle))) };
    let mut found = Vec::new();
    for count in [usize::from(count), usize::MAX] {
        let (first, mut stats) = (&expected[..count.min(expected.len())], broadleaf::QueryStats::default());
        query()?.stats(&mut stats).k_into(count, &mut found);
        same("nearest to a box", &found.iter().copied().map(near_bits).collect::<Vec<_>>().as_slice(), &first)?;
        same("neighbours counted", &stats.hits, &(found.len() as u64))?;
    }
    found.iter().try_for_each(|near| touches(near, oracle))?;
    let refine = |near: &Neighbor| narrow(near.handle, near.distance);
    let (mut some, count) = (Vec::new(), usize::from(count));
    query()?.refine(refine).k_into(count, &mut some);
    let some: Vec<At> = some.into_iter().map(near_bits).collect();
    same("nearest to a box after a narrow phase", &some.as_slice(), &&left[..count.min(left.len())])?;
    answers(&sorted(&left), |ask| asked!(query()?.refine(refine), ask, near_bits))?;
    in_order(&left, |ask, scratch| asked!(query()?.refine(refine).in_order(scratch), ask, near_bits))?;
    same("closest object", &query()?.closest(), &found.first().copied())?;
    let closest = query()?.refine(refine).closest();
    same("closest object of a narrow phase", &closest.map(near_bits), &left.first().copied())?;
    let candidate = closest.and_then(|near| found.iter().find(|other| other.handle == near.handle));
    let place = |near: &Neighbor| (near.position, near.normal);
    same("where a narrow phase leaves the neighbour", &closest.as_ref().map(place), &candidate.map(place))?;
    if from.min == from.max {
        let mut from_point = Vec::new();
        let query = with_options!(view.nearest(from.min).map_err(describe)?, among).within(limit);
        query.filter(|handle| among.accepts(handle)).k_into(usize::MAX, &mut from_point);
        same("nearest to a point", &from_point, &found)?;
    }
    Ok(())
}

/// Whether the nearest point is one of the object's box.
fn touches(near: &Neighbor, oracle: &Oracle) -> Result<(), Complaint> {
    let aabb = oracle.get(near.handle).ok_or("an unknown object")?.shape.aabb();
    let finite = aabb.clamped_to_finite();
    // What is too near for its square to differ from zero counts as overlapping.
    let slack = 1e-5 * finite.max.abs().max(finite.min.abs()).max_element() + 1e-18;
    let inside = !near.position.is_finite() || aabb.expanded(slack).contains_point(near.position);
    if inside { Ok(()) } else { Err(format!("{near:?} is not on {aabb:?}")) }
}

/// What overlaps a box, in order of distance from its lower corner.
pub(super) fn approach(view: View<'_>, oracle: &Oracle, aabb: &Aabb, among: Selection) -> Result<(), Complaint> {
    let point = aabb.clamped_to_finite().min;
    let inside = oracle.in_aabb(aabb, among);
    let all = oracle.nearest(&Aabb::new(point, point), f32::INFINITY, among);
    let expected: Vec<At> = all.into_iter().filter(|at| inside.binary_search(&at.0).is_ok()).map(bits).collect();
    let from = Viewpoint::new(point, 0.0).map_err(describe)?;
    let seen_bits = |seen: VisibleObject| bits((seen.handle, seen.distance));
    let query = || view.overlap(aabb).map(|query| query.seen_from(&from)).map_err(describe);
    answers(&sorted(&expected), |ask| asked_among!(query()?, among, ask, seen_bits))?;
    in_order(&expected, |ask, scratch| asked_among!(query()?.front_to_back(scratch), among, ask, seen_bits))
}
