//! Questions, against a look at every entity.

use crate::oracle::{Member, check, overlapping};
use crate::zoo::{Random, app, disturb, index, spawn};
use bevy_app::App;
use bevy_broadleaf::{EntityBatch, Sensor, SpatialBounds, SpatialIndex, SpatialIndexed, SpatialQuery, SpatialSettings};
use bevy_camera::primitives::Frustum as CameraFrustum;
use bevy_camera::{CameraProjection, PerspectiveProjection};
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use bevy_shape::{Aabb3d, AabbCast3d, BoundingSphere, BoundingSphereCast, Ray3d, RayCast3d};
use bevy_transform::components::{GlobalTransform, Transform};
use broadleaf::query::{StartInside, Viewpoint};
use broadleaf::{Aabb, Containment, Mobility, QueryStats, Ray, Scratch, Shape, Sphere, Threads};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// An app after a few frames, and what its index holds.
fn world(seed: u64) -> (App, Vec<Member>, Random) {
    let (mut app, mut random) = (app(SpatialSettings::default()), Random::new(seed));
    let all: Vec<_> = (0..300).map(|_| spawn(app.world_mut(), &mut random)).collect();
    for _ in 0..5 {
        (0..60).for_each(|_| disturb(app.world_mut(), &mut random, &all));
        app.update();
    }
    let members = check(&mut app);
    assert!(members.len() > 100);
    (app, members, random)
}

fn names<'a>(members: impl IntoIterator<Item = &'a Member>) -> BTreeSet<Entity> {
    members.into_iter().map(|member| member.entity).collect()
}

fn camera(at: Vec3) -> CameraFrustum {
    let projection = PerspectiveProjection { far: 30.0, ..PerspectiveProjection::default() };
    projection.compute_frustum(&GlobalTransform::from(Transform::from_translation(at).looking_at(Vec3::ZERO, Vec3::Y)))
}

#[test]
fn overlaps_are_those_of_a_loop() {
    let (app, members, mut random) = world(11);
    let (index, mut found, mut total, mut insides) = (index(&app), Vec::new(), 0, 0);
    for _ in 0..200 {
        let (center, size) = (random.vector(-20.0, 20.0), random.within(0.1, 12.0));
        let region = Aabb::from_center_half_extents(center.to_array(), [size; 3]);
        index.overlap(Aabb3d::new(center, Vec3::splat(size))).unwrap().collect_into(&mut found);
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), overlapping(&members, region));
        let ball = Sphere::new(center.to_array(), size);
        let question = || index.overlap(BoundingSphere::new(center, size)).unwrap();
        question().collect_into(&mut found);
        let wanted = overlapping(&members, ball);
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), wanted);
        assert_eq!((question().count(), found.len()), (wanted.len(), wanted.len()));
        assert_eq!(question().any().is_some(), !wanted.is_empty());
        assert!(index.overlap(&ball).unwrap().count() == wanted.len(), "the library's own region");
        total += wanted.len();

        // Options.
        let layers = random.below(8);
        let of = |wanted: &dyn Fn(&Member) -> bool| {
            let wanted = members.iter().filter(|member| wanted(member));
            names(wanted).intersection(&overlapping(&members, ball)).copied().collect::<BTreeSet<_>>()
        };
        let check = |name: &str, found: &[Entity], wanted: BTreeSet<Entity>| {
            assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), wanted, "{name}");
        };
        question().layers(layers).collect_into(&mut found);
        check("layers", &found, of(&|member| member.layers.memberships & layers != 0));
        question().only(Mobility::Static).collect_into(&mut found);
        check("only", &found, of(&|member| member.mobility == Mobility::Static));
        question().without_sensors().collect_into(&mut found);
        check("sensors", &found, of(&|member| !member.sensor));
        question().filter(|entity| entity.index_u32().is_multiple_of(2)).collect_into(&mut found);
        check("filter", &found, of(&|member| member.entity.index_u32().is_multiple_of(2)));
        if let Some(&first) = wanted.first() {
            let mut stats = QueryStats::default();
            question().exclude(first).stats(&mut stats).collect_into(&mut found);
            check("exclude", &found, of(&|member| member.entity != first));
            assert_eq!(stats.hits, found.len() as u64);
            let stopped = question().try_for_each(ControlFlow::Break);
            assert!(matches!(stopped, ControlFlow::Break(entity) if wanted.contains(&entity)));
        }
        question().with_containment().for_each(|(entity, containment)| {
            // The farthest point of the bounds; that of a sphere is not a corner of its box.
            let far = match index.bounds(entity).unwrap() {
                Shape::Sphere(inner) => inner.center.distance(ball.center) + inner.radius,
                shape => {
                    let aabb = shape.aabb();
                    (aabb.max - ball.center).abs().max((aabb.min - ball.center).abs()).length()
                }
            };
            insides += usize::from(containment == Containment::Inside);
            assert!(containment == Containment::Intersecting || far <= size * 1.0001);
        });
    }
    assert!(total > 500 && insides > 100, "{total} {insides}");
}

#[test]
fn a_camera_sees_what_a_loop_sees() {
    let (app, members, mut random) = world(12);
    let (index, mut scratch, mut total) = (index(&app), Scratch::new(), 0);
    for _ in 0..50 {
        let eye = random.vector(-25.0, 25.0);
        let camera = camera(eye);
        let mut found = Vec::new();
        index.overlap(camera).unwrap().collect_into(&mut found);
        let seen = |member: &&Member| {
            let aabb = member.shape.aabb();
            let [center, half] = [aabb.center(), aabb.half_extents()].map(|v| Vec3::from_array(v.to_array()));
            let aabb = bevy_camera::primitives::Aabb { center: center.into(), half_extents: half.into() };
            let sphere = bevy_camera::primitives::Sphere { center: center.into(), radius: half.x };
            match member.shape {
                Shape::Sphere(_) => camera.intersects_sphere(&sphere, true) && camera.intersects_obb_identity(&aabb),
                _ => camera.intersects_obb_identity(&aabb),
            }
        };
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), names(members.iter().filter(seen)));
        total += found.len();
        let viewpoint = Viewpoint::new(eye.to_array().into(), 0.0).unwrap();
        let mut distances = Vec::new();
        let question = index.overlap(camera).unwrap().seen_from(&viewpoint).front_to_back(&mut scratch);
        question.for_each(|(_, seen)| distances.push(seen.distance));
        assert!(distances.is_sorted() && distances.len() == found.len());
    }
    assert!(total > 200, "{total}");
}

/// Where a ray first meets a member, if it does.
fn meets(ray: &Ray, member: &Member) -> Option<f32> {
    match member.shape {
        Shape::Sphere(ball) => ray.enter_sphere(&ball),
        shape => ray.enter_aabb(&shape.aabb()),
    }
}

#[test]
fn casts_meet_what_a_loop_meets() {
    let (app, members, mut random) = world(13);
    let (index, mut scratch, mut total) = (index(&app), Scratch::new(), 0);
    for _ in 0..300 {
        let (origin, direction) = (random.vector(-25.0, 25.0), random.vector(-1.0, 1.0));
        let Ok(direction) = Dir3::new(direction) else { continue };
        let ray = Ray::new(origin.to_array(), direction.to_array()).unwrap();
        let question = || index.cast(Ray3d::new(origin, direction)).unwrap();
        let mut hits: Vec<_> = members.iter().filter_map(|it| Some((meets(&ray, it)?, it.entity))).collect();
        hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let closest = question().closest().map(|(_, hit)| hit.distance);
        assert_eq!(closest, hits.first().map(|hit| hit.0));
        let mut found = Vec::new();
        question().in_order(&mut scratch).for_each(|(entity, hit)| found.push((hit.distance, entity)));
        assert!(found.is_sorted_by(|a, b| a.0 <= b.0));
        let set = |hits: &[(f32, Entity)]| hits.iter().map(|hit| hit.1).collect::<BTreeSet<_>>();
        assert_eq!(set(&found), set(&hits));
        total += hits.len();

        let near: Vec<_> = hits.iter().filter(|hit| hit.0 <= 9.0).copied().collect();
        assert_eq!(question().within(9.0).count(), near.len());
        assert_eq!(index.cast(RayCast3d::from_ray(Ray3d::new(origin, direction), 9.0)).unwrap().count(), near.len());
        let outside: Vec<_> = hits.iter().filter(|hit| hit.0 > 0.0).copied().collect();
        assert_eq!(question().inside(StartInside::Skip).count(), outside.len());
        let even: Vec<_> = hits.iter().filter(|hit| hit.1.index_u32() % 2 == 0).copied().collect();
        let closest = question().filter(|entity| entity.index_u32().is_multiple_of(2)).closest();
        assert_eq!(closest.map(|(_, hit)| hit.distance), even.first().map(|hit| hit.0));
        // A narrow phase that has every second entity a unit farther away, and no other.
        let refine = |entity: Entity, hit: &broadleaf::RayHit| {
            entity.index_u32().is_multiple_of(2).then_some(hit.distance + 1.0)
        };
        let refined = question().refine(refine).closest().map(|(_, hit)| hit.distance);
        assert_eq!(refined, even.first().map(|hit| hit.0 + 1.0));
    }
    assert!(total > 300, "{total}");
}

#[test]
fn moving_shapes_meet_what_grown_boxes_say() {
    let (app, members, mut random) = world(14);
    let (index, mut total) = (index(&app), 0);
    for _ in 0..100 {
        let (origin, direction) = (random.vector(-25.0, 25.0), random.vector(-1.0, 1.0));
        let Ok(direction) = Dir3::new(direction) else { continue };
        let half = random.vector(0.1, 1.0);
        let cast = AabbCast3d::new(Aabb3d::new(Vec3::ZERO, half), origin, direction, 20.0);
        // A box that moves meets a box where its centre meets that box, grown by its half extents.
        let met = |member: &&Member| {
            let aabb = member.shape.aabb();
            let target = Aabb3d {
                min: Vec3::from_array(aabb.min.to_array()).into(),
                max: Vec3::from_array(aabb.max.to_array()).into(),
            };
            cast.aabb_collision_at(target).is_some()
        };
        let boxes = members.iter().filter(|member| !matches!(member.shape, Shape::Sphere(_)));
        let wanted = names(boxes.clone().filter(met));
        let mut found = BTreeSet::new();
        let is_box = |entity: Entity| !matches!(index.bounds(entity), Some(Shape::Sphere(_)));
        index.cast(cast).unwrap().filter(is_box).for_each(|(entity, _)| found.extend([entity]));
        // Bevy's own cast rounds otherwise where boxes just touch.
        assert!(found.symmetric_difference(&wanted).count() <= 1, "{found:?} {wanted:?}");
        total += found.len();
        let ball = BoundingSphereCast::new(BoundingSphere::new(Vec3::ZERO, 1.0), origin, direction, 20.0);
        let closest = index.cast(ball.clone()).unwrap().closest();
        assert_eq!(closest.is_some(), index.cast(ball).unwrap().any().is_some());
    }
    assert!(total > 50, "{total}");
    let endless = AabbCast3d::new(Aabb3d::new(Vec3::ZERO, Vec3::ONE), Vec3::ZERO, Dir3::X, f32::INFINITY);
    assert!(index.cast(endless).is_err());
}

#[test]
fn the_nearest_are_those_of_a_loop() {
    let (app, members, mut random) = world(15);
    let (index, mut found) = (index(&app), Vec::new());
    for _ in 0..200 {
        let point = random.vector(-25.0, 25.0);
        let distance = |member: &Member| match member.shape {
            Shape::Sphere(ball) => (Vec3::from_array(ball.center.to_array()).distance(point) - ball.radius).max(0.0),
            shape => shape.aabb().distance_sq(point.to_array().into()).sqrt(),
        };
        let mut wanted: Vec<_> = members.iter().map(distance).collect();
        wanted.sort_by(f32::total_cmp);
        index.nearest(point).unwrap().k_into(10, &mut found);
        assert_eq!(found.len(), 10);
        for ((_, near), wanted) in found.iter().zip(&wanted) {
            assert!((near.distance - wanted).abs() < 1e-3);
        }
        let (entity, near) = index.nearest(point).unwrap().closest().unwrap();
        let member = members.iter().find(|member| member.entity == entity).unwrap();
        assert!((distance(member) - near.distance).abs() < 1e-3);
        let within = index.nearest(point).unwrap().within(3.0).count();
        let wanted = wanted.iter().filter(|&&distance| distance <= 3.0).count();
        assert!(within.abs_diff(wanted) <= 1, "{within} {wanted}");
    }
    assert!(index.nearest(Vec3::NAN).is_err());
}

#[test]
fn batches_answer_as_single_questions_do() {
    let (app, _, mut random) = world(16);
    let index = index(&app);
    let mut corner = || random.vector(-20.0, 20.0).to_array();
    let balls: Vec<_> = (0..300).map(|step| Sphere::new(corner(), 0.1 * (step % 50) as f32)).collect();
    let rays: Vec<_> = (0..300).filter_map(|_| Ray::segment(corner(), corner()).ok()).collect();
    for threads in [Threads::One, Threads::Pool] {
        let mut batch = EntityBatch::new();
        index.overlap_many(&balls).unwrap().threads(threads).layers(5).collect_into(&mut batch);
        assert_eq!(batch.len(), balls.len());
        for (question, ball) in balls.iter().enumerate() {
            let mut single = Vec::new();
            index.overlap(ball).unwrap().layers(5).collect_into(&mut single);
            let found: BTreeSet<_> = batch.of(question).iter().copied().collect();
            assert_eq!(found, single.into_iter().collect());
        }
        assert!(batch.answers().len() > 100);
        let mut batch = EntityBatch::new();
        index.cast_many(&rays).without_sensors().threads(threads).closest_into(&mut batch);
        for (question, ray) in rays.iter().enumerate() {
            let single = index.cast(ray).unwrap().without_sensors().closest();
            assert_eq!(batch.of(question)[0].map(|hit| hit.1.distance), single.map(|hit| hit.1.distance));
        }
        let places: Vec<_> = balls.iter().map(|ball| ball.center).collect();
        let mut batch = EntityBatch::new();
        index.nearest_many(&places).unwrap().threads(threads).k_into(3, &mut batch);
        for (question, place) in places.iter().enumerate() {
            let mut single = Vec::new();
            index.nearest(Vec3::from_array(place.to_array())).unwrap().k_into(3, &mut single);
            let distances =
                |list: &[(Entity, broadleaf::Neighbor)]| list.iter().map(|near| near.1.distance).collect::<Vec<_>>();
            assert_eq!(distances(batch.of(question)), distances(&single));
        }
        assert!(batch.of(balls.len()).is_empty());
    }
    assert!(index.overlap_many(&[Sphere::new([0.0; 3], -1.0)]).is_err());
}

#[test]
fn regression_a_sensor_that_was_despawned_is_a_sensor_until_the_index_follows() {
    let mut app = app(SpatialSettings::default());
    let zone = app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(5.0), Sensor)).id();
    app.update();
    app.world_mut().entity_mut(zone).despawn();
    let question = || index(&app).overlap(Vec3::ZERO).unwrap();
    assert_eq!((question().any(), question().without_sensors().any()), (Some(zone), None));
    index(&app).validate().unwrap();
    app.update();
    assert_eq!(index(&app).overlap(Vec3::ZERO).unwrap().any(), None);
}

#[test]
fn many_systems_may_ask_at_once() {
    // Systems that only read need no lock: Bevy runs them side by side.
    fn reader(spatial: SpatialQuery, index: Res<SpatialIndex>) {
        assert_eq!(spatial.len(), index.len());
    }
    bevy_ecs::system::assert_is_read_only_system(reader);
    let (mut app, members, _) = world(17);
    let region = Aabb::new([-20.0; 3], [20.0; 3]);
    let wanted = overlapping(&members, region).len();
    let ask = move |spatial: SpatialQuery, mut asked: Local<u32>| {
        assert_eq!(spatial.overlap(&region).unwrap().count(), wanted);
        *asked += 1;
    };
    app.add_systems(bevy_app::Update, (ask, ask, ask, ask));
    app.update();
    let index = index(&app);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| assert_eq!(index.overlap(&region).unwrap().count(), wanted));
        }
    });
}

#[test]
fn the_overlaps_of_one_entity_are_those_of_a_loop() {
    let (app, members, _) = world(18);
    let all = crate::oracle::overlaps(&members, bevy_broadleaf::EventScope::Everyone);
    let sensors: BTreeSet<_> = members.iter().filter(|member| member.sensor).map(|member| member.entity).collect();
    let mut found = Vec::new();
    for member in &members {
        index(&app).overlaps_of(member.entity, &mut found);
        // Two sensors do overlap; it is events that leave them out.
        found.retain(|other| !(member.sensor && sensors.contains(other)));
        let wanted: BTreeSet<_> = all
            .iter()
            .filter_map(|&(a, b)| (a == member.entity).then_some(b).or((b == member.entity).then_some(a)))
            .collect();
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), wanted);
    }
    index(&app).overlaps_of(Entity::PLACEHOLDER, &mut found);
    assert!(found.is_empty());
}
