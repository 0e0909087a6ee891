use super::*;
use crate::oracle::sweep::count_pairs;

#[test]
fn scenes_are_deterministic_and_live_up_to_their_promises() {
    for name in Scene::NAMES {
        let mut scene = Scene::by_name(name, 500, 3).unwrap();
        let mut twin = Scene::by_name(name, 500, 3).unwrap();
        let mut objects = scene.objects().to_vec();
        let capacity = scene.frame.moved.capacity();
        for _ in 0..130 {
            let frame = scene.step().clone();
            assert_eq!(&frame, twin.step(), "{name}");
            assert_eq!(frame.removed.len(), frame.spawned.len(), "{name}");
            for (id, object) in frame.spawned {
                assert!(frame.removed.contains(&id), "{name}");
                objects[id as usize] = object;
            }
            for (id, shape) in frame.moved {
                objects[id as usize].shape = shape;
            }
            assert_eq!(objects, scene.objects(), "{name}");
            assert!(objects.iter().all(|object| object.shape.check().is_ok()));
        }
        assert_eq!(scene.frame.moved.capacity(), capacity, "{name}");
    }
    assert!(Scene::by_name("nowhere", 1, 1).is_none());
}

#[test]
fn scenes_of_any_size_can_be_made_and_asked() {
    for name in Scene::NAMES {
        for count in [0, 1, 2, 63] {
            let mut scene = Scene::by_name(name, count, 1).unwrap();
            assert_eq!(scene.objects().len(), count as usize);
            scene.step();
            assert_eq!(scene.query_points(5, 1).len(), 5);
            assert_eq!(scene.query_rays(5, 1).len(), 5);
            assert_eq!(scene.camera_rays(3, 2, 1).len(), 6);
            assert_eq!(scene.query_frusta(5, 1).len(), 5);
        }
    }
}

#[test]
fn scenes_are_as_dense_as_they_say() {
    let pairs_per_object = |name: &str| {
        let mut scene = Scene::by_name(name, 20_000, 1).unwrap();
        for _ in 0..20 {
            scene.step();
        }
        let objects: Vec<_> = scene.objects().to_vec();
        count_pairs(&objects) as f64 / 20_000.0
    };
    for (name, least, most) in
        [("uniform", 0.8, 1.05), ("pile", 3.1, 3.5), ("mixed", 0.5, 1.5), ("clustered", 1.0, 4.0), ("city", 0.03, 0.2)]
    {
        let pairs = pairs_per_object(name);
        assert!((least..most).contains(&pairs), "{name}: {pairs} pairs per object");
    }
}

#[test]
fn query_volumes_meet_about_thirty_objects() {
    let scene = Scene::by_name("uniform", 20_000, 1).unwrap();
    let boxes = scene.query_boxes(50, 2);
    let hits = |aabb: &Aabb| scene.objects().iter().filter(|o| o.shape.aabb().overlaps(aabb)).count();
    let total: usize = boxes.iter().map(hits).sum();
    assert!((20 * 50..40 * 50).contains(&total), "{total}");
}
