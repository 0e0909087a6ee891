//! Bounds of most objects are given in one call, in whatever order, with
//! whatever else changes between two views.

use crate::support::{agree, cube, oracle_of};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Handle, Layers, Mobility, Object, Octree, Shape, Sphere};
use workloads::{Oracle, Random, Scene};

const COUNT: u32 = 600;

/// A tree, what it should hold, and the handles in the order of insertion.
struct World {
    tree: Octree,
    oracle: Oracle,
    handles: Vec<Handle>,
}

impl World {
    fn new(name: &str, config: Config) -> Self {
        let (mut tree, mut handles) = (Octree::new(config).unwrap(), Vec::new());
        let scene = Scene::by_name(name, COUNT, 5).expect("a scene");
        tree.insert_many(scene.objects(), &mut handles).unwrap();
        tree.view();
        let oracle = oracle_of(&tree);
        Self { tree, oracle, handles }
    }

    fn shape(&self, handle: Handle) -> Shape {
        self.oracle.get(handle).expect("a living object").shape
    }

    /// Gives objects shapes, and checks the tree before any view.
    fn give<S: broadleaf::shape::Bounded>(&mut self, handles: &[Handle], shapes: &[S]) {
        self.tree.update_many(handles, shapes).unwrap();
        self.tree.validate().unwrap();
        for (handle, &shape) in handles.iter().zip(shapes) {
            self.oracle.update(*handle, shape.into());
        }
    }

    /// Their boxes, moved by up to `reach` along each axis.
    fn moved(&self, handles: &[Handle], reach: f32, random: &mut Random) -> Vec<Aabb> {
        let offset = |random: &mut Random| [(); 3].map(|()| random.between(-reach, reach));
        let moved = |handle: &Handle| self.shape(*handle).aabb().translated(Vec3::from(offset(random)));
        handles.iter().map(moved).collect()
    }

    /// Moves objects by up to `reach` along each axis, as boxes.
    fn scatter(&mut self, handles: &[Handle], reach: f32, random: &mut Random) {
        let boxes = self.moved(handles, reach, random);
        self.give(handles, &boxes);
    }

    /// The same with one in three as a sphere, whatever it was.
    fn scatter_as_shapes(&mut self, handles: &[Handle], reach: f32, random: &mut Random) {
        let boxes = self.moved(handles, reach, random);
        let sphere = |aabb: &Aabb| Sphere::new(aabb.center(), aabb.half_extents().min_element());
        let shape = |aabb: &Aabb| if random.one_in(3) { sphere(aabb).into() } else { Shape::from(*aabb) };
        let shapes: Vec<Shape> = boxes.iter().map(shape).collect();
        self.give(handles, &shapes);
    }

    fn agrees(&mut self) {
        agree(&mut self.tree, &self.oracle);
    }
}

fn configs() -> [Config; 3] {
    let plain = Config::default();
    [plain, Config { looseness: 1.0, ..plain }, Config { leaf_capacity: 12, looseness: 1.5, ..plain }]
}

#[test]
fn handles_come_in_any_order_and_number() {
    for (name, config) in
        ["uniform", "mixed", "shapes", "city"].into_iter().flat_map(|name| configs().map(|c| (name, c)))
    {
        let (mut world, mut random) = (World::new(name, config), Random::new(3));
        let all = world.handles.clone();
        let len = all.len();
        let mut shuffled = all.clone();
        shuffled.sort_by_cached_key(|_| random.bits());
        let lists = [&all[..], &all[77..], &all[..len - 77], &all[41..len - 42], &shuffled, &shuffled[..len - 150]];
        for (handles, reach) in lists.into_iter().flat_map(|list| [0.0, 0.2, 30.0].map(|reach| (list, reach))) {
            world.scatter(handles, reach, &mut random);
            world.agrees();
            // Again before the next view, and other objects too.
            world.scatter(handles, 0.5, &mut random);
            world.scatter(&all[len / 4..], reach, &mut random);
            world.agrees();
        }
    }
}

#[test]
fn of_a_handle_among_all_given_again_the_last_shape_stays() {
    let mut world = World::new("uniform", Config::default());
    let mut handles = world.handles.clone();
    handles.extend_from_within(10..20);
    let boxes: Vec<Aabb> = (0_u16..).zip(&handles).map(|(at, _)| cube(f32::from(at), 0.0, 0.0, 1.0)).collect();
    world.give(&handles, &boxes);
    world.agrees();
    assert_eq!(world.tree.get(handles[10]).unwrap().shape, Shape::from(boxes[COUNT as usize]));
}

#[test]
fn boxes_become_spheres_and_back() {
    let mut world = World::new("shapes", Config::default());
    let handles = world.handles.clone();
    for step in 0_u8..4 {
        let ball =
            |at: usize, aabb: &Aabb| Sphere::new(aabb.center(), 0.3 + f32::from(step) * 0.2 + (at % 5) as f32 * 0.1);
        let boxes: Vec<Aabb> = handles.iter().map(|handle| world.shape(*handle).aabb()).collect();
        let balls: Vec<Sphere> = boxes.iter().enumerate().map(|(at, aabb)| ball(at, aabb)).collect();
        let either = |at: usize| if at.is_multiple_of(3) { Shape::from(balls[at]) } else { Shape::from(boxes[at]) };
        let shapes: Vec<Shape> = (0..handles.len()).map(either).collect();
        world.give(&handles, &boxes);
        world.agrees();
        world.give(&handles[50..], &balls[50..]);
        world.agrees();
        world.give(&handles, &shapes);
        world.agrees();
    }
}

#[test]
fn objects_grow_out_of_all_cells_and_come_back() {
    for config in configs() {
        let (mut world, mut random) = (World::new("uniform", config), Random::new(9));
        let handles = world.handles.clone();
        let home: Vec<Aabb> = handles.iter().map(|handle| world.shape(*handle).aabb()).collect();
        for (every, grown) in [
            (7, Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)),
            (5, Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30))),
            (3, cube(-40.0, -40.0, -40.0, 80.0)),
            (11, cube(1e6, 0.0, 0.0, 1.0)),
        ] {
            let of = |(at, aabb): (usize, &Aabb)| if at.is_multiple_of(every) { grown } else { *aabb };
            let boxes: Vec<Aabb> = home.iter().enumerate().map(of).collect();
            world.give(&handles, &boxes);
            world.agrees();
            world.scatter(&handles, 0.3, &mut random);
            world.agrees();
            world.give(&handles, &home);
            world.agrees();
        }
    }
}

#[test]
fn whatever_else_changes_before_the_view_is_kept() {
    for (name, config) in ["uniform", "mixed", "shapes"].into_iter().flat_map(|name| configs().map(|c| (name, c))) {
        let (mut world, mut random) = (World::new(name, config), Random::new(21));
        for round in 0..12_u32 {
            let setters = |world: &mut World| {
                for &handle in world.handles.iter().skip(round as usize).step_by(23) {
                    let (layers, mobility) = (Layers::new(1 << (round % 5), u32::MAX), Mobility::Static);
                    world.tree.set_layers(handle, layers).unwrap();
                    world.oracle.set_layers(handle, layers);
                    world.tree.set_mobility(handle, mobility).unwrap();
                    world.oracle.set_mobility(handle, mobility);
                }
                world.tree.validate().unwrap();
            };
            let exchange = |world: &mut World| {
                for at in (round as usize..world.handles.len()).step_by(31) {
                    let handle = world.handles.swap_remove(at);
                    assert_eq!(world.tree.remove(handle), world.oracle.remove(handle));
                    let object = Object::new(cube(at as f32 * 0.01, round as f32, 2.0, 0.8));
                    let handle = world.tree.insert(object).unwrap();
                    world.oracle.insert(handle, object);
                    world.handles.push(handle);
                }
                world.tree.validate().unwrap();
            };
            let reach = [0.1, 4.0, 60.0][round as usize % 3];
            let scatter = if round % 4 < 2 { World::scatter_as_shapes } else { World::scatter };
            let handles = world.handles.clone();
            if round % 2 == 0 {
                setters(&mut world);
                scatter(&mut world, &handles, reach, &mut random);
                exchange(&mut world);
                // Some of these still wait for a place.
                let handles = world.handles.clone();
                scatter(&mut world, &handles, reach, &mut random);
            } else {
                scatter(&mut world, &handles, reach, &mut random);
                setters(&mut world);
                exchange(&mut world);
            }
            if round % 4 == 1 {
                let shift = Vec3::new(2.0, -1.0, 0.5);
                assert!(world.oracle.shift_origin(shift));
                world.tree.shift_origin(shift).unwrap();
            }
            let mut copy = world.tree.clone();
            world.agrees();
            agree(&mut copy, &world.oracle);
            assert_eq!(copy.state_hash(), world.tree.state_hash());
        }
    }
}

/// Where few objects are left, what they once were among is not gone through;
/// the results are those of any update.
#[test]
fn few_that_are_left_of_many_are_moved() {
    let (mut world, mut random) = (World::new("uniform", Config::default()), Random::new(2));
    for handle in world.handles.split_off(5) {
        assert!(world.tree.remove(handle).is_some() && world.oracle.remove(handle).is_some());
    }
    for _ in 0..5 {
        let handles = world.handles.clone();
        world.scatter(&handles, 3.0, &mut random);
        world.agrees();
    }
}
