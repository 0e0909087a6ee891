//! The plugin itself: labels, schedules, settings.

use crate::oracle::check;
use crate::zoo::{Random, app, bevy, index, spawn};
use bevy_app::{App, FixedPostUpdate, PostUpdate, TaskPoolPlugin, Update};
use bevy_asset::{Assets, RenderAssetUsages};
use bevy_broadleaf::{
    BroadleafPlugin, BroadleafSystems, OverlapBegan, OverlapEvents, Sensor, SpatialBounds, SpatialDiagnosticsPlugin,
    SpatialIndexed, SpatialLayers, SpatialQuery, SpatialSettings, SpatialStatic,
};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::{InheritedVisibility, Visibility, VisibilitySystems};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology};
use bevy_transform::TransformSystems;
use bevy_transform::components::Transform;
use broadleaf::{Config, Sphere};

/// What the systems have seen in a frame.
#[derive(Resource, Default, Debug, PartialEq)]
struct Seen {
    in_update: usize,
    before: usize,
    after_sync: usize,
    messages: usize,
}

fn overlapping(spatial: &SpatialQuery) -> usize {
    spatial.overlap(Vec3::ZERO).unwrap().count()
}

#[test]
fn labels_say_what_is_known_when() {
    let mut app = app(SpatialSettings::default());
    app.init_resource::<Seen>();
    app.add_systems(Update, |spatial: SpatialQuery, mut seen: ResMut<Seen>| seen.in_update = overlapping(&spatial));
    app.add_systems(
        PostUpdate,
        (
            (|spatial: SpatialQuery, mut seen: ResMut<Seen>| seen.before = overlapping(&spatial))
                .before(BroadleafSystems::Sync),
            (|spatial: SpatialQuery, mut seen: ResMut<Seen>| seen.after_sync = overlapping(&spatial))
                .after(BroadleafSystems::Sync),
            (|mut began: MessageReader<OverlapBegan>, mut seen: ResMut<Seen>| seen.messages = began.read().count())
                .after(BroadleafSystems::Events),
        ),
    );
    let parent = app.world_mut().spawn((Transform::from_xyz(9.0, 0.0, 0.0), Visibility::default())).id();
    let bounds = SpatialBounds::sphere(1.0);
    let child = (SpatialIndexed, bounds, Transform::from_xyz(-9.0, 0.0, 0.0), ChildOf(parent));
    app.world_mut().spawn((child, Sensor));
    let other = app.world_mut().spawn((SpatialIndexed, bounds)).id();
    app.update();
    // The frame's transforms, also of children, are in the index before the frame is over.
    assert_eq!(*app.world().resource::<Seen>(), Seen { in_update: 0, before: 0, after_sync: 2, messages: 1 });
    app.world_mut().entity_mut(other).despawn();
    app.update();
    assert_eq!(*app.world().resource::<Seen>(), Seen { in_update: 2, before: 2, after_sync: 1, messages: 0 });
}

#[test]
fn the_index_follows_what_bevy_computes_in_the_same_frame() {
    let mut app = app(SpatialSettings::default());
    // It stands between Bevy's sets and the index: an order that contradicts would not build.
    app.add_systems(
        PostUpdate,
        (|| ())
            .after(TransformSystems::Propagate)
            .after(VisibilitySystems::CalculateBounds)
            .after(VisibilitySystems::VisibilityPropagate)
            .before(BroadleafSystems::Sync),
    );
    app.add_systems(PostUpdate, (|| ()).after(BroadleafSystems::Sync).before(VisibilitySystems::CheckVisibility));
    // Bevy computes the bounds of a mesh, and inserts them by a command.
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 3.0]];
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    let entity = app.world_mut().spawn((SpatialIndexed, Mesh3d(mesh), Transform::from_xyz(5.0, 0.0, 0.0))).id();
    app.update();
    let bounds = index(&app).bounds(entity).unwrap().aabb();
    assert_eq!([bounds.min, bounds.max].map(|end| end.to_array()), [[5.0, 0.0, 0.0], [6.0, 2.0, 3.0]]);
}

#[test]
fn another_schedule_may_hold_the_systems() {
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins(BroadleafPlugin::default().in_schedule(FixedPostUpdate));
    let ball = Sphere::new([2.0, 0.0, 0.0], 1.0);
    let entity = app.world_mut().spawn((SpatialIndexed, SpatialBounds::World(ball.into()))).id();
    app.update();
    assert!(index(&app).is_empty(), "no fixed step has run");
    app.world_mut().run_schedule(FixedPostUpdate);
    assert_eq!(index(&app).bounds(entity), Some(ball.into()));
}

#[test]
fn regression_what_is_removed_in_frames_without_a_step_is_seen_by_the_next_step() {
    // Bevy forgets after two frames which components were removed.
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins(BroadleafPlugin::default().in_schedule(FixedPostUpdate));
    let aabb = Aabb::from_min_max(Vec3::ZERO, Vec3::ONE);
    let world = app.world_mut();
    let full = (SpatialIndexed, aabb, Sensor, OverlapEvents, SpatialStatic, SpatialLayers::new(1, 1));
    let [sensor, reports, is_static, layers, boxed] = core::array::from_fn(|_| world.spawn(full).id());
    let bounded = world.spawn((full, SpatialBounds::cuboid([4.0; 3]))).id();
    let hidden = world.spawn((full, Visibility::Hidden)).id();
    app.update();
    app.world_mut().run_schedule(FixedPostUpdate);
    check(&mut app);
    assert!(!index(&app).contains(hidden));
    let before = index(&app).handle(sensor).unwrap();

    let world = app.world_mut();
    world.entity_mut(sensor).remove::<Sensor>();
    world.entity_mut(reports).remove::<(OverlapEvents, Sensor)>();
    world.entity_mut(is_static).remove::<SpatialStatic>();
    world.entity_mut(layers).remove::<SpatialLayers>();
    world.entity_mut(boxed).remove::<Aabb>();
    world.entity_mut(bounded).remove::<SpatialBounds>();
    world.entity_mut(hidden).remove::<(Visibility, InheritedVisibility)>();
    (0..4).for_each(|_| app.update());
    app.world_mut().run_schedule(FixedPostUpdate);
    check(&mut app);
    assert!(index(&app).contains(hidden) && !index(&app).contains(boxed));
    assert_eq!(index(&app).handle(sensor), Some(before));
    let found = |app: &App| {
        let mut found = Vec::new();
        index(app).overlap(Vec3::splat(0.5)).unwrap().without_sensors().collect_into(&mut found);
        found.sort_unstable();
        found
    };
    let mut wanted = vec![sensor, reports];
    wanted.sort_unstable();
    assert_eq!(found(&app), wanted);
    // The list does not grow with frames, and an entity that is gone does no harm.
    for _ in 0..4 {
        app.world_mut().entity_mut(layers).insert(Sensor).remove::<Sensor>();
        app.update();
    }
    app.world_mut().entity_mut(layers).despawn();
    app.world_mut().run_schedule(FixedPostUpdate);
    check(&mut app);
}

#[test]
fn settings_of_the_tree_are_checked() {
    assert!(BroadleafPlugin::new(Config { looseness: 0.5, ..Config::default() }).is_err());
    let plugin = BroadleafPlugin::new(Config { leaf_capacity: 8, ..Config::default() }).unwrap();
    let (mut app, mut random) = (bevy(TaskPoolPlugin::default()), Random::new(91));
    app.add_plugins(plugin);
    (0..200).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    app.update();
    index(&app).validate().unwrap();
    assert!(index(&app).counters().nodes_live > 8);
}

#[test]
fn without_visibility_the_index_works_as_well() {
    let mut app = App::new();
    app.add_plugins((bevy_transform::TransformPlugin, BroadleafPlugin::default()));
    let entity =
        app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0), Transform::from_xyz(3.0, 0.0, 0.0)));
    let entity = entity.id();
    app.update();
    assert_eq!(index(&app).bounds(entity).unwrap().aabb().min.x, 2.0);
}

#[test]
#[should_panic(expected = "needs BroadleafPlugin")]
fn a_plugin_without_the_index_says_what_it_needs() {
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins(SpatialDiagnosticsPlugin);
    app.finish();
}
