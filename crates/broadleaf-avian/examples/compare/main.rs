//! Frames and spatial queries of avian with its own broad phase and with broadleaf's, side by side.
//!
//! `cargo run --release --example compare [-- BODIES...]` prints tables in Markdown. All engines
//! run in one process, a frame of each in turn, and of several equal rounds the least time counts.
//! Before anything is timed, all worlds run for some frames and are compared: poses and pairs
//! are equal bit for bit; so are the answers to all questions.

mod frames;
mod queries;
mod scenes;

// What the tests make their worlds with.
#[path = "../../tests/it/reference.rs"]
mod reference;
#[path = "../../tests/it/worlds.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod worlds;

use scenes::SCENES;

#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

fn main() -> Result<(), std::num::ParseIntError> {
    let counts = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<Vec<u32>, _>>()?;
    let counts = if counts.is_empty() { vec![1000, 10_000, 50_000] } else { counts };
    println!("Milliseconds a frame: means over frames of the least of three rounds. Every world was checked first.\n");
    frames::print_head();
    for scene in SCENES {
        for &count in &counts {
            frames::compare(scene, count);
        }
    }
    println!();
    queries::print_head();
    for &count in &counts {
        queries::compare(&SCENES[0], count);
    }
    Ok(())
}
