//! The picking backend, against rays that are cast at every entity.

use crate::zoo::{Random, bevy};
use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::Assets;
use bevy_broadleaf::{
    BroadleafPlugin, PickHit, PickShape, Sensor, SpatialBounds, SpatialIndexed, SpatialPickingPlugin,
    SpatialPickingSettings,
};
use bevy_camera::Camera;
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::{RenderLayers, ViewVisibility};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};
use bevy_picking::Pickable;
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::pointer::PointerId;
use bevy_shape::Ray3d;
use bevy_transform::components::{GlobalTransform, Transform};

fn picking_app() -> (App, Entity) {
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins((BroadleafPlugin::default(), SpatialPickingPlugin));
    app.init_resource::<RayMap>().add_message::<PointerHits>();
    let camera = app.world_mut().spawn(Camera::default()).id();
    (app, camera)
}

/// A pyramid without a base: a mesh with a hole.
fn pyramid() -> Mesh {
    let positions = vec![[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    Mesh::new(PrimitiveTopology::TriangleList, Default::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(vec![1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4]))
}

/// What a pointer with this ray hits, nearest first.
fn pick(app: &mut App, camera: Entity, ray: Ray3d) -> Vec<(Entity, PickHit)> {
    let rays = &mut app.world_mut().resource_mut::<RayMap>().map;
    rays.clear();
    rays.insert(RayId::new(camera, PointerId::Mouse), ray);
    app.update();
    let hits: Vec<_> = app.world_mut().resource_mut::<Messages<PointerHits>>().drain().collect();
    assert!(hits.len() <= 1);
    let picks = hits.into_iter().flat_map(|hits| hits.picks);
    picks.map(|(entity, data)| (entity, *data.extra_as::<PickHit>().unwrap())).collect()
}

/// Where a ray meets the exact shape of an entity, by trying every triangle and every box.
fn meets(app: &App, entity: Entity, ray: &Ray3d) -> Option<f32> {
    let entity = app.world().entity(entity);
    let at = entity.get::<GlobalTransform>().unwrap();
    let local_from_world = at.affine().inverse();
    let origin = local_from_world.transform_point3(ray.origin);
    let direction = local_from_world.transform_vector3(*ray.direction);
    let distance = |t: f32| (t >= 0.0).then_some(t);
    match (entity.get::<SpatialBounds>(), entity.get::<Mesh3d>()) {
        (Some(_), _) => {
            // A sphere of radius one whose scale is even.
            let (center, radius) = (at.translation(), at.scale().x);
            let toward = center - ray.origin;
            let along = toward.dot(*ray.direction);
            let beside = toward.length_squared() - along * along;
            if beside > radius * radius { None } else { distance(along - (radius * radius - beside).sqrt()) }
        }
        (None, Some(mesh)) => {
            let mesh = app.world().resource::<Assets<Mesh>>().get(mesh)?;
            let triangles = mesh.triangles().unwrap();
            let hits = triangles.filter_map(|triangle| {
                let [a, b, c] = triangle.vertices;
                let normal = (b - a).cross(c - a);
                let t = normal.dot(a - origin) / normal.dot(direction);
                let point = origin + t * direction;
                let inside = [(a, b), (b, c), (c, a)].iter().all(|(p, q)| (q - p).cross(point - p).dot(normal) >= 0.0);
                (normal.dot(direction) < 0.0 && inside).then_some(t).and_then(distance)
            });
            hits.min_by(f32::total_cmp)
        }
        (None, None) => {
            let aabb = entity.get::<Aabb>().unwrap();
            let (a, b) = ((Vec3::from(aabb.min()) - origin) / direction, (Vec3::from(aabb.max()) - origin) / direction);
            let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
            if enter > leave { None } else { distance(enter) }
        }
    }
}

#[test]
fn pointers_hit_boxes_spheres_and_meshes() {
    let (mut app, camera) = picking_app();
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(pyramid());
    let mut random = Random::new(71);
    let mut all = Vec::new();
    for number in 0..120 {
        let at = Transform { translation: random.vector(-10.0, 10.0), ..random.transform() };
        // What it hits does not hide what is behind it.
        let bundle = (SpatialIndexed, Pickable { should_block_lower: false, is_hoverable: true });
        let mut entity = app.world_mut().spawn((bundle, at));
        match number % 3 {
            0 => {
                entity.insert(Aabb::from_min_max(random.vector(-1.5, -0.5), random.vector(0.5, 1.5)));
            }
            1 => {
                entity.insert((Mesh3d(mesh.clone()), ViewVisibility::VISIBLE));
            }
            _ => {
                entity.insert((SpatialBounds::sphere(1.0), at.with_scale(Vec3::splat(at.scale.x))));
            }
        }
        all.push(entity.id());
    }
    app.update();
    // Without a camera Bevy hides meshes; here all of them are seen.
    let show = |app: &mut App| {
        let mut visibilities = app.world_mut().query::<&mut ViewVisibility>();
        visibilities.iter_mut(app.world_mut()).for_each(|mut visibility| *visibility = ViewVisibility::VISIBLE);
    };
    let mut counts = [0; 3];
    for _ in 0..300 {
        show(&mut app);
        let (origin, to) = (random.vector(-15.0, 15.0), random.vector(-5.0, 5.0));
        let ray = Ray3d::new(origin, Dir3::new(to - origin).unwrap());
        let found = pick(&mut app, camera, ray);
        assert!(found.is_sorted_by(|a, b| a.1.distance <= b.1.distance));
        for (number, &entity) in all.iter().enumerate() {
            let hit = found.iter().find(|hit| hit.0 == entity).map(|hit| hit.1);
            // A start inside counts as a hit at no distance, which the loop does not list.
            let wanted =
                meets(&app, entity, &ray).map_or_else(|| hit.filter(|hit| hit.distance == 0.0).map(|_| 0.0), Some);
            assert_eq!(hit.is_some(), wanted.is_some(), "{number}: {hit:?} {wanted:?}");
            let (Some(hit), Some(distance)) = (hit, wanted) else { continue };
            assert!((hit.distance - distance).abs() < 1e-3, "{number}: {hit:?} {distance}");
            assert!(hit.position.distance(ray.get_point(hit.distance)) < 1e-3);
            if hit.distance > 0.0 {
                assert!((hit.normal.length() - 1.0).abs() < 1e-4 && hit.normal.dot(*ray.direction) < 1e-3, "{hit:?}");
            }
            assert_eq!(hit.triangle.is_some(), number % 3 == 1);
            counts[number % 3] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn regression_a_ray_that_starts_in_a_turned_box_hits_it_at_no_distance() {
    let (mut app, camera) = picking_app();
    let mut random = Random::new(72);
    let bounds = SpatialBounds::cuboid([1.0; 3]);
    let entity = app.world_mut().spawn((SpatialIndexed, bounds, random.transform())).id();
    for _ in 0..50 {
        let at = random.transform();
        *app.world_mut().get_mut::<Transform>(entity).unwrap() = at;
        app.world_mut().resource_mut::<RayMap>().map.clear();
        app.update(); // the index follows
        let origin = at.transform_point(random.vector(-0.9, 0.9));
        let ray = Ray3d::new(origin, Dir3::new(random.vector(0.1, 1.0)).unwrap());
        let picks = pick(&mut app, camera, ray);
        let (_, hit) = picks.first().expect("the box that the ray starts in");
        assert_eq!((hit.distance, hit.position, hit.normal), (0.0, origin, Vec3::ZERO));
    }
}

#[test]
fn what_blocks_hides_what_is_behind_it() {
    let (mut app, camera) = picking_app();
    let mut spawn = |x: f32| {
        let aabb = Aabb::from_min_max(Vec3::splat(-1.0), Vec3::splat(1.0));
        app.world_mut().spawn((SpatialIndexed, aabb, Transform::from_xyz(x, 0.0, 0.0))).id()
    };
    let [near, far, last] = [5.0, 10.0, 15.0].map(&mut spawn);
    let trigger = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(2.0), Sensor)).id();
    app.update();
    let ray = Ray3d::new(Vec3::new(-9.0, 0.2, 0.3), Dir3::X);
    let names = |app: &mut App| pick(app, camera, ray).iter().map(|hit| hit.0).collect::<Vec<_>>();
    assert_eq!(names(&mut app), [near]);
    app.world_mut().entity_mut(near).insert(Pickable { should_block_lower: false, is_hoverable: true });
    assert_eq!(names(&mut app), [near, far]);
    app.world_mut().entity_mut(near).insert(Pickable::IGNORE);
    assert_eq!(names(&mut app), [far]);
    app.world_mut().entity_mut(far).insert(RenderLayers::layer(3));
    assert_eq!(names(&mut app), [last]);
    app.world_mut().entity_mut(trigger).insert(Pickable { should_block_lower: false, is_hoverable: true });
    assert_eq!(names(&mut app), [trigger, last]);
    app.world_mut().resource_mut::<SpatialPickingSettings>().require_markers = true;
    assert_eq!(names(&mut app), [trigger]);
}

#[test]
fn a_mesh_that_changes_is_read_again() {
    let (mut app, camera) = picking_app();
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(pyramid());
    let bundle = (SpatialIndexed, SpatialBounds::cuboid([4.0; 3]), Mesh3d(mesh.clone()), PickShape::Mesh);
    let entity = app.world_mut().spawn(bundle).id();
    app.update();
    let ray = Ray3d::new(Vec3::new(0.1, 9.0, 0.2), Dir3::NEG_Y);
    let height = |app: &mut App| {
        *app.world_mut().get_mut::<ViewVisibility>(entity).unwrap() = ViewVisibility::VISIBLE;
        pick(app, camera, ray).first().map(|hit| hit.1.position.y)
    };
    assert!((height(&mut app).unwrap() - 0.8).abs() < 1e-5);
    app.world_mut().resource_mut::<Assets<Mesh>>().get_mut(&mesh).unwrap().translate_by(Vec3::Y);
    height(&mut app); // the change is told at the end of this frame
    assert!((height(&mut app).unwrap() - 1.8).abs() < 1e-5);
}

#[test]
fn regression_lines_and_points_are_not_read_as_triangles() {
    let (mut app, camera) = picking_app();
    let positions = vec![[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    let ray = Ray3d::new(Vec3::new(0.0, 5.0, 0.0), Dir3::NEG_Y);
    for (topology, is_hit) in [
        (PrimitiveTopology::TriangleList, true),
        (PrimitiveTopology::LineList, false),
        (PrimitiveTopology::LineStrip, false),
        (PrimitiveTopology::PointList, false),
    ] {
        let mesh = Mesh::new(topology, Default::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions.clone());
        let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
        let bundle = (SpatialIndexed, SpatialBounds::cuboid([2.0; 3]), Mesh3d(mesh), PickShape::Mesh);
        let entity = app.world_mut().spawn(bundle).id();
        app.update();
        *app.world_mut().get_mut::<ViewVisibility>(entity).unwrap() = ViewVisibility::VISIBLE;
        assert_eq!(!pick(&mut app, camera, ray).is_empty(), is_hit, "{topology:?}");
        app.world_mut().entity_mut(entity).despawn();
    }
}
