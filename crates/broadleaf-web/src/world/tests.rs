//! Tests of worlds: frames, kept states, layers, the camera.

use super::*;
use broadleaf::{Aabb, Object};
use workloads::{Frame, Trace};

fn scene(name: &str, objects: u32) -> World {
    let feed = Feed::scene(name, objects, 1).unwrap();
    World::new(feed, Settings { looseness: 3.0, margin: 0.0 }).unwrap()
}

#[test]
fn a_scene_ends_and_keeps_few_states() {
    let mut world = scene("churn", 200);
    for _ in 0..3 {
        world.seek(0).unwrap();
        for _ in 0..400 {
            world.advance(1).unwrap();
        }
        assert!(world.at_end());
        assert_eq!((world.frame(), world.frames()), (299, 300));
        assert_eq!(world.kept.len(), 1 + 300 / KEPT_EVERY);
    }
    let updates = world.updates();
    world.advance(1).unwrap();
    assert_eq!(world.updates(), updates, "no update without a step");
}

#[test]
fn kept_states_have_a_limit_of_bytes() {
    let mut world = scene("uniform", 200);
    world.kept_bytes_max = 100_000;
    world.seek(299).unwrap();
    assert!((2..300 / KEPT_EVERY).contains(&world.kept.len()), "{}", world.kept.len());
    let hash = world.tree().state_hash();
    world.seek(100).unwrap();
    world.seek(299).unwrap();
    assert_eq!(world.tree().state_hash(), hash);
}

#[test]
fn a_frame_that_is_refused_is_not_skipped() {
    let object = |x: f32| Object::from(Aabb::from_center_half_extents([x, 0.0, 0.0], [0.6; 3]));
    let spawned = |id: u32, x: f32| Frame { spawned: vec![(id, object(x))], ..Frame::default() };
    let mut frames = vec![spawned(0, 0.0), spawned(1, 1.0), spawned(2, f32::NAN), spawned(3, 2.0)];
    let play = |frames: &[Frame], moves: fn(&mut World) -> Result<()>| {
        let feed = Feed::trace(Trace { frames: frames.to_vec() });
        let mut world = World::new(feed, Settings { looseness: 3.0, margin: 0.0 }).unwrap();
        world.seek(1).unwrap();
        let outcome = moves(&mut world);
        (world, outcome)
    };
    let (mut world, outcome) = play(&frames, |world| world.advance(1));
    assert!(outcome.unwrap_err().to_string().contains("frame 2"));
    assert!(world.seek(3).is_err(), "the frame is refused again");
    world.seek(1).unwrap();
    frames.truncate(2);
    let (expected, _) = play(&frames, |_| Ok(()));
    assert_eq!(world.tree().state_hash(), expected.tree().state_hash());
}

#[test]
fn layers_that_are_on_again_leave_no_trace() {
    let mut world = scene("pile", 300);
    world.seek(40).unwrap();
    let (hash, pairs) = (world.tree().state_hash(), world.pairs().len());
    world.set_layers(0b1101).unwrap();
    assert!(world.pairs().len() < pairs && world.tree().state_hash() != hash);
    world.seek(70).unwrap();
    world.seek(40).unwrap();
    assert!(world.pairs().len() < pairs && world.tree().state_hash() != hash);
    world.set_layers(ALL_LAYERS).unwrap();
    assert_eq!((world.tree().state_hash(), world.pairs().len()), (hash, pairs));
}

#[test]
fn a_camera_shows_the_lowest_of_a_pile_and_not_what_fell_out() {
    let spawned = (0..1000_u32).map(|id| {
        // A column of layers; the last object is far below it.
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let y = if id == 999 { -5000.0 } else { (id / 10) as f32 };
        (id, Object::from(Aabb::from_center_half_extents([(id % 10) as f32, y, 0.0], [0.5; 3])))
    });
    let feed = Feed::trace(Trace { frames: vec![Frame { spawned: spawned.collect(), ..Frame::default() }] });
    let mut world = World::new(feed, Settings { looseness: 3.0, margin: 0.0 }).unwrap();
    world.seek(0).unwrap();
    let [min, max] = world.focus();
    assert!((-0.6..=0.0).contains(&min[1]) && max[1] > 99.0, "{min:?} {max:?}");
}
