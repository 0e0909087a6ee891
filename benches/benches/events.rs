//! `events/scene/count/variant`: movers move, the tree is brought up to date,
//! begun and ended pairs are found.

use benches::events::cases::EventCase;
use benches::events::{all, contest};
use benches::ready::short;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

const CASES: [(&str, usize); 7] = [
    ("uniform", 10_000),
    ("uniform", 100_000),
    ("pile", 100_000),
    ("city", 100_000),
    ("leap", 100_000),
    ("movers-1", 100_000),
    ("rest", 1_000_000),
];

fn events(criterion: &mut Criterion) {
    for (scene, count) in CASES {
        let case = EventCase::new(scene, count).expect("a case of that name");
        let mut group = criterion.benchmark_group(format!("events/{scene}/{}", short(count)));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
        group.throughput(Throughput::Elements(case.frame(0).moved.len().max(1) as u64));
        let mut subjects = all();
        contest::verify(&case, &mut subjects);
        for mut subject in subjects {
            let mut time = case.frames.len();
            let name = subject.name().to_lowercase().replace(", ", "-").replace(' ', "-");
            group.bench_function(name, |bench| {
                bench.iter(|| {
                    time += 1;
                    subject.frame(case.frame(time))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, events);
criterion_main!(benches);
