//! Pairs that the caller's filter has refused: they overlap, and are no pairs
//! of the tracker until they end, or until the filter is asked again.

use crate::data::Handle;
use crate::data::arena::cloned;
use crate::pairs::pair::Pair;
use alloc::vec::Vec;

/// A closure that accepts pairs.
pub(super) type AcceptPair<'a> = &'a mut dyn FnMut(Pair) -> bool;

/// The pairs refused, and the objects whose pairs are asked about again.
#[derive(Debug, Default)]
pub(in crate::pairs) struct RefusedPairs {
    /// Sorted.
    pub(in crate::pairs) pairs: Vec<Pair>,
    /// Objects whose pairs the filter is asked about with the next update.
    pub(in crate::pairs) requests: Vec<Handle>,
    /// What the name of the set has changed by since it was last taken.
    name_change: u64,
    /// Working memory: refused pairs that a pass has found.
    found: Vec<Pair>,
}

impl Clone for RefusedPairs {
    fn clone(&self) -> Self {
        cloned(self, Self::default())
    }

    fn clone_from(&mut self, source: &Self) {
        self.pairs.clone_from(&source.pairs);
        self.requests.clone_from(&source.requests);
        self.name_change = source.name_change;
    }
}

impl RefusedPairs {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.requests.clear();
        self.name_change = 0;
    }

    /// What the name of the set has changed by since this was last called.
    pub(super) fn take_name_change(&mut self) -> u64 {
        core::mem::take(&mut self.name_change)
    }

    /// Asks again about the pairs of the requested objects. Pairs that were
    /// refused are unknown from now on: they begin, if they are accepted. Known
    /// pairs that are refused now move from `known` to `ended`.
    pub(super) fn ask_again(&mut self, known: &mut Vec<Pair>, ended: &mut Vec<Pair>, accept: AcceptPair<'_>) {
        let Self { pairs, requests, name_change, .. } = self;
        requests.sort_unstable();
        let is_requested =
            |pair: &Pair| [pair.a(), pair.b()].iter().any(|handle| requests.binary_search(handle).is_ok());
        pairs.retain(|pair| {
            let keeps = !is_requested(pair);
            if !keeps {
                *name_change = name_change.wrapping_sub(Pair::name_of_all(&[*pair]));
            }
            keeps
        });
        known.retain(|pair| {
            let keeps = !is_requested(pair) || accept(*pair);
            if !keeps {
                ended.push(*pair);
                pairs.push(*pair);
                *name_change = name_change.wrapping_add(Pair::name_of_all(&[*pair]));
            }
            keeps
        });
        pairs.sort_unstable();
        requests.clear();
    }

    /// Takes refused pairs out of what a pass has found. Those of the objects
    /// that the pass looked at, and that it has not found, have ended.
    pub(super) fn take_found(&mut self, found: &mut Vec<Pair>, is_looked_at: impl Fn(&Pair) -> bool) {
        if self.pairs.is_empty() {
            return;
        }
        let Self { pairs, found: still, name_change, .. } = self;
        still.clear();
        found.retain(|pair| {
            let keeps = pairs.binary_search(pair).is_err();
            if !keeps {
                still.push(*pair);
            }
            keeps
        });
        still.sort_unstable();
        pairs.retain(|pair| {
            let keeps = !is_looked_at(pair) || still.binary_search(pair).is_ok();
            if !keeps {
                *name_change = name_change.wrapping_sub(Pair::name_of_all(&[*pair]));
            }
            keeps
        });
    }

    /// Asks the filter about the pairs of `found` that begin: `begun` has their indices, ascending. Those that it
    /// refuses are taken out of both lists; the indices that stay are those in what is left of `found`.
    #[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
    pub(super) fn ask(&mut self, begun: &mut Vec<u32>, found: &mut Vec<Pair>, accept: Option<AcceptPair<'_>>) {
        let Some(accept) = accept else { return };
        let (refused_before, mut index, mut asked, mut accepted) = (self.pairs.len(), 0, 0, 0);
        found.retain(|pair| {
            let begins = begun.get(asked) == Some(&index);
            index += 1;
            if !begins {
                return true;
            }
            asked += 1;
            let keeps = accept(*pair);
            if keeps {
                // The pairs that were refused before it are no longer there.
                begun[accepted] = index - (asked - accepted) as u32;
                accepted += 1;
            } else {
                self.pairs.push(*pair);
            }
            keeps
        });
        begun.truncate(accepted);
        let refused = &self.pairs[refused_before..];
        if !refused.is_empty() {
            self.name_change = self.name_change.wrapping_add(Pair::name_of_all(refused));
            self.pairs.sort_unstable();
        }
    }
}
