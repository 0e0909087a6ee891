//! A physics world with the order of its colliders, and what is done to it in each step.

use rapier3d::prelude::{ColliderBuilder, ColliderHandle, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};
use workloads::Random;

/// What moves of its own accord.
pub(crate) type Director = Box<dyn FnMut(&mut PhysicsWorld, &mut Random, u32)>;

pub(crate) struct Stage {
    pub(crate) world: PhysicsWorld,
    /// In the order of their ids.
    pub(crate) colliders: Vec<ColliderHandle>,
    pub(crate) random: Random,
    pub(crate) director: Director,
    steps: u32,
}

impl Stage {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            world: PhysicsWorld::new(),
            colliders: Vec::new(),
            random: Random::new(seed),
            director: Box::new(|_, _, _| {}),
            steps: 0,
        }
    }

    /// Adds a body with one collider.
    pub(crate) fn add(&mut self, body: RigidBodyBuilder, collider: ColliderBuilder) -> RigidBodyHandle {
        let (body, collider) = self.world.insert(body, collider);
        self.colliders.push(collider);
        body
    }

    /// Adds a static box.
    pub(crate) fn block(&mut self, center: Vector, half: Vector) {
        let body = RigidBodyBuilder::fixed().translation(center);
        self.add(body, ColliderBuilder::cuboid(half.x, half.y, half.z));
    }

    /// A random point in the box around the origin with these half extents.
    pub(crate) fn within(&mut self, half: Vector) -> Vector {
        let signed = self.random.signed();
        Vector::new(signed.x * half.x, signed.y * half.y, signed.z * half.z)
    }

    pub(crate) fn step(&mut self) {
        (self.director)(&mut self.world, &mut self.random, self.steps);
        self.world.step();
        self.steps += 1;
    }
}
