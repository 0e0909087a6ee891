//! The picking of meshes, beside Bevy's.

use crate::{app, body, edge, least, timed};
use bevy_app::PreUpdate;
use bevy_asset::Assets;
use bevy_broadleaf::{SpatialIndexed, SpatialPickingPlugin};
use bevy_camera::Camera;
use bevy_camera::visibility::ViewVisibility;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use bevy_mesh::{Mesh, Mesh3d, Meshable};
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::mesh_picking::{MeshPickingSettings, update_hits};
use bevy_picking::pointer::PointerId;
use bevy_shape::Ray3d;

pub(crate) fn measure(rounds: usize) {
    println!("\npicking: one pointer, spheres of 1,280 triangles");
    println!("| meshes | broadleaf | Bevy |");
    println!("|---:|---:|---:|");
    for count in [10_000, 100_000] {
        scene(count, rounds);
    }
}

fn scene(count: usize, rounds: usize) {
    let mut app = app();
    app.add_plugins(SpatialPickingPlugin);
    app.init_resource::<RayMap>().init_resource::<MeshPickingSettings>().add_message::<PointerHits>();
    let camera = app.world_mut().spawn(Camera::default()).id();
    let ball: Mesh = bevy_shape::Sphere::new(0.5).mesh().ico(7).unwrap();
    assert_eq!(ball.triangles().unwrap().count(), 1280);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(ball);
    let bundles = (0..count).map(|number| (body(number, count).0, SpatialIndexed, Mesh3d(mesh.clone())));
    app.world_mut().spawn_batch(bundles.collect::<Vec<_>>());
    app.update();
    app.update();
    let mut visibilities = app.world_mut().query::<&mut ViewVisibility>();
    visibilities.iter_mut(app.world_mut()).for_each(|mut visibility| *visibility = ViewVisibility::VISIBLE);
    let mut bevy = Schedule::default();
    bevy.add_systems(update_hits);
    let (mut ours, mut stock, mut hits) = (vec![], vec![], 0);
    for round in 0..rounds + 2 {
        let eye = Vec3::new(-0.6, 0.01 * round as f32 - 0.1, 0.013 * round as f32) * edge(count);
        let rays = &mut app.world_mut().resource_mut::<RayMap>().map;
        rays.clear();
        rays.insert(RayId::new(camera, PointerId::Mouse), Ray3d::new(eye, Dir3::X));
        let take = |app: &mut bevy_app::App| {
            let mut messages = app.world_mut().resource_mut::<Messages<PointerHits>>();
            messages.drain().flat_map(|hits| hits.picks).map(|(entity, data)| (entity, data.depth)).next()
        };
        let time = timed(|| app.world_mut().run_schedule(PreUpdate)).0;
        let found = take(&mut app);
        let bevy_time = timed(|| bevy.run(app.world_mut())).0;
        let wanted = take(&mut app);
        assert_eq!(found.map(|hit| hit.0), wanted.map(|hit| hit.0));
        let near = found.zip(wanted).is_none_or(|(a, b)| (a.1 - b.1).abs() < 1e-3 * edge(count));
        assert!(near, "{found:?} {wanted:?}");
        hits += usize::from(found.is_some());
        if round >= 2 {
            ours.push(time);
            stock.push(bevy_time);
        }
    }
    assert!(hits > rounds / 3, "{hits}");
    println!("| {count} | {:.0} | {:.0} |", least(ours), least(stock));
}
