//! Makes a failing program smaller.

use super::{Mismatch, Op, Program, run};

/// The program with every step and question left out that it fails without,
/// and how it fails; `None` if it does not fail.
#[must_use]
pub fn shrink(program: &Program) -> Option<(Program, Mismatch)> {
    let mut mismatch = run(program).err()?;
    let mut best = program.clone();
    best.ops.truncate(mismatch.step.saturating_add(1));
    let mut chunk = best.ops.len();
    while chunk > 0 {
        let mut from = 0;
        while from < best.ops.len() {
            let mut smaller = best.clone();
            smaller.ops.drain(from..(from + chunk).min(smaller.ops.len()));
            if let Err(error) = run(&smaller) {
                (best, mismatch) = (smaller, error);
            } else {
                from += chunk;
            }
        }
        chunk /= 2;
    }
    for smaller in simpler(&best) {
        if let Err(error) = run(&smaller) {
            (best, mismatch) = (smaller, error);
        }
    }
    Some((best, mismatch))
}

/// Programs without questions, and with shorter lists in one step.
fn simpler(program: &Program) -> Vec<Program> {
    let mut candidates = vec![Program { questions: Vec::new(), ..program.clone() }];
    for (index, op) in program.ops.iter().enumerate() {
        if let Op::InsertMany(objects) = op {
            for kept in 1..objects.len() {
                let mut candidate = program.clone();
                candidate.ops[index] = Op::InsertMany(objects[objects.len() - kept..].to_vec());
                candidates.push(candidate);
            }
        }
    }
    candidates.reverse();
    candidates
}
