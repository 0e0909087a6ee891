//! One question, asked of a view in every way it can be asked, and of the oracle.

use super::compare::{Complaint, same};
use super::distant;
use super::source::Source;
use super::values;
use super::volumes;
use crate::oracle::Oracle;
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Capsule, Frustum, Handle, Layers, Obb, Object, Plane, QueryStats, Ray, RayHit, Shape, Sphere, Sweep, View,
};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// A question and the layers it is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// Which objects contain a point?
    Point(Vec3, Layers),
    /// Which objects meet a box?
    Aabb(Aabb, Layers),
    /// Which objects meet a sphere?
    Sphere(Sphere, Layers),
    /// Which objects does a camera see?
    Frustum(Frustum, Layers),
    /// Which objects does a ray hit?
    Ray(Ray, Layers),
    /// What does a moving shape meet?
    Sweep(Sweep, Layers),
    /// Which objects, no more than so many, are within a distance of a box?
    Near(Aabb, f32, u8, Layers),
    /// Which objects meet an oriented box?
    Obb(Obb, Layers),
    /// Which objects meet a capsule?
    Capsule(Capsule, Layers),
    /// Which objects are in front of some planes, so many of these?
    Convex([Plane; 8], u8, Layers),
}

impl Question {
    /// How many kinds there are.
    pub(super) const KINDS: u32 = 10;

    pub(super) fn of_kind(kind: u32, source: &mut dyn Source) -> Self {
        let layers = values::layers(source);
        match kind {
            0 => Self::Point(values::point(source), layers),
            1 => Self::Aabb(values::aabb(source), layers),
            2 => Self::Sphere(values::sphere(source), layers),
            3 => Self::Frustum(values::frustum(source), layers),
            4 => Self::Ray(values::ray(source), layers),
            5 => Self::Sweep(values::sweep(source), layers),
            6 => Self::Obb(values::obb(source), layers),
            7 => Self::Capsule(values::capsule(source), layers),
            8 => {
                let planes = [(); 8].map(|()| values::plane(source));
                Self::Convex(planes, values::few(source).min(8), layers)
            }
            _ => {
                let from = if source.below(2) == 0 { values::aabb(source) } else { values::spot(source) };
                Self::Near(from, values::reach(source), values::few(source), layers)
            }
        }
    }

    /// Questions about the place where an object is, and on the way from it to another.
    pub(super) fn about(object: &Object, other: &Object) -> Vec<Self> {
        let layers = object.layers;
        let place = object.shape.aabb().clamped_to_finite();
        let (here, there) = (place.center(), other.shape.aabb().clamped_to_finite().center());
        let mut questions = vec![
            Self::Aabb(object.shape.aabb(), layers),
            Self::Point(place.min, layers),
            Self::Point(place.max, Layers::ALL),
        ];
        if here.is_finite() {
            let radius = (place.max.x - here.x).clamp(0.0, 10.0);
            questions.push(Self::Point(here, Layers::ALL));
            questions.push(Self::Sphere(Sphere::new(here, radius), Layers::ALL));
        }
        for ray in [Ray::segment(here, there), Ray::new(there, place.min - there)] {
            questions.extend(ray.ok().map(|ray| Self::Ray(ray, Layers::ALL)));
        }
        if let Ok(capsule) = Capsule::new(here, there, 0.5) {
            questions.push(Self::Capsule(capsule, layers));
        }
        let turned = Quat::from_xyzw(0.1, 0.2, 0.3, 1.0);
        if let Ok(obb) = Obb::new(here, place.half_extents(), turned) {
            questions.push(Self::Obb(obb, Layers::ALL));
        }
        let motion = there - place.min;
        for sweep in [Sweep::aabb(place, motion), Sweep::sphere(Sphere::new(here, 1.5), there - here)] {
            questions.extend(sweep.ok().map(|sweep| Self::Sweep(sweep, layers)));
        }
        questions.push(Self::Near(object.shape.aabb(), f32::INFINITY, 3, layers));
        questions
    }

    /// Compares the answers of the view with those of the oracle.
    pub(super) fn compare(&self, view: View<'_>, oracle: &Oracle) -> Result<(), Complaint> {
        let wrong = |complaint: Complaint| format!("{self:?}: {complaint}");
        self.compare_all(view, oracle).map_err(wrong)
    }

    fn compare_all(&self, view: View<'_>, oracle: &Oracle) -> Result<(), Complaint> {
        match *self {
            Self::Point(point, layers) => {
                let visit = |sink: Sink<'_, Handle>| view.at_point(point, layers, sink);
                let mut found = Vec::new();
                let stats = view.at_point_into(point, layers, &mut found).map_err(describe)?;
                answers(&oracle.at_point(point, layers), found, stats, visit)
            }
            Self::Aabb(aabb, layers) => {
                let visit = |sink: Sink<'_, Handle>| view.in_aabb(&aabb, layers, sink);
                let mut found = Vec::new();
                let stats = view.in_aabb_into(&aabb, layers, &mut found).map_err(describe)?;
                answers(&oracle.in_aabb(&aabb, layers), found, stats, visit)?;
                distant::approach(view, oracle, &aabb, layers)
            }
            Self::Sphere(sphere, layers) => {
                let visit = |sink: Sink<'_, Handle>| view.in_sphere(&sphere, layers, sink);
                let mut found = Vec::new();
                let stats = view.in_sphere_into(&sphere, layers, &mut found).map_err(describe)?;
                answers(&oracle.in_sphere(&sphere, layers), found, stats, visit)
            }
            Self::Frustum(frustum, layers) => {
                let visit = |sink: Sink<'_, Seen>| {
                    Ok(view.in_frustum(&frustum, layers, |handle, how| sink((handle, how as u8))))
                };
                let mut found = Vec::new();
                let stats = view.in_frustum_into(&frustum, layers, &mut found);
                let plain = |(handle, how)| (handle, how as u8);
                let found = found.into_iter().map(plain).collect();
                let expected = oracle.in_frustum(&frustum, layers);
                let expected: Vec<Seen> = expected.into_iter().map(plain).collect();
                answers(&expected, found, stats, visit)?;
                let eye = oracle.objects().first().map_or(Vec3::ONE, |first| first.1.shape.aabb().min);
                let eye = if eye.is_finite() { eye } else { Vec3::ZERO };
                volumes::seen(view, oracle, &frustum, eye, layers)
            }
            Self::Ray(ray, layers) => {
                along(view, oracle, &ray, layers)?;
                distant::cast(view, oracle, &ray, layers)
            }
            Self::Sweep(sweep, layers) => distant::swept(view, oracle, &sweep, layers),
            Self::Obb(obb, layers) => volumes::in_obb(view, oracle, &obb, layers),
            Self::Capsule(capsule, layers) => volumes::in_capsule(view, oracle, &capsule, layers),
            Self::Convex(planes, count, layers) => {
                volumes::in_convex(view, oracle, &planes[..usize::from(count)], layers)
            }
            Self::Near(from, distance_max, count, layers) => {
                distant::near(view, oracle, &from, distance_max, count, layers)
            }
        }
    }
}

/// What a visitor hands its results to.
pub(super) type Sink<'a, T> = &'a mut dyn FnMut(T) -> ControlFlow<()>;
/// A handle and a containment as a number.
type Seen = (Handle, u8);
/// A handle and the bits of a distance.
type Hit = (Handle, u32);

pub(super) fn describe(error: broadleaf::Error) -> Complaint {
    format!("refused: {error}")
}

/// Compares a filled buffer with the oracle, and the visitor with the buffer:
/// once to its end and once stopped half way.
pub(super) fn answers<T: Debug + Ord + Copy>(
    expected: &[T],
    found: Vec<T>,
    stats: QueryStats,
    visit: impl Fn(Sink<'_, T>) -> Result<QueryStats, broadleaf::Error>,
) -> Result<(), Complaint> {
    same("hits counted", &stats.hits, &(found.len() as u64))?;
    for stop in [found.len() + 1, found.len().div_ceil(2).max(1)] {
        let mut visited = Vec::new();
        let mut sink = |result: T| {
            visited.push(result);
            if visited.len() == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let full_stats = visit(&mut sink).map_err(describe)?;
        same("results visited", &visited.as_slice(), &&found[..stop.min(found.len())])?;
        if stop > found.len() {
            same("statistics of the visitor", &full_stats, &stats)?;
        }
    }
    let mut found = found;
    found.sort_unstable();
    same("results", &found.as_slice(), &expected)
}

fn along(view: View<'_>, oracle: &Oracle, ray: &Ray, layers: Layers) -> Result<(), Complaint> {
    let bits = |(handle, distance): (Handle, f32)| (handle, distance.to_bits());
    let hit_bits = |hit: RayHit| (hit.handle, hit.distance.to_bits());
    let expected: Vec<Hit> = oracle.hits(ray, layers).into_iter().map(bits).collect();
    let mut found = Vec::new();
    let stats = view.hits_into(ray, layers, &mut found);
    let visit = |sink: Sink<'_, Hit>| Ok(view.hits(ray, layers, |hit| sink(hit_bits(hit))));
    answers(&expected, found.iter().copied().map(hit_bits).collect(), stats, visit)?;
    let closest = view.closest_hit(ray, layers).0;
    same("closest hit", &closest.map(hit_bits), &oracle.closest_hit(ray, layers).map(bits))?;
    let any = view.any_hit(ray, layers).0;
    same("whether anything is hit", &any.is_some(), &!expected.is_empty())?;
    if let Some(any) = any.filter(|any| !expected.contains(&hit_bits(*any))) {
        return Err(format!("any hit: {any:?} is none of {expected:?}"));
    }
    let mut hits = found.into_iter().chain(closest).chain(any);
    hits.try_for_each(|hit| check_surface(&hit, ray, oracle))
}

/// Whether the position and the normal of a hit go with its distance.
fn check_surface(hit: &RayHit, ray: &Ray, oracle: &Oracle) -> Result<(), Complaint> {
    let position = ray.at(hit.distance);
    if position.is_finite() {
        same("position of a hit", &hit.position, &position)?;
    }
    // Where distances are rounded to more than a sphere, its surface has no direction.
    let shape = oracle.get(hit.handle).map(|object| object.shape);
    let lost = match shape {
        Some(Shape::Sphere(ball)) => hit.position.distance(ball.center) <= ball.radius / 2.0 || hit.distance > 1e18,
        _ => false,
    };
    let length = hit.normal.length();
    let none = length == 0.0 && (lost || hit.distance == 0.0);
    if none || (length - 1.0).abs() < 1e-3 || !position.is_finite() {
        Ok(())
    } else {
        Err(format!("the normal has length {length}: {hit:?} on {shape:?}"))
    }
}
