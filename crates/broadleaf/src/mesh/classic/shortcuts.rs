//! The shortcuts that the splitting-plane walk was first described with, and
//! the answers they cost. What they get right is what the walk does without them.

use super::cast::Cast;
use super::{OctantMesh, OctantPlacement, planes};
use crate::{Culling, Mesh, Ray, Triangle};
use alloc::vec::Vec;
use glam::Vec3;

/// Rays that are cast.
const RAYS: usize = 4_000;

/// What is left out.
#[derive(Debug, Clone, Copy, Default)]
struct Shortcuts {
    /// The hit of the first leaf that has one is taken for the nearest.
    first_leaf: bool,
    /// Three octants of a cell are visited, not four.
    three_octants: bool,
}

/// The nearest hit as such a walk finds it: distance and triangle.
fn nearest(mesh: &OctantMesh, ray: &Ray, shortcuts: Shortcuts) -> Option<(f32, u32)> {
    let cast = Cast::new(mesh, ray, Culling::None, false);
    let (enter, exit) = cast.span(mesh.cell(0), mesh.placement.looseness())?;
    below(mesh, &cast, 0, (enter, exit), shortcuts)
}

fn below(mesh: &OctantMesh, cast: &Cast<'_>, index: u32, span: (f32, f32), shortcuts: Shortcuts) -> Option<(f32, u32)> {
    let cell = mesh.cell(index);
    let mut own = Cast::new(mesh, cast.ray, Culling::None, false);
    let _ = own.visit(cell);
    let mut best = own.finish().0.map(|hit| (hit.distance, hit.triangle));
    if cell.is_leaf() {
        return best;
    }
    let mut octants = Vec::new();
    planes::pass(cell, cast, span.0, span.1, |octant, enter, exit| octants.push((octant, enter, exit)));
    octants.truncate(if shortcuts.three_octants { 3 } else { 4 });
    for (octant, enter, exit) in octants {
        let Some(hit) = below(mesh, cast, cell.children + octant, (enter, exit), shortcuts) else { continue };
        if shortcuts.first_leaf {
            return Some(hit);
        }
        best = Some(best.map_or(hit, |best| if hit < best { hit } else { best }));
    }
    best
}

/// Triangles of all sizes and rays among them.
fn scene() -> (Mesh, Vec<Ray>) {
    let mut state = 1_u32;
    let mut unit = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).unwrap()) / 65_536.0
    };
    let mut point = move |reach: f32| Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * reach;
    let triangles: Vec<Triangle> = (0..4_000_u32)
        .map(|index| {
            let (at, size) = (point(20.0), if index % 8 == 0 { 6.0 } else { 0.6 });
            Triangle::new(at + point(size), at + point(size), at + point(size))
        })
        .collect();
    let rays = (0..RAYS).map(|_| {
        let from = point(40.0);
        Ray::new(from, point(20.0) - from).unwrap()
    });
    let rays = rays.collect();
    (Mesh::from_triangles(&triangles).unwrap(), rays)
}

/// How many rays are answered wrongly. The tests say how many each shortcut costs.
fn wrong(placement: OctantPlacement, shortcuts: Shortcuts) -> usize {
    let (mesh, rays) = scene();
    let plain = OctantMesh::new(&mesh, placement);
    let is_wrong = |ray: &&Ray| {
        let expected = mesh.closest_hit(ray, Culling::None).0.map(|hit| (hit.distance, hit.triangle));
        nearest(&plain, ray, shortcuts) != expected
    };
    rays.iter().filter(is_wrong).count()
}

#[test]
fn without_shortcuts_no_answer_is_wrong() {
    assert_eq!(wrong(OctantPlacement::Shared, Shortcuts::default()), 0);
    assert_eq!(wrong(OctantPlacement::Held, Shortcuts::default()), 0);
}

#[test]
fn the_first_leaf_with_a_hit_need_not_have_the_nearest() {
    let wrong = wrong(OctantPlacement::Shared, Shortcuts { first_leaf: true, ..Shortcuts::default() });
    assert_eq!(wrong, 111, "of {RAYS}");
}

#[test]
fn a_ray_passes_up_to_four_octants() {
    let wrong = wrong(OctantPlacement::Shared, Shortcuts { three_octants: true, ..Shortcuts::default() });
    assert_eq!(wrong, 182, "of {RAYS}");
}

#[test]
fn middle_planes_do_not_part_loose_octants() {
    let wrong = wrong(OctantPlacement::Loose, Shortcuts::default());
    assert_eq!(wrong, 452, "of {RAYS}");
}
