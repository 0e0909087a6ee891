use super::*;

#[test]
fn seeds_are_programs_and_programs_are_the_same_each_time() {
    let program = Program::from_seed(5, 100);
    assert_eq!(program, Program::from_seed(5, 100));
    assert_ne!(program, Program::from_seed(6, 100));
    assert_eq!(program.ops.len(), 100);
}

#[test]
fn generated_values_are_legal() {
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        assert!(values::shape(&mut random).check().is_ok());
        assert!(values::config(&mut random).check().is_ok());
        assert!(values::point(&mut random).is_finite());
        let fault = Fault::generate(&mut random);
        let error = fault.shape().check().unwrap_err();
        assert!(fault.is_reported_by(&error), "{fault:?}: {error}");
    }
}

#[test]
fn trees_agree_with_the_oracle() {
    for seed in 0..150 {
        if let Err(mismatch) = run(&Program::from_seed(seed, 80)) {
            panic!("seed {seed}: {mismatch}");
        }
    }
}

#[cfg(feature = "arbitrary")]
#[test]
fn bytes_are_programs() {
    use arbitrary::{Arbitrary, Unstructured};
    let mut random = Random::new(2);
    for length in [0, 1, 50, 3000] {
        let bytes: Vec<u8> = (0..length)
            .map(|_| random.bits().to_le_bytes()[0])
            .collect();
        let program = Program::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
        if let Err(mismatch) = run(&program) {
            panic!("{length} bytes: {mismatch}");
        }
    }
}

#[test]
fn survey() {
    let mut seen = std::collections::BTreeMap::<String, (u32, u64, String)>::new();
    for seed in 0..1500 {
        if let Err(mismatch) = run(&Program::from_seed(seed, 60)) {
            if mismatch.what.contains("Point(") {
                continue;
            }
            let key: String = mismatch.what.split(['(', '{']).next().unwrap().to_owned()
                + mismatch
                    .what
                    .rsplit_once("}): ")
                    .map_or("", |w| w.1)
                    .split(['[', '(', '{'])
                    .next()
                    .unwrap();
            seen.entry(key).or_insert((0, seed, mismatch.what)).0 += 1;
        }
    }
    for (key, (count, seed, what)) in seen {
        println!(
            "SURVEY {count} x, first seed {seed}: {key}: {}",
            &what[..what.len().min(700)]
        );
        let small = shrink(&Program::from_seed(seed, 60)).unwrap();
        println!(
            "SURVEY   {:?} {:#?} {}",
            small.0.config, small.0.ops, small.1
        );
    }
}
