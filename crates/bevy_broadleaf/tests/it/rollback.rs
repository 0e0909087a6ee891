//! Frames played again are the same frames.

use crate::oracle::check;
use crate::zoo::{Random, app, bevy, index, spawn};
use bevy_app::{App, TaskPoolPlugin};
use bevy_broadleaf::{
    BroadleafPlugin, EventScope, OverlapBegan, OverlapEnded, SpatialBounds, SpatialIndexed, SpatialQuery,
    SpatialSettings, SpatialSnapshot,
};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use broadleaf::Config;

/// A step of the simulation, which depends on the state and on the number of the frame alone.
fn step(app: &mut App, frame: u64) {
    let mut transforms = app.world_mut().query_filtered::<(Entity, &mut Transform), With<SpatialIndexed>>();
    for (entity, mut at) in transforms.iter_mut(app.world_mut()) {
        let mut random = Random::new(frame << 32 | u64::from(entity.index_u32()));
        if random.below(3) != 0 {
            at.translation += random.vector(-0.6, 0.6);
        }
    }
    app.update();
}

/// What a player notices of a frame.
fn notice(app: &mut App) -> (u64, Vec<OverlapBegan>, Vec<OverlapEnded>, Vec<Entity>) {
    let began = app.world_mut().resource_mut::<Messages<OverlapBegan>>().drain().collect();
    let ended = app.world_mut().resource_mut::<Messages<OverlapEnded>>().drain().collect();
    let mut found = Vec::new();
    index(app).overlap(Vec3::ZERO).unwrap().collect_into(&mut found);
    (index(app).state_hash(), began, ended, found)
}

fn transforms(app: &mut App) -> Vec<(Entity, Transform)> {
    let mut transforms = app.world_mut().query::<(Entity, &Transform)>();
    transforms.iter(app.world()).map(|(entity, at)| (entity, *at)).collect()
}

#[test]
fn frames_are_played_again_bit_for_bit() {
    let settings = SpatialSettings { events: EventScope::Everyone, ..SpatialSettings::default() };
    let (mut app, mut random) = (app(settings), Random::new(61));
    (0..300).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    (0..4).for_each(|frame| step(&mut app, frame));
    notice(&mut app);

    let mut snapshot = SpatialSnapshot::default();
    snapshot.save(app.world());
    assert_eq!(snapshot.state_hash(), index(&app).state_hash());
    let saved = transforms(&mut app);
    let first: Vec<_> = (4..10).map(|frame| (step(&mut app, frame), notice(&mut app)).1).collect();
    assert!(first.iter().any(|frame| !frame.1.is_empty()) && first.iter().any(|frame| !frame.2.is_empty()));
    for _ in 0..3 {
        for (entity, at) in &saved {
            *app.world_mut().get_mut::<Transform>(*entity).unwrap() = *at;
        }
        snapshot.restore(app.world_mut());
        assert_eq!(index(&app).state_hash(), snapshot.state_hash());
        let again: Vec<_> = (4..10).map(|frame| (step(&mut app, frame), notice(&mut app)).1).collect();
        assert!(again == first, "a frame differs");
        check(&mut app);
    }
}

#[test]
fn what_was_not_restored_is_found() {
    let mut app = app(SpatialSettings::default());
    let spawn = |app: &mut App| app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0))).id();
    let [stays, goes, moves] = core::array::from_fn(|_| spawn(&mut app));
    app.update();
    let mut snapshot = SpatialSnapshot::default();
    snapshot.save(app.world());
    app.world_mut().entity_mut(goes).despawn();
    app.world_mut().get_mut::<Transform>(moves).unwrap().translation.x = 9.0;
    app.update();
    let comes = spawn(&mut app);
    app.update();
    // The index goes back, the components do not.
    snapshot.restore(app.world_mut());
    assert!(index(&app).contains(goes) && !index(&app).contains(comes));
    app.update();
    let index = index(&app);
    assert!(index.contains(stays) && !index.contains(goes) && index.contains(comes));
    assert_eq!(index.bounds(moves).unwrap().aabb().min.x, 8.0);
    check(&mut app);
    let asked = app.world_mut().run_system_once(|spatial: SpatialQuery| spatial.len()).unwrap();
    assert_eq!(asked, 3);
}

/// The change lists of the last synchronisation: inserted, moved, removed.
fn changes(app: &App) -> [Vec<Entity>; 3] {
    let index = index(app);
    [index.inserted().to_vec(), index.moved().to_vec(), index.removed().collect()]
}

#[test]
fn after_a_restore_changes_are_since_the_restored_frame() {
    let mut app = app(SpatialSettings { events: EventScope::Everyone, ..SpatialSettings::default() });
    let spawn = |app: &mut App, x: f32| {
        app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0), Transform::from_xyz(x, 0.0, 0.0))).id()
    };
    let place = |app: &mut App, entity: Entity, x: f32| {
        app.world_mut().get_mut::<Transform>(entity).unwrap().translation.x = x;
    };
    let (stays, moves, goes) = (spawn(&mut app, 0.0), spawn(&mut app, 9.0), spawn(&mut app, 20.0));
    app.update();
    let (_, began, ended, _) = notice(&mut app);
    assert!(began.is_empty() && ended.is_empty());
    let mut snapshot = SpatialSnapshot::default();
    snapshot.save(app.world());

    // A frame that is discarded.
    place(&mut app, moves, 1.0);
    app.world_mut().entity_mut(goes).despawn();
    let comes = spawn(&mut app, 30.0);
    app.update();
    assert_eq!(changes(&app), [vec![comes], vec![moves], vec![goes]]);
    let (_, discarded, ..) = notice(&mut app);
    let [meeting] = discarded[..] else { panic!("{discarded:?}") };
    assert!([(stays, moves), (moves, stays)].contains(&(meeting.entity, meeting.other)));

    // What moved is back where it was saved, which no list says. What came and went counts again.
    place(&mut app, moves, 9.0);
    snapshot.restore(app.world_mut());
    app.update();
    assert_eq!(changes(&app), [vec![comes], vec![], vec![goes]]);
    let (_, began, ended, _) = notice(&mut app);
    assert!(began.is_empty() && ended.is_empty(), "events are not taken back");

    // What came is despawned before the restore: no list says so.
    app.world_mut().entity_mut(comes).despawn();
    snapshot.restore(app.world_mut());
    app.update();
    assert_eq!(changes(&app), [vec![], vec![], vec![goes]]);

    // The frame is played again, and sends its event again.
    place(&mut app, moves, 1.0);
    app.update();
    assert_eq!(notice(&mut app).1, discarded);
    check(&mut app);
}

#[test]
fn regression_a_snapshot_without_content_restores_nothing() {
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins(BroadleafPlugin::new(Config { leaf_capacity: 8, ..Config::default() }).unwrap());
    let entity = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0))).id();
    app.update();
    let before = index(&app).state_hash();
    SpatialSnapshot::default().restore(app.world_mut());
    assert!(index(&app).contains(entity));
    assert_eq!(index(&app).state_hash(), before);
}
