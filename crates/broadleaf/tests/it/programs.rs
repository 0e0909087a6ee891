//! Whatever is done to a tree, in whatever order and with whatever settings,
//! its invariants hold and it answers as brute force does.

use crate::support::{agree, oracle_of};
use broadleaf::{Config, Handle, Margin, Object, Octree};
use proptest::prelude::*;
use workloads::programs::run;
use workloads::{Program, Random, Scene};

/// Runs a program beside the oracle; everything is validated after every step.
fn holds(program: &Program) -> Result<(), TestCaseError> {
    run(program).map_err(|mismatch| TestCaseError::fail(format!("{:?}: {mismatch}", program.config)))
}

fn settings() -> impl Strategy<Value = Config> {
    let looseness = prop_oneof![Just(1.0_f32), Just(1.5), Just(2.0), Just(9.0), Just(1e6), 1.0_f32..=4.0];
    let smallest_cell = (-40_i32..=40).prop_map(|exponent| 2.0_f32.powi(exponent));
    let leaf_capacity = prop_oneof![Just(1_u32), Just(2), Just(8), Just(64), 1_u32..=64];
    let absolute = prop_oneof![Just(0.0_f32), Just(0.0), 0.0_f32..1.0, Just(1e6)];
    let relative = prop_oneof![Just(0.0_f32), Just(0.0), 0.0_f32..=1.0];
    let margin = (absolute, relative).prop_map(|(absolute, relative)| Margin { absolute, relative });
    (looseness, smallest_cell, leaf_capacity, 1_u32..=21, margin).prop_map(
        |(looseness, smallest_cell, leaf_capacity, depth_limit, margin)| Config {
            looseness,
            smallest_cell,
            leaf_capacity,
            depth_limit,
            margin,
        },
    )
}

// A seed's shorter programs are the beginnings of its longer ones: a failure
// shrinks by length, and is written down by its seed and length.
proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_program_agrees_with_the_oracle(seed in any::<u64>().no_shrink(), length in 0_usize..120) {
        holds(&Program::from_seed(seed, length))?;
    }

    #[test]
    fn any_settings_agree_with_the_oracle(
        seed in any::<u64>().no_shrink(),
        length in 0_usize..60,
        config in settings(),
    ) {
        holds(&Program { config, stride: 1, ..Program::from_seed(seed, length) })?;
    }

    #[test]
    fn small_crowded_trees_agree_with_the_oracle(seed in any::<u64>().no_shrink(), length in 0_usize..60) {
        let config = Config { leaf_capacity: 1, smallest_cell: 1.0, ..Config::default() };
        holds(&Program { config, stride: 1, ..Program::from_seed(seed, length) })?;
    }
}

const LOOSENESS: [f32; 4] = [1.0, 1.5, 3.0, 33.0];
const CAPACITIES: [u32; 4] = [1, 2, 8, 64];

#[test]
fn every_looseness_with_every_leaf_capacity() {
    for looseness in LOOSENESS {
        for leaf_capacity in CAPACITIES {
            for seed in 0..6 {
                let config = Config { looseness, leaf_capacity, ..Config::default() };
                let program = Program { config, stride: 4, ..Program::from_seed(seed, 80) };
                if let Err(mismatch) = run(&program) {
                    panic!("looseness {looseness}, capacity {leaf_capacity}, seed {seed}: {mismatch}");
                }
            }
        }
    }
}

#[test]
fn regression_a_sphere_that_shrank_and_moved_keeps_no_more_than_three_margins() {
    run(&Program::from_seed(3_555_887_010_747_785_035, 28)).unwrap();
}

/// An order of `0..count`.
#[derive(Debug, Clone, Copy)]
enum Order {
    Forward,
    Reverse,
    Shuffled,
}

const ORDERS: [Order; 3] = [Order::Forward, Order::Reverse, Order::Shuffled];

impl Order {
    fn of<T: Copy>(self, items: &[T], seed: u64) -> Vec<T> {
        let mut items = items.to_vec();
        match self {
            Self::Forward => {}
            Self::Reverse => items.reverse(),
            Self::Shuffled => {
                let mut random = Random::new(seed);
                for limit in (1..items.len()).rev() {
                    let bound = u32::try_from(limit + 1).expect("few items");
                    items.swap(limit, random.below(bound) as usize);
                }
            }
        }
        items
    }
}

/// When the tree is brought up to date while it is being built.
#[derive(Debug, Clone, Copy)]
enum Build {
    /// After each object: placed one by one as soon as the tree is large enough.
    EachInTurn,
    /// After the last: in bulk.
    InBulk,
}

fn built(objects: &[Object], build: Build, config: Config) -> (Octree, Vec<Handle>) {
    let mut tree = Octree::new(config).expect("legal settings");
    let mut handles = Vec::new();
    for object in objects {
        handles.push(tree.insert(*object).expect("a legal object"));
        if matches!(build, Build::EachInTurn) {
            tree.view();
            tree.validate().unwrap();
        }
    }
    (tree, handles)
}

fn build_and_take_down(scene: &str, config: Config) {
    let scene = Scene::by_name(scene, 90, 3).expect("a scene");
    for build in [Build::EachInTurn, Build::InBulk] {
        for order in ORDERS {
            let objects = order.of(scene.objects(), 1);
            for removal in ORDERS {
                let (mut tree, handles) = built(&objects, build, config);
                let mut oracle = oracle_of(&tree);
                agree(&mut tree, &oracle);
                for handle in removal.of(&handles, 2) {
                    let removed = tree.remove(handle);
                    assert!(removed.is_some() && removed == oracle.remove(handle));
                    tree.validate().unwrap();
                    agree(&mut tree, &oracle);
                }
                assert!(tree.is_empty() && tree.counters().nodes_live == 0, "{build:?} {order:?} {removal:?}");
            }
        }
    }
}

#[test]
fn every_build_order_with_every_removal_order() {
    for looseness in LOOSENESS {
        for leaf_capacity in [1, 8] {
            build_and_take_down("mixed", Config { looseness, leaf_capacity, ..Config::default() });
        }
    }
    build_and_take_down("shapes", Config::default());
    build_and_take_down("city", Config::strict());
    for (leaf_capacity, looseness) in [(1, 1.5), (8, 2.0)] {
        build_and_take_down("city", Config { looseness, leaf_capacity, ..Config::default() });
    }
}

#[test]
fn regression_programs_of_huge_and_far_shapes() {
    // A normal made of what rounding left of a sphere; a sphere that is huge beside its gap to a swept one.
    let settings = Config { looseness: 1.0, smallest_cell: 1.0, leaf_capacity: 1, depth_limit: 1, ..Config::default() };
    let far = Program { config: settings, stride: 1, ..Program::from_seed(17_534_456_270_691_013_238, 5) };
    let further = Program { config: settings, stride: 1, ..Program::from_seed(11_564_351_912_371_076_176, 10) };
    let sweeps = [(5_651_746_828_616_012_279, 28), (2_854_481_932_970_822_857, 49)];
    let swept = sweeps.map(|(seed, length)| {
        let mut program = Program::from_seed(seed, length);
        program.config.margin = Margin::NONE;
        program
    });
    let programs = [far, further].into_iter().chain(swept);
    programs.for_each(|program| run(&program).unwrap());
}
