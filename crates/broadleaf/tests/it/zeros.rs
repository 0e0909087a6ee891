//! Which of two zeros of different sign an instruction keeps depends on the
//! instruction set. A tree keeps positive zeros only, however bounds enter it:
//! so it is the tree of the same bounds without negative zeros, to the last bit.

use broadleaf::glam::{Quat, Vec3};
use broadleaf::{Aabb, Config, Handle, Margin, Mesh, Object, Octree, Placement, Shape, Sphere, shape::Triangle};
use workloads::Random;

fn signless(value: Vec3) -> Vec3 {
    Vec3::from_array(value.to_array().map(|x| if x == 0.0 { 0.0 } else { x }))
}

fn without_negative_zeros(shape: Shape) -> Shape {
    match shape {
        Shape::Aabb(aabb) => Aabb::new(signless(aabb.min), signless(aabb.max)).into(),
        Shape::Sphere(ball) => Sphere::new(signless(ball.center), signless(Vec3::splat(ball.radius)).x).into(),
        _ => unreachable!("a shape that is not known here"),
    }
}

fn bits(shape: Shape) -> Vec<u32> {
    match shape {
        Shape::Aabb(aabb) => [aabb.min.to_array(), aabb.max.to_array()].concat(),
        Shape::Sphere(ball) => [&ball.center.to_array()[..], &[ball.radius]].concat(),
        _ => unreachable!("a shape that is not known here"),
    }
    .into_iter()
    .map(f32::to_bits)
    .collect()
}

/// Boxes with a side on a plane through the origin, and spheres that touch one.
fn shapes(count: usize, spheres: bool, random: &mut Random) -> Vec<Shape> {
    let zero = |random: &mut Random| [0.0, -0.0][random.below(2) as usize];
    let shape = |random: &mut Random| -> Shape {
        let size = 1.0 + random.below(4) as f32;
        // Below, above, in or across the plane.
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for axis in 0..3 {
            (low[axis], high[axis]) = match random.below(4) {
                0 => (-size, zero(random)),
                1 => (zero(random), size),
                2 => (zero(random), zero(random)),
                _ => (-size, size * 2.0),
            };
        }
        if spheres && random.below(3) == 0 {
            let radius = [size, zero(random)][random.below(2) as usize];
            let center = Vec3::from_array([low.x, high.y, zero(random)]);
            return Sphere::new(center, radius).into();
        }
        Aabb::new(low, high).into()
    };
    (0..count).map(|_| shape(random)).collect()
}

/// The same calls with the shapes as they are, and without negative zeros.
struct Twins {
    given: Octree,
    plain: Octree,
}

impl Twins {
    fn new(config: Config) -> Self {
        Self { given: Octree::new(config).unwrap(), plain: Octree::new(config).unwrap() }
    }

    fn both<T: PartialEq + std::fmt::Debug>(
        &mut self,
        shapes: &[Shape],
        call: impl Fn(&mut Octree, &[Shape]) -> T,
    ) -> T {
        let plain: Vec<Shape> = shapes.iter().map(|&shape| without_negative_zeros(shape)).collect();
        let answer = call(&mut self.given, shapes);
        assert_eq!(call(&mut self.plain, &plain), answer);
        answer
    }

    fn agree(&mut self, what: &str) {
        for view in [false, true] {
            if view {
                self.given.view();
                self.plain.view();
            }
            self.given.validate().unwrap_or_else(|broken| panic!("{what}: {broken}"));
            assert_eq!(self.given.state_hash(), self.plain.state_hash(), "{what}");
            for (handle, object) in self.given.iter() {
                let plain = self.plain.get(handle).unwrap().shape;
                assert_eq!(bits(object.shape), bits(plain), "{what}");
                assert_eq!(bits(plain), bits(without_negative_zeros(plain)), "{what}");
            }
        }
    }
}

fn run(count: usize, spheres: bool, config: Config, seed: u64) {
    let random = &mut Random::new(seed);
    let mut twins = Twins::new(config);
    let insert_many = |tree: &mut Octree, shapes: &[Shape]| {
        let mut handles = Vec::new();
        tree.insert_many(shapes, &mut handles).unwrap();
        handles
    };
    let mut handles = twins.both(&shapes(count, spheres, random), insert_many);
    twins.agree("bulk build");
    handles.extend(twins.both(&shapes(5, spheres, random), insert_many));
    twins.agree("bulk insert");
    let insert = |tree: &mut Octree, shapes: &[Shape]| tree.insert(Object::new(shapes[0])).unwrap();
    handles.push(twins.both(&shapes(1, spheres, random), insert));
    twins.agree("insert");
    for step in 0..4 {
        let one = handles[step % handles.len()];
        twins.both(&shapes(1, spheres, random), |tree, shapes| tree.update(one, shapes[0]).unwrap());
        twins.agree("update");
        let update = |some: &[Handle], twins: &mut Twins, random: &mut Random| {
            twins.both(&shapes(some.len(), spheres, random), |tree, shapes| tree.update_many(some, shapes).unwrap());
        };
        update(&handles[..handles.len() / 3], &mut twins, random);
        twins.agree("update of few");
        update(&handles, &mut twins, random);
        twins.agree("update of all");
        let turned: Vec<Handle> = handles.iter().rev().skip(step).copied().collect();
        update(&turned, &mut twins, random);
        twins.agree("update of most");
        let shift = Vec3::new(1.0, -2.0, -0.0);
        twins.both(&[], |tree, _| tree.shift_origin(shift).unwrap());
        twins.agree("shift");
        twins.both(&[], |tree, _| tree.shift_origin(-shift).unwrap());
        twins.agree("shift back");
    }
    twins.both(&[], |tree, _| tree.rebuild());
    twins.agree("rebuild");
}

#[test]
fn regression_a_tree_of_bounds_with_negative_zeros_is_that_of_positive_ones() {
    let plain = Config::default();
    let fat = |absolute, relative| Config { margin: Margin { absolute, relative }, ..plain };
    for (seed, config) in (0..).zip([plain, Config::strict(), fat(1.0, 0.0), fat(0.0, 0.5), fat(0.0, -0.0)]) {
        for count in [1, 8, 200] {
            run(count, false, config, seed);
            run(count, true, config, seed);
        }
    }
}

#[test]
#[cfg(feature = "parallel")]
fn regression_threads_build_without_negative_zeros() {
    let mut twins = Twins::new(Config::default());
    let given = shapes(20_000, true, &mut Random::new(5));
    crate::support::pool(2).install(|| {
        twins.both(&given, |tree, shapes| {
            tree.set_threads(broadleaf::Threads::Pool);
            tree.insert_many(shapes, &mut Vec::new()).unwrap();
        });
    });
    twins.agree("bulk build on threads");
}

#[test]
fn regression_boxes_around_spheres_have_no_negative_zeros() {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for radius in [0.0, 0.1, 1.0, 3.3] {
            for center in [axis * radius, axis * -radius] {
                let aabb = Sphere::new(signless(center), radius).aabb();
                assert_eq!(bits(aabb.into()), bits(without_negative_zeros(aabb.into())), "{center}, {radius}");
            }
        }
    }
}

/// The same on every machine, with lanes or without.
#[test]
fn the_hash_of_bounds_with_negative_zeros_is_pinned() {
    let mut tree = Octree::default();
    let (random, mut handles) = (&mut Random::new(11), Vec::new());
    tree.insert_many(&shapes(300, true, random), &mut handles).unwrap();
    for _ in 0..3 {
        tree.view();
        tree.update_many(&handles, &shapes(300, true, random)).unwrap();
        tree.view();
        tree.update_many(&handles[..40], &shapes(40, true, random)).unwrap();
    }
    tree.view();
    assert_eq!(format!("{:016x}", tree.state_hash()), PINNED);
}

const PINNED: &str = "ed806abcf346019c";

#[test]
#[cfg(feature = "snapshot")]
fn regression_snapshots_with_negative_zeros_are_refused() {
    use workloads::tamper::{restore, store};
    for margin in [Margin::NONE, Margin { absolute: 0.5, relative: 0.0 }] {
        let mut tree = Octree::new(Config { margin, ..Config::default() }).unwrap();
        tree.insert(Aabb::new(Vec3::new(0.0, 1.25, 1.5), Vec3::splat(2.0))).unwrap();
        tree.insert(Aabb::new(Vec3::new(0.5, 1.25, 1.5), Vec3::splat(2.0))).unwrap();
        tree.insert(Sphere::new(Vec3::new(0.0, 1.25, 1.5), 1.5)).unwrap();
        tree.insert(Sphere::new(Vec3::new(7.25, 3.0, 3.0), 1.5)).unwrap();
        tree.view();
        let bytes = store(&tree);
        assert!(restore(&bytes).is_some());
        let mut refused = 0;
        for at in bytes.windows(4).enumerate().filter(|(_, four)| *four == [0; 4]).map(|(at, _)| at) {
            let mut tampered = bytes.clone();
            tampered[at + 3] = 0x80;
            // Lanes that hold no object may keep anything.
            let Some(tree) = restore(&tampered) else {
                refused += 1;
                continue;
            };
            tree.validate().unwrap();
            for (_, object) in tree.iter() {
                let numbers = match object.shape {
                    Shape::Aabb(aabb) => [aabb.min.to_array(), aabb.max.to_array()].concat(),
                    Shape::Sphere(sphere) => [sphere.center.to_array().as_slice(), &[sphere.radius]].concat(),
                    _ => unreachable!("a shape that is not known here"),
                };
                assert!(numbers.iter().all(|number| number.to_bits() != (-0.0_f32).to_bits()), "at {at}: {object:?}");
            }
        }
        assert!(refused > 0);
    }
}

#[test]
fn regression_bounds_of_meshes_have_no_negative_zeros() {
    let corners = |z: f32| Triangle::new(Vec3::new(-0.0, 0.0, z), Vec3::new(1.0, -0.0, z), Vec3::new(0.0, 1.0, z));
    let mesh = Mesh::from_triangles(&[corners(-0.0), corners(0.0), corners(-0.0)]).unwrap();
    let bounds = mesh.bounds().unwrap();
    assert_eq!(bits(bounds.into()), bits(without_negative_zeros(bounds.into())));
    let placed = Placement::new(Quat::IDENTITY, Vec3::ZERO, 1.0).unwrap().aabb(&bounds);
    assert!(placed.contains(&bounds));
}
