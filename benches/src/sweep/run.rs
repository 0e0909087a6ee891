//! One scene of the sweep: all operations, warm and cold, answers verified.

use super::{LARGE_PEERS, Measure};
use crate::caches::{Caches, Flush};
use crate::cases::Case;
use crate::contest::Contest;
use crate::events::{self, EventSubject, cases::EventCase, contest};
use crate::record::Row;
use crate::subjects::{self, Operation};

/// Above this many objects few peers take part, and few rounds are run.
const LARGE: usize = 500_000;
/// Frames that are played to and fro.
pub const FRAMES: usize = 5;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds behind each median.
    pub rounds: usize,
    /// Questions of a kind; a cold block asks 200 of them.
    pub questions: usize,
}

/// Measures one scene; memory apart, which the caller's allocator knows.
///
/// # Panics
/// If an answer differs from that of another subject, or from every object against every other up to 20,000.
#[must_use]
pub fn run(case: &Case, measures: &[Measure], effort: Effort, flush: &Flush) -> Vec<Row> {
    let is_large = case.count > LARGE;
    let rounds = if is_large { effort.rounds.min(3) } else { effort.rounds };
    let wants = |measure| measures.contains(&measure);
    let operations: Vec<Operation> = measures.iter().filter_map(|&measure| operation(measure)).collect();
    let states = [Caches::Warm, Caches::Cold(flush)];
    let mut rows = Vec::new();
    if !operations.is_empty() {
        let mut subjects = subjects::all();
        subjects.retain(|subject| !is_large || stays(subject.name()));
        let mut contest = Contest::new(case, subjects, &operations, rounds, states[0]);
        // Questions before anything moves: some peers cannot.
        for kinds in [[Measure::Build, Measure::Box, Measure::Ray].as_slice(), &[Measure::Pairs, Measure::Frame]] {
            for caches in states {
                contest.set_caches(caches);
                for &measure in kinds.iter().filter(|measure| measures.contains(measure)) {
                    // Peers know boxes alone, so questions about spheres are not compared.
                    match measure {
                        Measure::Build => contest.build(),
                        Measure::Box if case.questions() => contest.questions(Operation::Box),
                        Measure::Ray if case.questions() => contest.distances(Operation::Ray),
                        Measure::Pairs => contest.pairs(),
                        Measure::Frame => contest.frames(Operation::Frame),
                        _ => {}
                    }
                }
            }
        }
        rows.append(&mut contest.rows);
    }
    if wants(Measure::Events) && !is_large {
        let mut subjects = events::all();
        // Peers are given no layers.
        subjects.retain(|subject| case.world.layers.is_empty() || is_own(subject.as_ref()));
        let case = EventCase::of_case(case);
        contest::verify(&case, &mut subjects);
        for caches in states {
            rows.extend(contest::time_all(&case, &mut subjects, rounds, caches));
        }
    }
    rows
}

fn operation(measure: Measure) -> Option<Operation> {
    Some(match measure {
        Measure::Build => Operation::Build,
        Measure::Frame => Operation::Frame,
        Measure::Pairs => Operation::Pairs,
        Measure::Box => Operation::Box,
        Measure::Ray => Operation::Ray,
        Measure::Events | Measure::Memory => return None,
    })
}

fn stays(name: &str) -> bool {
    name == "broadleaf" || name == subjects::PLAIN_TREE || LARGE_PEERS.contains(&name)
}

fn is_own(subject: &dyn EventSubject) -> bool {
    subject.name().starts_with("broadleaf")
}
