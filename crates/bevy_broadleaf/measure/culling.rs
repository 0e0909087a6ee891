//! The culling, beside Bevy's and beside a plain loop.

use crate::{app, body, edge, least, micros, stock, timed};
use bevy_app::App;
use bevy_broadleaf::{CullingReport, SpatialCullingPlugin, SpatialIndex, SpatialIndexed};
use bevy_camera::primitives::{Aabb, Frustum, Sphere};
use bevy_camera::visibility::{VisibleEntities, check_visibility_cpu_culling};
use bevy_camera::{Camera, CameraProjection, PerspectiveProjection};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::Mesh3d;
use bevy_transform::components::{GlobalTransform, Transform};
use std::any::TypeId;
use std::collections::BTreeSet;

pub(crate) fn measure(rounds: usize) {
    println!("\nculling of one camera: the check alone, and the whole frame");
    println!(
        "| entities | moving | visible | check, broadleaf | check, Bevy | plain loop | tested one by one | frame, broadleaf | of it the index | frame, Bevy |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for count in [10_000, 100_000] {
        for share in [0.01, 0.1, 0.5] {
            for moving in [0, 10] {
                scene(count, share, moving, rounds);
            }
        }
    }
}

/// A camera outside the cube that sees so large a share of the boxes.
fn camera(count: usize, share: f32) -> Frustum {
    let bodies: Vec<_> = (0..count).map(|number| body(number, count)).collect();
    let eye = Transform::from_xyz(0.0, 0.0, edge(count) * 0.55).looking_at(Vec3::ZERO, Vec3::Y);
    let with_fov = |fov| {
        let projection = PerspectiveProjection { fov, aspect_ratio: 1.0, ..PerspectiveProjection::default() };
        projection.compute_frustum(&GlobalTransform::from(eye))
    };
    let (mut narrow, mut wide) = (0.01, 3.1);
    for _ in 0..14 {
        let fov = 0.5 * (narrow + wide);
        let frustum = with_fov(fov);
        let sees =
            |(at, aabb, ..): &&(Transform, Aabb, _, _)| frustum.intersects_obb(aabb, &at.compute_affine(), true, false);
        let seen = bodies.iter().filter(sees).count();
        *(if seen as f32 > share * count as f32 { &mut wide } else { &mut narrow }) = fov;
    }
    with_fov(narrow)
}

/// An app with the scene; entities have other names in another app.
struct Scene {
    app: App,
    camera: Entity,
    /// The first of the bodies, whose indices follow each other.
    first: Entity,
}

fn populate(mut app: App, count: usize, frustum: Frustum) -> Scene {
    let camera = app.world_mut().spawn((Camera::default(), frustum, VisibleEntities::default())).id();
    let bodies: Vec<_> = (0..count).map(|number| (body(number, count), SpatialIndexed)).collect();
    let spawned: Vec<_> = app.world_mut().spawn_batch(bodies).collect();
    assert!(spawned.windows(2).all(|pair| pair[0].index_u32() + 1 == pair[1].index_u32()));
    app.finish();
    app.cleanup();
    app.update();
    Scene { app, camera, first: spawned[0] }
}

/// Moves so many of a hundred entities a little, back and forth.
fn drift(app: &mut App, moving: usize, round: usize) {
    let Some(stride) = 100_usize.checked_div(moving) else { return };
    let step = if round.is_multiple_of(2) { 0.05 } else { -0.05 };
    let mut transforms = app.world_mut().query_filtered::<&mut Transform, With<Aabb>>();
    transforms.iter_mut(app.world_mut()).step_by(stride).for_each(|mut at| at.translation.x += step);
}

/// The numbers of the bodies that the camera sees.
fn visible(scene: &Scene) -> BTreeSet<u32> {
    let visible = scene.app.world().get::<VisibleEntities>(scene.camera).unwrap();
    visible.iter(TypeId::of::<Mesh3d>()).map(|entity| entity.index_u32() - scene.first.index_u32()).collect()
}

fn scene(count: usize, share: f32, moving: usize, rounds: usize) {
    let frustum = camera(count, share);
    let mut ours = app();
    ours.add_plugins(SpatialCullingPlugin);
    let (mut ours, mut bevy) = (populate(ours, count, frustum), populate(stock(), count, frustum));
    let mut check = Schedule::default();
    check.add_systems(check_visibility_cpu_culling);
    let mut empty = Schedule::default();
    empty.add_systems(|_: Query<&Camera>| {});
    let (mut checks, mut frames, mut index, mut loops) = ([vec![], vec![], vec![]], [vec![], vec![]], vec![], vec![]);
    let mut boxes = bevy.app.world_mut().query::<(Entity, &GlobalTransform, &Aabb)>();
    let mut tested = 0;
    for round in 0..rounds + 2 {
        // By turns first: each app finds the caches as the other left them.
        let mut frame = [0.0; 2];
        let mut apps = [(0, &mut ours.app), (1, &mut bevy.app)];
        if round % 4 < 2 {
            apps.reverse();
        }
        for (which, app) in apps {
            drift(app, moving, round);
            frame[which] = timed(|| app.update()).0;
        }
        assert_eq!(visible(&ours), visible(&bevy), "both see the same");
        // Bevy's check alone, in the world that it has just checked; without what a schedule costs.
        let idle = timed(|| empty.run(bevy.app.world_mut())).0;
        let stock = timed(|| check.run(bevy.app.world_mut())).0;
        // The least that finds the same: a list of entities, from one thread.
        let world = bevy.app.world();
        let sees = |at: &GlobalTransform, aabb: &Aabb| {
            let (affine, radius) = (at.affine(), at.radius_vec3a(aabb.half_extents));
            frustum.intersects_sphere(&Sphere { center: affine.transform_point3a(aabb.center), radius }, false)
                && frustum.intersects_obb(aabb, &affine, true, false)
        };
        let (plain, found) = timed(|| {
            let seen = boxes.iter(world).filter(|(_, at, aabb)| sees(at, aabb));
            seen.map(|(entity, ..)| entity).collect::<Vec<_>>().len()
        });
        assert_eq!(found, visible(&bevy).len());
        let report = *ours.app.world().resource::<CullingReport>();
        if round >= 2 {
            checks[0].push(micros(report.time));
            checks[1].push(stock);
            checks[2].push(idle);
            loops.push(plain);
            frames[0].push(frame[0]);
            frames[1].push(frame[1]);
            index.push(micros(ours.app.world().resource::<SpatialIndex>().report().sync));
            tested = report.tested;
        }
    }
    let seen = visible(&ours).len();
    let ([check, stock, idle], [frame, stock_frame]) = (checks.map(least), frames.map(least));
    let (index, plain, stock) = (least(index), least(loops), stock - idle);
    println!(
        "| {count} | {moving} % | {seen} | {check:.0} | {stock:.0} | {plain:.0} | {tested} | {frame:.0} | {index:.0} | {stock_frame:.0} |"
    );
}
