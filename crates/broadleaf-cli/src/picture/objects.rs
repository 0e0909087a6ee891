//! The objects, back to front.

use super::asked::Reached;
use super::canvas::Canvas;
use super::cells::edges;
use super::palette::{self, Ink};
use super::projection::{Projection, corners};
use crate::snapshot::Snapshot;
use broadleaf::inspect::DrawKind;
use broadleaf::{Aabb, Mobility, Object, Shape, Sphere};

/// The corner indices of the six faces, in the order -x, +x, -y, +y, -z, +z.
const FACES: [[usize; 4]; 6] = [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];
/// How light the faces are, in the same order: light falls from above and the right.
const LIGHT: [f32; 6] = [0.62, 0.82, 0.5, 1.05, 0.6, 0.68];

/// Draws what is too large to be drawn solid: outlines of floors, walls and the like.
pub(super) fn draw_backdrop(canvas: &mut Canvas, projection: &Projection, snapshot: &Snapshot) {
    for ((_, object), partners) in snapshot.objects.iter().zip(snapshot.partners()) {
        if !is_backdrop(object, projection) {
            continue;
        }
        let ink = ink(object, partners).with_alpha(0.5);
        let corners = corners(&object.shape.aabb());
        for (from, to) in edges() {
            if let Some((a, b)) = projection.line(corners[from], corners[to]) {
                canvas.line(a, b, 1.0, ink);
            }
        }
    }
}

/// Draws all other objects, the farthest first.
pub(super) fn draw(canvas: &mut Canvas, projection: &Projection, snapshot: &Snapshot) {
    let (partners, reached) = (snapshot.partners(), Reached::of(snapshot.asked.as_ref()));
    let eye = projection.eye();
    let mut order: Vec<(f32, Object, Ink)> = Vec::new();
    for ((_, object), partners) in snapshot.objects.iter().zip(partners) {
        if is_finite(object) && !is_backdrop(object, projection) {
            let ink = match reached.kind(&object.shape.aabb()) {
                Some(DrawKind::Hit) => palette::HIT,
                Some(_) => palette::TESTED,
                None if snapshot.asked.is_some() => palette::STATIC.with_alpha(0.12),
                None => ink(object, partners),
            };
            order.push((object.shape.aabb().center().distance_squared(eye), *object, ink));
        }
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, object, ink) in order {
        match object.shape {
            Shape::Sphere(sphere) => draw_sphere(canvas, projection, &sphere, ink),
            shape => draw_aabb(canvas, projection, &shape.aabb(), ink),
        }
    }
}

fn ink(object: &Object, partners: u32) -> Ink {
    match (object.mobility, partners) {
        (Mobility::Static, _) => palette::STATIC.with_alpha(0.55),
        (_, 0) => palette::FREE,
        (_, partners) => palette::OVERLAPPING[palette::overlap_class(partners)],
    }
}

fn draw_aabb(canvas: &mut Canvas, projection: &Projection, aabb: &Aabb, ink: Ink) {
    let corners = corners(aabb);
    let mut pixels = [broadleaf::glam::Vec2::ZERO; 8];
    for (pixel, corner) in pixels.iter_mut().zip(corners) {
        let Some(at) = projection.point(corner) else { return };
        *pixel = at;
    }
    let eye = projection.eye();
    for (index, face) in FACES.iter().enumerate() {
        let axis = index / 2;
        let faces_eye = if index % 2 == 0 { eye[axis] < aabb.min[axis] } else { eye[axis] > aabb.max[axis] };
        if faces_eye {
            let points = face.map(|corner| pixels[corner]);
            canvas.polygon(&points, ink.shaded(LIGHT[index]).faded(0.8), ink.shaded(0.32).faded(0.9), 0.8);
        }
    }
}

fn draw_sphere(canvas: &mut Canvas, projection: &Projection, sphere: &Sphere, ink: Ink) {
    let (Some(center), Some(radius)) =
        (projection.point(sphere.center), projection.radius(sphere.center, sphere.radius))
    else {
        return;
    };
    let radius = radius.max(0.75);
    canvas.circle(center, radius, ink.shaded(0.78).faded(0.85), ink.shaded(0.32).faded(0.9), 0.8);
    if radius > 3.0 {
        let glint = center + broadleaf::glam::Vec2::new(0.28, -0.3) * radius;
        canvas.circle(glint, radius * 0.45, ink.shaded(1.15).faded(0.35), ink.with_alpha(0.0), 0.1);
    }
}

fn is_finite(object: &Object) -> bool {
    object.shape.aabb().extents().is_finite()
}

/// Whether an object is so wide that drawn solid it would hide the scene.
fn is_backdrop(object: &Object, projection: &Projection) -> bool {
    is_finite(object) && object.shape.aabb().extents().max_element() > projection.distance() * 0.2
}
