//! Questions, beside loops over all entities.

use crate::{app, body, edge, least, timed};
use bevy_broadleaf::{SpatialIndex, SpatialIndexed};
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use bevy_shape::{BoundingSphere, Ray3d};
use broadleaf::{Aabb, Ray, Sphere};

/// The bounds of an entity, as a program without an index would keep them.
#[derive(Component)]
struct Bounds(Aabb);

pub(crate) fn measure(rounds: usize) {
    println!("\nquestions, each once, beside loops over boxes that are kept as components");
    println!("| question | entities | answers | broadleaf | loop |");
    println!("|---|---:|---:|---:|---:|");
    for count in [10_000, 100_000] {
        let mut app = app();
        app.world_mut().spawn_batch((0..count).map(|number| (body(number, count), SpatialIndexed)).collect::<Vec<_>>());
        app.update();
        let mut all = app.world_mut().query_filtered::<Entity, With<SpatialIndexed>>();
        let all: Vec<_> = all.iter(app.world()).collect();
        for entity in all {
            let bounds = app.world().resource::<SpatialIndex>().bounds(entity).unwrap().aabb();
            app.world_mut().entity_mut(entity).insert(Bounds(bounds));
        }
        let boxes = app.world_mut().query::<(Entity, &Bounds)>();
        let world = app.world();
        let index = world.resource::<SpatialIndex>();
        let row = |name: &str, ask: &mut dyn FnMut(Vec3) -> usize, scan: &mut dyn FnMut(Vec3) -> usize| {
            let (mut ours, mut loops, mut answers) = (vec![], vec![], 0);
            for round in 0..rounds {
                let place = Vec3::splat(edge(count) * 0.02 * (round % 20) as f32 - edge(count) * 0.2);
                ask(place);
                let (time, found) = timed(|| ask(place));
                ours.push(time);
                let (time, wanted) = timed(|| scan(place));
                loops.push(time);
                assert_eq!(found, wanted, "{name}");
                answers += found;
            }
            let (ours, loops) = (least(ours), least(loops));
            println!("| {name} | {count} | {:.1} | {ours:.1} | {loops:.0} |", answers as f64 / rounds as f64);
        };
        row(
            "sphere of radius 4",
            &mut |place| index.overlap(BoundingSphere::new(place, 4.0)).unwrap().count(),
            &mut |place| {
                let ball = Sphere::new(place.to_array(), 4.0);
                boxes.iter_manual(world).filter(|(_, bounds)| bounds.0.overlaps_sphere(&ball)).count()
            },
        );
        let direction = Dir3::new(Vec3::new(1.0, 0.3, 0.2)).unwrap();
        row(
            "closest along a ray",
            &mut |place| {
                index.cast(Ray3d::new(place, direction)).unwrap().closest().map_or(0, |hit| hit.0.index_u32() as usize)
            },
            &mut |place| {
                let ray = Ray::new(place.to_array(), direction.to_array()).unwrap();
                let hits =
                    boxes.iter_manual(world).filter_map(|(entity, bounds)| Some((ray.enter_aabb(&bounds.0)?, entity)));
                // Of equally close ones the index gives that of the lower slot, which is the lower entity here.
                let key = |a: &(f32, Entity), b: &(f32, Entity)| {
                    a.0.total_cmp(&b.0).then(a.1.index_u32().cmp(&b.1.index_u32()))
                };
                hits.min_by(key).map_or(0, |hit| hit.1.index_u32() as usize)
            },
        );
        let mut near = Vec::new();
        row(
            "ten nearest",
            &mut |place| {
                index.nearest(place).unwrap().k_into(10, &mut near);
                near.iter().filter(|near| near.1.distance > 0.0).count()
            },
            &mut |place| {
                let mut distances: Vec<_> =
                    boxes.iter_manual(world).map(|(_, bounds)| bounds.0.distance_sq(place.to_array().into())).collect();
                distances.select_nth_unstable_by(9, f32::total_cmp);
                distances[..10].iter().filter(|&&distance| distance > 0.0).count()
            },
        );
    }
}
