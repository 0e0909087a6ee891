//! Trigger volumes: doors that open while somebody is near, and a counter at each.
//!
//! `cargo run --release --example triggers [PICTURE.png]`. The picture shows the walks of all
//! visitors, bright while they are in a zone, as the events have said.

mod common;

use bevy_app::Update;
use bevy_broadleaf::{
    BroadleafPlugin, BroadleafSystems, OverlapBegan, OverlapEnded, Sensor, SpatialBounds, SpatialIndex, SpatialIndexed,
    SpatialLayers,
};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use common::picture::Picture;

const VISITORS: u32 = 1;
const ZONES: u32 = 2;
const FRAMES: usize = 600;

/// A zone, and who is in it.
#[derive(Component, Default)]
struct Zone {
    inside: Vec<Entity>,
    visits: usize,
}

/// Who walks, and in how many zones he is.
#[derive(Component)]
struct Visitor {
    phase: f32,
    zones: u32,
}

fn walk(mut visitors: Query<(&Visitor, &mut Transform)>, mut frame: Local<f32>) {
    *frame += 1.0;
    for (visitor, mut at) in &mut visitors {
        let time = *frame * 0.011 + visitor.phase;
        let (a, b) = (time * (1.0 + visitor.phase * 0.07), time * (1.7 - visitor.phase * 0.05));
        at.translation = Vec3::new(a.sin() * 9.0, 0.0, b.cos() * 9.0);
    }
}

/// What happens at a zone, as an observer of that entity alone.
fn enter(began: On<OverlapBegan>, mut zones: Query<&mut Zone>) {
    if let Ok(mut zone) = zones.get_mut(began.entity) {
        zone.inside.push(began.other);
        zone.visits += 1;
    }
}

fn leave(ended: On<OverlapEnded>, mut zones: Query<&mut Zone>) {
    if let Ok(mut zone) = zones.get_mut(ended.entity) {
        zone.inside.retain(|&inside| inside != ended.other);
    }
}

/// The same news for a system, as messages.
fn count(
    mut began: MessageReader<OverlapBegan>,
    mut ended: MessageReader<OverlapEnded>,
    mut visitors: Query<&mut Visitor>,
) {
    let mut change = |entities: [Entity; 2], change: i32| {
        for entity in entities {
            if let Ok(mut visitor) = visitors.get_mut(entity) {
                visitor.zones = visitor.zones.saturating_add_signed(change);
            }
        }
    };
    began.read().for_each(|pair| change([pair.entity, pair.other], 1));
    ended.read().for_each(|pair| change([pair.entity, pair.other], -1));
}

fn main() -> std::io::Result<()> {
    let mut app = common::headless();
    app.add_plugins(BroadleafPlugin::default());
    app.add_systems(Update, walk).add_systems(bevy_app::PostUpdate, count.after(BroadleafSystems::Events));
    let zones: Vec<_> = (0..5)
        .map(|number| {
            let angle = number as f32 * std::f32::consts::TAU / 5.0;
            let at = Transform::from_xyz(angle.cos() * 6.0, 0.0, angle.sin() * 6.0);
            let zone = (Zone::default(), SpatialIndexed, SpatialBounds::sphere(2.0), Sensor);
            let mut zone = app.world_mut().spawn((zone, SpatialLayers::new(ZONES, VISITORS), at));
            zone.observe(enter).observe(leave);
            zone.id()
        })
        .collect();
    for number in 0..12 {
        let visitor = Visitor { phase: number as f32, zones: 0 };
        let layers = SpatialLayers::new(VISITORS, ZONES);
        app.world_mut().spawn((visitor, SpatialIndexed, SpatialBounds::sphere(0.3), layers));
    }

    let mut picture = Picture::new(800, 800, [18, 20, 26]);
    let place = |at: Vec3| [400.0 + at.x * 40.0, 400.0 + at.z * 40.0];
    for _ in 0..FRAMES {
        app.update();
        let mut visitors = app.world_mut().query::<(&Visitor, &Transform)>();
        for (visitor, at) in visitors.iter(app.world()) {
            let [x, y] = place(at.translation);
            let color = if visitor.zones > 0 { [255, 190, 90] } else { [70, 100, 130] };
            picture.square(x, y, 2.0, color);
        }
    }
    let mut found = Vec::new();
    for (number, &zone) in zones.iter().enumerate() {
        let Zone { inside, visits } = app.world().get(zone).expect("zones stay");
        println!("zone {number}: {visits} visits, {} inside", inside.len());
        // The index says the same, asked directly.
        app.world().resource::<SpatialIndex>().overlaps_of(zone, &mut found);
        assert_eq!(found.len(), inside.len());
        assert!(*visits > 0 && found.iter().all(|visitor| inside.contains(visitor)));
        let at = app.world().get::<Transform>(zone).expect("zones stay").translation;
        let [x, y] = place(at);
        picture.circle(x, y, 80.0, [120, 200, 140]);
    }
    common::picture_path().map_or(Ok(()), |path| picture.save(&path))
}
