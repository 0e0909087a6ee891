//! The half extents of an object: a part that stays, and a part that grows
//! until the scene has as many pairs as it should.

use super::octaves;
use super::parameters::{Orientation, Parameters, Sizes};
use crate::random::Random;
use broadleaf::glam::Vec3;

/// Half extents at any scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extents {
    /// What does not depend on the scale.
    pub(super) fixed: Vec3,
    /// What grows with it.
    pub(super) growing: Vec3,
    pub(super) giant: bool,
    pub(super) sphere: bool,
}

impl Extents {
    pub(super) fn at(&self, scale: f32) -> Vec3 {
        self.fixed + self.growing * scale
    }

    /// The extents of the object with this index.
    pub(super) fn draw(parameters: &Parameters, index: u32, random: &mut Random) -> Self {
        // Giants are spread evenly over the indices, so that no group is without.
        let turn = |index: u32| u64::from(index) * u64::from(parameters.giants.number) / u64::from(parameters.count);
        if turn(index) != turn(index + 1) {
            let fixed = Vec3::splat(parameters.giants.edge / 2.0);
            return Self { fixed, growing: Vec3::ZERO, giant: true, sphere: false };
        }
        let proportions = Vec3::from_array(parameters.proportions) * size(parameters, random) / 2.0;
        let spans = Vec3::from_array(parameters.spans.map(|spans| if spans { 0.5 } else { 0.0 }));
        // What spans the world has no extent beside that.
        let growing = Vec3::select(spans.cmpgt(Vec3::ZERO), Vec3::ZERO, proportions);
        if random.unit() < parameters.spheres {
            let radius = proportions.min_element();
            return Self { fixed: Vec3::ZERO, growing: Vec3::splat(radius), giant: false, sphere: true };
        }
        let (fixed, growing) = match parameters.orientation {
            Orientation::Aligned => (spans, growing),
            Orientation::Shuffled => {
                let order = random.below(6);
                (shuffled(spans, order), shuffled(growing, order))
            }
            Orientation::Turned => (spans, turned(growing, random)),
        };
        Self { fixed, growing, giant: false, sphere: false }
    }
}

fn size(parameters: &Parameters, random: &mut Random) -> f32 {
    let ratio = parameters.size_ratio;
    match parameters.sizes {
        Sizes::Even => random.between(1.0, ratio),
        Sizes::Octaves => octaves::between(1.0, ratio, random.unit()),
        Sizes::Power => {
            let rest = 1.0 - 1.0 / (ratio * ratio);
            1.0 / (1.0 - random.unit() * rest).sqrt()
        }
        Sizes::Two(times) => {
            if random.one_in(times) {
                ratio
            } else {
                1.0
            }
        }
    }
}

/// One of the six orders of three coordinates.
fn shuffled(v: Vec3, order: u32) -> Vec3 {
    let [x, y, z] = v.to_array();
    let rolled = [[x, y, z], [y, z, x], [z, x, y]][order as usize % 3];
    if order < 3 { rolled.into() } else { [rolled[0], rolled[2], rolled[1]].into() }
}

/// The half extents of the box around a box that is turned anyhow.
fn turned(half: Vec3, random: &mut Random) -> Vec3 {
    let first = random.direction();
    let second = loop {
        let side = first.cross(random.direction());
        let length_sq = side.length_squared();
        if length_sq > 0.01 {
            break side / length_sq.sqrt();
        }
    };
    let third = first.cross(second);
    first.abs() * half.x + second.abs() * half.y + third.abs() * half.z
}
