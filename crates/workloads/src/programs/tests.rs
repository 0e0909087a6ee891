use super::*;
use crate::oracle::Selection;

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
    for seed in 0..300 {
        if let Err(mismatch) = run(&Program::from_seed(seed, 80)) {
            panic!("seed {seed}: {mismatch}");
        }
    }
}

#[test]
fn large_trees_agree_with_the_oracle() {
    for seed in 0..12 {
        let mut program = Program::from_seed(seed, 500);
        program.stride = 25;
        program.ops.retain(|op| *op != Op::Clear);
        if let Err(mismatch) = run(&program) {
            panic!("seed {seed}: {mismatch}");
        }
    }
}

#[test]
fn flat_and_long_trees_agree_with_the_oracle() {
    let scales = [Vec3::new(1.0, 1.0, 0.015_625), Vec3::new(1e-6, 1.0, 1.0), Vec3::new(0.002, 0.02, 1.0)];
    for (seed, scale) in (1000..1240).zip(scales.into_iter().cycle()) {
        let mut program = Program::from_seed(seed, if seed % 8 == 0 { 400 } else { 80 }).flattened(scale);
        program.stride = if seed % 8 == 0 { 25 } else { program.stride };
        if let Err(mismatch) = run(&program) {
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
        let bytes: Vec<u8> = (0..length).map(|_| random.bits().to_le_bytes()[0]).collect();
        let program = Program::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
        if let Err(mismatch) = run(&program) {
            panic!("{length} bytes: {mismatch}");
        }
    }
}

#[cfg(feature = "arbitrary")]
#[test]
fn bytes_that_repeat_an_insertion_are_programs_of_bounded_work() {
    use arbitrary::{Arbitrary, Unstructured};
    let programs = [84, 150, 216].map(|byte| Program::arbitrary(&mut Unstructured::new(&[byte; 4096])).unwrap());
    for program in programs {
        let inserted: usize = program.ops.iter().map(Op::inserted).sum();
        assert!(inserted > 100, "bytes that insert no longer");
        assert!(inserted * inserted < 2 * WORK_MAX, "{inserted} objects");
        assert!(program.ops.len() < OPS_MAX);
        if let Err(mismatch) = run(&program) {
            panic!("{mismatch}");
        }
    }
}

#[test]
fn regression_point_next_to_a_face() {
    let unit = Object::new(broadleaf::Aabb::new(Vec3::ZERO, Vec3::ONE));
    let program = Program {
        config: Config::default(),
        stride: 1,
        questions: vec![Question::Point(Vec3::new(-1e-40, 0.5, 0.5), Selection::ALL)],
        ops: vec![Op::Insert(unit)],
    };
    run(&program).unwrap();
}

#[test]
fn failing_programs_shrink() {
    let mut program = Program::from_seed(1, 30);
    assert_eq!(shrink(&program), None);
    // Settings that no tree accepts fail with any steps, so none are left.
    program.config.looseness = 0.0;
    let (small, mismatch) = shrink(&program).unwrap();
    assert!(small.ops.is_empty());
    assert!(mismatch.what.starts_with("settings refused"));
}
