//! Colliders that appear, vanish, or change their body, layers or flags.
//!
//! Observers only note which collider is concerned; its components are read once, by the next
//! step. The events are those that avian's own trees are kept by.

use avian3d::collider_tree::{ColliderTreeProxyFlags, ColliderTreeType};
use avian3d::collision::collider::EnlargedAabb;
use avian3d::prelude::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use crate::index::{ColliderIndex, Entry, Stale};

/// Adds the observers.
pub(crate) fn observe(app: &mut App) {
    app.add_observer(note::<Insert<(ColliderMarker, ColliderOf)>, true>)
        .add_observer(note::<Insert<Collider>, true>)
        .add_observer(note::<Remove<ColliderOf>, true>)
        .add_observer(note::<Discard<Disabled>, true>)
        .add_observer(note::<Discard<ColliderDisabled>, true>)
        .add_observer(note::<Add<Sensor>, false>)
        .add_observer(note::<Remove<Sensor>, false>)
        .add_observer(note::<Insert<CollisionLayers>, false>)
        .add_observer(note::<Insert<ActiveCollisionHooks>, false>)
        .add_observer(note_colliders::<Insert<RigidBody>, true>)
        .add_observer(note_colliders::<Add<RigidBodyDisabled>, false>)
        .add_observer(note_colliders::<Remove<RigidBodyDisabled>, false>)
        .add_observer(remove::<Remove<ColliderMarker>>)
        .add_observer(remove::<Remove<Collider>>)
        .add_observer(remove::<Add<Disabled>>)
        .add_observer(remove::<Add<ColliderDisabled>>);
}

/// Lists the entity; most events concern colliders, and the next step tells which do.
fn note<E: EventPattern<Event: EntityEvent>, const MOVED: bool>(trigger: On<E>, mut index: ResMut<ColliderIndex>) {
    index.stale.push(Stale { collider: trigger.event_target(), moved: MOVED });
}

/// Lists the colliders of a body.
fn note_colliders<E: EventPattern<Event: EntityEvent>, const MOVED: bool>(
    trigger: On<E>,
    bodies: Query<&RigidBodyColliders>,
    mut index: ResMut<ColliderIndex>,
) {
    if let Ok(colliders) = bodies.get(trigger.event_target()) {
        index.stale.extend(colliders.iter().map(|collider| Stale { collider, moved: MOVED }));
    }
}

fn remove<E: EventPattern<Event: EntityEvent>>(trigger: On<E>, mut index: ResMut<ColliderIndex>) {
    index.remove(trigger.event_target());
}

/// What is read of colliders.
#[derive(SystemParam)]
pub(crate) struct Colliders<'w, 's> {
    colliders: Query<'w, 's, ColliderComponents, (With<ColliderMarker>, Without<ColliderDisabled>)>,
    bodies: Query<'w, 's, (&'static RigidBody, Has<RigidBodyDisabled>)>,
}

type ColliderComponents = (
    &'static EnlargedAabb,
    Option<&'static ColliderOf>,
    Option<&'static CollisionLayers>,
    Has<Sensor>,
    Has<CollisionEventsEnabled>,
    Option<&'static ActiveCollisionHooks>,
);

impl Colliders<'_, '_> {
    /// Reads all listed colliders anew.
    pub(crate) fn refresh(&self, index: &mut ColliderIndex) {
        let mut stale = std::mem::take(&mut index.stale);
        for Stale { collider, moved } in stale.drain(..) {
            match self.read(collider) {
                Some((entry, aabb)) => {
                    let moved = moved || index.entry_of(collider).is_none();
                    index.set(entry, &aabb, moved);
                }
                None => index.remove(collider),
            }
        }
        index.stale = stale;
    }

    /// The enlarged box of a collider.
    pub(crate) fn enlarged(&self, collider: Entity) -> Option<ColliderAabb> {
        self.colliders.get(collider).ok().map(|(enlarged, ..)| enlarged.get())
    }

    fn read(&self, collider: Entity) -> Option<(Entry, ColliderAabb)> {
        let (enlarged, of, layers, sensor, events, hooks) = self.colliders.get(collider).ok()?;
        let body = of.map(|of| of.body);
        let (kind, disabled) = match body.map(|body| self.bodies.get(body)) {
            Some(Ok((&rigid, disabled))) => (ColliderTreeType::from_body(Some(rigid)), disabled),
            _ => (ColliderTreeType::Standalone, false),
        };
        let layers = layers.copied().unwrap_or_default();
        let flags = ColliderTreeProxyFlags::new(sensor, disabled, events, hooks.copied().unwrap_or_default());
        Some((Entry { collider, body, kind, layers, flags }, enlarged.get()))
    }
}
