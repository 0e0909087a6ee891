//! Draws the tree with Bevy's gizmos.

use crate::convert;
use crate::index::SpatialIndex;
use bevy_app::{App, Plugin, PostUpdate};
use bevy_camera::Camera;
use bevy_camera::primitives::Frustum;
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::prelude::*;
use bevy_math::Vec3A;
use bevy_reflect::prelude::*;
use bevy_shape::Aabb3d;
use bevy_transform::components::Transform;
use broadleaf::Aabb;
use core::ops::ControlFlow;

/// Draws cells, bounds and visited nodes, as the group [`SpatialGizmos`] of Bevy's
/// [`GizmoConfigStore`] says; nothing at first.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpatialGizmosPlugin;

impl Plugin for SpatialGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<SpatialGizmos>();
        app.add_systems(PostUpdate, draw.after(crate::BroadleafSystems::Events));
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
    /// The fitted bounds of all nodes that the first active camera's frustum overlaps: what a
    /// question about it visits.
    pub visited: bool,
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
            cell_color: Color::srgba(0.45, 0.5, 0.6, 0.35),
            node_color: Color::srgba(0.25, 0.75, 0.85, 0.6),
            entity_color: Color::srgba(0.55, 0.8, 0.35, 0.8),
            visited_color: Color::srgba(1.0, 0.6, 0.15, 0.8),
        }
    }
}

fn draw(index: Res<SpatialIndex>, cameras: Query<(&Camera, &Frustum)>, mut gizmos: Gizmos<SpatialGizmos>) {
    let group = gizmos.config_ext.clone();
    let mut draw = |aabb: &Aabb, color| gizmos.aabb_3d(bounding(aabb), Transform::IDENTITY, color);
    let eye = cameras.iter().find(|(camera, _)| camera.is_active);
    let frustum = eye.and_then(|(_, frustum)| convert::frustum(frustum, true).ok()).filter(|_| group.visited);
    if group.cells || group.nodes || frustum.is_some() {
        index.view().visit_nodes(|node| {
            if group.cells && node.leaf {
                draw(&node.cell, group.cell_color);
            }
            if group.nodes && node.leaf {
                draw(&node.bounds, group.node_color);
            }
            if frustum.is_some_and(|frustum| frustum.classify_aabb(&node.bounds).is_some()) {
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
