//! One question, asked of a view in every way it can be asked, and of the oracle.

use super::asked::{answers, asked, asked_among, describe};
use super::compare::{Complaint, same};
use super::distant;
use super::source::Source;
use super::values;
use super::volumes;
use crate::oracle::{Oracle, Selection};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::query::RayHit;
use broadleaf::{
    Aabb, Containment, Frustum, Handle, Object, Ray, Shape, Sphere, Sweep, View,
    shape::{Capsule, Obb, Plane},
};

/// A question, and which objects it is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// Which objects contain a point?
    Point(Vec3, Selection),
    /// Which objects meet a box?
    Aabb(Aabb, Selection),
    /// Which objects meet a sphere?
    Sphere(Sphere, Selection),
    /// Which objects does a camera see?
    Frustum(Frustum, Selection),
    /// Which objects does a ray hit?
    Ray(Ray, Selection),
    /// What does a moving shape meet?
    Sweep(Sweep, Selection),
    /// Which objects, no more than so many, are within a distance of a box?
    Near(Aabb, f32, u8, Selection),
    /// Which objects meet an oriented box?
    Obb(Obb, Selection),
    /// Which objects meet a capsule?
    Capsule(Capsule, Selection),
    /// Which objects are in front of some planes, so many of these?
    Convex([Plane; 8], u8, Selection),
}

impl Question {
    /// How many kinds there are.
    pub(super) const KINDS: u32 = 10;

    pub(super) fn of_kind(kind: u32, source: &mut dyn Source) -> Self {
        let among = values::selection(source);
        match kind {
            0 => Self::Point(values::point(source), among),
            1 => Self::Aabb(values::aabb(source), among),
            2 => Self::Sphere(values::sphere(source), among),
            3 => Self::Frustum(values::frustum(source), among),
            4 => Self::Ray(values::ray(source), among),
            5 => Self::Sweep(values::sweep(source), among),
            6 => Self::Obb(values::obb(source), among),
            7 => Self::Capsule(values::capsule(source), among),
            8 => {
                let planes = [(); 8].map(|()| values::plane(source));
                Self::Convex(planes, values::few(source).min(8), among)
            }
            _ => {
                let from = if source.below(2) == 0 { values::aabb(source) } else { values::spot(source) };
                Self::Near(from, values::reach(source), values::few(source), among)
            }
        }
    }

    /// The kind of question, in words.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Point(..) => "point",
            Self::Aabb(..) => "box",
            Self::Sphere(..) => "sphere",
            Self::Frustum(..) => "frustum",
            Self::Ray(..) => "rays",
            Self::Sweep(..) => "sweep",
            Self::Near(..) => "nearest objects",
            Self::Obb(..) => "oriented box",
            Self::Capsule(..) => "capsule",
            Self::Convex(..) => "convex region",
        }
    }

    /// Questions about the place where an object is, and on the way from it to another.
    #[must_use]
    pub fn about(handle: Handle, object: &Object, other: &Object) -> Vec<Self> {
        let all = Selection::ALL;
        let layers = Selection::of_layers(object.layers.filters);
        let others = Selection { exclude: Some(handle), ..layers };
        let alike = Selection { only: Some(object.mobility), ..all };
        let place = object.shape.aabb().clamped_to_finite();
        let (here, there) = (place.center(), other.shape.aabb().clamped_to_finite().center());
        let mut questions = vec![
            Self::Aabb(object.shape.aabb(), layers),
            Self::Aabb(object.shape.aabb(), others),
            Self::Point(place.min, alike),
            Self::Point(place.max, all),
        ];
        if here.is_finite() {
            let radius = (place.max.x - here.x).clamp(0.0, 10.0);
            questions.push(Self::Point(here, all));
            questions.push(Self::Sphere(Sphere::new(here, radius), all));
        }
        for ray in [Ray::segment(here, there), Ray::new(there, place.min - there)] {
            questions.extend(ray.ok().map(|ray| Self::Ray(ray, all)));
        }
        questions.extend(Ray::segment(here, there).ok().map(|ray| Self::Ray(ray, others)));
        if let Ok(capsule) = Capsule::new(here, there, 0.5) {
            questions.push(Self::Capsule(capsule, layers));
        }
        let turned = Quat::from_xyzw(0.1, 0.2, 0.3, 1.0);
        if let Ok(obb) = Obb::new(here, place.half_extents(), turned) {
            questions.push(Self::Obb(obb, all));
        }
        if here.is_finite() {
            let planes = core::array::from_fn(|i| {
                let normal = Vec3::AXES[i % 3];
                Plane { normal, offset: -normal.dot(here) }
            });
            questions.push(Self::Convex(planes, 2, all));
        }
        let motion = there - place.min;
        for sweep in [Sweep::aabb(place, motion), Sweep::sphere(Sphere::new(here, 1.5), there - here)] {
            questions.extend(sweep.ok().map(|sweep| Self::Sweep(sweep, others)));
        }
        questions.push(Self::Near(object.shape.aabb(), f32::INFINITY, 3, others));
        questions
    }

    /// Compares the answers of the view, by every terminal, with those of the oracle.
    ///
    /// # Errors
    /// What differs, in words.
    pub fn compare(&self, view: View<'_>, oracle: &Oracle) -> Result<(), String> {
        let wrong = |complaint: Complaint| format!("{self:?}: {complaint}");
        self.compare_all(view, oracle).map_err(wrong)
    }

    fn compare_all(&self, view: View<'_>, oracle: &Oracle) -> Result<(), Complaint> {
        match *self {
            Self::Point(point, among) => {
                let query = || view.overlap(&point).map_err(describe);
                answers(&oracle.at_point(point, among), |ask| asked_among!(query()?, among, ask))
            }
            Self::Aabb(aabb, among) => {
                let query = || view.overlap(&aabb).map_err(describe);
                answers(&oracle.in_aabb(&aabb, among), |ask| asked_among!(query()?, among, ask))?;
                distant::approach(view, oracle, &aabb, among)
            }
            Self::Sphere(sphere, among) => {
                let query = || view.overlap(&sphere).map_err(describe);
                answers(&oracle.in_sphere(&sphere, among), |ask| asked_among!(query()?, among, ask))
            }
            Self::Frustum(frustum, among) => {
                let expected: Vec<Contained> = oracle.in_frustum(&frustum, among).into_iter().map(contained).collect();
                let query = || view.overlap(&frustum).map_err(describe);
                answers(&expected, |ask| asked_among!(query()?.with_containment(), among, ask, contained))?;
                let handles: Vec<Handle> = expected.iter().map(|&(handle, _)| handle).collect();
                answers(&handles, |ask| asked_among!(query()?, among, ask))?;
                let eye = oracle.objects().first().map_or(Vec3::ONE, |first| first.1.shape.aabb().min);
                let eye = if eye.is_finite() { eye } else { Vec3::ZERO };
                volumes::seen(view, oracle, &frustum, eye, among)
            }
            Self::Ray(ray, among) => {
                along(view, oracle, &ray, among)?;
                distant::cast(view, oracle, &ray, among)
            }
            Self::Sweep(sweep, among) => distant::swept(view, oracle, &sweep, among),
            Self::Obb(obb, among) => {
                let query = || view.overlap(&obb).map_err(describe);
                answers(&oracle.in_obb(&obb, among), |ask| asked_among!(query()?, among, ask))
            }
            Self::Capsule(capsule, among) => {
                let query = || view.overlap(&capsule).map_err(describe);
                answers(&oracle.in_capsule(&capsule, among), |ask| asked_among!(query()?, among, ask))
            }
            Self::Convex(planes, count, among) => {
                volumes::in_convex(view, oracle, &planes[..usize::from(count)], among)
            }
            Self::Near(from, distance_max, count, among) => {
                distant::near(view, oracle, &from, distance_max, count, among)
            }
        }
    }
}

/// A handle and a containment as a number.
pub(super) type Contained = (Handle, u8);
/// A handle and the bits of a distance.
type Hit = (Handle, u32);

pub(super) fn contained((handle, how): (Handle, Containment)) -> Contained {
    (handle, how as u8)
}

fn along(view: View<'_>, oracle: &Oracle, ray: &Ray, among: Selection) -> Result<(), Complaint> {
    let bits = |(handle, distance): (Handle, f32)| (handle, distance.to_bits());
    let hit_bits = |hit: RayHit| (hit.handle, hit.distance.to_bits());
    let expected: Vec<Hit> = oracle.hits(ray, among).into_iter().map(bits).collect();
    answers(&expected, |ask| asked_among!(view.cast(ray), among, ask, hit_bits))?;
    let query = || crate::with_options!(view.cast(ray), among).filter(|handle| among.accepts(handle));
    let (mut found, closest) = (Vec::new(), query().closest());
    query().collect_into(&mut found);
    same("closest hit", &closest.map(hit_bits), &oracle.closest_hit(ray, among).map(bits))?;
    if !among.odd {
        let plain = crate::with_options!(view.cast(ray), among).closest();
        same("closest hit without a closure", &plain, &closest)?;
    }
    if let Some(hit) = closest {
        let near = query().within(hit.distance).closest();
        same("closest hit within its distance", &near, &closest)?;
        let nearer = query().within(hit.distance.next_down()).closest();
        same("closest hit within less", &nearer, &None)?;
    }
    found.into_iter().chain(closest).try_for_each(|hit| check_surface(&hit, ray, oracle))
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
