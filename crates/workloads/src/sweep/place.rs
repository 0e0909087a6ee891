//! Where the centres are, in a world with edges of length one.

use super::octaves;
use super::parameters::{Clustering, Dimension, Parameters};
use crate::random::Random;
use broadleaf::Aabb;
use broadleaf::glam::Vec3;

/// The cube of a world.
pub(super) const WORLD: Aabb = Aabb { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) };
/// Standard deviation of a heap.
const DEVIATION: f32 = 0.02;
/// Levels of a fractal.
const LEVELS: usize = 7;
/// The farthest over the nearest around a point: eight octaves.
const DISTANCES: f32 = 256.0;

/// Draws centres.
pub(super) struct Places<'a> {
    parameters: &'a Parameters,
    /// The middles of heaps or of far groups.
    middles: Vec<Vec3>,
    /// The four octants of each level.
    octants: [[u32; 4]; LEVELS],
}

impl<'a> Places<'a> {
    pub(super) fn new(parameters: &'a Parameters, random: &mut Random) -> Self {
        let middles = match parameters.clustering {
            Clustering::Gaussian(heaps) => (0..heaps).map(|_| random.point(&WORLD)).collect(),
            Clustering::FarGroups { groups, apart } => (0..groups).map(|_| random.direction() * apart).collect(),
            _ => Vec::new(),
        };
        Self { parameters, middles, octants: [(); LEVELS].map(|()| four_of_eight(random)) }
    }

    /// The centre of the object with this index.
    pub(super) fn draw(&self, index: u32, random: &mut Random) -> Vec3 {
        let middle = || self.middles[index as usize % self.middles.len()];
        match self.parameters.clustering {
            Clustering::Even => self.bend(random.point(&WORLD), random),
            Clustering::Gaussian(_) => {
                let place = middle() + random.bell() * DEVIATION;
                self.bend(place.clamp(WORLD.min, WORLD.max), random)
            }
            Clustering::Fractal => {
                let place = self.fractal(random);
                self.bend(place, random)
            }
            Clustering::FarGroups { .. } => middle() + self.bend(random.point(&WORLD), random),
            Clustering::Stray(away) if index == 0 => random.direction() * away,
            Clustering::Stray(_) => self.bend(random.point(&WORLD), random),
        }
    }

    /// Takes a place of the cube to the line, plane or shell.
    fn bend(&self, place: Vec3, random: &mut Random) -> Vec3 {
        let Parameters { dimension, thickness, off, .. } = *self.parameters;
        if random.unit() < off {
            return place;
        }
        match dimension {
            Dimension::Point => place / octaves::between(1.0, DISTANCES, random.unit()),
            Dimension::Line => place * Vec3::new(1.0, thickness, thickness),
            Dimension::Plane => place * Vec3::new(1.0, thickness, 1.0),
            Dimension::Shell => {
                let length = place.length_squared().sqrt();
                let direction = if length > 1e-3 { place / length } else { Vec3::X };
                direction * (0.5 + thickness * (random.unit() - 0.5))
            }
            Dimension::Volume => place,
        }
    }

    fn fractal(&self, random: &mut Random) -> Vec3 {
        let (mut place, mut half) = (Vec3::ZERO, 0.25);
        for level in &self.octants {
            let octant = level[random.below(4) as usize];
            let side = |axis: u32| if octant >> axis & 1 == 1 { half } else { -half };
            place += Vec3::new(side(0), side(1), side(2));
            half *= 0.5;
        }
        place + random.signed() * half
    }
}

fn four_of_eight(random: &mut Random) -> [u32; 4] {
    let mut all = [0, 1, 2, 3, 4, 5, 6, 7];
    for first in 0..4 {
        all.swap(first as usize, (first + random.below(8 - first)) as usize);
    }
    [all[0], all[1], all[2], all[3]]
}
