//! Draws the tree with Bevy's gizmos.

use crate::convert;
use crate::index::SpatialIndex;
use crate::plugin::require_index;
use bevy_app::{App, Plugin, PostUpdate};
use bevy_camera::Camera;
use bevy_camera::primitives::Frustum;
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::prelude::*;
use bevy_math::Vec3A;
use bevy_reflect::prelude::*;
use bevy_shape::{Aabb3d, BoundingSphere, Ray3d};
use bevy_transform::components::Transform;
use broadleaf::{Aabb, Ray, Sphere};
use core::ops::ControlFlow;

/// Draws cells, bounds and visited nodes, as the group [`SpatialGizmos`] of Bevy's
/// [`GizmoConfigStore`] says; nothing at first.
///
/// # Panics
/// When the app finishes its plugins, if there is no [`BroadleafPlugin`](crate::BroadleafPlugin).
#[derive(Debug, Clone, Copy, Default)]
pub struct SpatialGizmosPlugin;

impl Plugin for SpatialGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<SpatialGizmos>();
        app.add_systems(PostUpdate, draw.after(crate::BroadleafSystems::Events));
    }

    fn finish(&self, app: &mut App) {
        require_index(app, "SpatialGizmosPlugin");
    }
}

/// What is drawn. *Cost:* in proportion to what is drawn, and to the nodes of the tree.
#[derive(Debug, Clone, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
pub struct SpatialGizmos {
    /// The cells of leaves, which decide where an object is placed.
    pub cells: bool,
    /// The fitted bounds of leaves, which are what questions test.
    pub nodes: bool,
    /// The bounds of entities.
    pub entities: bool,
    /// The fitted bounds of all nodes that a question for all answers visits.
    pub visited: bool,
    /// The question whose visited nodes are drawn.
    pub visited_by: VisitedBy,
    /// The color of cells.
    pub cell_color: Color,
    /// The color of fitted bounds.
    pub node_color: Color,
    /// The color of bounds of entities.
    pub entity_color: Color,
    /// The color of visited nodes.
    pub visited_color: Color,
}

impl Default for SpatialGizmos {
    fn default() -> Self {
        Self {
            cells: false,
            nodes: false,
            entities: false,
            visited: false,
            visited_by: VisitedBy::Camera,
            cell_color: Color::srgba(0.45, 0.5, 0.6, 0.35),
            node_color: Color::srgba(0.25, 0.75, 0.85, 0.6),
            entity_color: Color::srgba(0.55, 0.8, 0.35, 0.8),
            visited_color: Color::srgba(1.0, 0.6, 0.15, 0.8),
        }
    }
}

/// A question whose visited nodes are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default, Reflect)]
#[reflect(opaque, Default)]
pub enum VisitedBy {
    /// What the first active camera sees, up to the far end of its frustum.
    #[default]
    Camera,
    /// What overlaps a box.
    Box(Aabb3d),
    /// What overlaps a sphere.
    Sphere(BoundingSphere),
    /// What a ray meets within a distance.
    Ray(Ray3d, f32),
}

/// A question as shapes of the library.
enum Question {
    Frustum(broadleaf::Frustum),
    Box(Aabb),
    Sphere(Sphere),
    Ray(Ray, f32),
}

impl Question {
    /// `None` where there is no camera, or where a shape is not legal.
    fn new(visited_by: &VisitedBy, cameras: &Query<(&Camera, &Frustum)>) -> Option<Self> {
        match *visited_by {
            VisitedBy::Camera => {
                let (_, frustum) = cameras.iter().find(|(camera, _)| camera.is_active)?;
                convert::frustum(frustum, true).ok().map(Self::Frustum)
            }
            VisitedBy::Box(region) => Some(Self::Box(Aabb::new(region.min.to_array(), region.max.to_array()))),
            VisitedBy::Sphere(ball) => Some(Self::Sphere(Sphere::new(ball.center.to_array(), ball.radius()))),
            VisitedBy::Ray(ray, max) => {
                let ray = Ray::new(ray.origin.to_array(), ray.direction.to_array()).ok()?;
                Some(Self::Ray(ray, max))
            }
        }
    }

    /// Whether the question visits a node with these bounds.
    fn visits(&self, bounds: &Aabb) -> bool {
        match self {
            Self::Frustum(frustum) => frustum.classify_aabb(bounds).is_some(),
            Self::Box(region) => region.overlaps(bounds),
            Self::Sphere(ball) => bounds.overlaps_sphere(ball),
            Self::Ray(ray, max) => ray.enter_aabb(bounds).is_some_and(|distance| distance <= *max),
        }
    }
}

fn draw(index: Res<SpatialIndex>, cameras: Query<(&Camera, &Frustum)>, mut gizmos: Gizmos<SpatialGizmos>) {
    let group = gizmos.config_ext.clone();
    let mut draw = |aabb: &Aabb, color| gizmos.aabb_3d(bounding(aabb), Transform::IDENTITY, color);
    let question = if group.visited { Question::new(&group.visited_by, &cameras) } else { None };
    if group.cells || group.nodes || question.is_some() {
        index.view().visit_nodes(|node| {
            if group.cells && node.leaf {
                draw(&node.cell, group.cell_color);
            }
            if group.nodes && node.leaf {
                draw(&node.bounds, group.node_color);
            }
            if question.as_ref().is_some_and(|question| question.visits(&node.bounds)) {
                draw(&node.bounds, group.visited_color);
            }
            ControlFlow::Continue(())
        });
    }
    if group.entities {
        index.records().for_each(|record| draw(&record.description.shape.aabb(), group.entity_color));
    }
}

fn bounding(aabb: &Aabb) -> Aabb3d {
    Aabb3d { min: Vec3A::from_array(aabb.min.to_array()), max: Vec3A::from_array(aabb.max.to_array()) }
}
