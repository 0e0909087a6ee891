//! Which pairs to serve if there are too many for one frame.

use crate::border::{Opaque, border};
use crate::callbacks::{Callback, bl_class_of};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::report::write_bytes;
use crate::scratch::bl_scratch;
use crate::types::{bl_pair, pair};
use broadleaf::Pair;
use broadleaf::pairs::PairBudget;
use std::ffi::c_void;

/// Shares out a frame's limited number of pairs by the classes of their
/// objects. What does not fit is deferred, and offered again by itself.
pub struct bl_budget {
    budget: PairBudget,
    offered: Vec<Pair>,
    served: Vec<Pair>,
}

impl Opaque for bl_budget {}

impl bl_budget {
    fn new(budget: PairBudget) -> Self {
        Self { budget, offered: Vec::new(), served: Vec::new() }
    }
}

/// What a frame did to a budget.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct bl_budget_report {
    /// Pairs served.
    pub served: usize,
    /// Pairs served because their class is essential.
    pub essential: usize,
    /// Pairs that wait for the next frame.
    pub deferred: usize,
    /// Pairs that waited, and are no longer pairs.
    pub dropped: usize,
    /// Frames that the longest waiting deferred pair has been deferred.
    pub waited_max: u32,
}

/// Makes a budget. Free it with `bl_budget_free`.
///
/// `essential`: classes below it are never deferred.
/// `patience`: a deferred pair rises by one class every so many frames; zero for 16.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_new(essential: u8, patience: u32, budget: *mut *mut bl_budget) -> bl_status {
    border!(|caller| {
        let place = caller.room(budget, "budget")?;
        let made = PairBudget::new(essential);
        caller.give(place, bl_budget::new(if patience == 0 { made } else { made.with_patience(patience) }));
        Ok(())
    })
}

/// Frees a budget; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_free(budget: *mut bl_budget) {
    border!(|caller| caller.free(budget, "budget"));
}

/// Makes a copy of a budget.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_clone(budget: *const bl_budget, copy: *mut *mut bl_budget) -> bl_status {
    border!(|caller| {
        let budget = caller.shared(budget, "budget")?;
        let place = caller.room(copy, "copy")?;
        let (served, offered) = (budget.served.clone(), Vec::new());
        caller.give(place, bl_budget { budget: budget.budget.clone(), offered, served });
        Ok(())
    })
}

/// Chooses the pairs of this frame: at most `pairs_max`, but for essential ones,
/// and for one pair more where these fill the frame. `bl_budget_served` lists them.
/// The tree must be up to date.
///
/// `offered`: all pairs of the frame, or those that began, each at most once; what was deferred need not be among them.
/// `class_of`: returns the class of an object, 0 for the most urgent; a pair is of the more urgent one of its two.
/// It may ask the tree, but must not use the budget.
/// `report`: what was done; NULL if nobody wants to know.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_serve(
    budget: *mut bl_budget,
    tree: *const bl_octree,
    offered: *const bl_pair,
    offered_count: usize,
    pairs_max: usize,
    class_of: bl_class_of,
    context: *mut c_void,
    report: *mut bl_budget_report,
) -> bl_status {
    border!(|caller| {
        let bl_budget { budget, offered: read, served } = caller.exclusive(budget, "budget")?;
        let view = caller.shared(tree, "tree")?.view()?;
        let class_of = Callback::of(class_of, context).ok_or(Failure::NullPointer("class_of"))?;
        let place = if report.is_null() { None } else { Some(caller.room(report, "report")?) };
        read.clear();
        for (index, offered) in caller.slice(offered, offered_count, "offered")?.iter().enumerate() {
            read.push(pair(offered).map_err(|failure| failure.at(index))?);
        }
        let done = budget.serve(view, read, pairs_max, |handle| class_of.class(handle.to_bits()), served);
        if let Some(place) = place {
            place.write(bl_budget_report {
                served: done.served,
                essential: done.essential,
                deferred: done.deferred,
                dropped: done.dropped,
                waited_max: done.waited_max,
            });
        }
        Ok(())
    })
}

/// Lists the pairs that the last frame serves, the most urgent class first.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_served(
    budget: *const bl_budget,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let budget = caller.shared(budget, "budget")?;
        caller.list(found, capacity, count)?.fill(budget.served.iter().map(|&pair| pair.into()))
    })
}

/// Lists the pairs that wait for the next frame, sorted.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_deferred(
    budget: *const bl_budget,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let budget = caller.shared(budget, "budget")?;
        caller.list(found, capacity, count)?.fill(budget.budget.deferred().map(Into::into))
    })
}

/// Lists the pairs that waited and with the last frame were found to be none any more, sorted.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_dropped(
    budget: *const bl_budget,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let budget = caller.shared(budget, "budget")?;
        caller.list(found, capacity, count)?.fill(budget.budget.dropped().iter().map(|&pair| pair.into()))
    })
}

/// Forgets what waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_clear(budget: *mut bl_budget) -> bl_status {
    border!(|caller| {
        let budget = caller.exclusive(budget, "budget")?;
        budget.budget.clear();
        budget.served.clear();
        Ok(())
    })
}

/// Tells a hash of the budget's state; as `bl_octree_state_hash`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_state_hash(budget: *const bl_budget, hash: *mut u64) -> bl_status {
    border!(|caller| {
        let budget = caller.shared(budget, "budget")?;
        caller.room(hash, "hash")?.write(budget.budget.state_hash());
        Ok(())
    })
}

/// Saves a budget as bytes; as `bl_octree_save`. The list of pairs served is not part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_save(
    budget: *const bl_budget,
    scratch: *mut bl_scratch,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let budget = caller.shared(budget, "budget")?;
        write_bytes(caller, scratch, (bytes, capacity, count), |saved| budget.budget.snapshot_into(saved))
    })
}

/// Makes the budget that was saved; as `bl_octree_load`. Free it with `bl_budget_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_budget_load(bytes: *const u8, count: usize, budget: *mut *mut bl_budget) -> bl_status {
    border!(|caller| {
        let bytes = caller.slice(bytes, count, "bytes")?;
        let place = caller.room(budget, "budget")?;
        caller.give(place, bl_budget::new(PairBudget::from_snapshot(bytes)?));
        Ok(())
    })
}
