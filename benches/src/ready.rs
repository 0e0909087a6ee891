//! Subjects made ready to be timed, the answers they must give, and the names
//! of their rows.

use crate::subjects::{Bodies, SortAndSweep, Subject, Tally, World};

/// Builds a subject and finishes the build.
pub fn prepare(subject: &mut dyn Subject, world: &World) {
    subject.build(world);
    subject.remember(world);
    subject.finish_build();
}

/// The pairs that a sweep lists after the bodies have moved; those of the
/// start without any. For verifying what a benchmark is about to time.
#[must_use]
pub fn expected_pairs(world: &World, moved: Option<&Bodies>) -> Tally {
    let mut sweep = SortAndSweep::default();
    prepare(&mut sweep, world);
    if let Some(bodies) = moved {
        sweep.update(bodies);
    }
    sweep.pairs();
    sweep.pairs_tally()
}

/// A count as the names of benchmarks write it.
#[must_use]
pub fn short(count: usize) -> String {
    if count.is_multiple_of(1000) { format!("{}k", count / 1000) } else { count.to_string() }
}

/// A subject's name as the names of benchmarks write it.
#[must_use]
pub fn variant(subject: &dyn Subject) -> String {
    subject.name().to_lowercase().replace(' ', "-")
}
