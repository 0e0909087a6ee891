//! What the index should hold and answer, by looking at every entity.

use bevy_app::App;
use bevy_broadleaf::{
    EventScope, OverlapEvents, Sensor, SpatialBounds, SpatialIndexed, SpatialLayers, SpatialSettings, SpatialStatic,
};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::InheritedVisibility;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::GlobalTransform;
use broadleaf::{Layers, Mobility, Shape, Sphere};
use std::collections::BTreeSet;

/// An entity that should be in the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) entity: Entity,
    pub(crate) shape: Shape,
    pub(crate) layers: Layers,
    pub(crate) mobility: Mobility,
    pub(crate) reports: bool,
    pub(crate) sensor: bool,
}

/// The entities that should be in the index, with bounds computed from corners.
pub(crate) fn members(app: &mut App) -> Vec<Member> {
    let index_hidden = app.world().resource::<SpatialSettings>().index_hidden;
    let mut entities = app.world_mut().query_filtered::<EntityRef, With<SpatialIndexed>>();
    let mut members: Vec<_> = entities.iter(app.world()).filter_map(|entity| member(entity, index_hidden)).collect();
    members.sort_by_key(|member| member.entity);
    members
}

fn member(entity: EntityRef, index_hidden: bool) -> Option<Member> {
    if !index_hidden && entity.get::<InheritedVisibility>().is_some_and(|inherited| !inherited.get()) {
        return None;
    }
    let at = entity.get::<GlobalTransform>()?;
    let shape = match (entity.get::<SpatialBounds>(), entity.get::<Aabb>()) {
        (Some(SpatialBounds::World(shape)), _) => *shape,
        (Some(SpatialBounds::Local(Shape::Sphere(ball))), _) => {
            let center = at.transform_point(Vec3::from_array(ball.center.to_array()));
            Sphere::new(center.to_array(), ball.radius * stretch(at)).into()
        }
        (Some(SpatialBounds::Local(shape)), _) => corners(at, &shape.aabb()).into(),
        (None, Some(aabb)) => corners(at, &broadleaf::Aabb::new(aabb.min().to_array(), aabb.max().to_array())).into(),
        (None, None) => return None,
    };
    Some(Member {
        entity: entity.id(),
        shape,
        layers: entity.get::<SpatialLayers>().map_or(Layers::ALL, |layers| layers.0),
        mobility: if entity.contains::<SpatialStatic>() { Mobility::Static } else { Mobility::Moving },
        reports: entity.contains::<OverlapEvents>(),
        sensor: entity.contains::<Sensor>(),
    })
}

/// The box around the eight corners of a box that is placed.
fn corners(at: &GlobalTransform, aabb: &broadleaf::Aabb) -> broadleaf::Aabb {
    let ends = [aabb.min, aabb.max];
    broadleaf::Aabb::from_points((0..8).map(|corner: usize| {
        let point = Vec3::new(ends[corner & 1].x, ends[corner >> 1 & 1].y, ends[corner >> 2].z);
        at.transform_point(point).to_array()
    }))
}

/// How much longer a vector may become, by trying many.
fn stretch(at: &GlobalTransform) -> f32 {
    let steps = 60;
    let directions = (0..steps * steps).map(|step| {
        let (a, b) = ((step / steps) as f32 * 0.11, (step % steps) as f32 * 0.11);
        Vec3::new(a.cos() * b.cos(), a.sin() * b.cos(), b.sin())
    });
    directions.map(|direction| at.affine().transform_vector3(direction).length()).fold(0.0, f32::max)
}

/// Checks that the index holds exactly the members, and that its invariants hold. Returns the
/// members with the bounds that the index has, which differ by rounding.
pub(crate) fn check(app: &mut App) -> Vec<Member> {
    let mut members = members(app);
    let index = crate::zoo::index(app);
    index.validate().unwrap();
    assert_eq!(index.len(), members.len());
    for member in &mut members {
        let kept = index.bounds(member.entity).expect("a member is in the index");
        let (is_ball, should_be) = (matches!(kept, Shape::Sphere(_)), matches!(member.shape, Shape::Sphere(_)));
        assert_eq!(is_ball, should_be);
        let (kept, wanted) = (kept.aabb(), member.shape.aabb());
        // Where parents shear, a sphere's radius is rounded up.
        let slack = if is_ball { 0.35 * wanted.extents().max_element() } else { 1e-4 };
        assert!((kept.min - wanted.min).abs().max_element() <= 1e-4 + slack, "{kept:?} {wanted:?}");
        assert!((kept.max - wanted.max).abs().max_element() <= 1e-4 + slack, "{kept:?} {wanted:?}");
        assert!(!is_ball || (wanted.min - kept.min).min_element() >= -2e-2, "a sphere that does not cover");
        member.shape = index.bounds(member.entity).unwrap();
        assert_eq!(index.entity(index.handle(member.entity).unwrap()), member.entity);
        let object = index.view().get(index.handle(member.entity).unwrap()).unwrap();
        assert_eq!((object.layers, object.mobility), (member.layers, member.mobility));
    }
    members
}

/// Whether two shapes overlap.
fn overlap(a: &Shape, b: &Shape) -> bool {
    a.aabb().overlaps(&b.aabb())
        && match (a, b) {
            (Shape::Sphere(a), Shape::Sphere(b)) => a.overlaps(b),
            (Shape::Sphere(ball), other) | (other, Shape::Sphere(ball)) => other.aabb().overlaps_sphere(ball),
            _ => true,
        }
}

/// The overlaps that should be reported, the lower entity first.
pub(crate) fn overlaps(members: &[Member], scope: EventScope) -> BTreeSet<(Entity, Entity)> {
    let mut pairs = BTreeSet::new();
    for (at, a) in members.iter().enumerate() {
        for b in &members[at + 1..] {
            let marked = [a, b].iter().any(|member| member.reports || member.sensor);
            let wanted = match scope {
                EventScope::Nobody => false,
                EventScope::Marked => marked,
                EventScope::Everyone => true,
            };
            let moves = a.mobility == Mobility::Moving || b.mobility == Mobility::Moving;
            let interacts = a.layers.interacts(b.layers) && moves && !(a.sensor && b.sensor);
            if wanted && interacts && overlap(&a.shape, &b.shape) {
                pairs.insert((a.entity.min(b.entity), a.entity.max(b.entity)));
            }
        }
    }
    pairs
}

/// The members whose shape overlaps a shape.
pub(crate) fn overlapping(members: &[Member], shape: impl Into<Shape>) -> BTreeSet<Entity> {
    let shape = shape.into();
    members.iter().filter(|member| overlap(&member.shape, &shape)).map(|member| member.entity).collect()
}
