//! Counts the heap allocations of chosen threads.
//!
//! A thread counts into a meter once it has one: the first measurement gives
//! it one of its own, and the threads of a [`pool`] share the one of the thread
//! that made the pool. What other threads allocate is not counted, as those of
//! the test harness, which prints a notice after a minute.
#![expect(unsafe_code, reason = "an allocator that counts is one by an unsafe trait; decision 0061")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

thread_local! {
    // Made without an allocation and never dropped: fit for an allocator to look at.
    static METER: Cell<Option<&'static AtomicUsize>> = const { Cell::new(None) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The system's allocator, and a count of what is asked of it.
struct Counting;

impl Counting {
    fn count(&self) {
        if let Some(meter) = METER.get() {
            meter.fetch_add(1, Ordering::Relaxed);
        }
    }
}

// SAFETY: every call goes to the system's allocator as it is, whose contract is
// the same; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count();
        // SAFETY: the caller keeps the contract of this same method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count();
        // SAFETY: the caller keeps the contract of this same method.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count();
        // SAFETY: the caller keeps the contract of this same method.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of this same method.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The meter of this thread.
fn meter() -> &'static AtomicUsize {
    METER.get().unwrap_or_else(|| {
        let meter = Box::leak(Box::default());
        METER.set(Some(meter));
        meter
    })
}

/// Heap allocations, reallocations included, of this thread while it works, and
/// of all threads that share its meter.
pub(crate) fn allocations(work: impl FnOnce()) -> usize {
    let meter = meter();
    let before = meter.load(Ordering::SeqCst);
    work();
    meter.load(Ordering::SeqCst) - before
}

/// A pool of so many threads that count into the meter of this one.
pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    let meter = meter();
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.start_handler(move |_| METER.set(Some(meter))).build().expect("a pool")
}

/// Has another thread allocate so often while this one measures; how often it
/// did by its own meter, and by that of this thread.
fn allocate_elsewhere(times: u32) -> (usize, usize) {
    let turn = AtomicU32::new(0);
    let wait_for = |value| {
        while turn.load(Ordering::SeqCst) != value {
            std::thread::yield_now();
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            wait_for(1);
            let count = allocations(|| (0..times).for_each(|i| drop(std::hint::black_box(Box::new(i)))));
            turn.store(2, Ordering::SeqCst);
            count
        });
        let here = allocations(|| {
            turn.store(1, Ordering::SeqCst);
            wait_for(2);
        });
        (other.join().expect("the other thread"), here)
    })
}

#[test]
fn regression_allocations_of_other_threads_are_not_counted() {
    assert_eq!(allocate_elsewhere(1_000), (1_000, 0));
}

/// So that the tests of pools below would notice one.
#[test]
fn allocations_of_a_pools_threads_are_counted() {
    let pool = pool(2);
    pool.install(|| {
        let boxes = || (0..100_000).for_each(|i| drop(std::hint::black_box(Box::new(i))));
        let both = allocations(|| _ = rayon::join(boxes, boxes));
        assert!(both >= 200_000, "{both} of both threads");
    });
}
