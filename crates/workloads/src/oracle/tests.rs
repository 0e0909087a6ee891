use super::*;
use crate::scenes::Scene;

#[test]
fn sweep_finds_every_pair_once() {
    for name in Scene::NAMES {
        let scene = Scene::by_name(name, 1500, 5).unwrap();
        let objects = scene.objects();
        let mut slow = Vec::new();
        for a in 0..objects.len() {
            for b in a + 1..objects.len() {
                if exact::are_pair(&objects[a], &objects[b]) {
                    slow.push((u32::try_from(a).unwrap(), u32::try_from(b).unwrap()));
                }
            }
        }
        assert_eq!(sweep::pairs(objects), slow, "{name}");
        assert_eq!(sweep::count_pairs(objects), slow.len() as u64, "{name}");
    }
}

#[test]
fn sweep_copes_with_odd_worlds() {
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let plate = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(sweep::count_pairs(&[]), 0);
    assert_eq!(sweep::count_pairs(&[plate.into(), plate.into()]), 1);
    assert_eq!(sweep::count_pairs(&[everywhere.into(); 3]), 3);
    assert_eq!(sweep::count_pairs(&[everywhere.into(), plate.into()]), 1);
}

#[test]
fn shapes_are_closed() {
    let unit = Shape::from(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let beside = Shape::from(Aabb::new(Vec3::X, Vec3::splat(2.0)));
    let ball = Shape::from(Sphere::new(Vec3::new(2.0, 0.5, 0.5), 1.0));
    let corner = Shape::from(Sphere::new(Vec3::splat(1.9), 1.0));
    assert!(exact::shapes_overlap(&unit, &beside));
    assert!(exact::shapes_overlap(&unit, &ball));
    assert!(!exact::shapes_overlap(&unit, &corner), "boxes overlap, shapes do not");
    assert!(exact::shape_has_point(&ball, Vec3::new(1.0, 0.5, 0.5)));
}

#[test]
fn rays_meet_boxes_and_balls_where_they_should() {
    let ray = Ray::new(Vec3::new(-2.0, 0.5, 0.5), Vec3::X).unwrap();
    let unit = Shape::from(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let ball = Shape::from(Sphere::new(Vec3::splat(0.5), 0.5));
    assert_eq!(exact::ray_enters_shape(&ray, &unit), Some(2.0));
    assert_eq!(exact::ray_enters_shape(&ray, &ball), Some(2.0));
    let short = ray.with_distance_max(1.5).unwrap();
    assert_eq!(exact::ray_enters_shape(&short, &unit), None);
    let along_face = Ray::new(Vec3::new(-2.0, 1.0, 0.0), Vec3::X).unwrap();
    assert_eq!(exact::ray_enters_shape(&along_face, &unit), Some(2.0));
}
