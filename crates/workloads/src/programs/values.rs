//! Generators of objects, questions and settings: ordinary, touching, tiny, huge, flat,
//! coincident, unbounded and far away.

use super::source::Source;
use crate::camera::Camera;
use crate::oracle::Selection;
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Config, Frustum, Layers, Margin, Mobility, Object, Ray, Shape, Sphere, Sweep,
    shape::{Capsule, Obb, Plane},
};

fn pick<T: Copy>(source: &mut dyn Source, choices: &[T]) -> T {
    let limit = u32::try_from(choices.len()).expect("a short list");
    choices[source.below(limit) as usize]
}

/// A number from `-reach` to `reach`.
fn signed(source: &mut dyn Source, reach: f32) -> f32 {
    (source.unit() * 2.0 - 1.0) * reach
}

/// A whole number from `-reach` to `reach`.
fn whole(source: &mut dyn Source, reach: u8) -> f32 {
    let steps = u32::from(reach) * 2 + 1;
    let step = u8::try_from(source.below(steps)).expect("below 256");
    f32::from(step) - f32::from(reach)
}

fn vector(source: &mut dyn Source, mut coordinate: impl FnMut(&mut dyn Source) -> f32) -> Vec3 {
    Vec3::new(coordinate(source), coordinate(source), coordinate(source))
}

/// A finite point, mostly where objects are.
pub(super) fn point(source: &mut dyn Source) -> Vec3 {
    match source.below(12) {
        0..=4 => vector(source, |s| whole(s, 8)),
        5..=8 => vector(source, |s| signed(s, 20.0)),
        9 => vector(source, |s| pick(s, &[0.0, -0.0, 1e-40, -1e-40, 1e-20, 0.5, -1.0])),
        10 => vector(source, |s| whole(s, 1) * 1e6 + signed(s, 4.0)),
        _ => vector(source, |s| pick(s, &[0.0, 1e30, -1e30, 1e18, 3e5, f32::MAX, f32::MIN])),
    }
}

/// Half an edge, or a radius.
fn half_extent(source: &mut dyn Source) -> f32 {
    match source.below(10) {
        0..=4 => source.unit() * 2.0,
        5 => 0.0,
        6 => pick(source, &[1e-40, 1e-20, 1e-6, 1e-3]),
        7 => source.unit() * 30.0,
        8 => pick(source, &[0.5, 1.0, 2.0, 4.0, 64.0]),
        _ => pick(source, &[1e3, 1e6, 1e10, 1e18]),
    }
}

/// A legal box.
pub(super) fn aabb(source: &mut dyn Source) -> Aabb {
    match source.below(12) {
        // On the integer lattice: touching, plates, edges and points.
        0..=3 => {
            let min = vector(source, |s| whole(s, 8));
            Aabb::new(min, min + vector(source, |s| pick(s, &[0.0, 1.0, 1.0, 2.0, 3.0])))
        }
        4 => Aabb::new(Vec3::ZERO, Vec3::ONE),
        5..=8 => {
            let center = vector(source, |s| signed(s, 20.0));
            Aabb::from_center_half_extents(center, vector(source, |s| s.unit() * 1.5))
        }
        9 => unbounded(source),
        _ => {
            let half = vector(source, half_extent);
            let aabb = Aabb::from_center_half_extents(point(source), half);
            // The sum of two large numbers may be infinite on the wrong side.
            if aabb.check().is_ok() { aabb } else { Aabb::new(Vec3::NEG_ONE, Vec3::ONE) }
        }
    }
}

/// A box some of whose sides are infinitely far away.
fn unbounded(source: &mut dyn Source) -> Aabb {
    let mut aabb = Aabb::new(Vec3::splat(-2.0), Vec3::splat(2.0));
    for axis in 0..3 {
        match source.below(4) {
            0 => aabb.min[axis] = f32::NEG_INFINITY,
            1 => aabb.max[axis] = f32::INFINITY,
            2 => (aabb.min[axis], aabb.max[axis]) = (f32::NEG_INFINITY, f32::INFINITY),
            _ => {}
        }
    }
    aabb
}

/// A legal sphere.
pub(super) fn sphere(source: &mut dyn Source) -> Sphere {
    match source.below(6) {
        0 | 1 => {
            let center = vector(source, |s| whole(s, 8));
            Sphere::new(center, pick(source, &[0.0, 0.5, 1.0, 2.0]))
        }
        2..=4 => {
            let center = vector(source, |s| signed(s, 20.0));
            Sphere::new(center, source.unit() * 2.0)
        }
        _ => Sphere::new(point(source), half_extent(source)),
    }
}

/// A legal shape.
pub(super) fn shape(source: &mut dyn Source) -> Shape {
    if source.below(3) == 0 { sphere(source).into() } else { aabb(source).into() }
}

/// Mostly all objects, else those of some layers or mobility, or those that a closure accepts.
pub(super) fn selection(source: &mut dyn Source) -> Selection {
    let layers = match source.below(8) {
        0..=4 => None,
        5 => Some(pick(source, &[1, 2, 4, 6, u32::MAX])),
        6 => Some(source.bits()),
        _ => Some(pick(source, &[0, 1, u32::MAX])),
    };
    let only = pick(source, &[None, None, None, None, Some(Mobility::Moving), Some(Mobility::Static)]);
    Selection { layers, only, exclude: None, odd: source.below(4) == 0 }
}

/// Mostly all layers, else a few, or none.
pub(super) fn layers(source: &mut dyn Source) -> Layers {
    match source.below(8) {
        0..=4 => Layers::ALL,
        5 => Layers::new(pick(source, &[1, 2, 4, 3]), pick(source, &[1, 2, 4, 6, u32::MAX])),
        6 => Layers::new(1 << source.below(32), source.bits()),
        _ => pick(source, &[Layers::NONE, Layers::new(u32::MAX, 1), Layers::new(1, u32::MAX)]),
    }
}

/// One in four static.
pub(super) fn mobility(source: &mut dyn Source) -> Mobility {
    if source.below(4) == 0 { Mobility::Static } else { Mobility::Moving }
}

/// A legal object.
pub(super) fn object(source: &mut dyn Source) -> Object {
    let user_data = u64::from(source.below(256));
    let object = Object::new(shape(source)).with_layers(layers(source));
    object.with_mobility(mobility(source)).with_user_data(user_data)
}

/// A step that keeps an object about where it is, or takes it a few cells on.
pub(super) fn offset(source: &mut dyn Source) -> Vec3 {
    let reach = pick(source, &[0.001, 0.05, 0.5, 1.0, 5.0]);
    vector(source, |s| signed(s, reach))
}

/// A shift of the origin: by whole cells or not, near or far, legal or not.
pub(super) fn shift(source: &mut dyn Source) -> Vec3 {
    match source.below(8) {
        0..=2 => vector(source, |s| whole(s, 16)),
        3 | 4 => vector(source, |s| signed(s, 20.0)),
        5 => vector(source, |s| pick(s, &[0.0, 0.0, 1.0 / 64.0, 1e-3, -1e-20])),
        6 => vector(source, |s| pick(s, &[0.0, 1e6, -1e6, 3e5, -262_144.0])),
        _ => vector(source, |s| pick(s, &[0.0, 1.0, 1e18, -1e30, f32::MAX, f32::INFINITY, f32::NAN])),
    }
}

/// A legal ray: along an axis, with zeros, nearly along an axis, or any.
pub(super) fn ray(source: &mut dyn Source) -> Ray {
    let mut direction = match source.below(4) {
        0 => vector(source, |s| whole(s, 1)),
        1 => vector(source, |s| pick(s, &[0.0, -0.0, 1e-40, -1e-20, 1.0, -1.0])),
        _ => vector(source, |s| signed(s, 1.0)),
    };
    if direction == Vec3::ZERO {
        direction = Vec3::Y;
    }
    let ray = Ray::new(point(source), direction).expect("finite and directed");
    let reach = match source.below(4) {
        0 => pick(source, &[0.0, 1.0, 4.0, 1e6]),
        1 => source.unit() * 40.0,
        _ => f32::INFINITY,
    };
    ray.with_distance_max(reach).expect("not negative")
}

/// A legal sweep: of a box or a ball, along an axis, anywhere, or nowhere.
pub(super) fn sweep(source: &mut dyn Source) -> Sweep {
    let motion = match source.below(6) {
        0 | 1 => vector(source, |s| whole(s, 1)) * (1.0 + source.unit() * 8.0).floor(),
        2 => vector(source, |s| pick(s, &[0.0, -0.0, 1e-40, -1e-20, 8.0, -16.0])),
        3 => vector(source, |s| signed(s, 1.0)),
        4 => vector(source, |s| signed(s, 40.0)),
        _ => vector(source, |s| pick(s, &[0.0, 1e6, -1e10, 1e30, f32::MIN])),
    };
    if source.below(2) == 0 {
        Sweep::sphere(sphere(source), motion).expect("a legal sphere")
    } else {
        let aabb = aabb(source);
        Sweep::aabb(aabb, motion).or_else(|_| Sweep::aabb(Aabb::new(Vec3::ZERO, Vec3::ONE), motion)).expect("finite")
    }
}

/// A legal oriented box: along the axes, turned by an eighth, or anyhow; flat, or not.
pub(super) fn obb(source: &mut dyn Source) -> Obb {
    let turn = match source.below(4) {
        0 => Quat::IDENTITY,
        1 => Quat::from_xyzw(0.0, 0.0, 0.5, 1.25),
        _ => Quat::from_xyzw(signed(source, 1.0), signed(source, 1.0), signed(source, 1.0), 0.25),
    };
    let half = vector(source, half_extent);
    Obb::new(point(source), half, turn).expect("a legal oriented box")
}

/// A legal capsule.
pub(super) fn capsule(source: &mut dyn Source) -> Capsule {
    let ball = sphere(source);
    let end = if source.below(4) == 0 { ball.center } else { point(source) };
    Capsule::new(ball.center, end, ball.radius).expect("a legal capsule")
}

/// A legal plane.
pub(super) fn plane(source: &mut dyn Source) -> Plane {
    let normal = match source.below(2) {
        0 => pick(source, &[Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_X]),
        _ => vector(source, |s| signed(s, 1.0)),
    };
    let normal = if normal == Vec3::ZERO { Vec3::Y } else { normal };
    Plane { normal, offset: whole(source, 12) * 0.5 + 4.0 }
}

/// A point as a box.
pub(super) fn spot(source: &mut dyn Source) -> Aabb {
    let point = point(source);
    Aabb::new(point, point)
}

/// A distance that may be a limit.
pub(super) fn reach(source: &mut dyn Source) -> f32 {
    match source.below(4) {
        0 => pick(source, &[0.0, 1.0, 5.0, 1e6]),
        1 => source.unit() * 40.0,
        _ => f32::INFINITY,
    }
}

/// How many answers are wanted.
pub(super) fn few(source: &mut dyn Source) -> u8 {
    pick(source, &[0, 1, 1, 2, 3, 8, 30])
}

/// What a camera sees.
pub(super) fn frustum(source: &mut dyn Source) -> Frustum {
    let eye = vector(source, |s| signed(s, 20.0));
    let forward = match source.below(3) {
        0 => pick(source, &[Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_X]),
        _ => vector(source, |s| signed(s, 1.0)).try_normalize().unwrap_or(Vec3::Z),
    };
    let far = pick(source, &[1.0, 10.0, 100.0, 1e7]);
    Camera::new(eye, forward).frustum(0.1, far)
}

/// Legal settings.
pub(super) fn config(source: &mut dyn Source) -> Config {
    let smallest = 2_f32.powi(pick(source, &[-40, -10, -6, -6, 0, 3, 40]));
    let odd = 1.0 + source.unit();
    let leaf = 1 + source.below(64);
    let depth = 1 + source.below(21);
    Config {
        looseness: pick(source, &[1.0, 1.5, 2.0, 2.0, odd]),
        smallest_cell: pick(source, &[smallest, smallest, (smallest * odd).min(2_f32.powi(40))]),
        leaf_capacity: pick(source, &[1, 2, 8, 64, 64, leaf]),
        depth_limit: pick(source, &[21, 21, 21, 1, 3, depth]),
        margin: margin(leaf, odd - 1.0),
    }
}

/// One in four programs has a margin, by numbers drawn for something else: so
/// the programs of old seeds are what they were, but for it.
fn margin(number: u32, part: f32) -> Margin {
    let of = |absolute, relative| Margin { absolute, relative };
    match number % 16 {
        0 => of(part * 0.5, 0.0),
        4 => of(0.0, part * 0.25),
        8 => of(part * 0.1, part),
        12 => of(2.0, 0.0),
        _ => Margin::NONE,
    }
}
