//! Programs that mostly ask: a question after every change, so that trees are
//! asked while they grow, and everything compared once at the end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use workloads::programs::{Op, Program, run};

fuzz_target!(|program: Program| {
    let mut program = program;
    program.stride = 0;
    let mut questions = program.questions.iter().cycle();
    let ops = program.ops.into_iter().filter(|op| !matches!(op, Op::Refuse(..) | Op::RefuseStale(_)));
    program.ops =
        ops.flat_map(|op| [Some(op), questions.next().map(|&question| Op::Ask(question))]).flatten().collect();
    if let Err(mismatch) = run(&program) {
        panic!("{mismatch}");
    }
});
