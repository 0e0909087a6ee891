//! Boxes, spheres and rings under the pointer. What it hits is yellow, an arrow shows the normal,
//! and thin lines show the bounds in the index: through the hole of a ring the pointer hits what is
//! behind it.

use bevy::input::mouse::MouseMotion;
use bevy::picking::pointer::PointerInteraction;
use bevy::prelude::*;
use bevy::window::{CursorMoved, PrimaryWindow, WindowEvent};
use bevy_broadleaf::{
    BroadleafPlugin, PickShape, SpatialBounds, SpatialGizmos, SpatialGizmosPlugin, SpatialIndexed, SpatialPickingPlugin,
};
use bevy_broadleaf_window::{SIZE, app, is_picture_wanted, look, material, mesh};

#[derive(Resource)]
struct Colors {
    plain: Handle<StandardMaterial>,
    hovered: Handle<StandardMaterial>,
}

type Looks = MeshMaterial3d<StandardMaterial>;

fn enter(over: On<PointerOver>, mut looks: Query<&mut Looks>, colors: Res<Colors>) {
    if let Ok(mut looks) = looks.get_mut(over.entity) {
        looks.0 = colors.hovered.clone();
    }
}

fn leave(out: On<PointerOut>, mut looks: Query<&mut Looks>, colors: Res<Colors>) {
    if let Ok(mut looks) = looks.get_mut(out.entity) {
        looks.0 = colors.plain.clone();
    }
}

fn draw_hits(pointers: Query<&PointerInteraction>, mut gizmos: Gizmos) {
    let hits = pointers.iter().filter_map(PointerInteraction::get_nearest_hit);
    for (point, normal) in hits.filter_map(|(_, hit)| hit.position.zip(hit.normal)) {
        gizmos.arrow(point, point + normal * 1.5, Color::srgb(1.0, 0.3, 0.3));
    }
}

/// Nobody is at the mouse: the pointer moves over the window as if somebody were.
fn wander(mut events: MessageWriter<WindowEvent>, window: Single<Entity, With<PrimaryWindow>>, mut frame: Local<u32>) {
    *frame += 1;
    let angle = *frame as f32 * 0.05;
    let size = Vec2::new(SIZE[0] as f32, SIZE[1] as f32);
    let position = size * (Vec2::splat(0.5) + Vec2::new(angle.cos() * 0.25, (angle * 1.7).sin() * 0.2));
    events.write(WindowEvent::CursorMoved(CursorMoved { window: *window, position, delta: None }));
}

/// Turns the scene while the right button is held.
fn turn(
    mut motion: MessageReader<MouseMotion>,
    buttons: Res<ButtonInput<MouseButton>>,
    mut camera: Single<&mut Transform, With<Camera3d>>,
) {
    let moved: f32 = motion.read().map(|motion| motion.delta.x).sum();
    if buttons.pressed(MouseButton::Right) {
        camera.rotate_around(Vec3::new(0.0, 0.0, -6.0), Quat::from_rotation_y(-moved * 0.005));
    }
}

fn main() -> AppExit {
    let mut app = app("picking", 70);
    app.add_plugins((BroadleafPlugin::default(), SpatialPickingPlugin, SpatialGizmosPlugin));
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    let group = store.config_mut::<SpatialGizmos>().1;
    (group.entities, group.entity_color) = (true, Color::srgba(0.55, 0.8, 0.35, 0.25));
    app.add_systems(Update, (draw_hits, turn)).add_observer(enter).add_observer(leave);
    if is_picture_wanted() {
        app.add_systems(First, wander);
    }
    let world = app.world_mut();
    let ring = mesh(world, Torus { minor_radius: 0.35, major_radius: 0.9 });
    let ball = mesh(world, Sphere::new(1.0));
    let cube = mesh(world, Cuboid::new(1.6, 1.6, 1.6));
    let plain = material(world, Color::srgb(0.5, 0.6, 0.75));
    let hovered = material(world, Color::srgb(1.0, 0.8, 0.2));
    for number in 0..48 {
        let (column, row) = ((number % 8) as f32, (number / 8) as f32);
        let turn = Quat::from_rotation_x(0.9 + 0.3 * row) * Quat::from_rotation_z(0.5 * column);
        let at = Transform::from_xyz(column * 2.8 - 9.8, 0.0, row * -3.2).with_rotation(turn);
        let looks = MeshMaterial3d(plain.clone());
        match number % 3 {
            // To the triangles of the mesh.
            0 => world.spawn((SpatialIndexed, at, looks, Mesh3d(ring.clone()))),
            // To the sphere that the index keeps.
            1 => {
                let shape = (SpatialBounds::sphere(1.0), PickShape::Bounds);
                world.spawn((SpatialIndexed, at, looks, Mesh3d(ball.clone()), shape))
            }
            // To the turned box.
            _ => world.spawn((SpatialIndexed, at, looks, Mesh3d(cube.clone()), PickShape::Box)),
        };
    }
    world.insert_resource(Colors { plain, hovered });
    look(world, Vec3::new(0.0, 9.0, 9.0), Vec3::new(0.0, 0.0, -6.0));
    app.run()
}
