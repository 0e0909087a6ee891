//! Rollback: every frame goes eight frames back and plays them again, as a
//! network game does when late input arrives. Snapshots are taken into trees
//! that are there already, and the state hash tells that history repeats itself.
//!
//! `cargo run --release --example rollback`

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Octree, PairTracker, Sphere};
use std::time::{Duration, Instant};

/// Frames that are rolled back and played again.
const WINDOW: usize = 8;
const FRAMES: usize = 60;
const BODIES: u16 = 4000;

/// All that a frame changes, and must be brought back.
#[derive(Clone, Default)]
struct World {
    tree: Octree,
    tracker: PairTracker,
}

impl World {
    /// Copies another world into this one; allocates nothing once there is room.
    fn copy(&mut self, other: &Self) {
        self.tree.clone_from(&other.tree);
        self.tracker.clone_from(&other.tracker);
    }

    /// Plays a frame: bodies circle, each in its own time, and pairs come and go.
    fn play(&mut self, bodies: &[Handle], frame: usize) -> u64 {
        for (index, &body) in (0_u16..).zip(bodies) {
            let (turn, lane) = (frame as f32 * 0.05 + f32::from(index), f32::from(index % 64));
            let at = Vec3::new(turn.sin() * lane, turn.cos() * lane, f32::from(index / 64));
            self.tree.update(body, Sphere::new(at, 0.6)).expect("a legal sphere of a living object");
        }
        self.tracker.update(self.tree.changes());
        self.tree.state_hash()
    }
}

/// Sums up one kind of work.
#[derive(Default)]
struct Clock {
    total: Duration,
    count: u32,
}

impl Clock {
    fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.total += start.elapsed();
        self.count += 1;
        result
    }

    fn mean(&self) -> Duration {
        self.total / self.count.max(1)
    }
}

fn main() -> Result<(), broadleaf::Error> {
    let mut world = World::default();
    world.tree.insert(Aabb::new(Vec3::new(-70.0, -70.0, -1.0), Vec3::new(70.0, 70.0, 0.0)))?;
    let bodies: Result<Vec<Handle>, _> = (0..BODIES).map(|_| world.tree.insert(Sphere::new(Vec3::ZERO, 0.6))).collect();
    let bodies = bodies?;

    // Worlds as they were before each of the last frames, in a ring.
    let mut past = vec![World::default(); WINDOW];
    let mut hashes = Vec::new();
    let (mut save, mut restore, mut play) = (Clock::default(), Clock::default(), Clock::default());
    for frame in 0..FRAMES {
        save.time(|| past[frame % WINDOW].copy(&world));
        hashes.push(play.time(|| world.play(&bodies, frame)));
        if frame + 1 < WINDOW {
            continue;
        }
        // Late input for the oldest frame has arrived: back to it, and forth again.
        let oldest = frame + 1 - WINDOW;
        restore.time(|| world.copy(&past[oldest % WINDOW]));
        for again in oldest..=frame {
            save.time(|| past[again % WINDOW].copy(&world));
            let hash = play.time(|| world.play(&bodies, again));
            assert_eq!(hash, hashes[again], "frame {again} played again is the same");
        }
    }
    let bytes = world.tree.memory().total();
    println!("{BODIES} bodies, {} pairs, {bytes} bytes of tree", world.tracker.pairs().len());
    println!("save     {:>9.1?} a frame", save.mean());
    println!("restore  {:>9.1?} a rollback", restore.mean());
    println!("play     {:>9.1?} a frame, {} frames, the state hash included", play.mean(), play.count);
    println!("every frame that was played again had the same state hash");
    Ok(())
}
