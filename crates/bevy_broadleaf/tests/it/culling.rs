//! The culling by the index shows what Bevy's own shows.

use crate::zoo::{Random, bevy};
use bevy_app::{App, FixedPostUpdate, PostUpdate, TaskPoolPlugin};
use bevy_broadleaf::{BroadleafPlugin, CullingReport, SpatialBounds, SpatialCullingPlugin, SpatialIndexed};
use bevy_camera::primitives::{Aabb, Frustum, Sphere};
use bevy_camera::visibility::{
    NoCpuCulling, NoFrustumCulling, RenderLayers, ViewVisibility, Visibility, VisibilityClass, VisibilityRange,
    VisibilityRangePlugin, VisibleEntities, VisibleEntityRanges, check_visibility_cpu_culling,
};
use bevy_camera::{Camera, CameraProjection, PerspectiveProjection};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Mesh2d, Mesh3d};
use bevy_transform::components::{GlobalTransform, Transform};
use core::any::TypeId;
use std::collections::HashMap;

fn classes(random: &mut Random) -> VisibilityClass {
    let mut class = VisibilityClass::default();
    class.push(TypeId::of::<Mesh3d>());
    if random.below(5) == 0 {
        class.push(TypeId::of::<Mesh2d>());
    }
    class
}

/// An app with the same entities as another, which have other names there.
struct Scene {
    app: App,
    cameras: Vec<Entity>,
    all: Vec<Entity>,
}

/// Spawns the same in each app.
fn populate(mut app: App, seed: u64, fov: f32) -> Scene {
    let (world, mut random) = (app.world_mut(), Random::new(seed));
    let mut all = Vec::new();
    let cameras: Vec<_> = (0..4)
        .map(|number| {
            let at = Transform::from_translation(random.vector(-25.0, 25.0)).looking_at(Vec3::ZERO, Vec3::Y);
            let projection = PerspectiveProjection { fov, ..PerspectiveProjection::default() };
            let frustum = projection.compute_frustum(&GlobalTransform::from(at));
            let camera = Camera { is_active: number != 2, ..Camera::default() };
            world.spawn((camera, frustum, VisibleEntities::default(), at, RenderLayers::layer(number % 2))).id()
        })
        .collect();
    world.entity_mut(cameras[3]).insert(NoCpuCulling);
    for _ in 0..1500 {
        let bounds = Aabb::from_min_max(random.vector(-1.0, -0.2), random.vector(0.2, 1.0));
        let class = classes(&mut random);
        let mut entity = world.spawn((random.transform(), Visibility::default(), class, bounds));
        if random.below(8) != 0 {
            entity.insert(SpatialIndexed);
        }
        match random.below(24) {
            0 => {
                entity.insert(Visibility::Hidden);
            }
            1 => {
                entity.insert(NoFrustumCulling);
            }
            2 => {
                entity.insert(NoCpuCulling);
            }
            3 => {
                entity.insert(RenderLayers::layer(1));
            }
            4 => {
                entity.insert(RenderLayers::from_layers(&[0, 1]));
            }
            5 => {
                entity.remove::<Aabb>();
            }
            6 => {
                entity.insert(SpatialBounds::sphere(0.1));
            }
            7 => {
                let center = entity.get::<Transform>().unwrap().translation.into();
                entity.remove::<Aabb>().insert(Sphere { center, radius: 1.0 });
            }
            _ => {}
        }
        all.push(entity.id());
    }
    app.finish();
    app.cleanup();
    Scene { app, cameras, all }
}

impl Scene {
    /// What every camera sees, by class, and which entities are visible at all; by number.
    fn seen(&self) -> (Vec<Vec<usize>>, Vec<bool>) {
        let numbers: HashMap<_, _> = self.all.iter().enumerate().map(|(number, &entity)| (entity, number)).collect();
        let lists = self.cameras.iter().flat_map(|&camera| {
            let visible = self.app.world().get::<VisibleEntities>(camera).unwrap();
            [TypeId::of::<Mesh3d>(), TypeId::of::<Mesh2d>()].map(|class| {
                assert!(visible.get(class).is_sorted());
                let mut list: Vec<_> = visible.get(class).iter().map(|entity| numbers[entity]).collect();
                list.sort_unstable();
                list
            })
        });
        let visible = |&entity: &Entity| self.app.world().get::<ViewVisibility>(entity).unwrap().get();
        (lists.collect(), self.all.iter().map(visible).collect())
    }
}

#[test]
fn cameras_see_what_they_see_with_bevy() {
    // Compared are the lists of each camera by class, and `ViewVisibility`, all of them exactly: the
    // boxes are much larger than rounding, where both must agree. Cameras that see less than one in
    // sixteen of the index look entities up; those that see more scan all entities.
    for (seed, fov, much) in [(51, 0.08, false), (52, 1.4, true), (53, 2.0, true)] {
        let mut stock = populate(bevy(TaskPoolPlugin::default()), seed, fov);
        let mut ours = bevy(TaskPoolPlugin::default());
        ours.add_plugins((BroadleafPlugin::default(), SpatialCullingPlugin));
        let mut ours = populate(ours, seed, fov);
        let mut random = Random::new(seed);
        for frame in 0..6 {
            stock.app.update();
            ours.app.update();
            let (wanted, found) = (stock.seen(), ours.seen());
            assert!(wanted.0[0].len() > 5, "{}", wanted.0[0].len());
            assert_eq!(found, wanted, "seed {seed}, frame {frame}");
            let report = *ours.app.world().resource::<CullingReport>();
            assert!(report.visible > 0 && report.tested > 0);
            assert_eq!(report.full_scans, if much { 2 } else { 0 }, "{report:?}");
            // The same changes to both.
            for (&a, &b) in stock.all.iter().zip(&ours.all) {
                if random.below(4) == 0 {
                    let at = random.transform();
                    *stock.app.world_mut().get_mut::<Transform>(a).unwrap() = at;
                    *ours.app.world_mut().get_mut::<Transform>(b).unwrap() = at;
                }
            }
        }
    }
}

/// Bevy's test of a box that stands in the world.
fn is_seen(frustum: &Frustum, at: &Transform, aabb: &Aabb) -> bool {
    let affine = at.compute_affine();
    let center = affine.transform_point3a(aabb.center);
    let radius = GlobalTransform::from(*at).radius_vec3a(aabb.half_extents);
    frustum.intersects_sphere(&Sphere { center, radius }, false) && frustum.intersects_obb(aabb, &affine, true, false)
}

#[test]
fn regression_boxes_on_the_border_are_culled_as_bevy_culls_them() {
    // Boxes a rounding away from where Bevy's test turns over, on both sides. The box of the index
    // is that of Bevy where nothing is turned, so only rounding tells the two tests apart.
    let mut random = Random::new(55);
    let eye = Transform::from_xyz(3.0, 7.0, 31.0).looking_at(Vec3::ONE, Vec3::Y);
    let projection = PerspectiveProjection { far: 60.0, ..PerspectiveProjection::default() };
    let frustum = projection.compute_frustum(&GlobalTransform::from(eye));
    let aabb = Aabb::from_min_max(Vec3::splat(-0.3), Vec3::splat(0.4));
    let mut places = Vec::new();
    while places.len() < 2000 {
        let (a, b) = (random.vector(-60.0, 60.0), random.vector(-60.0, 60.0));
        let turned = Transform { scale: Vec3::ONE, ..random.transform() };
        let turned = if random.below(4) == 0 { turned } else { Transform::IDENTITY };
        let at = |share: f32| Transform { translation: a.lerp(b, share), ..turned };
        if !is_seen(&frustum, &at(0.0), &aabb) || is_seen(&frustum, &at(1.0), &aabb) {
            continue;
        }
        let (mut seen, mut unseen) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (seen + unseen);
            *(if is_seen(&frustum, &at(middle), &aabb) { &mut seen } else { &mut unseen }) = middle;
        }
        places.extend([at(seen), at(unseen)]);
    }
    let run = |mut app: App| {
        let world = app.world_mut();
        let class = classes(&mut Random::new(1));
        let body = |at: &Transform| (*at, aabb, SpatialIndexed, Visibility::default(), class.clone());
        let all: Vec<_> = world.spawn_batch(places.iter().map(body).collect::<Vec<_>>()).collect();
        let camera = world.spawn((Camera::default(), frustum, VisibleEntities::default(), eye)).id();
        app.finish();
        app.cleanup();
        app.update();
        Scene { app, cameras: vec![camera], all }.seen()
    };
    let mut ours = bevy(TaskPoolPlugin::default());
    ours.add_plugins((BroadleafPlugin::default(), SpatialCullingPlugin));
    let (found, wanted) = (run(ours), run(bevy(TaskPoolPlugin::default())));
    assert_eq!(wanted.0[0].len(), places.len() / 2, "half of them are seen");
    assert_eq!(found, wanted);
}

#[test]
fn regression_ranges_are_those_of_the_frame() {
    // Bevy orders its check of ranges before its culling by the name of the system. Cameras move in
    // each frame, so that ranges of the frame before give other lists.
    for (seed, ranges_first) in [(57, false), (58, true)] {
        let (stock, mut ours) = (bevy(TaskPoolPlugin::default()), bevy(TaskPoolPlugin::default()));
        if ranges_first {
            ours.add_plugins((VisibilityRangePlugin, BroadleafPlugin::default(), SpatialCullingPlugin));
        } else {
            ours.add_plugins((BroadleafPlugin::default(), SpatialCullingPlugin, VisibilityRangePlugin));
        }
        let mut scenes = [(stock, true), (ours, false)].map(|(mut app, is_stock)| {
            if is_stock {
                app.add_plugins(VisibilityRangePlugin);
            }
            let mut scene = populate(app, seed, 1.4);
            for &entity in scene.all.iter().step_by(2) {
                scene.app.world_mut().entity_mut(entity).insert(VisibilityRange::abrupt(8.0, 24.0));
            }
            scene
        });
        let mut random = Random::new(seed + 100);
        let mut before = None;
        for frame in 0..6 {
            scenes.iter_mut().for_each(|scene| scene.app.update());
            let [wanted, found] = [scenes[0].seen(), scenes[1].seen()];
            assert!(wanted.0[0].len() > 5, "{}", wanted.0[0].len());
            assert!(found == wanted, "seed {seed}, frame {frame}");
            assert!(before.replace(wanted) != Some(found), "the ranges change, frame {frame}");
            for number in 0..4 {
                let to = random.vector(-25.0, 25.0);
                for scene in &mut scenes {
                    scene.app.world_mut().get_mut::<Transform>(scene.cameras[number]).unwrap().translation = to;
                }
            }
        }
        // That the lists are right must not be chance: no two systems use the ranges in an order that is open.
        let ours = &scenes[1].app;
        let ranges = ours.world().components().get_id(TypeId::of::<VisibleEntityRanges>()).unwrap();
        let conflicts = ours.get_schedule(PostUpdate).unwrap().graph().conflicting_systems();
        assert!(conflicts.iter().all(|(_, _, components)| !components.contains(&ranges)));
    }
}

#[test]
fn regression_what_follows_the_culling_of_bevy_follows_this_one() {
    #[derive(Resource, Default)]
    struct Count(usize);
    let mut app = bevy(TaskPoolPlugin::default());
    app.init_resource::<Count>();
    app.add_systems(
        PostUpdate,
        (|cameras: Query<&VisibleEntities>, mut count: ResMut<Count>| {
            count.0 = cameras.iter().map(|visible| visible.len(TypeId::of::<Mesh3d>())).sum();
        })
        .after(check_visibility_cpu_culling),
    );
    app.add_plugins((BroadleafPlugin::default(), SpatialCullingPlugin));
    let mut scene = populate(app, 59, 1.4);
    scene.app.update();
    let wanted: usize = scene.seen().0.iter().step_by(2).map(Vec::len).sum();
    assert!(wanted > 0);
    assert_eq!(scene.app.world().resource::<Count>().0, wanted);
}

#[test]
fn fewer_entities_are_tested_than_by_a_loop() {
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins((BroadleafPlugin::default(), SpatialCullingPlugin));
    let mut random = Random::new(54);
    for _ in 0..3000 {
        let aabb = Aabb::from_min_max(Vec3::splat(-0.2), Vec3::splat(0.2));
        app.world_mut().spawn((random.transform(), Visibility::default(), aabb, SpatialIndexed, classes(&mut random)));
    }
    let at = Transform::from_xyz(0.0, 0.0, 22.0);
    let projection = PerspectiveProjection { far: 10.0, fov: 0.3, ..PerspectiveProjection::default() };
    let frustum = projection.compute_frustum(&GlobalTransform::from(at));
    app.world_mut().spawn((Camera::default(), frustum, VisibleEntities::default(), at));
    app.finish();
    app.cleanup();
    app.update();
    let report = *app.world().resource::<CullingReport>();
    assert!(report.visible > 5 && report.tested < 300, "{report:?}");
}

#[test]
fn where_the_index_is_older_than_the_frame_the_culling_stays_that_of_bevy() {
    let mut ours = bevy(TaskPoolPlugin::default());
    ours.add_plugins((BroadleafPlugin::default().in_schedule(FixedPostUpdate), SpatialCullingPlugin));
    let (mut ours, mut stock) = (populate(ours, 56, 1.0), populate(bevy(TaskPoolPlugin::default()), 56, 1.0));
    ours.app.update();
    stock.app.update();
    assert_eq!(ours.seen(), stock.seen());
    assert_eq!(*ours.app.world().resource::<CullingReport>(), CullingReport::default());
}

#[test]
fn without_visibility_there_is_nothing_to_replace() {
    let mut app = App::new();
    app.add_plugins(SpatialCullingPlugin);
    app.finish();
    app.cleanup();
    app.update();
    assert_eq!(*app.world().resource::<CullingReport>(), CullingReport::default());
}
