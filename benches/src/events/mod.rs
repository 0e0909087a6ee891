//! Pair events: who began and who stopped to overlap in a frame, by broadleaf
//! and its peers.
//!
//! Here an object is a box with an index that is never used again, so that
//! recordings in which objects appear and vanish can be played by everyone.

pub mod cases;
pub mod contest;
mod full;
mod octree;
#[cfg(feature = "peers")]
mod parry;
#[cfg(feature = "physx")]
mod physx;
#[cfg(feature = "peers")]
mod rapier;

use cases::EventFrame;
pub use full::{ALL_PAIRS, AllPairs, FullList};
pub use octree::Events;

use broadleaf::Object;

/// A pair of indices, the lower first.
pub type IndexPair = (u32, u32);

/// The pair of two indices.
#[inline]
#[must_use]
pub fn index_pair(a: u32, b: u32) -> IndexPair {
    (a.min(b), a.max(b))
}

/// How the boxes that a subject keeps lie to those that it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept {
    /// They are the same.
    Exact,
    /// They are larger, on each side by this at most.
    Within(f32),
    /// As first given; grown by this on each side whenever the given one leaves the one kept.
    UntilLeft(f32),
}

/// A broad phase that reports begun and ended pairs.
pub trait EventSubject {
    /// Its name in the tables.
    fn name(&self) -> &'static str;

    /// Starts anew with these objects, indexed from 0; their pairs have begun.
    fn load(&mut self, objects: &[Object]);

    /// Applies a frame and finds its events, which stay until the next; returns how many.
    fn frame(&mut self, frame: &EventFrame) -> usize;

    /// The pairs that began with the last frame, or with the load.
    fn begun(&self) -> Vec<IndexPair>;

    /// The pairs that ended with the last frame.
    fn ended(&self) -> Vec<IndexPair>;

    /// How its boxes lie to those that it was given.
    fn kept(&self) -> Kept {
        Kept::Exact
    }

    /// Whether it lists all pairs in place of events: all have `begun`, and none has ended.
    fn lists_pairs(&self) -> bool {
        false
    }

    /// Whether the pairs of a removed object are surely reported as ended.
    fn ends_removed(&self) -> bool {
        true
    }
}

/// Everything that can stand in a table, broadleaf first.
#[must_use]
pub fn all() -> Vec<Box<dyn EventSubject>> {
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "peers are optional"))]
    let mut subjects: Vec<Box<dyn EventSubject>> = vec![
        Box::new(Events::default()),
        Box::new(Events::with_margin()),
        Box::new(FullList::default()),
        Box::new(AllPairs::default()),
    ];
    #[cfg(feature = "peers")]
    {
        subjects.push(Box::new(parry::ParryEvents::default()));
        subjects
            .push(Box::new(rapier::RapierEvents::new(rapier3d::geometry::BvhOptimizationStrategy::SubtreeOptimizer)));
        subjects.push(Box::new(rapier::RapierEvents::new(rapier3d::geometry::BvhOptimizationStrategy::None)));
    }
    #[cfg(feature = "physx")]
    subjects.push(Box::new(physx::PhysxEvents::default()));
    subjects
}
