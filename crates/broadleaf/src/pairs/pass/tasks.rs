//! The same pass on several threads, split by subtree: the only place that names `rayon`.
//!
//! One thread walks the top of the tree and defers the steps on small
//! subtrees; how small depends on the tree alone. Chunks of that work run on
//! any number of threads, each into a list of its own, and the lists are
//! joined in the order in which a serial pass would have found the pairs.

use super::carried::{CarriedBucket, CarriedStack};
use super::sink::Sink;
use super::{Pass, PassStep, Plan, Serial};
use crate::data::{BumpScratch, BumpVec, Data, Location, QueryStats, View};
use crate::pairs::joint_walk::GROUP_LEN;
use crate::pairs::pair::Pair;
use crate::pairs::question::PassScratch;
use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};
use rayon::prelude::*;

/// Chunks that a pass is split into, at about equal numbers of objects.
const CHUNKS: u32 = 64;
/// Objects below which a chunk is not worth a task.
const CHUNK_MIN: u32 = 256;

/// Memory of the split pass.
#[derive(Debug, Clone, Default)]
pub(in crate::pairs) struct TaskScratch {
    work: Vec<PassStep>,
    lists: Vec<CarriedBucket>,
    chunks: Vec<Chunk>,
    /// Pairs found while the work was being split.
    local: Vec<Pair>,
    runners: Vec<Runner>,
}

/// Consecutive work that one task does.
#[derive(Debug, Clone)]
struct Chunk {
    work: Range<usize>,
    weight: u32,
    /// Pairs found locally before the step was deferred.
    found_before: usize,
}

/// What a task works with, and what it found.
#[derive(Debug, Clone, Default)]
struct Runner {
    bump_scratch: BumpScratch,
    found: Vec<Pair>,
    stats: QueryStats,
}

/// Defers the steps on small subtrees.
struct Split<'s> {
    scratch: &'s mut TaskScratch,
    grain: u32,
}

impl Plan for Split<'_> {
    const SPLITS: bool = true;

    #[expect(clippy::cast_possible_truncation, reason = "a list holds less than all objects, pairs are held in memory")]
    fn defer(&mut self, data: &Data, carried: &CarriedStack<'_>, work: &PassStep, found: u64) -> bool {
        let count = |id| data.nodes[id].count;
        let weight = match work {
            PassStep::Own(id, list) | PassStep::Against(id, list) => count(*id) + (list.len() / 8) as u32,
            PassStep::Between(a, b) => (count(*a) + count(*b)) / 4,
        };
        if weight > self.grain {
            return false;
        }
        let scratch = &mut *self.scratch;
        let mut keep = |list: &Range<usize>| {
            let start = scratch.lists.len();
            scratch.lists.extend_from_slice(carried.slice(list.clone()));
            start..scratch.lists.len()
        };
        let step = match work {
            PassStep::Own(id, list) => PassStep::Own(*id, keep(list)),
            PassStep::Against(id, list) => PassStep::Against(*id, keep(list)),
            PassStep::Between(a, b) => PassStep::Between(*a, *b),
        };
        scratch.work.push(step);
        let (end, found_before) = (scratch.work.len(), found as usize);
        match scratch.chunks.last_mut() {
            Some(chunk) if chunk.found_before == found_before && chunk.weight < self.grain => {
                chunk.work.end = end;
                chunk.weight += weight;
            }
            _ => scratch.chunks.push(Chunk { work: end - 1..end, weight, found_before }),
        }
        true
    }
}

impl View<'_> {
    /// Adds all overlapping pairs to `found`, which is empty, on the threads of
    /// the current rayon pool: the same pairs in the same order as one thread finds.
    pub(in crate::pairs) fn pairs_parallel_into(self, scratch: &mut PassScratch, found: &mut Vec<Pair>) -> QueryStats {
        if let Some(movers) = self.few_movers(scratch.bump_scratch.start()) {
            return self.movers_parallel_into(&movers, &mut scratch.parallel.runners, found);
        }
        let tasks = &mut scratch.parallel;
        tasks.work.clear();
        tasks.lists.clear();
        tasks.chunks.clear();
        let mut local = core::mem::take(&mut tasks.local);
        local.clear();
        let stats = self.split(&mut scratch.bump_scratch, tasks, &mut local);
        tasks.local = local;
        self.run_chunks(tasks);
        join(tasks, found);
        total_of(stats, &tasks.runners[..tasks.chunks.len()])
    }

    /// Adds the pairs of few moving objects, a group to a task.
    fn movers_parallel_into(self, movers: &[Location], runners: &mut Vec<Runner>, found: &mut Vec<Pair>) -> QueryStats {
        let chunks = movers.par_chunks(GROUP_LEN);
        let used = chunks.len();
        if runners.len() < used {
            runners.resize_with(used, Runner::default);
        }
        let runners = &mut runners[..used];
        runners.par_iter_mut().zip(chunks).for_each(|(runner, movers)| {
            let Runner { found, stats, .. } = runner;
            found.clear();
            *stats = self.pairs_of_movers(movers, |pair| {
                found.push(pair);
                ControlFlow::Continue(())
            });
        });
        runners.iter().for_each(|runner| found.extend_from_slice(&runner.found));
        total_of(QueryStats::default(), runners)
    }

    fn split(self, bump_scratch: &mut BumpScratch, tasks: &mut TaskScratch, local: &mut Vec<Pair>) -> QueryStats {
        let total = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let mut pass = Pass {
            data: self.data,
            sink: Sink::new(self, local),
            carried: CarriedStack::new(BumpVec::new_in(bump_scratch.start())),
            plan: Split { scratch: tasks, grain: (total / CHUNKS).max(CHUNK_MIN) },
        };
        let _ = pass.run();
        pass.sink.stats
    }

    fn run_chunks(self, tasks: &mut TaskScratch) {
        let TaskScratch { work, lists, chunks, runners, .. } = tasks;
        if runners.len() < chunks.len() {
            runners.resize_with(chunks.len(), Runner::default);
        }
        runners.par_iter_mut().zip(chunks.par_iter()).with_max_len(1).for_each(|(runner, chunk)| {
            self.run_chunk(&work[chunk.work.clone()], lists, runner);
        });
    }

    fn run_chunk(self, work: &[PassStep], lists: &[CarriedBucket], runner: &mut Runner) {
        let Runner { bump_scratch, found, stats } = runner;
        found.clear();
        let mut pass = Pass {
            data: self.data,
            sink: Sink::new(self, found),
            carried: CarriedStack::new(BumpVec::new_in(bump_scratch.start())),
            plan: Serial,
        };
        for work in work {
            pass.carried.truncate(0);
            let work = match work {
                PassStep::Own(id, list) => PassStep::Own(*id, pass.carried.push_list(&lists[list.clone()])),
                PassStep::Against(id, list) => PassStep::Against(*id, pass.carried.push_list(&lists[list.clone()])),
                PassStep::Between(a, b) => PassStep::Between(*a, *b),
            };
            let _ = pass.perform(work);
        }
        *stats = pass.sink.stats;
    }
}

/// The work of some tasks, added to other work.
fn total_of(mut stats: QueryStats, runners: &[Runner]) -> QueryStats {
    runners.iter().for_each(|runner| stats += runner.stats);
    stats
}

/// Joins what was found in the order of a serial pass.
fn join(tasks: &TaskScratch, found: &mut Vec<Pair>) {
    let in_chunks: usize = tasks.runners.iter().take(tasks.chunks.len()).map(|runner| runner.found.len()).sum();
    found.reserve(in_chunks + tasks.local.len());
    let mut taken = 0;
    for (chunk, runner) in tasks.chunks.iter().zip(&tasks.runners) {
        found.extend_from_slice(&tasks.local[taken..chunk.found_before]);
        taken = chunk.found_before;
        found.extend_from_slice(&runner.found);
    }
    found.extend_from_slice(&tasks.local[taken..]);
}
