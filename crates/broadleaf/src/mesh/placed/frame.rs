//! Shapes of the world as a placed mesh sees them, in 64 bits.
//!
//! What overlaps in the world overlaps in the frame of the mesh, and so the
//! exact tests of the mesh serve: a sphere stays a sphere, for the scale is the
//! same on all axes; a box of the world's axes becomes an oriented box; planes
//! and capsules stay what they are.

use crate::geometry::triangle::hull::Hull;
use crate::geometry::triangle::overlap::Ball;
use crate::geometry::triangle::rod::Rod;
use crate::geometry::{Aabb, Sweep};
use crate::mesh::placement::Placement;
use crate::mesh::query::overlap::Solid;
use crate::mesh::query::overlap::sealed::RegionRef;
use crate::mesh::query::sweep::{Body, MovingBody, Touch};
use crate::mesh::{MeshPoint, MeshSweepHit};
use glam::{DQuat, DVec3};

/// Where a mesh stands: the exact inverse of [`Placement::to_world`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    turn: DQuat,
    back: DQuat,
    scale: f64,
    translation: DVec3,
}

impl Frame {
    pub(super) fn new(placement: &Placement) -> Self {
        let given = placement.rotation().as_dquat();
        let length_sq = given.length_squared();
        // A rotation whose length is one but for rounding scales by the square of its length.
        let turn = given.normalize();
        let scale = f64::from(placement.scale()) * length_sq;
        Self { turn, back: turn.conjugate(), scale, translation: placement.translation().as_dvec3() }
    }

    /// A point of the mesh in the world.
    pub(super) fn to_world(self, point: DVec3) -> DVec3 {
        self.turn * (point * self.scale) + self.translation
    }

    /// A point of the world in the mesh.
    pub(super) fn to_local(self, point: DVec3) -> DVec3 {
        self.back * (point - self.translation) / self.scale
    }

    /// A distance of the world in the mesh.
    pub(super) fn distance_to_local(self, distance: f64) -> f64 {
        distance / self.scale
    }

    fn vector(self, vector: DVec3) -> DVec3 {
        self.back * vector / self.scale
    }

    fn hull(self, hull: &Hull) -> Hull {
        Hull {
            center: self.to_local(hull.center),
            edges: hull.edges.map(|edge| self.vector(edge)),
            axes: hull.axes.map(|axis| self.back * axis),
        }
    }

    fn ball(self, ball: &Ball) -> Ball {
        Ball { center: self.to_local(ball.center), radius: ball.radius / self.scale }
    }

    /// A region of the world in a mesh that lies within `bounds` of the world;
    /// `None` if they are apart.
    pub(super) fn region(self, region: &RegionRef<'_>, bounds: &Aabb) -> Option<Solid> {
        Some(match Solid::of(region) {
            Solid::Aabb(aabb) => {
                // What lies beyond the mesh does not matter, and may be too far out for 64 bits.
                let part = Aabb { min: aabb.min.max(bounds.min), max: aabb.max.min(bounds.max) };
                part.check().ok()?;
                Solid::Hull(self.hull(&Hull::of_aabb(&part)))
            }
            Solid::Ball(ball) => Solid::Ball(self.ball(&ball)),
            Solid::Hull(hull) => Solid::Hull(self.hull(&hull)),
            Solid::Rod(rod) => {
                let (a, b) = (self.to_local(rod.a), self.to_local(rod.b));
                Solid::Rod(Rod { a, b, radius: rod.radius / self.scale })
            }
            Solid::Planes(planes) => Solid::Planes(
                planes
                    .map(|(normal, offset)| (self.back * normal, (normal.dot(self.translation) + offset) / self.scale)),
            ),
        })
    }

    /// A sweep of the world in the mesh: a box that moves is an oriented one there.
    pub(super) fn sweep(self, sweep: &Sweep) -> MovingBody {
        let MovingBody { body, motion } = MovingBody::of(sweep);
        let body = match body {
            Body::Ball(ball) => Body::Ball(self.ball(&ball)),
            Body::Hull(hull) => Body::Hull(self.hull(&hull)),
        };
        MovingBody { body, motion: self.vector(motion) }
    }

    /// Where a sweep of the world touches, from where it does as the mesh sees it.
    pub(super) fn touch_in_world(self, touch: &Touch, sweep: &Sweep) -> MeshSweepHit {
        let (contact, normal) = (self.to_world(touch.contact), self.turn * touch.normal);
        Touch { contact, normal, ..*touch }.hit(sweep)
    }

    /// The closest point in the world, from that of the mesh.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub(super) fn point_in_world(self, (triangle, position, distance): (u32, DVec3, f64)) -> MeshPoint {
        let position = self.to_world(position).as_vec3();
        MeshPoint { triangle, position, distance: (distance * self.scale) as f32 }
    }
}
