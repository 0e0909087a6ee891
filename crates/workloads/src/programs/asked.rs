//! One query, asked by every terminal.

use super::compare::{Complaint, same};
use broadleaf::{QueryStats, Scratch};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// A terminal of a query, and where the answers go.
pub(super) enum Ask<'a, T> {
    /// `collect_into`, with statistics.
    Counted(&'a mut Vec<T>, &'a mut QueryStats),
    /// `collect_into`.
    List(&'a mut Vec<T>),
    /// `for_each`.
    Each(&'a mut Vec<T>),
    /// `try_for_each`, with statistics.
    Visit(&'a mut dyn FnMut(T) -> ControlFlow<T>, &'a mut QueryStats),
    /// `try_for_each`.
    Try(&'a mut dyn FnMut(T) -> Result<(), T>),
    /// `count`.
    Count(&'a mut usize),
    /// `any`.
    Any(&'a mut Option<T>),
}

/// Asks a query by a terminal, and maps the answers. The query is written anew for each terminal.
macro_rules! asked {
    ($query:expr, $ask:expr, $map:expr) => {{
        use crate::programs::asked::Ask;
        let map = $map;
        match $ask {
            Ask::Counted(found, stats) => {
                let mut list = Vec::new();
                $query.stats(stats).collect_into(&mut list);
                found.extend(list.into_iter().map(map));
            }
            Ask::List(found) => {
                let mut list = Vec::new();
                $query.collect_into(&mut list);
                found.extend(list.into_iter().map(map));
            }
            Ask::Each(found) => $query.for_each(|answer| found.push(map(answer))),
            Ask::Visit(visit, stats) => {
                let _ = $query.stats(stats).try_for_each(|answer| visit(map(answer)));
            }
            Ask::Try(visit) => {
                let _ = $query.try_for_each(|answer| visit(map(answer)));
            }
            Ask::Count(count) => *count = $query.count(),
            Ask::Any(any) => *any = $query.any().map(map),
        }
        Ok(())
    }};
}

/// The same of the objects of a selection; maps the answers if there is a fourth argument.
macro_rules! asked_among {
    ($query:expr, $among:expr, $ask:expr) => {
        asked_among!($query, $among, $ask, std::convert::identity)
    };
    ($query:expr, $among:expr, $ask:expr, $map:expr) => {
        if $among.odd {
            asked!($crate::with_options!($query, $among).filter(|handle| $among.accepts(handle)), $ask, $map)
        } else {
            asked!($crate::with_options!($query, $among), $ask, $map)
        }
    };
}
pub(super) use asked;
pub(super) use asked_among;

pub(super) fn describe(error: broadleaf::Error) -> Complaint {
    format!("refused: {error}")
}

/// Asks a query by every terminal, and compares the answers, which come in any order.
pub(super) fn answers<T: Debug + Ord + Copy>(
    expected: &[T],
    ask: impl Fn(Ask<'_, T>) -> Result<(), Complaint>,
) -> Result<(), Complaint> {
    let mut found = terminals(ask)?;
    found.sort_unstable();
    same("results", &found.as_slice(), &expected)
}

/// Asks a query by every terminal, and compares the answers in their order.
pub(super) fn in_order<T: Debug + PartialEq + Copy>(
    expected: &[T],
    ask: impl Fn(Ask<'_, T>, &mut Scratch) -> Result<(), Complaint>,
) -> Result<(), Complaint> {
    let found = terminals(|terminal| ask(terminal, &mut Scratch::new()))?;
    same("answers in order", &found.as_slice(), &expected)
}

/// Asks a query by every terminal; complains if they differ.
fn terminals<T: Debug + PartialEq + Copy>(
    ask: impl Fn(Ask<'_, T>) -> Result<(), Complaint>,
) -> Result<Vec<T>, Complaint> {
    let (mut found, mut stats) = (Vec::new(), QueryStats::default());
    ask(Ask::Counted(&mut found, &mut stats))?;
    same("hits counted", &stats.hits, &(found.len() as u64))?;
    let mut list = Vec::new();
    ask(Ask::List(&mut list))?;
    same("results without statistics", &list, &found)?;
    list.clear();
    ask(Ask::Each(&mut list))?;
    same("results visited", &list, &found)?;
    let mut count = usize::MAX;
    ask(Ask::Count(&mut count))?;
    same("results counted", &count, &found.len())?;
    let mut any = None;
    ask(Ask::Any(&mut any))?;
    same("any result", &any, &found.first().copied())?;
    for stop in [found.len() + 1, found.len().div_ceil(2).max(1)] {
        let first = &found[..stop.min(found.len())];
        let (mut list, mut full) = (Vec::new(), QueryStats::default());
        let mut visit = |result: T| {
            list.push(result);
            if list.len() == stop { ControlFlow::Break(result) } else { ControlFlow::Continue(()) }
        };
        ask(Ask::Visit(&mut visit, &mut full))?;
        same("results visited until a break", &list.as_slice(), &first)?;
        if stop > found.len() {
            same("statistics of a visitor", &full.hits, &stats.hits)?;
        }
        list.clear();
        let mut visit = |result: T| {
            list.push(result);
            if list.len() == stop { Err(result) } else { Ok(()) }
        };
        ask(Ask::Try(&mut visit))?;
        same("results visited until an error", &list.as_slice(), &first)?;
    }
    Ok(found)
}
