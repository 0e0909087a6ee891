//! Which pairs began and ended.

use crate::border::{Opaque, border};
use crate::failure::bl_status;
use crate::octree::bl_octree;
use crate::options::{Options, bl_options};
use crate::report::write_bytes;
use crate::scratch::bl_scratch;
use crate::types::{bl_handle, bl_pair, bl_threads, threads_choice, threads_number};
use broadleaf::{Handle, PairTracker};

/// Keeps the pairs of a tree from frame to frame, and tells which began and
/// which ended. Any number of trackers may follow one tree, each at its own rate.
pub struct bl_tracker {
    tracker: PairTracker,
}

impl Opaque for bl_tracker {}

/// Makes a tracker that knows no pairs: with its first update every pair begins. Free it with `bl_tracker_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_new(tracker: *mut *mut bl_tracker) -> bl_status {
    border!(|caller| {
        let place = caller.room(tracker, "tracker")?;
        caller.give(place, bl_tracker { tracker: PairTracker::new() });
        Ok(())
    })
}

/// Frees a tracker; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_free(tracker: *mut bl_tracker) {
    border!(|caller| caller.free(tracker, "tracker"));
}

/// Makes a copy of a tracker.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_clone(tracker: *const bl_tracker, copy: *mut *mut bl_tracker) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?.tracker.clone();
        let place = caller.room(copy, "copy")?;
        caller.give(place, bl_tracker { tracker });
        Ok(())
    })
}

/// Copies a tracker into one that is there already, without allocation if there is room.
///
/// `source`: may be `tracker` itself; then nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_copy(tracker: *mut bl_tracker, source: *const bl_tracker) -> bl_status {
    border!(|caller| {
        let source_tracker = caller.shared(source, "source")?;
        // One object cannot be borrowed both ways.
        if !std::ptr::eq(tracker, source) {
            caller.exclusive(tracker, "tracker")?.tracker.clone_from(&source_tracker.tracker);
        }
        Ok(())
    })
}

/// Brings the tree up to date, compares its pairs with those known, and takes them over.
///
/// Options: pair_filter, stats. The filter is asked when a pair begins to overlap; what it
/// refuses is no pair until the objects part and meet again, or until `bl_tracker_ask_again`.
/// The filter must use neither the tree nor the tracker: keep what it reads in arrays, by `bl_handle_slot`.
/// Cost: in proportion to what changed since the last update of this tracker; next to nothing if nothing did.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_update(
    tracker: *mut bl_tracker,
    tree: *mut bl_octree,
    options: *const bl_options,
) -> bl_status {
    border!(|caller| {
        let mut options = Options::read(caller, options, &["pair_filter"])?;
        let tracker = caller.exclusive(tracker, "tracker")?;
        let changes = caller.exclusive(tree, "tree")?.tree.changes();
        let work = match options.pair_filter {
            Some(filter) => tracker.tracker.update_with(changes, |pair| filter.pair(pair.into()) != 0),
            None => tracker.tracker.update(changes),
        };
        options.add(work);
        Ok(())
    })
}

/// Has the filter asked again about all pairs of an object, with the next update. Ignores a stale handle, and a
/// number that is no handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_ask_again(tracker: *mut bl_tracker, object: bl_handle) -> bl_status {
    border!(|caller| {
        let tracker = caller.exclusive(tracker, "tracker")?;
        if let Some(object) = Handle::from_bits(object) {
            tracker.tracker.ask_again(object);
        }
        Ok(())
    })
}

/// Lists the pairs that began with the last update.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_begun(
    tracker: *const bl_tracker,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        caller.list(found, capacity, count)?.fill(tracker.tracker.begun().iter().map(|&pair| pair.into()))
    })
}

/// Lists the pairs that ended with the last update. Handles of removed objects are stale.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_ended(
    tracker: *const bl_tracker,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        caller.list(found, capacity, count)?.fill(tracker.tracker.ended().iter().map(|&pair| pair.into()))
    })
}

/// Lists all pairs as of the last update, those that began included.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_pairs(
    tracker: *const bl_tracker,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        caller.list(found, capacity, count)?.fill(tracker.tracker.pairs().iter().map(|&pair| pair.into()))
    })
}

/// Lists the pairs that were there before the last update and still are.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_persisting(
    tracker: *const bl_tracker,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        caller.list(found, capacity, count)?.fill(tracker.tracker.persisting().map(Into::into))
    })
}

/// Forgets all pairs, without events, keeping the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_clear(tracker: *mut bl_tracker) -> bl_status {
    border!(|caller| {
        caller.exclusive(tracker, "tracker")?.tracker.clear();
        Ok(())
    })
}

/// Makes room for the pairs of a world of `objects` objects that has at most `pairs` pairs at a time.
///
/// Errors: `BL_STATUS_PANIC` if so much has a size beyond all memory. An allocation that fails aborts the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_reserve(tracker: *mut bl_tracker, objects: usize, pairs: usize) -> bl_status {
    border!(|caller| {
        caller.exclusive(tracker, "tracker")?.tracker.reserve(objects, pairs);
        Ok(())
    })
}

/// Sets on which threads updates make the pass over all objects. The events and their order are the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_set_threads(tracker: *mut bl_tracker, threads: bl_threads) -> bl_status {
    border!(|caller| {
        caller.exclusive(tracker, "tracker")?.tracker.set_threads(threads_choice(threads)?);
        Ok(())
    })
}

/// Tells on which threads updates make the pass over all objects.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_threads(tracker: *const bl_tracker, threads: *mut bl_threads) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        caller.room(threads, "threads")?.write(threads_number(tracker.tracker.threads()));
        Ok(())
    })
}

/// Tells a hash of the tracker's state; as `bl_octree_state_hash`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_state_hash(tracker: *const bl_tracker, hash: *mut u64) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        caller.room(hash, "hash")?.write(tracker.tracker.state_hash());
        Ok(())
    })
}

/// Saves a tracker as bytes; as `bl_octree_save`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_save(
    tracker: *const bl_tracker,
    scratch: *mut bl_scratch,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tracker = caller.shared(tracker, "tracker")?;
        write_bytes(caller, scratch, (bytes, capacity, count), |saved| tracker.tracker.snapshot_into(saved))
    })
}

/// Makes the tracker that was saved; as `bl_octree_load`. Free it with `bl_tracker_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_tracker_load(bytes: *const u8, count: usize, tracker: *mut *mut bl_tracker) -> bl_status {
    border!(|caller| {
        let bytes = caller.slice(bytes, count, "bytes")?;
        let place = caller.room(tracker, "tracker")?;
        caller.give(place, bl_tracker { tracker: PairTracker::from_snapshot(bytes)? });
        Ok(())
    })
}
