//! Turns a physics world into a trace.

use crate::stage::Stage;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mobility, Object, Shape, Sphere};
use rapier3d::prelude::{Collider, Vector};
use workloads::{Frame, Trace};

/// Coordinates are rounded to this many world units (a body is about one unit large), so that
/// recordings pack small; boxes are rounded outward.
const GRID: f32 = 1.0 / 256.0;

/// Runs the stage and keeps what changes in each frame; the first frame spawns everything.
pub(crate) fn record(stage: &mut Stage, frames: u32) -> Trace {
    let mut trace = Trace::default();
    let mut shapes = Vec::new();
    for (id, handle) in (0..).zip(&stage.colliders) {
        let collider = &stage.world.colliders[*handle];
        let body = collider.parent().map(|body| &stage.world.bodies[body]);
        let fixed = body.is_none_or(|body| body.is_fixed());
        let mobility = if fixed { Mobility::Static } else { Mobility::Moving };
        let shape = shape(collider);
        shapes.push((id, Object::new(shape).with_mobility(mobility)));
    }
    trace.frames.push(Frame { spawned: shapes.clone(), ..Frame::default() });
    for _ in 1..frames {
        stage.step();
        let mut frame = Frame::default();
        for ((id, last), handle) in shapes.iter_mut().zip(&stage.colliders) {
            let shape = shape(&stage.world.colliders[*handle]);
            if last.shape != shape {
                last.shape = shape;
                frame.moved.push((*id, shape));
            }
        }
        trace.frames.push(frame);
    }
    trace
}

fn shape(collider: &Collider) -> Shape {
    let on_grid = |v: Vector, round: fn(f32) -> f32| {
        // Adding zero turns a negative zero into a positive one.
        Vec3::from_array([v.x, v.y, v.z].map(|c| round(c / GRID) * GRID + 0.0))
    };
    if let Some(ball) = collider.shape().as_ball() {
        let radius = (ball.radius / GRID).ceil() * GRID;
        Sphere::new(on_grid(collider.translation(), f32::round), radius).into()
    } else {
        let aabb = collider.compute_aabb();
        Aabb::new(on_grid(aabb.mins, f32::floor), on_grid(aabb.maxs, f32::ceil)).into()
    }
}
