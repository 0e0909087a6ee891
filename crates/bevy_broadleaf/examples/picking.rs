//! Boxes, spheres and meshes under many pointers.
//!
//! `cargo run --release --example picking --features picking [PICTURE.png]`. The picture is what
//! the backend says: one pointer for each pixel, colored by the normal of what it hits.

mod common;

use bevy_app::PreUpdate;
use bevy_asset::Assets;
use bevy_broadleaf::{BroadleafPlugin, PickHit, SpatialBounds, SpatialIndexed, SpatialPickingPlugin};
use bevy_camera::Camera;
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::ViewVisibility;
use bevy_ecs::message::Messages;
use bevy_math::{Dir3, Quat, Vec3};
use bevy_mesh::{Mesh, Mesh3d, MeshBuilder, Meshable};
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::pointer::PointerId;
use bevy_shape::{Ray3d, Torus};
use bevy_transform::components::Transform;
use common::picture::Picture;
use std::time::Instant;

const WIDTH: usize = 480;
const HEIGHT: usize = 320;

fn main() -> std::io::Result<()> {
    let mut app = common::headless();
    app.add_plugins((BroadleafPlugin::default(), SpatialPickingPlugin));
    app.init_resource::<RayMap>().add_message::<PointerHits>();
    let torus = Torus { minor_radius: 0.35, major_radius: 0.9 }.mesh().build();
    let torus = app.world_mut().resource_mut::<Assets<Mesh>>().add(torus);
    for number in 0..48 {
        let (column, row) = ((number % 8) as f32, (number / 8) as f32);
        let turn = Quat::from_rotation_x(0.9 + 0.3 * row) * Quat::from_rotation_z(0.5 * column);
        let at = Transform::from_xyz(column * 2.8 - 9.8, 0.0, row * -3.2).with_rotation(turn);
        let mut entity = app.world_mut().spawn((SpatialIndexed, at));
        match number % 3 {
            0 => {
                entity.insert(Mesh3d(torus.clone()));
            }
            1 => {
                entity.insert(SpatialBounds::sphere(1.1));
            }
            _ => {
                entity.insert(Aabb::from_min_max(Vec3::splat(-0.8), Vec3::splat(0.8)));
            }
        }
    }
    let camera = app.world_mut().spawn(Camera::default()).id();
    app.update();
    app.update();
    // No camera draws here, so nothing would be visible.
    let mut visibilities = app.world_mut().query::<&mut ViewVisibility>();
    visibilities.iter_mut(app.world_mut()).for_each(|mut visibility| *visibility = ViewVisibility::VISIBLE);

    let eye = Transform::from_xyz(0.0, 12.0, 13.0).looking_at(Vec3::new(0.0, 0.0, -6.5), Vec3::Y);
    let mut picture = Picture::new(WIDTH, HEIGHT, [18, 20, 26]);
    let (start, mut hits) = (Instant::now(), 0);
    for row in 0..HEIGHT {
        let rays = (0..WIDTH).map(|column| {
            let (x, y) = ((column as f32 / WIDTH as f32 - 0.5) * 1.5, 0.5 - row as f32 / HEIGHT as f32);
            let direction = Dir3::new(eye.rotation * Vec3::new(x, y, -1.0)).expect("a direction");
            (RayId::new(camera, PointerId::Touch(column as u64)), Ray3d::new(eye.translation, direction))
        });
        app.world_mut().resource_mut::<RayMap>().map = rays.collect();
        app.world_mut().run_schedule(PreUpdate);
        for PointerHits { pointer, picks, .. } in app.world_mut().resource_mut::<Messages<PointerHits>>().drain() {
            let (PointerId::Touch(column), Some((_, data))) = (pointer, picks.first()) else { continue };
            let hit = data.extra_as::<PickHit>().expect("the backend's own data");
            let shade = |part: f32| ((part * 0.5 + 0.5) * 225.0) as u8 + 25;
            picture.set(column as f32, row as f32, hit.normal.to_array().map(shade));
            hits += 1;
        }
    }
    let rays = WIDTH * HEIGHT;
    println!(
        "{rays} pointers, {hits} over an entity, {:.2} microseconds each",
        start.elapsed().as_secs_f64() * 1e6 / rays as f64
    );
    assert!(hits > rays / 10 && hits < rays);
    common::picture_path().map_or(Ok(()), |path| picture.save(&path))
}
