//! Where the objects of each scene are at first.

use super::body::Body;
use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mobility};

/// Half the edge of a unit box.
const HALF: Vec3 = Vec3::splat(0.5);
/// World units per step of a scene that drifts: 1.2 units a second at 60 frames.
const DRIFT: f32 = 0.02;
/// World units per step of a scene that is on the move.
const FAST: f32 = 0.2;
/// The steps that a bullet flies.
pub(super) const BULLET_LIFE: u32 = 64;

/// The bodies of a scene, and the box that their centres stay in.
pub(super) struct Layout {
    pub(super) bodies: Vec<Body>,
    pub(super) bounds: Aabb,
    /// The first so many bodies are static.
    pub(super) statics: usize,
}

impl Layout {
    pub(super) fn mobility(&self, index: usize) -> Mobility {
        if index < self.statics { Mobility::Static } else { Mobility::Moving }
    }
}

/// A cube at the origin that holds `count` objects, each on `volume` units.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn cube(count: u32, volume: f64) -> Aabb {
    let total = f64::from(count.max(1)) * volume;
    // Newton's method: unlike `cbrt`, the same on every platform.
    let edge = (0..80).fold(total.sqrt().max(1.0), |x, _| (2.0 * x + total / (x * x)) / 3.0);
    Aabb::new(Vec3::ZERO, Vec3::splat(edge as f32))
}

fn layout(bounds: Aabb, count: u32, mut body: impl FnMut(u32) -> Body) -> Layout {
    Layout { bodies: (0..count).map(&mut body).collect(), bounds, statics: 0 }
}

/// Unit boxes, one on four units of volume: each overlaps two others, so about one pair each.
fn even(count: u32, speed: f32, random: &mut Random) -> Layout {
    let bounds = cube(count, 4.0);
    layout(bounds, count, |_| Body::drifting(random.point(&bounds), HALF, bounds, speed, random))
}

pub(super) fn uniform(count: u32, random: &mut Random) -> Layout {
    even(count, DRIFT, random)
}

pub(super) fn moving(count: u32, random: &mut Random) -> Layout {
    even(count, FAST, random)
}

pub(super) fn still(count: u32, random: &mut Random) -> Layout {
    even(count, 0.0, random)
}

/// Unit spheres, as dense as the unit boxes.
pub(super) fn spheres(count: u32, random: &mut Random) -> Layout {
    let mut layout = even(count, DRIFT, random);
    layout.bodies.iter_mut().for_each(|body| *body = body.into_sphere());
    layout
}

/// Unit boxes and unit spheres in turn.
pub(super) fn shapes(count: u32, random: &mut Random) -> Layout {
    let mut layout = even(count, DRIFT, random);
    layout.bodies.iter_mut().step_by(2).for_each(|body| *body = body.into_sphere());
    layout
}

/// Bell-shaped heaps of a thousand unit boxes in a world that is mostly empty.
pub(super) fn clustered(count: u32, random: &mut Random) -> Layout {
    const DEVIATION: f32 = 3.5;
    let bounds = cube(count, 32.0);
    let heaps: Vec<Vec3> = (0..count.div_ceil(1000)).map(|_| random.point(&bounds)).collect();
    layout(bounds, count, |index| {
        let heap = heaps[index as usize % heaps.len()];
        let center = (heap + random.bell() * DEVIATION).clamp(bounds.min, bounds.max);
        let home = Aabb::from_center_half_extents(center, Vec3::splat(2.0));
        Body::drifting(center, HALF, home, DRIFT, random)
    })
}

/// Cubes with edges from 0.5 to 32; the number above an edge falls with its square.
pub(super) fn mixed(count: u32, random: &mut Random) -> Layout {
    const LEAST: f32 = 0.5;
    let bounds = cube(count, 22.0);
    let most = (bounds.max.x / 4.0).clamp(LEAST, 32.0);
    let rest = 1.0 - (LEAST / most) * (LEAST / most);
    layout(bounds, count, |_| {
        let edge = LEAST / (1.0 - random.unit() * rest).sqrt();
        Body::drifting(random.point(&bounds), Vec3::splat(edge / 2.0), bounds, DRIFT, random)
    })
}

/// Unit boxes stacked face to face, out of true by a twentieth, so that half
/// of all neighbours touch: about 3.35 pairs each.
#[expect(clippy::cast_precision_loss, reason = "lattice coordinates are small")]
pub(super) fn pile(count: u32, random: &mut Random) -> Layout {
    let mut side = 1;
    while side * side * side < u64::from(count) {
        side += 1;
    }
    let bounds = Aabb::new(Vec3::ZERO, Vec3::splat(side as f32));
    layout(bounds, count, |index| {
        let index = u64::from(index);
        let cell = [index % side, index / side % side, index / (side * side)];
        let place = Vec3::from_array(cell.map(|c| c as f32 + 0.5));
        let home = Aabb::from_center_half_extents(place, Vec3::splat(0.05));
        Body::drifting(random.point(&home), HALF, home, 0.005, random)
    })
}

/// Nine in ten are static buildings, one to a block of eight units; the rest
/// move on the ground, through streets and buildings.
#[expect(clippy::cast_precision_loss, reason = "block coordinates are small")]
pub(super) fn city(count: u32, random: &mut Random) -> Layout {
    const BLOCK: f32 = 8.0;
    let movers = count / 10;
    let buildings = count - movers;
    let side = buildings.isqrt() + 1;
    let edge = side as f32 * BLOCK;
    let bounds = Aabb::new(Vec3::ZERO, Vec3::new(edge, 64.0, edge));
    let ground = Aabb::new(Vec3::new(0.0, 1.0, 0.0), Vec3::new(edge, 3.0, edge));
    let mut city = layout(bounds, count, |index| {
        if index >= buildings {
            let half = Vec3::new(random.between(0.3, 1.0), 1.0, random.between(0.3, 1.0));
            return Body::drifting(random.point(&ground), half, ground, FAST, random);
        }
        let block = Vec3::new((index % side) as f32, 0.0, (index / side) as f32) * BLOCK;
        // Most buildings are low, few are towers.
        let height = 4.0 + 28.0 * random.unit() * random.unit();
        let half = Vec3::new(random.between(2.0, 3.5), height / 2.0, random.between(2.0, 3.5));
        Body::at_rest(block + Vec3::new(BLOCK / 2.0, half.y, BLOCK / 2.0), half)
    });
    city.statics = buildings as usize;
    city
}

/// Guns that fire one bullet each step; their bullets are as many steps old as they are apart.
#[expect(clippy::cast_precision_loss, reason = "the age of a bullet is small")]
pub(super) fn bullets(count: u32, random: &mut Random) -> Layout {
    let bounds = cube(count, 4.0);
    let mut gun = Body::at_rest(Vec3::ZERO, Vec3::splat(0.25));
    layout(bounds, count, |index| {
        let age = index % BULLET_LIFE;
        if age == 0 {
            let muzzle = random.point(&bounds);
            gun = Body { velocity: random.direction() * 0.4, home: Aabb::new(muzzle, muzzle), ..gun.into_sphere() };
        }
        Body { center: gun.home.min + gun.velocity * age as f32, ..gun }
    })
}
