//! The contest: all subjects in one process, answers verified, rounds interleaved.

use crate::agreement::{agreed, are_same_distance};
use crate::caches::Caches;
use crate::cases::Case;
use crate::measure::{
    PATIENCE, Samples, least, median, placed_pool, rounds, rounds_after, time, time_in_pool, time_wall,
};
use crate::ready::prepare;
use crate::record::{APART, Row};
use crate::subjects::{Broadleaf, Operation, Subject, Tally};
use broadleaf::Threads;
use std::ops::Range;

/// Subjects over one case, built and ready.
pub struct Contest<'a> {
    case: &'a Case,
    subjects: Vec<Box<dyn Subject>>,
    rounds: usize,
    caches: Caches<'a>,
    time: usize,
    /// What was measured so far.
    pub rows: Vec<Row>,
}

impl<'a> Contest<'a> {
    /// Builds every subject that can take part in any of the operations.
    #[must_use]
    pub fn new(
        case: &'a Case,
        mut subjects: Vec<Box<dyn Subject>>,
        operations: &[Operation],
        rounds: usize,
        caches: Caches<'a>,
    ) -> Self {
        subjects.retain(|subject| operations.iter().any(|&operation| subject.can(operation, case.count)));
        for subject in &mut subjects {
            prepare(subject.as_mut(), &case.world);
        }
        Self { case, subjects, rounds, caches, time: 0, rows: Vec::new() }
    }

    /// What the caches hold when later blocks begin.
    pub fn set_caches(&mut self, caches: Caches<'a>) {
        self.caches = caches;
    }

    fn entrants(&mut self, operation: Operation) -> Vec<&mut Box<dyn Subject>> {
        let case = self.case;
        let takes_part =
            |subject: &&mut Box<dyn Subject>| subject.can(operation, case.count) && subject.suits(operation, case);
        self.subjects.iter_mut().filter(takes_part).collect()
    }

    fn note(&mut self, operation: &str, names: &[&'static str], samples: &[Samples], per: usize, answers: u64) {
        let per_what = match operation {
            "box" | "sphere" | "frustum" | "ray" | "nearest" | "sweep" | "batch-box" | "batch-ray" => "ns/question",
            _ => "ns/object",
        };
        for (name, samples) in names.iter().zip(samples) {
            self.rows.push(Row {
                operation: operation.to_owned(),
                caches: self.caches.name(),
                scene: self.case.scene.clone(),
                count: self.case.count,
                subject: (*name).to_owned(),
                value: median(samples) / per as f64,
                least: least(samples) / per as f64,
                unit: per_what.to_owned(),
                rounds: samples.len(),
                answers,
            });
        }
    }

    /// Builds from scratch. Leaves the subjects built and ready.
    pub fn build(&mut self) {
        let (case, all_rounds, caches) = (self.case, self.rounds, self.caches);
        let repeats = if caches.repeat() { (20_000 / case.count.max(1)).clamp(1, 100) } else { 1 };
        let mut entrants = self.entrants(Operation::Build);
        let names: Vec<_> = entrants.iter().map(|subject| subject.name()).collect();
        let samples = rounds(entrants.len(), all_rounds, PATIENCE, |contestant, _| {
            caches.prepare();
            time(|| (0..repeats).for_each(|_| entrants[contestant].build(&case.world))).0
        });
        for subject in &mut entrants {
            prepare(subject.as_mut(), &case.world);
        }
        self.note("build", &names, &samples, case.count * repeats, case.count as u64);
    }

    /// Asks a kind of question that has counted answers; a row gives those to all questions.
    ///
    /// # Panics
    /// If two subjects give different answers.
    pub fn questions(&mut self, operation: Operation) {
        let (case, all_rounds, caches) = (self.case, self.rounds, self.caches);
        let (name, asked) = match operation {
            Operation::Box => ("box", case.boxes.len()),
            Operation::Sphere => ("sphere", case.spheres.len()),
            _ => ("frustum", case.frustums.len()),
        };
        let ask = |subject: &mut dyn Subject, which: Range<usize>, tally: Option<&mut Tally>| match operation {
            Operation::Box => subject.in_boxes(&case.boxes[which], tally),
            Operation::Sphere => subject.in_spheres(&case.spheres[which], tally),
            _ => subject.in_frustums(&case.frustums[which], tally),
        };
        let mut entrants = self.entrants(operation);
        let names: Vec<_> = entrants.iter().map(|subject| subject.name()).collect();
        let tallies = entrants.iter_mut().map(|subject| {
            let mut tally = Tally::default();
            ask(subject.as_mut(), 0..asked, Some(&mut tally));
            tally
        });
        let answers = agreed(&case.scene, name, &names, &tallies.collect::<Vec<_>>());
        let mut expected: Vec<Option<u64>> = vec![None; all_rounds.max(1)];
        let samples = rounds(entrants.len(), all_rounds, PATIENCE, |contestant, round| {
            let subject = entrants[contestant].as_mut();
            let which = caches.questions(round, asked);
            let which_len = which.len();
            if matches!(caches, Caches::Warm) {
                ask(subject, which.clone(), None);
            }
            caches.prepare();
            let (spent, hits) = time(|| ask(subject, which, None));
            let whole = (which_len == asked).then_some(answers);
            let expected = *expected[round].get_or_insert(whole.unwrap_or(hits as u64));
            assert_eq!(hits as u64, expected, "{}: {name} by {}", case.scene, names[contestant]);
            spent
        });
        self.note(name, &names, &samples, caches.questions(0, asked).len(), answers);
    }

    /// Asks a kind of question that has distances for answers: the nearest
    /// box along rays, the nearest boxes to points, the first box on the way.
    ///
    /// # Panics
    /// If two subjects give distances that differ by more than rounding.
    pub fn distances(&mut self, operation: Operation) {
        let (case, all_rounds, caches) = (self.case, self.rounds, self.caches);
        let (name, asked) = match operation {
            Operation::Nearest => ("nearest", case.points.len()),
            Operation::Sweep => ("sweep", case.sweeps.len()),
            _ => ("ray", case.rays.len()),
        };
        let ask = |subject: &mut dyn Subject, which: Range<usize>, distances: &mut Vec<f32>| match operation {
            Operation::Nearest => subject.nearest(&case.points[which], distances),
            Operation::Sweep => subject.sweeps(&case.sweeps[which], distances),
            _ => subject.rays(&case.rays[which], distances),
        };
        let mut entrants = self.entrants(operation);
        let names: Vec<_> = entrants.iter().map(|subject| subject.name()).collect();
        let (mut expected, mut distances) = (Vec::new(), Vec::new());
        ask(entrants[0].as_mut(), 0..asked, &mut expected);
        for subject in &mut entrants {
            ask(subject.as_mut(), 0..asked, &mut distances);
            assert_eq!(distances.len(), expected.len(), "{}: {name} by {}", case.scene, subject.name());
            let mut misses = 0;
            for (ray, (&a, &b)) in expected.iter().zip(&distances).enumerate() {
                let same = are_same_distance(a, b);
                misses += usize::from(a < b && !same);
                let fits = same || a < b && misses <= subject.misses_max(asked);
                assert!(fits, "{}: {name} {ray} at {a}, by {} at {b}", case.scene, subject.name());
            }
        }
        let hits = expected.iter().filter(|distance| distance.is_finite()).count();
        let samples = rounds(entrants.len(), all_rounds, PATIENCE, |contestant, round| {
            let subject = entrants[contestant].as_mut();
            let which = caches.questions(round, asked);
            if matches!(caches, Caches::Warm) {
                ask(subject, which.clone(), &mut distances);
            }
            caches.prepare();
            time(|| ask(subject, which, &mut distances)).0
        });
        self.note(name, &names, &samples, caches.questions(0, asked).len(), hits as u64);
    }

    /// Lists all pairs of a world that has moved once.
    ///
    /// # Panics
    /// If two subjects list different pairs.
    pub fn pairs(&mut self) {
        let (case, all_rounds, repeats, caches) = (self.case, self.rounds, self.repeats(), self.caches);
        self.step();
        let mut entrants = self.entrants(Operation::Pairs);
        let names: Vec<_> = entrants.iter().map(|subject| subject.name()).collect();
        let firsts = entrants.iter_mut().map(|subject| {
            let (spent, _) = time(|| subject.pairs());
            (spent, subject.pairs_tally())
        });
        let (firsts, tallies): (Vec<f64>, Vec<Tally>) = firsts.unzip();
        let answers = agreed(&case.scene, "pairs", &names, &tallies);
        let samples = rounds_after(&firsts, all_rounds, repeats, |contestant, _, repeats| {
            caches.prepare();
            let (spent, pairs) = time(|| (0..repeats).map(|_| entrants[contestant].pairs()).sum::<usize>());
            assert_eq!(pairs as u64, answers * repeats as u64);
            spent
        });
        self.note("pairs", &names, &samples, case.count, answers);
    }

    /// Moves every mover and brings the structure up to date; lists all pairs
    /// too if the operation is `Frame`.
    ///
    /// # Panics
    /// If two subjects list different pairs after a round.
    pub fn frames(&mut self, operation: Operation) {
        let (case, all_rounds, repeats, caches) = (self.case, self.rounds, self.repeats(), self.caches);
        self.step();
        let (start, listing) = (self.time + 1, operation == Operation::Frame);
        let mut entrants = self.entrants(operation);
        let names: Vec<_> = entrants.iter().map(|subject| subject.name()).collect();
        let play = |subject: &mut dyn Subject, times: Range<usize>| {
            let (spent, ()) = time(|| {
                for time in times {
                    subject.update(case.frame(time));
                    if listing {
                        subject.pairs();
                    }
                }
            });
            (spent, if listing { subject.pairs_tally() } else { Tally::default() })
        };
        let firsts = entrants.iter_mut().map(|subject| play(subject.as_mut(), start - 1..start));
        let (firsts, tallies): (Vec<f64>, Vec<Tally>) = firsts.unzip();
        let mut answers = agreed(&case.scene, "frame", &names, &tallies);
        let mut tallies: Vec<Option<Tally>> = vec![None; all_rounds.max(1)];
        let samples = rounds_after(&firsts, all_rounds, repeats, |contestant, round, own_repeats| {
            let subject = entrants[contestant].as_mut();
            let end = start + (round + 1) * repeats;
            // From one frame to the next, as change detection expects it, also after a leap in time.
            subject.update(case.frame(end - own_repeats - 1));
            caches.prepare();
            let (spent, tally) = play(subject, end - own_repeats..end);
            let expected = *tallies[round].get_or_insert(tally);
            assert_eq!(tally, expected, "{}: {} lists other pairs", case.scene, names[contestant]);
            spent
        });
        self.time = start + all_rounds.max(1) * repeats;
        if !listing {
            answers = case.count as u64;
        }
        let name = if listing { "frame" } else { "update" };
        self.note(name, &names, &samples, case.count, answers);
    }

    /// The pair pass on one thread and on two.
    ///
    /// # Panics
    /// If the thread pool cannot be made.
    pub fn threads(&mut self) {
        let (case, all_rounds, repeats) = (self.case, self.rounds, self.repeats());
        let mut tree = Broadleaf::default();
        prepare(&mut tree, &case.world);
        let expected = tree.pairs();
        let tally = tree.pairs_tally();
        let pools = [placed_pool(1), placed_pool(2)];
        let samples = rounds(3, all_rounds, PATIENCE, |contestant, _| {
            let (spent, pairs) = match contestant {
                0 => time_wall(|| (0..repeats).map(|_| tree.pairs()).sum::<usize>()),
                _ => time_in_pool(&pools[contestant - 1], || (0..repeats).map(|_| tree.pairs_parallel()).sum()),
            };
            assert_eq!(pairs, expected * repeats);
            assert_eq!(tree.pairs_tally(), tally);
            spent
        });
        // The table sets two threads against the better of the others.
        let names = ["serial", "one thread", "broadleaf"];
        self.note("threads", &names, &samples, case.count * repeats, expected as u64);
    }

    /// Bulk builds of a tree that has been built before, on one thread and on two.
    ///
    /// # Panics
    /// If the thread pool cannot be made, or builds another tree.
    pub fn build_threads(&mut self) {
        let (case, all_rounds, repeats) = (self.case, self.rounds, self.repeats());
        let pool = placed_pool(2);
        let mut trees = [Broadleaf::default(), Broadleaf::default()];
        trees[1].build_in_pool();
        // Before the rounds: which builds more often after that has other generations.
        trees[0].build(&case.world);
        pool.install(|| trees[1].build(&case.world));
        assert_eq!(trees[0].tree().state_hash(), trees[1].tree().state_hash());
        let samples = rounds(2, all_rounds, PATIENCE, |contestant, _| {
            let tree = &mut trees[contestant];
            let build = || (0..repeats).for_each(|_| tree.build(&case.world));
            if contestant == 0 { time_wall(build).0 } else { time_in_pool(&pool, build).0 }
        });
        self.note("threads-build", &["serial", "broadleaf"], &samples, case.count * repeats, case.count as u64);
    }

    /// Two trees that share nothing, each built and asked for its pairs: one after the other, and at once. No row gains
    /// more from a second thread, whatever the cores and caches are that the machine gives.
    ///
    /// # Panics
    /// If the threads cannot be made, or a tree has other pairs.
    pub fn apart(&mut self) {
        let (case, all_rounds, repeats) = (self.case, self.rounds, self.repeats());
        let mut trees = [Broadleaf::default(), Broadleaf::default()];
        let work = |tree: &mut Broadleaf| {
            let once = |_| {
                tree.build(&case.world);
                tree.pairs()
            };
            (0..repeats).map(once).sum::<usize>()
        };
        let expected = work(&mut trees[0]);
        let pool = placed_pool(2);
        let samples = rounds(2, all_rounds, PATIENCE, |contestant, _| {
            let (spent, pairs) = time_in_pool(&pool, || {
                let [one, other] = &mut trees;
                if contestant == 0 { (work(one), work(other)) } else { rayon::join(|| work(one), || work(other)) }
            });
            assert_eq!(pairs, (expected, expected));
            spent
        });
        self.note("apart", &APART, &samples, 2 * case.count * repeats, expected as u64);
    }

    /// Boxes and rays one by one, in a batch on one thread, and in a batch on
    /// two, asked from one of the pool's own, as by an engine whose systems run there.
    ///
    /// # Panics
    /// If the thread pool cannot be made, or a batch has other answers.
    pub fn batches(&mut self) {
        const REPEATS: usize = 4;
        let (case, all_rounds) = (self.case, self.rounds);
        let mut tree = Broadleaf::default();
        prepare(&mut tree, &case.world);
        let pool = placed_pool(2);
        let (boxes, rays) = (&case.boxes, &case.rays);
        let mut distances = Vec::new();
        let names = ["single calls", "one thread", "broadleaf"];
        for name in ["batch-box", "batch-ray"] {
            let mut ask = |contestant: usize| match (name, contestant) {
                ("batch-box", 0) => tree.in_boxes(boxes, None),
                ("batch-box", 1) => tree.in_boxes_batch(boxes, Threads::One),
                ("batch-box", _) => tree.in_boxes_batch(boxes, Threads::Pool),
                (_, 0) => {
                    tree.rays(rays, &mut distances);
                    distances.iter().filter(|distance| distance.is_finite()).count()
                }
                (_, 1) => tree.rays_batch(rays, Threads::One),
                _ => tree.rays_batch(rays, Threads::Pool),
            };
            let expected = ask(0);
            let samples = rounds(3, all_rounds, PATIENCE, |contestant, _| {
                let ask = || (0..REPEATS).map(|_| ask(contestant)).sum::<usize>();
                let (spent, answers) = if contestant == 2 { time_in_pool(&pool, ask) } else { time_wall(ask) };
                assert_eq!(answers, expected * REPEATS);
                spent
            });
            self.note(name, &names, &samples, boxes.len() * REPEATS, expected as u64);
        }
    }

    /// Moves all subjects by two frames, untimed: one that sat out lies elsewhere
    /// than the others, and change detection should see every mover move.
    fn step(&mut self) {
        for time in [self.time, self.time + 1] {
            self.follow(time);
        }
        self.time += 2;
    }

    fn follow(&mut self, time: usize) {
        let case = self.case;
        for subject in &mut self.subjects {
            let can = |operation| subject.can(operation, case.count);
            if can(Operation::Pairs) || can(Operation::Update) {
                subject.update(case.frame(time));
            }
        }
    }

    /// Repeats within a round, so that a sample of a small case is not too short.
    fn repeats(&self) -> usize {
        if self.caches.repeat() { (200_000 / self.case.count.max(1)).clamp(1, 100) } else { 1 }
    }
}
