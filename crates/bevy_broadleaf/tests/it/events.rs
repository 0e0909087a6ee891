//! Overlaps that began and ended.

use crate::oracle::{check, overlaps};
use crate::zoo::{Random, app, disturb, index, spawn};
use bevy_app::App;
use bevy_broadleaf::{
    EventScope, OverlapBegan, OverlapEnded, OverlapEvents, Sensor, SpatialBounds, SpatialIndexed, SpatialSettings,
};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use std::collections::BTreeSet;

/// The events that observers have seen: whether it began, the target, the other.
#[derive(Resource, Default)]
struct Seen(Vec<(bool, Entity, Entity)>);

fn observed(settings: SpatialSettings) -> App {
    let mut app = app(settings);
    app.init_resource::<Seen>();
    app.add_observer(|on: On<OverlapBegan>, mut seen: ResMut<Seen>| seen.0.push((true, on.entity, on.other)));
    app.add_observer(|on: On<OverlapEnded>, mut seen: ResMut<Seen>| seen.0.push((false, on.entity, on.other)));
    app
}

type Pairs = BTreeSet<(Entity, Entity)>;

/// The messages of the last frame: what began, what ended.
fn messages(app: &mut App) -> (Pairs, Pairs) {
    let ordered = |a: Entity, b: Entity| (a.min(b), a.max(b));
    let began: Vec<_> = app.world_mut().resource_mut::<Messages<OverlapBegan>>().drain().collect();
    let ended: Vec<_> = app.world_mut().resource_mut::<Messages<OverlapEnded>>().drain().collect();
    let began_set: Pairs = began.iter().map(|pair| ordered(pair.entity, pair.other)).collect();
    let ended_set: Pairs = ended.iter().map(|pair| ordered(pair.entity, pair.other)).collect();
    assert_eq!((began.len(), ended.len()), (began_set.len(), ended_set.len()), "each pair once");
    (began_set, ended_set)
}

#[test]
fn messages_are_the_differences_between_frames() {
    for (seed, scope) in [(21, EventScope::Marked), (22, EventScope::Everyone), (23, EventScope::Nobody)] {
        let mut random = Random::new(seed);
        let mut app = observed(SpatialSettings { events: scope, ..SpatialSettings::default() });
        let mut all: Vec<_> = (0..150).map(|_| spawn(app.world_mut(), &mut random)).collect();
        let (mut known, mut count) = (Pairs::new(), 0);
        for _ in 0..40 {
            (0..12).for_each(|_| disturb(app.world_mut(), &mut random, &all));
            all.push(spawn(app.world_mut(), &mut random));
            app.update();
            let members = check(&mut app);
            let now = overlaps(&members, scope);
            let (began, ended) = messages(&mut app);
            assert_eq!(began, now.difference(&known).copied().collect());
            assert_eq!(ended, known.difference(&now).copied().collect());
            let report = index(&app).report();
            assert_eq!((report.began, report.ended), (began.len(), ended.len()));
            assert_eq!(index(&app).overlaps().len(), now.len());
            count += began.len() + ended.len();

            // Observers: the two of a pair that are marked, or both; not what is despawned.
            let seen = std::mem::take(&mut app.world_mut().resource_mut::<Seen>().0);
            let mut wanted = BTreeSet::new();
            for (is_begun, pairs) in [(true, &began), (false, &ended)] {
                for &(a, b) in pairs {
                    for (entity, other) in [(a, b), (b, a)] {
                        let Ok(entity) = app.world().get_entity(entity) else { continue };
                        let is_marked = entity.contains::<Sensor>() || entity.contains::<OverlapEvents>();
                        if is_marked || scope == EventScope::Everyone {
                            wanted.insert((is_begun, entity.id(), other));
                        }
                    }
                }
            }
            assert_eq!(seen.len(), wanted.len());
            assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), wanted);
            known = now;
        }
        assert!(count > 20 || scope == EventScope::Nobody, "{count}");
    }
}

#[test]
fn a_change_of_scope_ends_and_begins_overlaps() {
    let (mut app, mut random) = (observed(SpatialSettings::default()), Random::new(24));
    (0..150).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    let mut marked = app.world_mut().query_filtered::<Entity, With<SpatialIndexed>>();
    let some: Vec<_> = marked.iter(app.world()).step_by(3).collect();
    some.iter().for_each(|&entity| {
        app.world_mut().entity_mut(entity).insert(OverlapEvents);
    });
    let mut known = Pairs::new();
    for scope in
        [EventScope::Marked, EventScope::Everyone, EventScope::Marked, EventScope::Nobody, EventScope::Everyone]
    {
        app.world_mut().resource_mut::<SpatialSettings>().events = scope;
        app.update();
        let now = overlaps(&check(&mut app), scope);
        let (began, ended) = messages(&mut app);
        assert_eq!(began, now.difference(&known).copied().collect());
        assert_eq!(ended, known.difference(&now).copied().collect());
        known = now;
    }
    assert!(known.len() > 20);
}

#[test]
fn regression_an_entity_that_leaves_and_comes_back_in_a_frame_ends_no_overlap() {
    let mut app = observed(SpatialSettings::default());
    let zone = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(5.0), Sensor)).id();
    let visitor = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0))).id();
    app.update();
    assert_eq!(messages(&mut app).0.len(), 1);
    app.world_mut().resource_mut::<Seen>().0.clear();
    for entity in [zone, visitor] {
        app.world_mut().entity_mut(entity).remove::<SpatialIndexed>();
        app.world_mut().entity_mut(entity).insert(SpatialIndexed);
    }
    app.update();
    assert_eq!(messages(&mut app), (Pairs::new(), Pairs::new()));
    assert!(app.world().resource::<Seen>().0.is_empty());
    assert_eq!(index(&app).overlaps().len(), 1);

    // It comes back elsewhere, or as something else.
    app.world_mut().entity_mut(visitor).remove::<SpatialIndexed>();
    app.world_mut().entity_mut(visitor).insert((SpatialIndexed, Transform::from_xyz(9.0, 0.0, 0.0)));
    app.update();
    assert_eq!(messages(&mut app).1.len(), 1);
    app.world_mut().entity_mut(visitor).remove::<SpatialIndexed>();
    app.world_mut().entity_mut(visitor).insert((SpatialIndexed, Sensor, Transform::IDENTITY));
    app.update();
    assert_eq!(messages(&mut app).0.len(), 0, "sensors do not report each other");
    check(&mut app);
}

#[test]
fn a_despawned_entity_is_named_where_its_slot_is_taken_at_once() {
    let mut app = observed(SpatialSettings::default());
    let zone = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(5.0), Sensor)).id();
    let visitor = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0))).id();
    app.update();
    assert_eq!(messages(&mut app).0.len(), 1);
    app.world_mut().entity_mut(visitor).despawn();
    let next = (SpatialIndexed, SpatialBounds::sphere(1.0), Transform::from_xyz(1.0, 0.0, 0.0));
    let next = app.world_mut().spawn(next).id();
    app.world_mut().resource_mut::<Seen>().0.clear();
    app.update();
    let (began, ended) = messages(&mut app);
    assert_eq!(ended, [(zone.min(visitor), zone.max(visitor))].into());
    assert_eq!(began, [(zone.min(next), zone.max(next))].into());
    let seen = &app.world().resource::<Seen>().0;
    assert_eq!(*seen, [(false, zone, visitor), (true, zone, next)]);
}
