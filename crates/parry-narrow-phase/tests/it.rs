//! Both worlds beside each other, and beside all shapes one by one.

use parry_narrow_phase::{BvhWorld, Hit, OctreeWorld, Scene};
use parry3d::math::{Pose, Vector};
use parry3d::query::Ray;
use parry3d::shape::SharedShape;

#[test]
fn contacts_are_those_of_parrys_tree_in_every_frame() {
    for seed in 1..4 {
        let mut scene = Scene::new(1500, seed);
        let (mut octree, mut bvh) = (OctreeWorld::new(&scene).expect("legal boxes"), BvhWorld::new(&scene));
        let (mut contacts, mut expected) = (Vec::new(), Vec::new());
        for frame in 0..30 {
            scene.step();
            assert_eq!(octree.find_pairs(&scene), Ok(bvh.find_pairs(&scene)), "seed {seed}, frame {frame}");
            octree.contacts(&scene, &mut contacts);
            bvh.contacts(&scene, &mut expected);
            for list in [&mut contacts, &mut expected] {
                list.sort_unstable_by_key(|pair| (pair.a, pair.b));
            }
            assert_eq!(contacts, expected, "seed {seed}, frame {frame}");
            assert!(contacts.len() > 100, "only {} contacts", contacts.len());
        }
    }
}

#[test]
fn distances_are_those_of_parrys_tree() {
    let mut scene = Scene::new(1500, 9);
    let mut octree = OctreeWorld::new(&scene).expect("legal boxes");
    for _ in 0..5 {
        scene.step();
        octree.find_pairs(&scene).expect("legal boxes");
    }
    let bvh = BvhWorld::new(&scene);
    let (reach, probe) = (scene.half_edge(), SharedShape::capsule_x(0.3, 0.2));
    let mut hits = [0; 3];
    for index in 1..300_u16 {
        let angle = f32::from(index);
        let at = Vector::new(angle.sin(), (angle * 1.7).sin(), (angle * 2.3).sin()) * reach;
        let direction = Vector::new((angle * 0.7).cos(), angle.cos(), (angle * 0.3).sin() + 0.01).normalize();
        let (ray, pose) = (Ray::new(at, direction), Pose::new(at, direction));
        let answers = [
            (octree.cast_ray(&scene, &ray, reach), bvh.cast_ray(&scene, &ray, reach)),
            (
                octree.cast_shape(&scene, &probe, &pose, direction, reach),
                bvh.cast_shape(&scene, &probe, &pose, direction, reach),
            ),
            (octree.closest(&scene, at), bvh.closest(&scene, at)),
        ];
        for (kind, (answer, expected)) in answers.into_iter().enumerate() {
            let distance = |hit: Option<Hit>| hit.map(|hit| hit.distance);
            assert_eq!(distance(answer), distance(expected), "question {kind} from {at}");
            hits[kind] += usize::from(answer.is_some());
        }
    }
    assert!(hits.iter().all(|&hits| hits > 50), "{hits:?}");
}

#[test]
fn answers_are_those_of_all_shapes_one_by_one() {
    let mut scene = Scene::new(300, 5);
    let mut octree = OctreeWorld::new(&scene).expect("legal boxes");
    scene.step();
    octree.find_pairs(&scene).expect("legal boxes");
    let mut contacts = Vec::new();
    octree.contacts(&scene, &mut contacts);
    contacts.sort_unstable_by_key(|pair| (pair.a, pair.b));
    let all = 0..300_u32;
    let pairs = all.clone().flat_map(|a| (a + 1..300).map(move |b| (a, b)));
    assert_eq!(contacts, pairs.filter_map(|(a, b)| scene.contact(a, b)).collect::<Vec<_>>());
    assert!(!contacts.is_empty());

    let reach = scene.half_edge();
    for index in 0..100_u16 {
        let angle = f32::from(index);
        let at = Vector::new(angle.sin(), (angle * 1.7).sin(), (angle * 2.3).sin()) * reach;
        let ray = Ray::new(at, Vector::new(angle.cos(), 0.3, angle.sin()).normalize());
        let nearest = |distances: &mut dyn Iterator<Item = f32>| distances.min_by(f32::total_cmp);
        let by_ray = nearest(&mut all.clone().filter_map(|shape| scene.ray_distance(shape, &ray, reach)));
        assert_eq!(octree.cast_ray(&scene, &ray, reach).map(|hit| hit.distance), by_ray);
        let by_point = nearest(&mut all.clone().map(|shape| scene.point_distance(shape, at)));
        assert_eq!(octree.closest(&scene, at).map(|hit| hit.distance), by_point);
    }
    // A ray without a direction is no ray.
    assert_eq!(octree.cast_ray(&scene, &Ray::new(Vector::ZERO, Vector::ZERO), 10.0), None);
}
