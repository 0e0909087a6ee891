//! A small physics step of one's own: broadleaf says who may touch, we do the rest.
//!
//! `cargo run --release -p broadleaf --example physics_step`

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Error, Handle, Mobility, Object, Octree, Pair, Scratch, Sphere, View};

const STEP: f32 = 1.0 / 120.0;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);
const RADIUS: f32 = 0.5;
const SOLVER_ROUNDS: u32 = 12;
/// Overlap that is left alone, so that contacts stay.
const SLOP: f32 = 0.005;
const RESTITUTION: f32 = 0.2;
const FRICTION: f32 = 0.3;

/// The balls, by index: an object's user data is the index of its ball. Static
/// objects have the indices after the last ball.
struct World {
    tree: Octree,
    handles: Vec<Handle>,
    centers: Vec<Vec3>,
    velocities: Vec<Vec3>,
    statics: Vec<Aabb>,
    contacts: Vec<Contact>,
    pairs: Vec<Pair>,
    scratch: Scratch,
}

/// Two touching things; `b` may be static. The normal points from `b` to `a`.
struct Contact {
    a: usize,
    b: usize,
    normal: Vec3,
    depth: f32,
}

fn main() -> Result<(), Error> {
    let mut world = World::new()?;
    let energy_before = world.energy();
    let mut most_pairs = 0;
    for step in 0..1200 {
        world.step()?;
        most_pairs = most_pairs.max(world.pairs.len());
        if step % 240 == 239 {
            println!("step {:4}: {:4} pairs, energy {:8.1}", step + 1, world.pairs.len(), world.energy());
        }
    }

    // The balls are in the tray: above its floor, within its walls, and slower than they fell.
    for center in &world.centers {
        assert!(center.y > RADIUS * 0.9, "a ball sank into the floor: {center}");
        assert!(center.x.abs() < 5.0 && center.z.abs() < 5.0, "a ball left the tray: {center}");
    }
    assert!(world.energy() < energy_before * 0.5, "the balls did not settle");
    assert!(most_pairs > world.centers.len(), "the balls never piled up");
    Ok(())
}

impl World {
    /// A hundred and twenty-five balls above a tray of five boxes.
    fn new() -> Result<Self, Error> {
        let wall = |min: [f32; 3], max: [f32; 3]| Aabb::new(Vec3::from(min), Vec3::from(max));
        let statics = vec![
            wall([-6.0, -1.0, -6.0], [6.0, 0.0, 6.0]),
            wall([-6.0, 0.0, -6.0], [-5.0, 12.0, 6.0]),
            wall([5.0, 0.0, -6.0], [6.0, 12.0, 6.0]),
            wall([-5.0, 0.0, -6.0], [5.0, 12.0, -5.0]),
            wall([-5.0, 0.0, 5.0], [5.0, 12.0, 6.0]),
        ];
        let lattice = (0..125).map(|ball| Vec3::new((ball % 5) as f32, (ball / 25) as f32, (ball / 5 % 5) as f32));
        // Each layer is shifted a little, so that no ball lands exactly on another.
        let centers: Vec<Vec3> =
            lattice.map(|p| (p - 2.0) * 1.2 + Vec3::new(p.y * 0.11, 5.0, p.y * 0.07 - p.x * 0.03)).collect();

        let mut tree = Octree::new(Config::default())?;
        let mut handles = Vec::new();
        for (ball, &center) in (0..).zip(&centers) {
            handles.push(tree.insert(Object::new(Sphere::new(center, RADIUS)).with_user_data(ball))?);
        }
        for (index, &aabb) in (centers.len() as u64..).zip(&statics) {
            tree.insert(Object::new(aabb).with_mobility(Mobility::Static).with_user_data(index))?;
        }
        let velocities = vec![Vec3::ZERO; centers.len()];
        let (contacts, pairs, scratch) = (Vec::new(), Vec::new(), Scratch::new());
        Ok(Self { tree, handles, centers, velocities, statics, contacts, pairs, scratch })
    }

    fn step(&mut self) -> Result<(), Error> {
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            *velocity += GRAVITY * STEP;
            *center += *velocity * STEP;
        }
        // Broad phase.
        for (&handle, &center) in self.handles.iter().zip(&self.centers) {
            self.tree.update(handle, Sphere::new(center, RADIUS))?;
        }
        let view = self.tree.view();
        view.pairs(&mut self.scratch).collect_into(&mut self.pairs);
        // Narrow phase.
        self.contacts.clear();
        for pair in &self.pairs {
            let (a, b) = (index_of(view, pair.a()), index_of(view, pair.b()));
            // Balls come before statics, and two statics are never a pair.
            self.contacts.extend(contact(a.min(b), a.max(b), &self.centers, &self.statics));
        }
        // Solver.
        for _ in 0..SOLVER_ROUNDS {
            for contact in &self.contacts {
                resolve(contact, &mut self.velocities);
            }
        }
        for contact in &self.contacts {
            separate(contact, &mut self.centers);
        }
        Ok(())
    }

    /// Height and motion of all balls, each of mass one.
    fn energy(&self) -> f32 {
        let balls = self.centers.iter().zip(&self.velocities);
        balls.map(|(center, velocity)| 0.5 * velocity.length_squared() - GRAVITY.y * center.y).sum()
    }
}

/// The ball or static of a handle.
fn index_of(view: View<'_>, handle: Handle) -> usize {
    let user_data = view.user_data(handle).expect("a pair's handles are alive");
    usize::try_from(user_data).expect("an index that was a usize")
}

fn contact(a: usize, b: usize, centers: &[Vec3], statics: &[Aabb]) -> Option<Contact> {
    let center = centers[a];
    let (from, reach) = match centers.get(b) {
        Some(&other) => (other, RADIUS * 2.0),
        None => {
            let aabb = &statics[b - centers.len()];
            (center.clamp(aabb.min, aabb.max), RADIUS)
        }
    };
    let (normal, distance) = (center - from).try_normalize().map(|normal| (normal, center.distance(from)))?;
    Some(Contact { a, b, normal, depth: reach - distance })
}

/// Takes away the approach of two things, and part of their sliding.
fn resolve(contact: &Contact, velocities: &mut [Vec3]) {
    let other = velocities.get(contact.b).copied();
    let relative = velocities[contact.a] - other.unwrap_or(Vec3::ZERO);
    let approach = -relative.dot(contact.normal);
    if approach <= 0.0 {
        return;
    }
    // Slow contacts do not bounce, or piles would never rest.
    let bounce = if approach > 1.0 { RESTITUTION } else { 0.0 };
    let sliding = relative + contact.normal * approach;
    let friction = sliding.clamp_length_max(FRICTION * approach);
    let impulse = contact.normal * approach * (1.0 + bounce) - friction;
    if other.is_some() {
        velocities[contact.a] += impulse * 0.5;
        velocities[contact.b] -= impulse * 0.5;
    } else {
        velocities[contact.a] += impulse;
    }
}

/// Pushes two overlapping things apart, part of the way.
fn separate(contact: &Contact, centers: &mut [Vec3]) {
    let push = contact.normal * ((contact.depth - SLOP).max(0.0) * 0.4);
    if contact.b < centers.len() {
        centers[contact.a] += push * 0.5;
        centers[contact.b] -= push * 0.5;
    } else {
        centers[contact.a] += push;
    }
}
