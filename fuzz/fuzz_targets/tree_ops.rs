//! Whole programs: every operation, every refusal, everything compared.

#![no_main]

use libfuzzer_sys::fuzz_target;
use workloads::programs::{Program, run};

fuzz_target!(|program: Program| {
    if let Err(mismatch) = run(&program) {
        panic!("{mismatch}");
    }
});
