mod damage;
mod hostile;
mod table;

use super::*;
use crate::scenes::Scene;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mobility, Object, Shape, Sphere};

/// A scene's frames as a trace, with coordinates on a grid or as they come.
fn recorded(name: &str, count: u32, steps: usize, grid: Option<f32>) -> Trace {
    let mut scene = Scene::by_name(name, count, 1).unwrap();
    let snap = |shape: Shape| match (grid, shape) {
        (None, shape) => shape,
        (Some(grid), Shape::Aabb(b)) => Aabb::new((b.min / grid).floor() * grid, (b.max / grid).ceil() * grid).into(),
        (Some(grid), Shape::Sphere(s)) => {
            Sphere::new((s.center / grid).round() * grid, (s.radius / grid).ceil() * grid).into()
        }
        _ => unreachable!("a shape that is not known here"),
    };
    let kept = |(id, object): (u32, Object)| (id, Object::new(snap(object.shape)).with_mobility(object.mobility));
    let spawned = (0..).zip(scene.objects().iter().copied()).map(kept).collect();
    let mut frames = vec![Frame { spawned, ..Frame::default() }];
    for _ in 0..steps {
        let mut frame = scene.step().clone();
        frame.spawned = frame.spawned.into_iter().map(kept).collect();
        frame.moved.iter_mut().for_each(|(_, shape)| *shape = snap(*shape));
        frames.push(frame);
    }
    Trace { frames }
}

fn packed(trace: &Trace) -> Vec<u8> {
    let mut file = Vec::new();
    trace.write(&mut file).unwrap();
    file
}

#[test]
fn scenes_survive_the_round_trip() {
    for name in Scene::NAMES {
        for grid in [None, Some(1.0 / 256.0)] {
            let trace = recorded(name, 50, 70, grid);
            assert_eq!(Trace::read(packed(&trace).as_slice()).unwrap(), trace, "{name}");
        }
    }
}

#[test]
fn odd_shapes_survive_the_round_trip() {
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let tiny = Sphere::new(Vec3::new(-0.0, 1e-40, 1e30), 1e-38);
    let fixed = Object::new(everywhere).with_mobility(Mobility::Static);
    let trace = Trace {
        frames: vec![
            Frame { spawned: vec![(u32::MAX, fixed), (0, tiny.into())], ..Frame::default() },
            Frame { moved: vec![(0, everywhere.into()), (u32::MAX, tiny.into())], ..Frame::default() },
            Frame { removed: vec![0], spawned: vec![(0, tiny.into())], ..Frame::default() },
            Frame::default(),
        ],
    };
    assert_eq!(Trace::read(packed(&trace).as_slice()).unwrap(), trace);
    assert_eq!(Trace::read(packed(&Trace::default()).as_slice()).unwrap(), Trace::default());
}

#[test]
fn smooth_motion_on_a_grid_packs_small() {
    let trace = recorded("uniform", 500, 50, Some(1.0 / 256.0));
    let bytes = packed(&trace).len();
    let moves: usize = trace.frames.iter().map(|frame| frame.moved.len()).sum();
    assert!(bytes < moves * 3, "{bytes} bytes for {moves} moves");
}
