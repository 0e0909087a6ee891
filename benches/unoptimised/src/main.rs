//! A caller that asks every terminal a few thousand times, without closures of
//! its own except where the question needs one.
//!
//! `cargo xtask ci unoptimised` compiles this crate twice, without optimisation
//! and with it, against the same optimised library, and counts the instructions
//! in [`ask`] under callgrind: terminals are compiled in the library, so the two
//! must hardly differ. `for_each` and `try_for_each` of an overlap question are
//! not here: they are compiled with their visitor, in the caller's crate. Nor are
//! shapes of the caller's own, whose traversals are compiled with them.
//!
//! Prints the name of each terminal, how often it was asked, and the number of
//! answers. With the argument `verify`, which is slow, that number is compared
//! with that of a plain scan, and of a mesh with that of each triangle by itself.

mod meshes;
mod room;
mod scan;
mod terminals;

use meshes::MESHES;
use room::Room;
use std::hint::black_box;
use terminals::{Ask, BATCHES, TERMINALS};

/// What is counted: the instructions between entry and return.
#[inline(never)]
fn ask(terminal: Ask, room: &mut Room) -> usize {
    terminal(room)
}

fn main() {
    let verifies = std::env::args().any(|argument| argument == "verify");
    let mut room = Room::new();
    for terminal in TERMINALS.iter().chain(BATCHES).chain(MESHES) {
        // Not counted: buffers grow.
        (terminal.ask)(&mut room);
        let returned = ask(black_box(terminal.ask), black_box(&mut room));
        let answers = terminal.read(&room, returned);
        if verifies {
            assert_eq!(answers, terminal.answers.of(&mut room, terminal.ask), "{}", terminal.name);
        }
        println!("{},{},{answers}", terminal.name, terminal.questions(&room));
    }
}
