//! Models without a hole: each edge is shared by two triangles.

use super::circle::turn;
use super::surface::Surface;
use crate::random::Random;
use broadleaf::glam::{IVec3, Vec3};
use std::collections::HashMap;

/// Radius of the sphere, and of the middle of the torus' tube.
const RADIUS: f32 = 8.0;

/// An octahedron whose faces are divided evenly and pushed out onto a sphere.
pub(super) fn sphere(count: u32, _: &mut Random) -> Surface {
    let division = i32::try_from((count / 8).isqrt().max(1)).expect("at most 2^15");
    let mut surface = Surface::default();
    let mut known = HashMap::new();
    for face in 0..8 {
        let sign = IVec3::new(face & 1, face >> 1 & 1, face >> 2 & 1) * -2 + 1;
        let mut vertex = |x: i32, y: i32| {
            let at = IVec3::new(x, y, division - x - y) * sign;
            *known.entry(at.to_array()).or_insert_with(|| surface.vertex(at.as_vec3().normalize() * RADIUS))
        };
        let mut triangles = Vec::new();
        for x in 0..division {
            for y in 0..division - x {
                triangles.push([vertex(x, y), vertex(x + 1, y), vertex(x, y + 1)]);
                if x + y + 1 < division {
                    triangles.push([vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1)]);
                }
            }
        }
        for [a, b, c] in triangles {
            let outward = sign.element_product() > 0;
            surface.triangle(if outward { [a, b, c] } else { [a, c, b] });
        }
    }
    surface
}

/// A ring with a round tube, three times as many sides along it as around it.
pub(super) fn torus(count: u32, _: &mut Random) -> Surface {
    const TUBE: f32 = 3.0;
    let around = (count / 6).isqrt().max(3);
    let along = (count / 2 / around).max(3);
    let mut surface = Surface::default();
    surface.grid(along, around, |row, column| {
        let (ring, tube) = (turn(row, along), turn(column, around));
        let out = RADIUS + TUBE * tube.x;
        Vec3::new(out * ring.x, TUBE * tube.y, out * ring.y)
    });
    for row in 0..along {
        for column in 0..around {
            let (next_row, next_column) = ((row + 1) % along, (column + 1) % around);
            let at = |row: u32, column: u32| row * around + column;
            surface.quad([at(row, column), at(row, next_column), at(next_row, next_column), at(next_row, column)]);
        }
    }
    surface
}

/// Boxes in piles on a square floor, face on face; every other one is turned
/// about the upright axis.
#[expect(clippy::cast_precision_loss, reason = "there are few piles")]
pub(super) fn boxes(count: u32, random: &mut Random) -> Surface {
    const HEIGHT: u32 = 8;
    let boxes = (count / 12).max(1);
    let side = boxes.div_ceil(HEIGHT).isqrt() + 1;
    let mut surface = Surface::default();
    for index in 0..boxes {
        let (pile, level) = (index / HEIGHT, index % HEIGHT);
        let foot = Vec3::new((pile % side) as f32 * 2.5, level as f32, (pile / side) as f32 * 2.5);
        let half = Vec3::new(random.between(0.4, 1.0), 0.5, random.between(0.4, 1.0));
        let across = if index % 2 == 0 { Vec3::X } else { level_direction(random) };
        add_box(&mut surface, foot + Vec3::Y * 0.5, half, across);
    }
    surface
}

fn level_direction(random: &mut Random) -> Vec3 {
    let direction = random.direction();
    (direction * Vec3::new(1.0, 0.0, 1.0)).try_normalize().unwrap_or(Vec3::X)
}

/// A box whose width lies along `across`.
fn add_box(surface: &mut Surface, center: Vec3, half: Vec3, across: Vec3) {
    let along = across.cross(Vec3::Y);
    // Bit 0 of a corner is across, bit 1 up, bit 2 along.
    let corners: [u32; 8] = std::array::from_fn(|corner| {
        let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let offset = across * (half.x * sign(0)) + Vec3::Y * (half.y * sign(1)) + along * (half.z * sign(2));
        surface.vertex(center + offset)
    });
    for face in [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] {
        surface.quad(face.map(|corner: usize| corners[corner]));
    }
}
