//! A ball bounces over hills: in each step it sweeps along its motion, stops
//! where it first touches the mesh, and goes on in the reflected direction.
//!
//! `cargo run --release -p broadleaf --example mesh_collision`

use broadleaf::glam::Vec3;
use broadleaf::{Mesh, Sphere, Sweep};
use workloads::Model;

/// Seconds of a step.
const STEP: f32 = 1.0 / 60.0;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);
/// How much of the speed into the ground comes back out of it.
const BOUNCE: f32 = 0.6;
/// How much of the speed along the ground is left after a touch.
const ROLL: f32 = 0.995;
/// The gap that is kept to the ground: a sphere that touches at the start of a sweep does not get away.
const SKIN: f32 = 1e-3;
/// Touches in one step, after which the rest of the motion is given up.
const TOUCHES_MAX: u32 = 4;

/// A ball under way.
struct Ball {
    sphere: Sphere,
    velocity: Vec3,
    touches: u32,
}

impl Ball {
    /// Moves one step through the world.
    fn advance(&mut self, mesh: &Mesh) -> Result<(), broadleaf::Error> {
        self.velocity += GRAVITY * STEP;
        let mut left = STEP;
        for _ in 0..TOUCHES_MAX {
            let motion = self.velocity * left;
            let sweep = Sweep::sphere(self.sphere, motion)?;
            let Some(hit) = mesh.cast(&sweep).closest() else {
                self.sphere.center += motion;
                return Ok(());
            };
            self.touches += 1;
            self.sphere.center = hit.contact + hit.normal * (self.sphere.radius + SKIN);
            let into = hit.normal * self.velocity.dot(hit.normal).min(0.0);
            self.velocity = (self.velocity - into) * ROLL - into * BOUNCE;
            left *= 1.0 - hit.time;
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hills = Model::by_name("terrain", 20_000, 7).ok_or("there is no such model")?;
    let mesh = Mesh::from_indexed(hills.positions(), hills.indices())?;
    let middle = hills.bounds().center();
    let start = Vec3::new(middle.x, hills.bounds().max.y + 3.0, middle.z);
    let mut ball = Ball { sphere: Sphere::new(start, 0.4), velocity: Vec3::new(1.5, 0.0, 0.7), touches: 0 };
    for step in 0..600_u16 {
        ball.advance(&mesh)?;
        let Sphere { center, radius } = ball.sphere;
        let nearest = mesh.nearest(center)?.within(10.0).closest();
        if let Some(nearest) = nearest {
            assert!(nearest.distance >= radius, "the ball is in the ground by {}", radius - nearest.distance);
        }
        if step.is_multiple_of(60) {
            let height = nearest.map_or(f32::INFINITY, |nearest| nearest.distance - radius);
            println!(
                "{:4.1} s: at {center:.2}, {height:.2} above the ground, {} touches",
                f32::from(step) * STEP,
                ball.touches
            );
        }
    }
    assert!(ball.touches > 5, "the ball came down");
    Ok(())
}
