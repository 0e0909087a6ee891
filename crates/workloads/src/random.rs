//! Seeded numbers that are the same on every platform: no float function but
//! the square root is used, and floats are made from bits here, not elsewhere.

use broadleaf::Aabb;
use broadleaf::glam::Vec3;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A seeded source of numbers, points and directions.
#[derive(Debug, Clone)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// The source for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// 64 random bits.
    pub fn bits_64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A multiple of 2^-24 from 0 up to, not including, 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// A number between two others.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: u32) -> u32 {
        let product = u64::from(self.bits()) * u64::from(limit);
        u32::try_from(product >> 32).expect("below a u32")
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// A point in a box.
    pub fn point(&mut self, bounds: &Aabb) -> Vec3 {
        let unit = Vec3::new(self.unit(), self.unit(), self.unit());
        bounds.min + bounds.extents() * unit
    }

    /// A point in the cube from -1 to 1.
    pub fn signed(&mut self) -> Vec3 {
        self.point(&Aabb::new(Vec3::NEG_ONE, Vec3::ONE))
    }

    /// A direction of about length one, all equally likely.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let point = self.signed();
            let length_sq = point.length_squared();
            if length_sq > 1e-4 && length_sq <= 1.0 {
                return point / length_sq.sqrt();
            }
        }
    }

    /// Bell-shaped around zero with standard deviation 1 on each axis, never beyond 5.2.
    pub fn bell(&mut self) -> Vec3 {
        // Nine uniforms from -1 to 1 have variance 3.
        (0..9).fold(Vec3::ZERO, |sum, _| sum + self.signed()) / 3.0_f32.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_pinned() {
        let mut random = Random::new(1);
        let bits = [random.bits(), random.bits(), random.bits()];
        assert_eq!(bits, [3_740_214_403, 858_472_063, 2_966_646_568]);
    }

    #[test]
    fn numbers_stay_in_range() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!(random.below(3) < 3);
            assert!((random.direction().length() - 1.0).abs() < 1e-5);
            assert!(random.bell().abs().max_element() <= 5.2);
        }
    }
}
