//! What it costs to keep the index.

use crate::{app, body, least, micros, timed};
use bevy_app::App;
use bevy_broadleaf::{EventScope, Sensor, SpatialIndex, SpatialIndexed, SpatialSettings};
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_transform::components::{GlobalTransform, Transform};

pub(crate) fn measure(rounds: usize) {
    println!("\nupkeep of the index, beside a loop over all entities that reads transforms and computes boxes");
    println!("| entities | moving | index | events of 1,000 sensors | events of all | loop |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for count in [10_000, 100_000] {
        for share in [0, 10, 100] {
            let (sync, marked, boxes) = run(count, share, EventScope::Marked, rounds);
            let (_, everyone, _) = run(count, share, EventScope::Everyone, rounds);
            println!("| {count} | {share} % | {sync:.0} | {marked:.0} | {everyone:.0} | {boxes:.0} |");
        }
    }
}

fn run(count: usize, share: usize, events: EventScope, rounds: usize) -> (f64, f64, f64) {
    let mut app: App = app();
    app.world_mut().resource_mut::<SpatialSettings>().events = events;
    app.world_mut().spawn_batch((0..count).map(|number| (body(number, count), SpatialIndexed)).collect::<Vec<_>>());
    let mut all = app.world_mut().query_filtered::<Entity, With<SpatialIndexed>>();
    let sensors: Vec<_> = all.iter(app.world()).step_by(count / 1000).collect();
    sensors.into_iter().for_each(|entity| {
        app.world_mut().entity_mut(entity).insert(Sensor);
    });
    app.update();
    // Each entity so many places apart moves.
    let stride = 100_usize.checked_div(share);
    let (mut sync, mut events, mut boxes) = (vec![], vec![], vec![]);
    for round in 0..rounds + 2 {
        if let Some(stride) = stride {
            let step = if round % 2 == 0 { 0.05 } else { -0.05 };
            let mut transforms = app.world_mut().query::<&mut Transform>();
            transforms.iter_mut(app.world_mut()).step_by(stride).for_each(|mut at| at.translation.x += step);
        }
        app.update();
        let index = app.world().resource::<SpatialIndex>();
        let moved = stride.map_or(0, |stride| count.div_ceil(stride));
        assert_eq!((index.len(), index.report().moved), (count, moved));
        let report = index.report();
        let mut query = app.world_mut().query::<(&GlobalTransform, &Aabb)>();
        let world = app.world();
        let (time, sum) = timed(|| {
            query
                .iter(world)
                .map(|(at, aabb)| (at.affine().matrix3.abs() * aabb.half_extents + at.affine().translation).x)
                .sum::<f32>()
        });
        assert!(sum.is_finite());
        if round >= 2 {
            sync.push(micros(report.sync));
            events.push(micros(report.events));
            boxes.push(time);
        }
    }
    (least(sync), least(events), least(boxes))
}
