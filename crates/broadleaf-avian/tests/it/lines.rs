//! What the guide shows: the lines of an app, and a system that asks.

use avian3d::prelude::*;
use bevy::prelude::*;
use broadleaf_avian::{OctreeQuery, WithBroadleaf};

#[derive(Resource, Default)]
struct Height(Option<f32>);

// ANCHOR: system
fn measure_height(query: OctreeQuery, mut height: ResMut<Height>) {
    let hit = query.cast_ray(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, true, &SpatialQueryFilter::default());
    height.0 = hit.map(|hit| 10.0 - hit.distance);
}
// ANCHOR_END: system

#[test]
fn pairs_in_one_line() {
    let mut app = App::new();
    // ANCHOR: pairs
    app.add_plugins((MinimalPlugins, TransformPlugin, PhysicsPlugins::default().with_broadleaf()));
    // ANCHOR_END: pairs
    assert!(app.is_plugin_added::<broadleaf_avian::BroadleafBroadPhasePlugin>());
    assert!(!app.is_plugin_added::<BvhBroadPhasePlugin>());
}

#[test]
fn queries_in_one_line() {
    let mut app = App::new();
    // ANCHOR: queries
    let physics = PhysicsPlugins::new(FixedPostUpdate).with_broadleaf_queries(FixedPostUpdate);
    app.add_plugins((MinimalPlugins, TransformPlugin, physics));
    // ANCHOR_END: queries
    let step = std::time::Duration::from_secs_f32(1.0 / 60.0);
    app.insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(step));
    app.init_resource::<Height>().add_systems(Update, measure_height);
    app.world_mut().spawn((RigidBody::Static, Collider::cuboid(9.0, 1.0, 9.0)));
    app.finish();
    app.cleanup();
    for _ in 0..5 {
        app.update();
    }
    let height = app.world().resource::<Height>().0.expect("the ray hits the box");
    assert!((height - 0.5).abs() < 1e-5, "{height}");
}
