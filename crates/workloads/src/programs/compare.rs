//! Compares all that a tree knows with what the oracle knows.

use super::asked::{answers, asked};
use super::batches::compare_batches;
use super::fat::compare_touches;
use super::question::Question;
use crate::oracle::Oracle;
use broadleaf::{Handle, Object, Octree, Pair, QueryStats, Scratch, Threads, View};
use std::fmt;

/// What is wrong, in words.
pub(super) type Complaint = String;

/// A step after which the tree is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mismatch {
    /// The step, from 0; the number of steps for the comparison at the end.
    pub step: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.what)
    }
}

/// Complains if two values differ.
pub(super) fn same<T: PartialEq + fmt::Debug>(name: &str, found: &T, expected: &T) -> Result<(), Complaint> {
    if found == expected { Ok(()) } else { Err(format!("{name}: found {found:?}, expected {expected:?}")) }
}

/// What can be compared without bringing the tree up to date.
pub(super) fn compare_objects(tree: &Octree, oracle: &Oracle) -> Result<(), Complaint> {
    tree.validate().map_err(|broken| format!("the tree is broken: {broken}"))?;
    same("number of objects", &tree.len(), &oracle.len())?;
    same("emptiness", &tree.is_empty(), &oracle.is_empty())?;
    if !tree.iter().eq(oracle.objects().iter().copied()) {
        let found: Vec<(Handle, Object)> = tree.iter().collect();
        return same("objects", &found.as_slice(), &oracle.objects());
    }
    for (handle, object) in oracle.objects() {
        same("an object", &tree.get(*handle), &Some(*object))?;
        same("whether an object lives", &tree.contains(*handle), &true)?;
    }
    Ok(())
}

/// Everything: objects, pairs, partners and questions. Of the two oracles, one
/// knows the shapes as given, the other those that the tree keeps and answers for.
pub(super) fn compare_all(
    tree: &mut Octree,
    [given, oracle]: [&Oracle; 2],
    scratch: &mut Scratch,
    questions: &[Question],
    turn: usize,
) -> Result<(), Complaint> {
    let view = tree.view();
    same("number of objects in the view", &view.len(), &oracle.len())?;
    let pairs = compare_pairs(view, oracle, scratch)?;
    compare_touches(view, given, oracle)?;
    for question in questions {
        question.compare(view, oracle)?;
    }
    if turn % 40 == 39 {
        compare_batches(view, oracle)?;
    }
    if !oracle.is_empty() {
        for index in [turn, turn * 7 + 1] {
            let (handle, object) = oracle.objects()[index % oracle.len()];
            let (_, other) = oracle.objects()[(index * 3 + 1) % oracle.len()];
            for question in Question::about(handle, &object, &other) {
                question.compare(view, oracle)?;
            }
            compare_partners(view, handle, oracle)?;
            same("user data", &view.user_data(handle), &Some(object.user_data))?;
            same("an object in the view", &view.get(handle), &given.get(handle))?;
        }
    }
    // Asking again changes nothing, neither results nor their order.
    let again = ordered_pairs(tree.view(), scratch);
    same("pairs of an unchanged tree", &again, &pairs)?;
    compare_objects(tree, given)
}

fn ordered_pairs(view: View<'_>, scratch: &mut Scratch) -> Vec<Pair> {
    let mut pairs = Vec::new();
    view.pairs(scratch).collect_into(&mut pairs);
    pairs
}

fn compare_pairs(view: View<'_>, oracle: &Oracle, scratch: &mut Scratch) -> Result<Vec<Pair>, Complaint> {
    let expected: Vec<Pair> = oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect();
    let (mut found, mut stats) = (Vec::new(), QueryStats::default());
    view.pairs(scratch).stats(&mut stats).collect_into(&mut found);
    let shared = std::cell::RefCell::new(&mut *scratch);
    let identity = std::convert::identity::<Pair>;
    for threads in [Threads::One, Threads::Pool] {
        answers(&expected, |ask| asked!(view.pairs(&mut shared.borrow_mut()).threads(threads), ask, identity))
            .map_err(|what| format!("pairs: {what}"))?;
        let accept = |pair: Pair| !pair.a().slot().is_multiple_of(3);
        let accepted: Vec<Pair> = expected.iter().copied().filter(|&pair| accept(pair)).collect();
        let what = |what| format!("pairs that a closure accepts: {what}");
        answers(&accepted, |ask| {
            asked!(view.pairs(&mut shared.borrow_mut()).threads(threads).filter(accept), ask, identity)
        })
        .map_err(what)?;
    }
    for pair in &found {
        same("the order within a pair", &(pair.a() < pair.b()), &true)?;
    }
    let (mut parallel, mut parallel_stats) = (Vec::new(), QueryStats::default());
    view.pairs(scratch).threads(Threads::Pool).stats(&mut parallel_stats).collect_into(&mut parallel);
    same("pairs found by threads", &parallel, &found)?;
    same("statistics of threads", &parallel_stats, &stats)?;
    Ok(found)
}

/// Compares the partners of an object, by every terminal, with those of the oracle.
///
/// # Errors
/// What differs, in words.
pub fn compare_partners(view: View<'_>, handle: Handle, oracle: &Oracle) -> Result<(), String> {
    let expected = oracle.pairs_of(handle).unwrap_or_default();
    let query = || view.pairs_of(handle).map_err(|error| error.to_string());
    answers(&expected, |ask| asked!(query()?, ask, std::convert::identity))
        .map_err(|what| format!("pairs of {handle:?}: {what}"))?;
    let odd: Vec<Handle> = expected.into_iter().filter(|other| other.slot() % 2 == 1).collect();
    answers(&odd, |ask| asked!(query()?.filter(|other| other.slot() % 2 == 1), ask, std::convert::identity))
        .map_err(|what| format!("pairs of {handle:?} that a closure accepts: {what}"))
}
