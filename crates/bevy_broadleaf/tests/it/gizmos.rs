//! What is drawn of the tree.

use crate::zoo::{Random, app, index, spawn};
use bevy_app::App;
use bevy_asset::Assets;
use bevy_broadleaf::{SpatialGizmos, SpatialGizmosPlugin, SpatialSettings, VisitedBy};
use bevy_camera::primitives::Frustum;
use bevy_camera::{Camera, CameraProjection, PerspectiveProjection};
use bevy_color::{Color, LinearRgba};
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
use bevy_math::{Dir3, Vec3, Vec3A};
use bevy_shape::{Aabb3d, BoundingSphere, Ray3d};
use bevy_transform::components::{GlobalTransform, Transform};
use broadleaf::shape::Plane;
use std::any::TypeId;
use std::ops::ControlFlow;

/// The boxes that were drawn in a color in the last frame: minimum and maximum, ordered.
fn drawn(app: &App, color: Color) -> Vec<[[f32; 3]; 2]> {
    let handle = app.world().resource::<GizmoHandles>().handles()[&TypeId::of::<SpatialGizmos>()].clone();
    let Some(handle) = handle else { return Vec::new() };
    let buffer = app.world().resource::<Assets<GizmoAsset>>().get(&handle).unwrap().buffer();
    let color = LinearRgba::from(color);
    // Bevy draws a box as a strip for two faces and as three lines between them, which end at all extremes.
    let lines = buffer.list_positions.chunks(6).zip(buffer.list_colors.chunks(6));
    let boxes = lines.filter(|(_, colors)| colors[0] == color).map(|(ends, _)| {
        let (min, max) = (ends.iter().copied().reduce(Vec3::min), ends.iter().copied().reduce(Vec3::max));
        [min.unwrap().to_array(), max.unwrap().to_array()]
    });
    ordered(boxes.collect())
}

fn ordered(mut boxes: Vec<[[f32; 3]; 2]>) -> Vec<[[f32; 3]; 2]> {
    boxes.sort_by(|a, b| a.partial_cmp(b).unwrap());
    boxes
}

fn array(aabb: &broadleaf::Aabb) -> [[f32; 3]; 2] {
    [aabb.min.to_array(), aabb.max.to_array()]
}

#[test]
fn cells_bounds_and_visited_nodes_are_drawn_where_they_are_wanted() {
    let (mut app, mut random) = (app(SpatialSettings::default()), Random::new(81));
    app.add_plugins((GizmoPlugin, SpatialGizmosPlugin));
    let all: Vec<_> = (0..600).map(|_| spawn(app.world_mut(), &mut random)).collect();
    let at = Transform::from_xyz(0.0, 0.0, 25.0).looking_at(Vec3::new(9.0, 0.0, 0.0), Vec3::Y);
    let projection = PerspectiveProjection { fov: 0.4, far: 60.0, ..PerspectiveProjection::default() };
    let frustum: Frustum = projection.compute_frustum(&GlobalTransform::from(at));
    app.world_mut().spawn((Camera::default(), frustum, at));
    app.update();

    let planes = frustum.half_spaces.map(|half_space| {
        let [x, y, z, offset] = half_space.normal_d().to_array();
        Plane::new([x, y, z], offset)
    });
    let eye = broadleaf::Frustum::from_planes(planes).unwrap();
    let (mut cells, mut nodes, mut visited) = (Vec::new(), Vec::new(), Vec::new());
    index(&app).view().visit_nodes(|node| {
        if node.leaf {
            cells.push(array(&node.cell));
            nodes.push(array(&node.bounds));
        }
        if eye.classify_aabb(&node.bounds).is_some() {
            visited.push(array(&node.bounds));
        }
        ControlFlow::Continue(())
    });
    let entities = all.iter().filter_map(|&entity| index(&app).bounds(entity)).map(|shape| array(&shape.aabb()));
    let wanted = [cells, nodes, entities.collect(), visited].map(ordered);
    assert!(wanted.iter().all(|boxes| !boxes.is_empty()) && wanted[3].len() < 2 * wanted[1].len());

    let SpatialGizmos { cell_color, node_color, entity_color, visited_color, .. } = SpatialGizmos::default();
    let colors = [cell_color, node_color, entity_color, visited_color];
    for choice in 0..16 {
        let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
        let group = store.config_mut::<SpatialGizmos>().1;
        let is_on = |bit: usize| choice >> bit & 1 == 1;
        (group.cells, group.nodes, group.entities, group.visited) = (is_on(0), is_on(1), is_on(2), is_on(3));
        app.update();
        for (bit, &color) in colors.iter().enumerate() {
            let found = drawn(&app, color);
            if is_on(bit) {
                assert_eq!(found, wanted[bit], "{choice} {bit}");
            } else {
                assert!(found.is_empty(), "{choice} {bit}");
            }
        }
    }
}

/// The distance at which a ray enters a box.
fn enters(origin: Vec3, direction: Vec3, [min, max]: [[f32; 3]; 2]) -> Option<f32> {
    let [a, b] = [min, max].map(|end| (Vec3::from_array(end) - origin) / direction);
    let (enter, leave) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
    (enter <= leave).then_some(enter)
}

#[test]
fn the_visited_nodes_of_a_region_or_a_ray_are_drawn() {
    let (mut app, mut random) = (app(SpatialSettings::default()), Random::new(82));
    app.add_plugins((GizmoPlugin, SpatialGizmosPlugin));
    (0..600).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    app.update();
    let mut nodes = Vec::new();
    index(&app).view().visit_nodes(|node| {
        nodes.push(array(&node.bounds));
        ControlFlow::Continue(())
    });
    let (center, radius) = (Vec3::new(3.0, -2.0, 5.0), 4.5);
    let direction = Dir3::from_xyz(0.4, 0.7, -0.6).unwrap();
    let (min, max) = (center - Vec3::splat(radius), center + Vec3::splat(radius));
    let region = Aabb3d { min: Vec3A::from(min), max: Vec3A::from(max) };
    let clamped = |[low, high]: [[f32; 3]; 2]| center.clamp(Vec3::from_array(low), Vec3::from_array(high));
    let overlaps =
        |[low, high]: [[f32; 3]; 2]| Vec3::from_array(low).cmple(max).all() && Vec3::from_array(high).cmpge(min).all();
    let nodes_where = |accept: &dyn Fn([[f32; 3]; 2]) -> bool| -> Vec<_> {
        nodes.iter().copied().filter(|&node| accept(node)).collect()
    };
    let cases = [
        (VisitedBy::Camera, Vec::new()), // there is none
        (VisitedBy::Box(region), nodes_where(&overlaps)),
        (
            VisitedBy::Sphere(BoundingSphere::new(center, radius)),
            nodes_where(&|node| clamped(node).distance(center) <= radius),
        ),
        (
            VisitedBy::Ray(Ray3d::new(center, direction), 9.0),
            nodes_where(&|node| enters(center, *direction, node).is_some_and(|distance| distance <= 9.0)),
        ),
    ];
    for (visited_by, wanted) in cases {
        assert_eq!(wanted.is_empty(), visited_by == VisitedBy::Camera);
        assert!(wanted.len() < nodes.len());
        let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
        let group = store.config_mut::<SpatialGizmos>().1;
        (group.visited, group.visited_by) = (true, visited_by);
        app.update();
        assert_eq!(drawn(&app, SpatialGizmos::default().visited_color), ordered(wanted), "{visited_by:?}");
    }
}
