//! Trigger volumes: a zone lights up while somebody is in it, and visitors are orange while they
//! are in a zone. Observers on the zones hear who comes and goes.

use bevy::prelude::*;
use bevy_broadleaf::{
    BroadleafPlugin, BroadleafSystems, OverlapBegan, OverlapEnded, Sensor, SpatialBounds, SpatialIndexed, SpatialLayers,
};
use bevy_broadleaf_window::{app, look, material, mesh};

const VISITORS: u32 = 1;
const ZONES: u32 = 2;

/// A zone, and who is in it.
#[derive(Component, Default)]
struct Zone(Vec<Entity>);

/// Who walks, and in how many zones he is.
#[derive(Component)]
struct Visitor {
    phase: f32,
    zones: u32,
}

/// Materials, without and with somebody.
#[derive(Resource)]
struct Colors {
    zone: [Handle<StandardMaterial>; 2],
    visitor: [Handle<StandardMaterial>; 2],
}

type Looks = MeshMaterial3d<StandardMaterial>;

fn walk(mut visitors: Query<(&Visitor, &mut Transform)>, time: Res<Time>) {
    for (visitor, mut at) in &mut visitors {
        let time = time.elapsed_secs() * 0.66 + visitor.phase;
        let (a, b) = (time * (1.0 + visitor.phase * 0.07), time * (1.7 - visitor.phase * 0.05));
        at.translation = Vec3::new(a.sin() * 9.0, 0.4, b.cos() * 9.0);
    }
}

/// What happens at a zone, as an observer of that entity alone.
fn enter(began: On<OverlapBegan>, mut zones: Query<(&mut Zone, &mut Looks)>, colors: Res<Colors>) {
    if let Ok((mut zone, mut looks)) = zones.get_mut(began.entity) {
        zone.0.push(began.other);
        looks.0 = colors.zone[1].clone();
    }
}

fn leave(ended: On<OverlapEnded>, mut zones: Query<(&mut Zone, &mut Looks)>, colors: Res<Colors>) {
    if let Ok((mut zone, mut looks)) = zones.get_mut(ended.entity) {
        zone.0.retain(|&inside| inside != ended.other);
        looks.0 = colors.zone[usize::from(!zone.0.is_empty())].clone();
    }
}

/// The same news for a system, as messages.
fn color(
    mut began: MessageReader<OverlapBegan>,
    mut ended: MessageReader<OverlapEnded>,
    mut visitors: Query<(&mut Visitor, &mut Looks)>,
    colors: Res<Colors>,
) {
    let mut change = |entity: Entity, change: i32| {
        if let Ok((mut visitor, mut looks)) = visitors.get_mut(entity) {
            visitor.zones = visitor.zones.saturating_add_signed(change);
            looks.0 = colors.visitor[usize::from(visitor.zones > 0)].clone();
        }
    };
    began.read().for_each(|pair| [pair.entity, pair.other].into_iter().for_each(|entity| change(entity, 1)));
    ended.read().for_each(|pair| [pair.entity, pair.other].into_iter().for_each(|entity| change(entity, -1)));
}

fn main() -> AppExit {
    let mut app = app("triggers", 100);
    app.add_plugins(BroadleafPlugin::default());
    app.add_systems(Update, walk).add_systems(PostUpdate, color.after(BroadleafSystems::Events));
    let world = app.world_mut();
    let (sphere, small) = (mesh(world, Sphere::new(2.0)), mesh(world, Sphere::new(0.3)));
    let ground = mesh(world, Plane3d::default().mesh().size(24.0, 24.0));
    let ground_color = material(world, Color::srgb(0.16, 0.18, 0.22));
    world.spawn((Mesh3d(ground), MeshMaterial3d(ground_color)));
    let zone = [Color::srgba(0.3, 0.6, 0.9, 0.15), Color::srgba(0.4, 0.95, 0.5, 0.45)];
    let visitor = [Color::srgb(0.6, 0.65, 0.75), Color::srgb(1.0, 0.6, 0.15)];
    let colors =
        Colors { zone: zone.map(|color| material(world, color)), visitor: visitor.map(|color| material(world, color)) };
    for number in 0..5 {
        let angle = number as f32 * std::f32::consts::TAU / 5.0;
        let at = Transform::from_xyz(angle.cos() * 6.0, 0.0, angle.sin() * 6.0);
        let looks = (Mesh3d(sphere.clone()), MeshMaterial3d(colors.zone[0].clone()));
        let bounds = (SpatialIndexed, SpatialBounds::sphere(2.0), Sensor, SpatialLayers::new(ZONES, VISITORS));
        world.spawn((looks, at, bounds, Zone::default())).observe(enter).observe(leave);
    }
    for number in 0..12 {
        let looks = (Mesh3d(small.clone()), MeshMaterial3d(colors.visitor[0].clone()));
        let bounds = (SpatialIndexed, SpatialBounds::sphere(0.3), SpatialLayers::new(VISITORS, ZONES));
        world.spawn((looks, bounds, Visitor { phase: number as f32, zones: 0 }));
    }
    world.insert_resource(colors);
    look(world, Vec3::new(0.0, 15.0, 14.0), Vec3::new(0.0, 0.0, 1.0));
    app.run()
}
