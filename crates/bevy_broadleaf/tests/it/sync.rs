//! The index follows the entities.

use crate::oracle::{check, members};
use crate::zoo::{Random, app, disturb, index, spawn};
use bevy_broadleaf::{EventScope, Sensor, SpatialBounds, SpatialIndexed, SpatialSettings};
use bevy_camera::visibility::Visibility;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use broadleaf::Shape;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn random_programs_leave_what_every_entity_says() {
    for (seed, index_hidden) in [(1, false), (2, true), (3, false)] {
        let mut random = Random::new(seed);
        let mut app = app(SpatialSettings { index_hidden, ..SpatialSettings::default() });
        let mut all: Vec<_> = (0..120).map(|_| spawn(app.world_mut(), &mut random)).collect();
        let (mut known, mut hidden, mut removed) = (BTreeMap::new(), 0, 0);
        for _ in 0..40 {
            for _ in 0..random.below(30) {
                disturb(app.world_mut(), &mut random, &all);
            }
            if random.below(3) == 0 {
                all.push(spawn(app.world_mut(), &mut random));
            }
            let before: BTreeSet<_> = members(&mut app).iter().map(|member| member.entity).collect();
            app.update();
            let now: BTreeMap<_, _> = check(&mut app).iter().map(|member| (member.entity, member.shape)).collect();
            hidden += before.iter().filter(|entity| !now.contains_key(entity)).count();

            // The change list is the difference to the frame before.
            let (changes, set) = (index(&app), |list: &[Entity]| list.iter().copied().collect::<BTreeSet<_>>());
            let left: Vec<_> = changes.removed().collect();
            removed += left.len();
            let only = |a: &BTreeMap<Entity, Shape>, b: &BTreeMap<Entity, Shape>| {
                a.keys().filter(|entity| !b.contains_key(entity)).copied().collect::<BTreeSet<_>>()
            };
            assert_eq!((set(changes.inserted()), set(&left)), (only(&now, &known), only(&known, &now)));
            let moves = now.iter().filter(|(entity, shape)| known.get(entity).is_some_and(|known| known != *shape));
            assert_eq!(set(changes.moved()), moves.map(|(entity, _)| *entity).collect());
            for list in [changes.inserted(), changes.moved(), &left] {
                assert!(list.is_sorted_by_key(|entity| entity.index_u32()));
            }
            known = now;
        }
        assert!(hidden > 0 || index_hidden, "nothing was hidden");
        assert!(removed > 10, "little was removed");
    }
}

#[test]
fn children_follow_their_parents() {
    let mut app = app(SpatialSettings::default());
    let world = app.world_mut();
    let parent = world.spawn((Transform::default(), Visibility::default())).id();
    let child = (SpatialIndexed, SpatialBounds::cuboid([1.0; 3]), Transform::from_xyz(2.0, 0.0, 0.0));
    let child = world.spawn((child, Visibility::default(), ChildOf(parent))).id();
    app.update();
    assert_eq!(index(&app).bounds(child).unwrap().aabb().min.to_array(), [1.0, -1.0, -1.0]);

    app.world_mut().get_mut::<Transform>(parent).unwrap().translation = Vec3::Y * 10.0;
    app.update();
    assert_eq!(index(&app).bounds(child).unwrap().aabb().min.to_array(), [1.0, 9.0, -1.0]);
    assert_eq!(index(&app).moved(), [child]);

    app.world_mut().entity_mut(parent).insert(Visibility::Hidden);
    app.update();
    assert!(!index(&app).contains(child));
    app.world_mut().resource_mut::<SpatialSettings>().index_hidden = true;
    app.update();
    assert!(index(&app).contains(child));

    app.world_mut().entity_mut(parent).despawn();
    app.update();
    assert!(index(&app).is_empty());
    check(&mut app);
}

#[test]
fn what_does_not_change_costs_no_change() {
    let (mut app, mut random) = (app(SpatialSettings::default()), Random::new(5));
    (0..50).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    app.update();
    assert_eq!(index(&app).report().inserted, 50);
    for _ in 0..3 {
        app.update();
        let report = index(&app).report();
        assert_eq!((report.inserted, report.moved, report.removed), (0, 0, 0));
    }
    // A transform that is written without being changed.
    let mut transforms = app.world_mut().query::<&mut Transform>();
    transforms.iter_mut(app.world_mut()).for_each(|mut at| at.set_changed());
    app.update();
    assert_eq!(index(&app).report().moved, 0);
}

#[test]
fn illegal_bounds_are_refused_and_change_nothing() {
    let mut app = app(SpatialSettings::default());
    let bundle = (SpatialIndexed, SpatialBounds::cuboid([1.0; 3]), Transform::from_xyz(5.0, 0.0, 0.0));
    let entity = app.world_mut().spawn(bundle).id();
    app.update();
    let before = index(&app).bounds(entity);
    app.world_mut().get_mut::<Transform>(entity).unwrap().translation.x = f32::NAN;
    let new = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(-1.0))).id();
    app.update();
    assert_eq!(index(&app).bounds(entity), before);
    assert!(!index(&app).contains(new));
    let refused: Vec<_> = index(&app).refused().iter().map(|(entity, error)| (*entity, error.to_string())).collect();
    assert_eq!(refused.iter().map(|refused| refused.0).collect::<BTreeSet<_>>(), [entity, new].into());
    assert!(refused.iter().any(|(_, why)| why.contains("not a number")), "{refused:?}");
    index(&app).validate().unwrap();

    app.world_mut().get_mut::<Transform>(entity).unwrap().translation.x = 6.0;
    app.update();
    assert_eq!(index(&app).bounds(entity).unwrap().aabb().min.x, 5.0);
    assert!(index(&app).refused().is_empty());
}

#[test]
fn an_entity_may_leave_and_come_back_between_two_frames() {
    let mut app = app(SpatialSettings::default());
    let entity = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0))).id();
    app.update();
    let handle = index(&app).handle(entity).unwrap();
    app.world_mut().entity_mut(entity).remove::<SpatialIndexed>();
    assert!(!index(&app).contains(entity));
    assert_eq!(index(&app).entity(handle), entity, "the tree is as of the last frame");
    app.world_mut().entity_mut(entity).insert(SpatialIndexed);
    app.update();
    assert_eq!(index(&app).handle(entity), Some(handle), "it keeps its object");
    let changes = index(&app);
    assert_eq!((changes.len(), changes.inserted().len(), changes.removed().len()), (1, 0, 0));
    assert!(changes.moved().is_empty());
    check(&mut app);
    // A clone of an entity is another object.
    let clone = app.world_mut().entity_mut(entity).clone_and_spawn();
    app.update();
    assert_eq!(index(&app).len(), 2);
    assert_ne!(index(&app).handle(clone), index(&app).handle(entity));
}

#[test]
fn regression_disabled_entities_leave_and_come_back() {
    let mut app = app(SpatialSettings { events: EventScope::Everyone, ..SpatialSettings::default() });
    let ball = SpatialBounds::sphere(1.0);
    let [entity, other] = core::array::from_fn(|_| app.world_mut().spawn((SpatialIndexed, ball)).id());
    let sleeper = app.world_mut().spawn((SpatialIndexed, ball, Disabled)).id();
    app.update();
    assert_eq!((index(&app).len(), index(&app).overlaps().len()), (2, 1));
    app.world_mut().entity_mut(entity).insert(Disabled);
    app.update();
    assert!(!index(&app).contains(entity) && index(&app).contains(other));
    assert_eq!(index(&app).removed().collect::<Vec<_>>(), [entity]);
    assert_eq!(index(&app).overlaps().len(), 0);
    // What changes meanwhile is found later.
    app.world_mut().entity_mut(entity).insert((Sensor, SpatialBounds::sphere(0.5)));
    (0..3).for_each(|_| app.update());
    assert_eq!(index(&app).len(), 1);
    app.world_mut().entity_mut(entity).remove::<Disabled>();
    app.world_mut().entity_mut(sleeper).remove::<Disabled>();
    app.update();
    let mut wanted = [entity, sleeper];
    wanted.sort_by_key(|entity| entity.index_u32());
    assert_eq!(index(&app).inserted(), wanted);
    assert_eq!(index(&app).bounds(entity).unwrap().aabb().min.x, -0.5);
    assert_eq!(index(&app).overlaps().len(), 3);
    index(&app).validate().unwrap();

    // Between two frames: on and off changes nothing, off and on takes it out.
    app.world_mut().entity_mut(entity).insert(Disabled).remove::<Disabled>();
    app.update();
    assert_eq!((index(&app).len(), index(&app).removed().len(), index(&app).moved().len()), (3, 0, 0));
    app.world_mut().entity_mut(entity).insert(Disabled);
    app.update();
    app.world_mut().entity_mut(entity).remove::<Disabled>().insert(Disabled);
    app.update();
    assert_eq!((index(&app).len(), index(&app).inserted().len()), (2, 0));
    app.world_mut().entity_mut(entity).despawn();
    app.update();
    assert_eq!(index(&app).len(), 2);
    index(&app).validate().unwrap();
}

#[test]
fn regression_refused_entities_are_ordered_and_named_once() {
    let mut app = app(SpatialSettings::default());
    // Entities in tables of their own, which Bevy visits in the order in which they were made.
    let [first, second, third] = core::array::from_fn(|_| app.world_mut().spawn_empty().id());
    for entity in [third, first, second] {
        let mut entity = app.world_mut().entity_mut(entity);
        entity.insert((SpatialIndexed, SpatialBounds::sphere(f32::NAN)));
        if entity.id() == third {
            // It is found twice: by what was added and by what was removed.
            entity.insert(Sensor).remove::<Sensor>();
        } else if entity.id() == first {
            entity.insert(Sensor);
        }
    }
    app.update();
    let refused: Vec<_> = index(&app).refused().iter().map(|refused| refused.0).collect();
    let mut wanted = [first, second, third];
    wanted.sort_by_key(|entity| entity.index_u32());
    assert_eq!(refused, wanted);
}

#[test]
fn regression_an_entity_that_left_since_the_last_frame_is_excluded() {
    let mut app = app(SpatialSettings::default());
    let ball = SpatialBounds::sphere(1.0);
    let [entity, other] = core::array::from_fn(|_| app.world_mut().spawn((SpatialIndexed, ball)).id());
    app.update();
    app.world_mut().entity_mut(entity).remove::<SpatialIndexed>();
    let mut found = Vec::new();
    index(&app).overlap(Vec3::ZERO).unwrap().collect_into(&mut found);
    assert_eq!(found.len(), 2, "the tree is as of the last frame");
    index(&app).overlap(Vec3::ZERO).unwrap().exclude(entity).collect_into(&mut found);
    assert_eq!(found, [other]);
}
