//! Budgets: the urgent first, nothing lost, nothing twice, nothing starved.

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Handle, Mobility, Octree, Pair, PairTracker,
    pairs::{BudgetReport, PairBudget},
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use workloads::{Player, Scene};

/// A row of boxes, each touching the next: one pair fewer than boxes.
fn row(count: u16) -> (Octree, Vec<Handle>) {
    let mut tree = Octree::default();
    let at = |index: u16| Vec3::X * f32::from(index);
    let handles = (0..count).map(|index| tree.insert(Aabb::new(at(index), at(index + 1))).unwrap()).collect();
    (tree, handles)
}

fn slot_class(handle: Handle) -> u8 {
    u8::try_from(handle.slot() % 7).unwrap()
}

fn class(pair: Pair) -> u8 {
    slot_class(pair.a()).min(slot_class(pair.b()))
}

#[test]
fn what_fits_is_served_in_the_order_of_classes() {
    let (mut tree, _) = row(50);
    let pairs = crate::support::pairs(&mut tree);
    let (mut budget, mut served) = (PairBudget::new(0), Vec::new());
    let report = budget.serve(tree.view(), &pairs, 100, slot_class, &mut served);
    assert_eq!(report, BudgetReport { served: 49, ..BudgetReport::default() });
    assert!(served.is_sorted_by_key(|pair| class(*pair)));
    assert_eq!(served.iter().collect::<BTreeSet<_>>(), pairs.iter().collect());
    assert_eq!(budget.deferred().len(), 0);
}

#[test]
fn what_was_deferred_comes_first_within_its_class() {
    let (mut tree, _) = row(21);
    let pairs = crate::support::pairs(&mut tree);
    let (mut budget, mut served) = (PairBudget::new(0), Vec::new());
    let mut seen = BTreeSet::new();
    for turn in 0..4 {
        let before: BTreeSet<Pair> = budget.deferred().collect();
        let report = budget.serve(tree.view(), &pairs, 5, |_| 9, &mut served);
        assert_eq!((report.served, report.deferred), (5, 15));
        assert!(turn == 0 || served.iter().all(|pair| before.contains(pair)));
        assert!(served.iter().all(|pair| seen.insert(*pair)), "all are served before any is served again");
    }
    assert_eq!(seen.len(), 20);
}

#[test]
fn essential_classes_are_never_deferred() {
    let (mut tree, _) = row(200);
    let pairs = crate::support::pairs(&mut tree);
    let essential: BTreeSet<Pair> = pairs.iter().filter(|pair| class(**pair) < 2).copied().collect();
    let (mut budget, mut served) = (PairBudget::new(2), Vec::new());
    for pairs_max in [0, 1, 30, essential.len(), essential.len() + 10] {
        for _ in 0..20 {
            let report = budget.serve(tree.view(), &pairs, pairs_max, slot_class, &mut served);
            assert_eq!(report.essential, essential.len());
            let first: BTreeSet<Pair> = served[..essential.len()].iter().copied().collect();
            assert_eq!(first, essential);
            let others = pairs_max.saturating_sub(essential.len()).max(usize::from(pairs_max > 0));
            assert_eq!(served.len(), essential.len() + others);
        }
    }
}

#[test]
fn every_pair_that_persists_is_served_within_a_bound() {
    for (pairs_max, patience) in [(1, 1), (3, 2), (40, 16), (150, 3)] {
        let (mut tree, _) = row(180);
        let pairs = crate::support::pairs(&mut tree);
        let (mut budget, mut served) = (PairBudget::new(1).with_patience(patience), Vec::new());
        let urgent = pairs.iter().filter(|pair| class(**pair) < 1).count();
        let others = pairs.len() - urgent;
        let room = pairs_max.max(urgent + 1) - urgent;
        // To rise to the top, and then to wait for those that were there before.
        let bound = 6 * patience as usize + 2 * others.div_ceil(room) + 1;
        let mut last: BTreeMap<Pair, usize> = pairs.iter().map(|pair| (*pair, 0)).collect();
        for frame in 1..4 * bound {
            budget.serve(tree.view(), &pairs, pairs_max, slot_class, &mut served);
            for pair in &served {
                last.insert(*pair, frame);
            }
            let waits = last.values().map(|at| frame - at).max().unwrap();
            assert!(waits <= bound, "a pair waits {waits} frames of {bound}: {pairs_max} {patience}");
        }
    }
}

#[test]
fn a_patient_budget_serves_the_urgent_class_alone() {
    let (mut tree, _) = row(100);
    let pairs = crate::support::pairs(&mut tree);
    let urgent = pairs.iter().filter(|pair| class(**pair) == 0).count();
    let (mut budget, mut served) = (PairBudget::new(0).with_patience(u32::MAX), Vec::new());
    for _ in 0..50 {
        budget.serve(tree.view(), &pairs, urgent, slot_class, &mut served);
        assert!(served.iter().all(|pair| class(*pair) == 0));
    }
}

#[test]
fn what_ended_while_it_waited_is_dropped_and_reported() {
    let (mut tree, handles) = row(12);
    let pairs = crate::support::pairs(&mut tree);
    let (mut budget, mut served) = (PairBudget::new(0), Vec::new());
    // Events: each pair is offered once, when it begins.
    budget.serve(tree.view(), &pairs, 2, |_| 0, &mut served);
    let waiting: Vec<Pair> = budget.deferred().collect();
    assert_eq!(waiting.len(), 9);
    let [parted, removed, fixed] = [waiting[1], waiting[4], waiting[7]];
    tree.update(parted.b(), Aabb::new(Vec3::Y * 50.0, Vec3::Y * 51.0 + 1.0)).unwrap();
    tree.remove(removed.a());
    for handle in [fixed.a(), fixed.b()] {
        tree.set_mobility(handle, Mobility::Static).unwrap();
    }
    // The slot is taken by another; the waiting pair is not confused.
    tree.insert(Aabb::new(Vec3::ZERO, Vec3::X * 20.0)).unwrap();
    let report = budget.serve(tree.view(), &[], 100, |_| 0, &mut served);
    let mut gone: Vec<Pair> = budget.dropped().to_vec();
    let still: BTreeSet<Pair> = crate::support::pairs(&mut tree).into_iter().collect();
    assert_eq!(report.dropped, gone.len());
    assert_eq!(gone, waiting.iter().filter(|pair| !still.contains(pair)).copied().collect::<Vec<_>>());
    assert!([parted, removed, fixed].iter().all(|pair| gone.contains(pair)));
    gone.extend(&served);
    assert_eq!(crate::support::sorted(gone), crate::support::sorted(waiting), "nothing is lost");
    assert_eq!(handles.len(), 12);
}

/// What a budget must do, in the plainest way.
#[derive(Default)]
struct Model {
    waiting: Vec<(Pair, u32)>,
}

impl Model {
    fn serve(
        &mut self,
        offered: &[Pair],
        all: &BTreeSet<Pair>,
        pairs_max: usize,
        (essential, patience): (u8, u32),
    ) -> Vec<Pair> {
        let waits: BTreeMap<Pair, u32> = self.waiting.iter().copied().collect();
        let again: BTreeSet<Pair> = offered.iter().copied().collect();
        let mut candidates: Vec<(Pair, u32)> =
            offered.iter().map(|pair| (*pair, waits.get(pair).copied().unwrap_or(0))).collect();
        candidates.extend(self.waiting.iter().filter(|(pair, _)| !again.contains(pair) && all.contains(pair)));
        let urgency = |&(pair, waited): &(Pair, u32)| {
            let (class, risen) = (class(pair), u8::try_from(waited / patience).unwrap_or(u8::MAX));
            let class = if class < essential { class } else { class.saturating_sub(risen).max(essential) };
            (class, std::cmp::Reverse(waited))
        };
        let mut sorted = candidates.clone();
        sorted.sort_by_key(urgency);
        let urgent = sorted.iter().filter(|(pair, _)| class(*pair) < essential).count();
        sorted.truncate(pairs_max.max(urgent + usize::from(pairs_max > 0)));
        let served: BTreeSet<Pair> = sorted.iter().map(|(pair, _)| *pair).collect();
        candidates.retain(|(pair, _)| !served.contains(pair));
        self.waiting = candidates.into_iter().map(|(pair, waited)| (pair, waited + 1)).collect();
        sorted.into_iter().map(|(pair, _)| pair).collect()
    }
}

#[test]
fn pairs_are_served_in_the_order_of_a_plain_model() {
    let mut scene = Scene::by_name("churn", 500, 5).unwrap();
    for (settings, pairs_max, every) in [((1, 2), 40, 1), ((0, 1), 3, 2), ((3, 16), 90, 3), ((2, 5), 0, 1)] {
        let (mut tree, mut player) = (Octree::default(), Player::new());
        player.load(&mut tree, scene.objects()).unwrap();
        let (mut budget, mut model) = (PairBudget::new(settings.0).with_patience(settings.1), Model::default());
        let (mut served, mut again) = (Vec::new(), false);
        for turn in 0..24_usize {
            let pairs = crate::support::pairs(&mut tree);
            let all: BTreeSet<Pair> = pairs.iter().copied().collect();
            // All pairs, in their order or in another, or few of them.
            let mut offered: Vec<Pair> = pairs.iter().copied().skip(turn % every).step_by(every).collect();
            if turn % 5 == 4 {
                offered.reverse();
            }
            again |= budget.deferred().any(|pair| offered.contains(&pair));
            budget.serve(tree.view(), &offered, pairs_max, slot_class, &mut served);
            assert_eq!(served, model.serve(&offered, &all, pairs_max, settings), "{settings:?} {turn}");
            assert_eq!(budget.deferred().len(), model.waiting.len());
            assert!(budget.deferred().eq(model.waiting.iter().map(|(pair, _)| *pair)), "{settings:?} {turn}");
            player.play(&mut tree, scene.step()).unwrap();
        }
        assert!(again, "what waits is offered again");
    }
}

#[test]
fn a_pair_is_one_where_the_pass_says_so() {
    let scene = Scene::by_name("shapes", 400, 3).unwrap();
    let mut tree = Octree::default();
    let mut handles = Vec::new();
    tree.insert_many(scene.objects(), &mut handles).unwrap();
    for (index, &handle) in handles.iter().enumerate() {
        if index % 3 == 0 {
            tree.set_mobility(handle, Mobility::Static).unwrap();
        }
    }
    let pairs = crate::support::sorted(crate::support::pairs(&mut tree));
    let view = tree.view();
    let mut found = Vec::new();
    for (index, &a) in handles.iter().enumerate() {
        found.extend(handles[index..].iter().map(|&b| Pair::new(a, b)).filter(|pair| view.is_pair(*pair)));
    }
    assert_eq!(crate::support::sorted(found), pairs);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// In a moving scene: all that is offered is served, deferred or dropped, once.
    #[test]
    fn nothing_is_lost_and_nothing_twice(
        seed in any::<u64>(),
        pairs_max in 0_usize..300,
        essential in 0_u8..4,
        patience in 0_u32..5,
        by_events in any::<bool>(),
    ) {
        let mut scene = Scene::by_name("churn", 600, seed).unwrap();
        let (mut tree, mut player, mut tracker) = (Octree::default(), Player::new(), PairTracker::new());
        player.load(&mut tree, scene.objects()).unwrap();
        let (mut budget, mut served) = (PairBudget::new(essential).with_patience(patience), Vec::new());
        for _ in 0..12 {
            tracker.update(tree.changes());
            let all: BTreeSet<Pair> = tracker.pairs().iter().copied().collect();
            let offered = if by_events { tracker.begun() } else { tracker.pairs() };
            let before: BTreeSet<Pair> = budget.deferred().collect();
            let report = budget.serve(tree.view(), offered, pairs_max, slot_class, &mut served);
            let wanted: BTreeSet<Pair> = offered.iter().copied().chain(before.iter().copied()).collect();
            let mut seen = BTreeSet::new();
            let once = served.iter().copied().chain(budget.deferred()).chain(budget.dropped().iter().copied());
            prop_assert!(once.into_iter().all(|pair| seen.insert(pair)), "a pair twice");
            prop_assert_eq!(&seen, &wanted);
            prop_assert!(served.iter().all(|pair| all.contains(pair)));
            prop_assert!(budget.deferred().all(|pair| all.contains(&pair) && class(pair) >= essential));
            prop_assert!(budget.dropped().iter().all(|pair| !all.contains(pair) && before.contains(pair)));
            let most = pairs_max.max(report.essential + usize::from(pairs_max > 0));
            prop_assert!(served.len() <= most && (served.len() == most || report.deferred == 0));
            player.play(&mut tree, scene.step()).unwrap();
        }
    }
}
