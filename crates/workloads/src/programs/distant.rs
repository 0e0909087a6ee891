//! Questions whose answers lie at a distance, asked in every way: for the
//! first, any, all, in order, and with a narrow phase.

use super::compare::{Complaint, same};
use super::question::{Sink, answers, describe};
use crate::oracle::Oracle;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Inside, Layers, Neighbor, QueryScratch, Ray, RayHit, Sweep, SweepHit, View};
use std::ops::ControlFlow;

/// A handle and the bits of a distance.
type At = (Handle, u32);

fn bits((handle, distance): (Handle, f32)) -> At {
    (handle, distance.to_bits())
}

fn all_bits(found: &[(Handle, f32)]) -> Vec<At> {
    found.iter().copied().map(bits).collect()
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

/// Takes answers until there are `stop`.
fn take(found: &mut Vec<At>, stop: usize, answer: At) -> ControlFlow<()> {
    found.push(answer);
    if found.len() == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Whether answers in order are those expected, all and half of them.
fn in_order(
    expected: &[At],
    visit: impl Fn(&mut QueryScratch, Sink<'_, At>) -> Result<broadleaf::QueryStats, broadleaf::Error>,
) -> Result<(), Complaint> {
    let mut scratch = QueryScratch::new();
    for stop in [usize::MAX, expected.len().div_ceil(2).max(1)] {
        let mut found = Vec::new();
        let stats = visit(&mut scratch, &mut |answer| take(&mut found, stop, answer)).map_err(describe)?;
        same("answers in order", &found.as_slice(), &&expected[..stop.min(expected.len())])?;
        same("hits counted in order", &stats.hits, &(found.len() as u64))?;
    }
    Ok(())
}

fn one_of(any: Option<At>, expected: &[At]) -> Result<(), Complaint> {
    same("whether there is any", &any.is_some(), &!expected.is_empty())?;
    match any.filter(|any| !expected.contains(any)) {
        Some(any) => Err(format!("any: {any:?} is none of {expected:?}")),
        None => Ok(()),
    }
}

fn ray_bits(hit: &RayHit) -> At {
    bits((hit.handle, hit.distance))
}

/// A ray, with each choice for objects that contain its origin.
pub(super) fn cast(view: View<'_>, oracle: &Oracle, ray: &Ray, layers: Layers) -> Result<(), Complaint> {
    for inside in [Inside::Hit, Inside::Skip, Inside::Exit] {
        let cast = oracle.cast(ray, inside, layers);
        let expected = all_bits(&cast);
        let mut found = Vec::new();
        let stats = view.hits_in_order_into(ray, layers, inside, &mut found);
        same("sorted hits", &found.iter().map(ray_bits).collect::<Vec<_>>(), &expected)?;
        same("hits counted", &stats.hits, &(found.len() as u64))?;
        in_order(&expected, |scratch, sink| {
            Ok(view.hits_in_order(ray, layers, inside, scratch, |hit| sink(ray_bits(&hit))))
        })?;
        let plain = |hit: &RayHit| Some(hit.distance);
        let closest = view.closest_hit_where(ray, layers, inside, plain).0;
        same("closest hit", &closest, &found.first().copied())?;
        one_of(view.any_hit_where(ray, layers, inside, plain).0.as_ref().map(ray_bits), &expected)?;
        let refine = |hit: &RayHit| narrow(hit.handle, hit.distance);
        let closest = view.closest_hit_where(ray, layers, inside, refine).0;
        let left = narrowed(&cast, ray.distance_max());
        same("closest hit of a narrow phase", &closest.as_ref().map(ray_bits), &left.first().copied())?;
        let candidate = closest.and_then(|hit| found.iter().find(|other| other.handle == hit.handle));
        let place = |hit: &RayHit| (hit.position, hit.normal);
        same("where a narrow phase leaves the hit", &closest.as_ref().map(place), &candidate.map(place))?;
        one_of(view.any_hit_where(ray, layers, inside, refine).0.as_ref().map(ray_bits), &left)?;
        in_order(&left, |scratch, sink| {
            Ok(view.hits_in_order_where(ray, layers, inside, refine, scratch, |hit| sink(ray_bits(&hit))))
        })?;
        if let Some(hit) = found.iter().find(|hit| hit.distance > 0.0 && inside == Inside::Exit) {
            let unit = (hit.normal.length() - 1.0).abs() < 1e-3 || hit.normal == Vec3::ZERO;
            same("a normal of length one", &unit, &true)?;
        }
    }
    Ok(())
}

fn swept_bits(hit: &SweepHit) -> At {
    bits((hit.handle, hit.time))
}

/// A moving shape.
pub(super) fn swept(view: View<'_>, oracle: &Oracle, sweep: &Sweep, layers: Layers) -> Result<(), Complaint> {
    let all = oracle.swept(sweep, layers);
    let expected = all_bits(&all);
    let mut found = Vec::new();
    let stats = view.swept_in_order_into(sweep, layers, &mut found);
    same("objects swept", &found.iter().map(swept_bits).collect::<Vec<_>>(), &expected)?;
    let mut sorted = expected.clone();
    sorted.sort_unstable();
    let mut unordered = Vec::new();
    view.swept_into(sweep, layers, &mut unordered);
    let unordered = unordered.iter().map(swept_bits).collect();
    let visit = |sink: Sink<'_, At>| Ok(view.swept(sweep, layers, |hit| sink(swept_bits(&hit))));
    answers(&sorted, unordered, stats, visit)?;
    in_order(&expected, |scratch, sink| Ok(view.swept_in_order(sweep, layers, scratch, |hit| sink(swept_bits(&hit)))))?;
    same("first swept", &view.first_swept(sweep, layers).0, &found.first().copied())?;
    one_of(view.any_swept(sweep, layers).0.as_ref().map(swept_bits), &expected)?;
    let refine = |hit: &SweepHit| narrow(hit.handle, hit.time);
    let (first, left) = (view.first_swept_where(sweep, layers, refine).0, narrowed(&all, 1.0));
    one_of(view.any_swept_where(sweep, layers, refine).0.as_ref().map(swept_bits), &left)?;
    in_order(&left, |scratch, sink| {
        Ok(view.swept_in_order_where(sweep, layers, refine, scratch, |hit| sink(swept_bits(&hit))))
    })?;
    same("first swept of a narrow phase", &first.as_ref().map(swept_bits), &left.first().copied())?;
    let candidate = first.and_then(|hit| found.iter().find(|other| other.handle == hit.handle));
    let place = |hit: &SweepHit| (hit.position, hit.normal);
    same("where a narrow phase leaves the touch", &first.as_ref().map(place), &candidate.map(place))?;
    for hit in found.iter().filter(|hit| hit.time == 0.0) {
        same("the normal of an overlap", &hit.normal, &Vec3::ZERO)?;
    }
    Ok(())
}

fn near_bits(near: &Neighbor) -> At {
    bits((near.handle, near.distance))
}

/// What is near a box, or a point: `count` objects within a distance.
pub(super) fn near(
    view: View<'_>,
    oracle: &Oracle,
    from: &Aabb,
    distance_max: f32,
    count: u8,
    layers: Layers,
) -> Result<(), Complaint> {
    let all = oracle.nearest(from, distance_max, layers);
    let expected = all_bits(&all);
    let mut found = Vec::new();
    for count in [usize::from(count), usize::MAX] {
        let first = &expected[..count.min(expected.len())];
        let stats = view.nearest_to_aabb_into(from, count, distance_max, layers, &mut found).map_err(describe)?;
        same("nearest to a box", &found.iter().map(near_bits).collect::<Vec<_>>().as_slice(), &first)?;
        same("neighbours counted", &stats.hits, &(found.len() as u64))?;
    }
    in_order(&expected, |scratch, sink| {
        view.nearest_to_aabb(from, distance_max, layers, scratch, |near| sink(near_bits(&near)))
    })?;
    found.iter().try_for_each(|near| touches(near, oracle))?;
    let (left, refine) = (narrowed(&all, distance_max), |near: &Neighbor| narrow(near.handle, near.distance));
    let (mut narrow, some) = (Vec::new(), usize::from(count));
    view.nearest_to_aabb_where_into(from, some, distance_max, layers, refine, &mut narrow).map_err(describe)?;
    let narrow: Vec<At> = narrow.iter().map(near_bits).collect();
    same("nearest to a box after a narrow phase", &narrow.as_slice(), &&left[..some.min(left.len())])?;
    in_order(&left, |scratch, sink| {
        view.nearest_to_aabb_where(from, distance_max, layers, refine, scratch, |near| sink(near_bits(&near)))
    })?;
    if from.min != from.max {
        return Ok(());
    }
    let (point, first) = (from.min, found.first().copied());
    let closest = view.closest_object(point, distance_max, layers).map_err(describe)?.0;
    same("closest object", &closest, &first)?;
    let whole = std::mem::take(&mut found);
    view.nearest_into(point, usize::MAX, distance_max, layers, &mut found).map_err(describe)?;
    same("nearest to a point", &found, &whole)?;
    in_order(&expected, |scratch, sink| {
        view.nearest(point, distance_max, layers, scratch, |near| sink(near_bits(&near)))
    })?;
    in_order(&left, |scratch, sink| {
        view.nearest_where(point, distance_max, layers, refine, scratch, |near| sink(near_bits(&near)))
    })?;
    let closest = view.closest_object_where(point, distance_max, layers, refine).map_err(describe)?.0;
    same("closest object of a narrow phase", &closest.as_ref().map(near_bits), &left.first().copied())?;
    let candidate = closest.and_then(|near| whole.iter().find(|other| other.handle == near.handle));
    let place = |near: &Neighbor| (near.position, near.normal);
    same("where a narrow phase leaves the neighbour", &closest.as_ref().map(place), &candidate.map(place))?;
    let count = usize::from(count);
    view.nearest_where_into(point, count, distance_max, layers, refine, &mut found).map_err(describe)?;
    let found: Vec<At> = found.iter().map(near_bits).collect();
    same("nearest of a narrow phase", &found.as_slice(), &&left[..count.min(left.len())])
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
pub(super) fn approach(view: View<'_>, oracle: &Oracle, aabb: &Aabb, layers: Layers) -> Result<(), Complaint> {
    let point = aabb.clamped_to_finite().min;
    let inside = oracle.in_aabb(aabb, layers);
    let all = oracle.nearest(&Aabb::new(point, point), f32::INFINITY, layers);
    let expected: Vec<At> = all.into_iter().filter(|at| inside.binary_search(&at.0).is_ok()).map(bits).collect();
    let mut found = Vec::new();
    view.in_aabb_from_into(aabb, point, layers, &mut QueryScratch::new(), &mut found).map_err(describe)?;
    same("objects in a box, near to far", &found.iter().map(near_bits).collect::<Vec<_>>(), &expected)?;
    in_order(&expected, |scratch, sink| view.in_aabb_from(aabb, point, layers, scratch, |near| sink(near_bits(&near))))
}
