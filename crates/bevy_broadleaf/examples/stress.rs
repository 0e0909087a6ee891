//! 100,000 moving entities: culling by the index, and who overlaps whom, each frame.
//!
//! `cargo run --release --example stress [PICTURE.png]`. The picture looks down on the world:
//! dark what the camera does not see, light what it sees, red what it sees and what overlaps.

mod common;

use bevy_app::Update;
use bevy_broadleaf::{
    BroadleafPlugin, CullingReport, EventScope, SpatialCullingPlugin, SpatialDiagnosticsPlugin, SpatialIndex,
    SpatialIndexed, SpatialSettings,
};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::{Visibility, VisibilityClass, VisibleEntities};
use bevy_camera::{Camera, CameraProjection, PerspectiveProjection};
use bevy_diagnostic::DiagnosticsStore;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::Mesh3d;
use bevy_transform::components::{GlobalTransform, Transform};
use common::picture::Picture;
use std::any::TypeId;
use std::collections::HashSet;
use std::time::Instant;

const COUNT: usize = 100_000;
const EDGE: f32 = 140.0;

#[derive(Component)]
struct Velocity(Vec3);

fn fly(mut all: Query<(&mut Transform, &mut Velocity)>) {
    all.par_iter_mut().for_each(|(mut at, mut velocity)| {
        at.translation += velocity.0 / 60.0;
        for axis in 0..3 {
            if at.translation[axis].abs() > EDGE / 2.0 && at.translation[axis] * velocity.0[axis] > 0.0 {
                velocity.0[axis] = -velocity.0[axis];
            }
        }
    });
}

fn main() -> std::io::Result<()> {
    let mut app = common::headless();
    let settings = SpatialSettings { events: EventScope::Everyone, ..SpatialSettings::default() };
    app.add_plugins((
        BroadleafPlugin::default().with_settings(settings),
        SpatialCullingPlugin,
        SpatialDiagnosticsPlugin,
    ));
    app.add_systems(Update, fly);
    let mut class = VisibilityClass::default();
    class.push(TypeId::of::<Mesh3d>());
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut vector = move || Vec3::new(random(), random(), random());
    let bodies = (0..COUNT).map(|_| {
        let (at, velocity) = (Transform::from_translation(vector() * EDGE), Velocity(vector() * 8.0));
        let half = Vec3::splat(0.25) + vector().abs() * 0.5;
        (at, velocity, Aabb::from_min_max(-half, half), SpatialIndexed, Visibility::default(), class.clone())
    });
    app.world_mut().spawn_batch(bodies.collect::<Vec<_>>());
    let eye = Transform::from_xyz(-60.0, 10.0, 75.0).looking_at(Vec3::new(10.0, 0.0, -10.0), Vec3::Y);
    let projection = PerspectiveProjection { fov: 0.8, aspect_ratio: 1.6, ..PerspectiveProjection::default() };
    let frustum = projection.compute_frustum(&GlobalTransform::from(eye));
    let camera = app.world_mut().spawn((Camera::default(), eye, frustum, VisibleEntities::default())).id();
    app.finish();
    app.cleanup();
    app.update();

    let (frames, start) = (60, Instant::now());
    (0..frames).for_each(|_| app.update());
    println!("{COUNT} entities: {:.1} ms a frame", start.elapsed().as_secs_f64() * 1e3 / f64::from(frames));
    let diagnostics = app.world().resource::<DiagnosticsStore>().iter();
    for diagnostic in diagnostics.filter(|diagnostic| diagnostic.path().as_str().starts_with("broadleaf/")) {
        let average = diagnostic.average().unwrap_or_default();
        println!("  {}: {average:.2} {}", diagnostic.path(), diagnostic.suffix);
    }
    let index = app.world().resource::<SpatialIndex>();
    assert_eq!(index.len(), COUNT);
    index.validate().expect("a sound tree");
    let seen: HashSet<_> = app
        .world()
        .get::<VisibleEntities>(camera)
        .into_iter()
        .flat_map(|visible| visible.get(TypeId::of::<Mesh3d>()))
        .copied()
        .collect();
    assert_eq!(seen.len(), app.world().resource::<CullingReport>().visible);
    let overlapping: HashSet<_> = index.overlaps().flat_map(|(a, b)| [a, b]).collect();
    println!("{} visible, {} overlap another", seen.len(), overlapping.len());

    let Some(path) = common::picture_path() else { return Ok(()) };
    let mut picture = Picture::new(900, 900, [16, 18, 24]);
    let place = |at: Vec3| [450.0 + at.x * 880.0 / EDGE, 450.0 + at.z * 880.0 / EDGE];
    let mut places = app.world_mut().query_filtered::<(Entity, &Transform), With<SpatialIndexed>>();
    for pass in 0..3 {
        for (entity, at) in places.iter(app.world()) {
            let (is_seen, overlaps) = (seen.contains(&entity), overlapping.contains(&entity));
            let [x, y] = place(at.translation);
            match pass {
                0 if !is_seen => picture.set(x, y, [62, 68, 84]),
                1 if is_seen && !overlaps => picture.set(x, y, [190, 200, 215]),
                2 if is_seen && overlaps => picture.square(x, y, 2.0, [235, 90, 70]),
                _ => {}
            }
        }
    }
    picture.save(&path)
}
