//! Inputs that used to be quadratic, each by its name: twice as many objects take
//! little more than twice the work. Counted, not timed: nodes visited, and
//! objects tested, of which each is tested against 64 others at most.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Handle, Layers, Mobility, Object, Octree, QueryStats, Ray, Scratch};
use workloads::Random;

const COUNTS: [usize; 3] = [10_000, 20_000, 40_000];
const GROWTH_MAX: f64 = 2.4;
const QUESTIONS: usize = 50;

/// A named input: the objects, and the settings that make it hard.
struct Input {
    name: &'static str,
    config: Config,
    objects: fn(usize, &mut Random) -> Vec<Object>,
}

/// A cube that holds `count` objects of `volume` each.
fn cube(count: usize, volume: f64) -> Aabb {
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    let edge = (count as f64 * volume).cbrt() as f32;
    Aabb::new(Vec3::ZERO, Vec3::splat(edge))
}

fn boxes(count: usize, random: &mut Random, world: Aabb, half: Vec3) -> Vec<Object> {
    (0..count).map(|_| Object::new(Aabb::from_center_half_extents(random.point(&world), half))).collect()
}

fn even(count: usize, random: &mut Random) -> Vec<Object> {
    boxes(count, random, cube(count, 4.0), Vec3::splat(0.5))
}

/// Parallel, as long as the world, four units of its cross section for each.
fn sticks(count: usize, random: &mut Random) -> Vec<Object> {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let edge = (count as f32 * 4.0).sqrt();
    let world = Aabb::new(Vec3::new(edge / 2.0, 0.0, 0.0), Vec3::new(edge / 2.0, edge, edge));
    boxes(count, random, world, Vec3::new(edge / 2.0, 0.5, 0.5))
}

/// Stacked, across the world, four units of its height for each.
fn plates(count: usize, random: &mut Random) -> Vec<Object> {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let edge = count as f32 * 4.0;
    let world = Aabb::new(Vec3::new(edge / 2.0, 0.0, edge / 2.0), Vec3::new(edge / 2.0, edge, edge / 2.0));
    boxes(count, random, world, Vec3::new(edge / 2.0, 0.5, edge / 2.0))
}

/// Nine in ten static and in one place, which are no pairs among themselves.
fn coincident(count: usize, random: &mut Random) -> Vec<Object> {
    let mut objects = even(count, random);
    for object in objects.iter_mut().skip(count / 10) {
        *object = Object::new(Aabb::new(Vec3::splat(-3.0), Vec3::splat(-2.0))).with_mobility(Mobility::Static);
    }
    objects
}

/// All in one smallest cell, as dense as the even world.
fn tiny(count: usize, random: &mut Random) -> Vec<Object> {
    let mut objects = even(count, random);
    for object in &mut objects {
        let aabb = object.shape.aabb();
        object.shape = Aabb::new(aabb.min * 1e-5, aabb.max * 1e-5).into();
    }
    objects
}

/// Beyond the reach of the cells that the settings give.
fn far_out(count: usize, random: &mut Random) -> Vec<Object> {
    let objects = even(count, random);
    let far = |object: &Object| Object::new(object.shape.aabb().translated(Vec3::splat(1000.0)));
    objects.iter().map(far).collect()
}

/// Beyond the reach of any cells.
fn beyond_all(count: usize, random: &mut Random) -> Vec<Object> {
    let mut objects = even(count, random);
    for object in &mut objects {
        let aabb = object.shape.aabb().translated(Vec3::splat(1000.0));
        object.shape = Aabb::new(aabb.min * 1e18, aabb.max * 1e18).into();
    }
    objects
}

/// Objects that by layer are no pairs, all in one place.
fn apart(count: usize, random: &mut Random) -> Vec<Object> {
    let world = Aabb::new(Vec3::ZERO, Vec3::splat(4.0));
    let layered = |object: Object| object.with_layers(Layers::new(0b01, 0b10));
    boxes(count, random, world, Vec3::splat(0.5)).into_iter().map(layered).collect()
}

fn inputs() -> [Input; 10] {
    let (plain, strict) = (Config::default(), Config { looseness: 1.0, ..Config::default() });
    [
        Input { name: "sticks", config: plain, objects: sticks },
        Input { name: "sticks, strict", config: strict, objects: sticks },
        Input { name: "plates", config: plain, objects: plates },
        Input { name: "coincident", config: plain, objects: coincident },
        Input { name: "below the smallest cell", config: plain, objects: tiny },
        Input { name: "at the depth limit", config: Config { depth_limit: 1, ..plain }, objects: even },
        Input { name: "far out", config: Config { smallest_cell: 1.0 / 65_536.0, ..plain }, objects: far_out },
        Input { name: "outsized", config: plain, objects: beyond_all },
        Input { name: "strict", config: Config { leaf_capacity: 8, ..strict }, objects: even },
        Input { name: "layers apart", config: plain, objects: apart },
    ]
}

/// The work of the pairs, and of some boxes and rays, of which each gets one answer at most.
fn work(tree: &mut Octree, world: &Aabb) -> [u64; 2] {
    let sum = |stats: QueryStats| stats.nodes_visited + stats.objects_tested;
    let (view, mut pairs) = (tree.view(), QueryStats::default());
    let _ = view.pairs(&mut Scratch::new()).stats(&mut pairs).count();
    let (mut random, mut questions) = (Random::new(3), QueryStats::default());
    for _ in 0..QUESTIONS {
        let (from, to) = (random.point(world), random.point(world));
        let _ = view.overlap(&Aabb::new(from, from)).unwrap().stats(&mut questions).any();
        let _ = view.cast(&Ray::segment(from, to).unwrap()).stats(&mut questions).closest();
    }
    [sum(pairs), sum(questions)]
}

fn bounds(objects: &[Object]) -> Aabb {
    objects.iter().fold(Aabb::EMPTY, |all, object| all.union(&object.shape.aabb()))
}

fn grows(name: &str, how: &str, work: &[[u64; 2]]) {
    for pair in work.windows(2) {
        for (what, (before, after)) in ["pairs", "questions"].iter().zip(pair[0].iter().zip(&pair[1])) {
            #[expect(clippy::cast_precision_loss, reason = "counts below 2^52")]
            let growth = *after as f64 / (*before).max(100) as f64;
            assert!(growth <= GROWTH_MAX, "{name}, {how}: {what} grow {growth:.2} times: {work:?}");
        }
    }
}

#[test]
fn twice_as_many_objects_take_twice_the_work() {
    for Input { name, config, objects } in inputs() {
        let built = COUNTS.map(|count| {
            let objects = objects(count, &mut Random::new(5));
            let (mut tree, mut handles) = (Octree::new(config).unwrap(), Vec::new());
            tree.insert_many(&objects, &mut handles).unwrap();
            tree.validate().unwrap();
            work(&mut tree, &bounds(&objects))
        });
        grows(name, "built", &built);
    }
}

#[test]
fn a_world_that_is_filled_object_by_object_is_as_good() {
    const FEWER: [usize; 2] = [5_000, 10_000];
    for Input { name, config, objects } in inputs() {
        let filled = FEWER.map(|count| {
            let objects = objects(count, &mut Random::new(5));
            let mut tree = Octree::new(config).unwrap();
            // A view after each: every object is placed by itself.
            let handles: Vec<Handle> = objects
                .iter()
                .map(|&object| {
                    let handle = tree.insert(object).unwrap();
                    tree.view();
                    handle
                })
                .collect();
            let world = bounds(&objects);
            let after = work(&mut tree, &world);
            tree.validate().unwrap();
            // All move by a fifth, and nothing is as dear as a bulk build undone.
            for (object, &handle) in objects.iter().zip(&handles).step_by(8) {
                tree.update(handle, object.shape.aabb().translated(Vec3::splat(0.2))).unwrap();
            }
            let moved = work(&mut tree, &world);
            tree.validate().unwrap();
            [after[0] + moved[0], after[1] + moved[1]]
        });
        grows(name, "filled", &filled);
    }
}

#[test]
fn the_unit_of_a_world_does_not_matter() {
    for (name, objects) in
        [("even", even as fn(usize, &mut Random) -> Vec<Object>), ("sticks", sticks), ("plates", plates)]
    {
        let objects = objects(5_000, &mut Random::new(5));
        let in_unit = |unit: f32| {
            let scaled = |object: &Object| {
                let aabb = object.shape.aabb();
                Object::new(Aabb::new(aabb.min * unit, aabb.max * unit))
            };
            let objects: Vec<Object> = objects.iter().map(scaled).collect();
            let mut tree = Octree::default();
            tree.insert_many(&objects, &mut Vec::new()).unwrap();
            tree.validate().unwrap();
            assert_eq!(tree.counters().outsized, 0, "{name}, unit {unit}");
            let [pairs, questions] = work(&mut tree, &bounds(&objects));
            [pairs, questions, tree.counters().nodes_live as u64, tree.counters().blocks_live as u64]
        };
        let expected = in_unit(1.0);
        for power in [-40, -20, -10, -3, 3, 10, 20, 40] {
            // Which axis of a flat world is divided first goes by the unit.
            let found = in_unit(2.0_f32.powi(power));
            let is_near = |(&found, &expected): (&u64, &u64)| found.abs_diff(expected) * 8 <= expected;
            assert!(found.iter().zip(&expected).all(is_near), "{name}, 2^{power}: {found:?}, {expected:?}");
        }
    }
}

#[test]
fn subtrees_of_layers_that_do_not_interact_are_not_descended_into() {
    let mut tree = Octree::default();
    tree.insert_many(&apart(8_000, &mut Random::new(5)), &mut Vec::new()).unwrap();
    let mut stats = QueryStats::default();
    assert_eq!(tree.view().pairs(&mut Scratch::new()).stats(&mut stats).count(), 0);
    assert!(stats.nodes_visited < 3 && stats.objects_tested == 0, "{stats:?}");
    // Walls that particles do collide with are found among them.
    let wall = Object::new(Aabb::new(Vec3::ZERO, Vec3::new(4.0, 0.1, 4.0))).with_layers(Layers::new(0b10, 0b11));
    let handle = tree.insert(wall).unwrap();
    let mut pairs = Vec::new();
    tree.view().pairs(&mut Scratch::new()).collect_into(&mut pairs);
    let touching = tree.iter().filter(|(other, object)| *other != handle && object.shape.aabb().min.y <= 0.1).count();
    assert_eq!(pairs.len(), touching);
    assert!(touching > 100 && pairs.iter().all(|pair| pair.a() == handle || pair.b() == handle));
}
