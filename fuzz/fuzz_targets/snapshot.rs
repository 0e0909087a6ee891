//! Snapshots of any tree, then tampered with: what is restored unharmed is the
//! same tree, and what was changed is refused or sound.

#![no_main]

use libfuzzer_sys::fuzz_target;
use workloads::programs::{Program, run_with};
use workloads::tamper::{exercise, restore, store};

fuzz_target!(|input: (Vec<(u16, u8)>, Program)| {
    let (changes, mut program) = input;
    program.stride = 0;
    program.questions.clear();
    let mut stored = Vec::new();
    let done = run_with(&program, |_, tree| {
        stored = store(tree);
        let restored = restore(&stored).expect("an unharmed snapshot");
        assert_eq!(restored.state_hash(), tree.state_hash());
        *tree = restored;
    });
    if let Err(mismatch) = done {
        panic!("{mismatch}");
    }
    for (at, value) in changes {
        if let Some(byte) = stored.get_mut(usize::from(at)) {
            *byte = value;
        }
    }
    if let Some(mut tree) = restore(&stored) {
        exercise(&mut tree);
    }
});
