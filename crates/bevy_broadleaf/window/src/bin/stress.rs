//! 100,000 moving boxes: the index culls them, and reports each overlap that begins or ends.
//! Red boxes overlap another one; the title says how many are seen, and the milliseconds.

use bevy::camera::visibility::VisibleEntities;
use bevy::prelude::*;
use bevy_broadleaf::{
    BroadleafPlugin, BroadleafSystems, CullingReport, EventScope, OverlapBegan, OverlapEnded, SpatialCullingPlugin,
    SpatialIndex, SpatialIndexed, SpatialSettings,
};
use bevy_broadleaf_window::{app, look, material, mesh};

const COUNT: usize = 100_000;
const EDGE: f32 = 140.0;

#[derive(Component)]
struct Velocity(Vec3);

/// How many others a box overlaps.
#[derive(Component, Default)]
struct Overlaps(u32);

#[derive(Resource)]
struct Colors([Handle<StandardMaterial>; 2]);

fn fly(mut all: Query<(&mut Transform, &mut Velocity)>, time: Res<Time>) {
    let step = time.delta_secs();
    all.par_iter_mut().for_each(|(mut at, mut velocity)| {
        at.translation += velocity.0 * step;
        for axis in 0..3 {
            if at.translation[axis].abs() > EDGE / 2.0 && at.translation[axis] * velocity.0[axis] > 0.0 {
                velocity.0[axis] = -velocity.0[axis];
            }
        }
    });
}

/// Colors what begins and what ceases to overlap, as the messages say.
fn color(
    mut began: MessageReader<OverlapBegan>,
    mut ended: MessageReader<OverlapEnded>,
    mut boxes: Query<(&mut Overlaps, &mut MeshMaterial3d<StandardMaterial>)>,
    colors: Res<Colors>,
) {
    let mut change = |entity: Entity, change: i32| {
        if let Ok((mut overlaps, mut color)) = boxes.get_mut(entity) {
            let before = overlaps.0;
            overlaps.0 = before.saturating_add_signed(change);
            if (before == 0) != (overlaps.0 == 0) {
                color.0 = colors.0[usize::from(overlaps.0 > 0)].clone();
            }
        }
    };
    began.read().for_each(|pair| [pair.entity, pair.other].into_iter().for_each(|entity| change(entity, 1)));
    ended.read().for_each(|pair| [pair.entity, pair.other].into_iter().for_each(|entity| change(entity, -1)));
}

fn report(
    index: Res<SpatialIndex>,
    culling: Res<CullingReport>,
    cameras: Query<&VisibleEntities>,
    mut window: Single<&mut Window>,
) {
    let report = index.report();
    let millis = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    window.title = format!(
        "{} boxes, {} visible, {} overlaps | index {:.1} ms, events {:.1} ms, culling {:.1} ms",
        index.len(),
        cameras.iter().flat_map(|seen| seen.entities.values()).map(Vec::len).sum::<usize>(),
        index.overlaps().len(),
        millis(report.sync),
        millis(report.events),
        millis(culling.time),
    );
}

fn main() -> AppExit {
    let mut app = app("stress", 12);
    let settings = SpatialSettings { events: EventScope::Everyone, ..SpatialSettings::default() };
    app.add_plugins((BroadleafPlugin::default().with_settings(settings), SpatialCullingPlugin));
    app.add_systems(Update, fly).add_systems(PostUpdate, color.after(BroadleafSystems::Events));
    app.add_systems(Last, report);
    let world = app.world_mut();
    let unit = mesh(world, Cuboid::new(1.0, 1.0, 1.0));
    let colors = [Color::srgb(0.45, 0.55, 0.75), Color::srgb(0.9, 0.25, 0.2)].map(|color| material(world, color));
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut vector = move || Vec3::new(random(), random(), random());
    let bodies = (0..COUNT).map(|_| {
        let at = Transform::from_translation(vector() * EDGE).with_scale(Vec3::splat(0.5) + vector().abs());
        let looks = (Mesh3d(unit.clone()), MeshMaterial3d(colors[0].clone()));
        (looks, at, Velocity(vector() * 8.0), Overlaps::default(), SpatialIndexed)
    });
    world.spawn_batch(bodies.collect::<Vec<_>>());
    world.insert_resource(Colors(colors));
    look(world, Vec3::new(-60.0, 20.0, 95.0), Vec3::new(10.0, 0.0, -10.0));
    app.run()
}
