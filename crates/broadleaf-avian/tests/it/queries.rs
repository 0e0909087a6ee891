//! Answers of [`OctreeQuery`] beside those of avian's `SpatialQuery`, in worlds that are equal bit for bit.

use avian3d::prelude::*;
use avian3d::spatial_query::PointProjection;
use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use broadleaf_avian::OctreeQuery;

use crate::scenes;
use crate::worlds::{Engine, Noise, Rank, Spawned, spawn};

/// A collider, its distance if that is what the question is about, and the rest of the answer.
type Answer = (Entity, f32, String);

/// The same answers, with ranks in place of entities, in order of rank.
type Answers = Vec<(Rank, f32, String)>;

/// Which colliders a question accepts.
type Accepted<'a> = &'a dyn Fn(Entity) -> bool;

/// A stock app and one whose spatial queries the octree answers, some way into the falling scene.
fn worlds() -> [App; 2] {
    [Engine::StockInOrder, Engine::BroadleafQueries].map(|engine| {
        let mut app = (scenes::FALLING.make)(engine);
        let world = app.world_mut();
        for layer in 0..3_u32 {
            let at = Transform::from_xyz(layer as f32 - 8.0, 1.0, 0.0);
            let layers = CollisionLayers::new(LayerMask(2 << layer), LayerMask::ALL);
            spawn(world, (RigidBody::Static, Collider::cuboid(0.5, 2.0, 6.0), layers, at));
            spawn(world, (Collider::sphere(0.6), Sensor, Transform::from_xyz(layer as f32, 9.0, 0.0)));
        }
        for caster in 0..8_u32 {
            let at = Transform::from_xyz(-12.0, 0.4 + caster as f32 * 0.6, caster as f32 * 0.5 - 2.0);
            let rays = RayCaster::new(Vec3::ZERO, Dir3::X).with_max_hits(if caster % 2 == 0 { 1 } else { u32::MAX });
            spawn(world, (rays, at));
            let shape = ShapeCaster::new(Collider::sphere(0.3), Vec3::ZERO, Quat::IDENTITY, Dir3::X);
            spawn(world, (shape.with_max_hits(if caster % 2 == 0 { 1 } else { 9999 }), at));
        }
        for _ in 0..70 {
            app.update();
        }
        app
    })
}

/// Compares a question's answers in both worlds, `count` times, and returns how many there were.
///
/// Of several colliders at the same distance each engine may name another: then avian, asked about
/// the one that we named alone, gives our answer, and it is as near as the one that avian named.
fn compare(
    name: &str,
    count: u32,
    stock: impl Fn(&SpatialQuery, &mut Noise, Accepted) -> Vec<Answer>,
    ours: impl Fn(&OctreeQuery, &mut Noise, Accepted) -> Vec<Answer>,
) -> usize {
    let [mut one, mut two] = worlds();
    let mut state_of_stock = SystemState::<SpatialQuery>::new(one.world_mut());
    let mut state_of_ours = SystemState::<OctreeQuery>::new(two.world_mut());
    let stock_query = state_of_stock.get(one.world()).expect("parameters");
    let our_query = state_of_ours.get(two.world()).expect("parameters");
    let mut noise = Noise::new(11);
    let mut total = 0;
    for question in 0..count {
        let mut same_noise = noise;
        let mut again = noise;
        let answers = ranked(two.world(), ours(&our_query, &mut noise, &|_| true));
        let mut expected = ranked(one.world(), stock(&stock_query, &mut same_noise, &|_| true));
        if let ([answer], [other]) = (&answers[..], &expected[..])
            && answer.0 != other.0
            && answer.1.to_bits() == other.1.to_bits()
        {
            let named = one.world().resource::<Spawned>().0[answer.0.0 as usize];
            expected = ranked(one.world(), stock(&stock_query, &mut again, &|entity| entity == named));
        }
        assert_eq!(expected, answers, "{name}, question {question}");
        total += answers.len();
    }
    total
}

fn ranked(world: &World, answers: Vec<Answer>) -> Answers {
    let rank = |entity| *world.get::<Rank>(entity).expect("a collider of the scene");
    let mut answers: Answers =
        answers.into_iter().map(|(entity, distance, text)| (rank(entity), distance, text)).collect();
    answers.sort_by(|a, b| (a.0, &a.2).cmp(&(b.0, &b.2)));
    answers
}

/// A test that asks both system parameters the same; the last expression makes an iterator over
/// entities with what is known of them.
macro_rules! same_answers {
    ($test:ident, $count:expr, $at_least:expr, |$query:ident, $noise:ident, $accepted:pat_param| $ask:block) => {
        #[test]
        fn $test() {
            let total = compare(
                stringify!($test),
                $count,
                |$query: &SpatialQuery, $noise: &mut Noise, $accepted: Accepted| $ask.collect(),
                |$query: &OctreeQuery, $noise: &mut Noise, $accepted: Accepted| $ask.collect(),
            );
            assert!(total >= $at_least, "only {total} answers");
        }
    };
}

fn ray(noise: &mut Noise) -> (Vec3, Dir3, f32) {
    let origin = noise.vector() * Vec3::new(16.0, 12.0, 16.0) + Vec3::Y * 3.0;
    let direction = Dir3::new(noise.vector()).unwrap_or(Dir3::X);
    (origin, direction, if noise.number() < 0.0 { f32::MAX } else { 6.0 })
}

/// All layers, some layers, or all colliders but one of no importance.
fn filter(noise: &mut Noise) -> SpatialQueryFilter {
    match (noise.number() * 4.0).round() as i32 {
        -2 | -1 => SpatialQueryFilter::default(),
        0 => SpatialQueryFilter::from_mask(0b110),
        _ => SpatialQueryFilter::from_mask(0b1),
    }
}

fn hit(hit: RayHitData) -> Answer {
    (hit.entity, hit.distance, format!("{:?}", hit.normal))
}

/// All but the entity, which differs between the worlds.
fn shape_hit(hit: ShapeHitData) -> Answer {
    (hit.entity, hit.distance, format!("{:?} {:?} {:?} {:?}", hit.point1, hit.point2, hit.normal1, hit.normal2))
}

fn named(entity: Entity) -> Answer {
    (entity, 0.0, String::new())
}

same_answers!(cast_ray, 300, 100, |query, noise, accepted| {
    let (origin, direction, reach) = ray(noise);
    let (filter, solid) = (filter(noise), noise.number() < 0.0);
    query.cast_ray_predicate(origin, direction, reach, solid, &filter, accepted).into_iter().map(hit)
});

same_answers!(ray_hits, 400, 300, |query, noise, _| {
    let (origin, direction, reach) = ray(noise);
    let (filter, solid) = (filter(noise), noise.number() < 0.0);
    query.ray_hits(origin, direction, reach, u32::MAX, solid, &filter).into_iter().map(hit)
});

same_answers!(cast_shape, 200, 80, |query, noise, accepted| {
    let (origin, direction, reach) = ray(noise);
    let filter = filter(noise);
    let mut config = ShapeCastConfig::from_max_distance(reach);
    config.ignore_origin_penetration = noise.number() < 0.0;
    config.target_distance = (noise.number() * 0.4).max(0.0);
    let shape = Collider::capsule(0.2, 0.5);
    let turn = Quat::from_rotation_x(0.4);
    query.cast_shape_predicate(&shape, origin, turn, direction, &config, &filter, accepted).into_iter().map(shape_hit)
});

same_answers!(shape_hits, 200, 200, |query, noise, _| {
    let (origin, direction, reach) = ray(noise);
    let (filter, config) = (filter(noise), ShapeCastConfig::from_max_distance(reach));
    let shape = Collider::cuboid(0.5, 0.3, 0.4);
    query.shape_hits(&shape, origin, Quat::IDENTITY, direction, u32::MAX, &config, &filter).into_iter().map(shape_hit)
});

same_answers!(project_point, 300, 200, |query, noise, accepted| {
    let (point, ..) = ray(noise);
    let (filter, solid) = (filter(noise), noise.number() < 0.0);
    let near = query.project_point_predicate(point, solid, &filter, accepted);
    let text = |near: PointProjection| format!("{:?} {}", near.point, near.is_inside);
    near.into_iter().map(move |near| (near.entity, near.point.distance(point), text(near)))
});

same_answers!(point_intersections, 400, 60, |query, noise, _| {
    let point = noise.vector() * Vec3::new(8.0, 5.0, 8.0) + Vec3::Y * 2.0;
    query.point_intersections(point, &filter(noise)).into_iter().map(named)
});

same_answers!(aabb_intersections, 100, 500, |query, noise, _| {
    let half = Vec3::splat(0.2) + noise.vector().abs() * 3.0;
    let at = noise.vector() * 8.0 + Vec3::Y * 2.0;
    query.aabb_intersections_with_aabb(ColliderAabb::new(at, half)).into_iter().map(named)
});

same_answers!(shape_intersections, 200, 300, |query, noise, _| {
    let at = noise.vector() * 8.0 + Vec3::Y * 2.0;
    let turn = Quat::from_scaled_axis(noise.vector());
    query.shape_intersections(&Collider::cylinder(0.7, 1.5), at, turn, &filter(noise)).into_iter().map(named)
});

#[test]
fn predicates_and_callbacks_end_where_they_say() {
    let [_, mut app] = worlds();
    let mut state = SystemState::<OctreeQuery>::new(app.world_mut());
    let query = state.get(app.world()).expect("parameters");
    let all = SpatialQueryFilter::default();
    let (origin, down) = (Vec3::new(0.1, 20.0, 0.1), Dir3::NEG_Y);
    let first = query.cast_ray(origin, down, 100.0, true, &all).expect("something is below");
    let second = query.cast_ray_predicate(origin, down, 100.0, true, &all, &|entity| entity != first.entity);
    assert!(second.is_some_and(|second| second.distance >= first.distance && second.entity != first.entity));
    let excluded = SpatialQueryFilter::from_excluded_entities([first.entity]);
    assert_eq!(query.cast_ray(origin, down, 100.0, true, &excluded), second);

    let mut calls = 0;
    query.shape_intersections_callback(&Collider::sphere(5.0), Vec3::Y, Quat::IDENTITY, &all, |_| {
        calls += 1;
        calls < 3
    });
    assert_eq!(calls, 3);
    assert_eq!(query.ray_hits(origin, down, 100.0, 2, true, &all).len(), 2);
    assert_eq!(query.cast_ray(origin, down, f32::NAN, true, &all), None);
    assert_eq!(query.cast_ray(Vec3::NAN, down, 1.0, true, &all), None);
    assert!(query.project_point(Vec3::NAN, true, &all).is_none());
}

#[test]
fn casters_hit_the_same() {
    let [mut one, mut two] = worlds();
    let hits = |app: &mut App| {
        let world = app.world_mut();
        let mut hits = Vec::new();
        for &entity in &world.resource::<Spawned>().0.clone() {
            let rays = world.get::<RayHits>(entity).map(|hits| hits.iter().copied().map(hit).collect());
            let shapes = world.get::<ShapeHits>(entity).map(|hits| hits.iter().copied().map(shape_hit).collect());
            hits.extend(rays.or(shapes).map(|answers| ranked(world, answers)));
        }
        hits
    };
    let (expected, answers) = (hits(&mut one), hits(&mut two));
    assert_eq!(expected, answers);
    assert!(answers.iter().filter(|hits| !hits.is_empty()).count() >= 8, "{answers:?}");
}

#[test]
fn a_removed_collider_is_not_found() {
    let [_, mut app] = worlds();
    let mut state = SystemState::<OctreeQuery>::new(app.world_mut());
    let all = SpatialQueryFilter::default();
    let below = |app: &App, state: &mut SystemState<OctreeQuery>| {
        let query = state.get(app.world()).expect("parameters");
        query.cast_ray(Vec3::new(0.1, 20.0, 0.1), Dir3::NEG_Y, 100.0, true, &all)
    };
    let first = below(&app, &mut state).expect("something is below");
    app.world_mut().despawn(first.entity);
    let second = below(&app, &mut state).expect("the floor is below");
    assert!(second.entity != first.entity && second.distance >= first.distance);
    app.update();
    assert_ne!(below(&app, &mut state).map(|hit| hit.entity), Some(first.entity));
}
