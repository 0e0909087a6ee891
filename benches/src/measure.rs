//! Interleaved rounds: every contestant runs once in each round, in
//! alternating order, so that a slow phase of the machine hits all alike.

use std::time::Instant;

/// Nanoseconds of one contestant in each round.
pub type Samples = Vec<f64>;

/// Times a call, in nanoseconds.
pub fn time<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = std::hint::black_box(run());
    (start.elapsed().as_secs_f64() * 1e9, result)
}

/// The middle sample; the mean of the two middle ones if their number is even.
#[must_use]
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Runs rounds over a number of contestants.
///
/// `run(contestant, round)` returns the nanoseconds of one run. A contestant
/// whose first run takes more than `patience` times the quickest first run is
/// left out of the later rounds; its one sample stands.
pub fn rounds(
    contestants: usize,
    rounds: usize,
    patience: f64,
    mut run: impl FnMut(usize, usize) -> f64,
) -> Vec<Samples> {
    let mut samples = vec![Samples::new(); contestants];
    for round in 0..rounds.max(1) {
        let quickest = samples
            .iter()
            .filter_map(|s| s.first())
            .copied()
            .fold(f64::INFINITY, f64::min);
        for place in 0..contestants {
            // Forth and back, each time from another start.
            let turn = (place + round / 2) % contestants;
            let contestant = if round % 2 == 0 {
                turn
            } else {
                contestants - 1 - turn
            };
            let hopeless = samples[contestant]
                .first()
                .is_some_and(|&first| first > patience * quickest);
            if !hopeless {
                samples[contestant].push(run(contestant, round));
            }
        }
    }
    samples
}
