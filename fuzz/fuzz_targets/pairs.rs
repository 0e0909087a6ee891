//! Programs that only change things: all pairs compared after every change,
//! and no questions but those about the objects themselves.

#![no_main]

use libfuzzer_sys::fuzz_target;
use workloads::programs::{Op, Program, run};

fuzz_target!(|program: Program| {
    let mut program = program;
    program.stride = 1;
    program.questions.clear();
    program.ops.retain(|op| !matches!(op, Op::Ask(_) | Op::Refuse(..) | Op::RefuseStale(_)));
    if let Err(mismatch) = run(&program) {
        panic!("{mismatch}");
    }
});
