//! The box around a sphere: six roundings at once.

use super::Lane;
use crate::geometry::{Aabb, Sphere};
use glam::Vec3;
use wide::u32x8;

/// `value - offset`, rounded down.
///
/// *Source:* D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the error of a sum).
#[inline]
pub(super) fn subtracted_down(value: Lane, offset: Lane) -> Lane {
    let difference = value - offset;
    let virtual_offset = value - difference;
    let error = (value - (difference + virtual_offset)) + (virtual_offset - offset);
    // The next float below is one bit pattern away, up or down by the sign. A
    // difference of zero is exact, and so needs none.
    let bits = difference.to_bits();
    let below = Lane::from_bits(bits + (bits >> 31_u32 << 1_u32) - u32x8::splat(1));
    error.simd_lt(Lane::splat(0.0)).select(below, difference)
}

/// The smallest box of 32-bit floats that contains a legal sphere; agrees
/// with `geometry::float::sub_down` and `add_up` bit for bit.
#[inline]
pub(crate) fn sphere_aabb(sphere: &Sphere) -> Aabb {
    let [x, y, z] = sphere.center.to_array();
    // The upper sides are the lower sides of the sphere's mirror image.
    let value = Lane::new([x, y, z, 0.0, -x, -y, -z, 0.0]);
    let [a, b, c, _, d, e, f, _] = subtracted_down(value, Lane::splat(sphere.radius)).to_array();
    // Unlike a negation, the difference from zero is no negative zero.
    Aabb { min: Vec3::new(a, b, c), max: Vec3::new(0.0 - d, 0.0 - e, 0.0 - f) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::float::{add_up, sub_down};

    #[test]
    fn boxes_around_spheres_are_the_scalar_ones() {
        let radii = [0.0, -0.0, 1e-45, 1e-20, 0.1, 0.7, 1.0, 3.3, 1e6, 1e18];
        let centers = [0.0, -0.0, 1e-45, -1e-38, 0.1, -0.1, 0.7, 1.0, -3.3, 12345.67, -1e6, 3e30, f32::MAX, f32::MIN];
        for radius in radii {
            for center in centers {
                let others = Vec3::new(center, center * 0.7, 1.0 - center);
                let aabb = sphere_aabb(&Sphere::new(others, radius));
                for axis in 0..3 {
                    let (low, high) = (sub_down(others[axis], radius), add_up(others[axis], radius) + 0.0);
                    assert_eq!(aabb.min[axis].to_bits(), low.to_bits(), "{others} - {radius}");
                    assert_eq!(aabb.max[axis].to_bits(), high.to_bits(), "{others} + {radius}");
                }
            }
        }
    }
}
