//! Contacts: exist exactly for pairs, name the shortest way apart, and are one
//! record for both orders.

use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{Aabb, Error, Handle, Octree, Pair, Shape, Sphere, pairs::Contact};
use proptest::prelude::*;
use workloads::Random;

/// How far apart two shapes are in 64 bits; not positive if they overlap.
fn gap(a: &Shape, b: &Shape, moved: DVec3) -> f64 {
    let outside = |low: DVec3, high: DVec3, p: DVec3| (low - p).max(p - high).max(DVec3::ZERO).length();
    match (a, b) {
        (Shape::Aabb(a), Shape::Aabb(b)) => {
            let (low, high) = (b.min.as_dvec3() + moved, b.max.as_dvec3() + moved);
            (low - a.max.as_dvec3()).max(a.min.as_dvec3() - high).max_element()
        }
        (Shape::Sphere(a), Shape::Sphere(b)) => {
            (b.center.as_dvec3() + moved - a.center.as_dvec3()).length() - f64::from(a.radius) - f64::from(b.radius)
        }
        (Shape::Aabb(a), Shape::Sphere(b)) => {
            outside(a.min.as_dvec3(), a.max.as_dvec3(), b.center.as_dvec3() + moved) - f64::from(b.radius)
        }
        (Shape::Sphere(_), Shape::Aabb(_)) => gap(b, a, -moved),
        _ => unreachable!("a shape that is not known here"),
    }
}

/// The contact of two shapes, as that of the first with the second, in a tree of their own.
fn contact(a: impl Into<Shape>, b: impl Into<Shape>) -> Option<Contact> {
    let mut tree = Octree::default();
    let (a, b) = (tree.insert(a.into()).unwrap(), tree.insert(b.into()).unwrap());
    let found = tree.view().contact(Pair::new(a, b)).unwrap();
    assert_eq!(found, tree.view().contact(Pair::new(b, a)).unwrap());
    found
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![-3.0_f32..3.0, (-3_i8..=3).prop_map(f32::from)]
}

fn shape() -> impl Strategy<Value = Shape> {
    let point = || [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from_array);
    let extent = || prop_oneof![0.0_f32..3.0, Just(0.0), Just(1.0)];
    let extents = [extent(), extent(), extent()].prop_map(Vec3::from_array);
    prop_oneof![
        (point(), extents).prop_map(|(min, extents)| Aabb::new(min, min + extents).into()),
        (point(), extent()).prop_map(|(center, radius)| Sphere::new(center, radius).into()),
    ]
}

fn holds(shape: &Shape, point: Vec3) -> bool {
    gap(&Shape::Sphere(Sphere::new(point, 0.0)), shape, DVec3::ZERO) <= 1e-5
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn contacts_are_the_shortest_way_apart(a in shape(), b in shape(), seed in any::<u64>()) {
        let Some(Contact { normal, depth, position }) = contact(a, b) else {
            prop_assert!(gap(&a, &b, DVec3::ZERO) > -1e-6);
            return Ok(());
        };
        prop_assert!((normal.length() - 1.0).abs() < 1e-6 && depth >= 0.0);
        prop_assert!(holds(&a, position) && holds(&b, position), "{position} is not in both");
        let way = normal.as_dvec3() * f64::from(depth);
        prop_assert!(gap(&a, &b, way).abs() < 1e-5, "{}", gap(&a, &b, way));
        // No shorter step parts them, whatever its direction.
        let mut random = Random::new(seed);
        let mut signed = || f64::from(random.unit()) * 2.0 - 1.0;
        for _ in 0..64 {
            let direction = DVec3::new(signed(), signed(), signed()).normalize_or_zero();
            let shorter = direction * (f64::from(depth) - 1e-5).max(0.0);
            prop_assert!(gap(&a, &b, shorter) < 1e-5, "{direction} parts them sooner");
        }
    }

    #[test]
    fn shapes_in_the_other_order_have_the_reversed_contact(a in shape(), b in shape()) {
        let (there, back) = (contact(a, b), contact(b, a));
        prop_assert_eq!(there.map(|contact| contact.depth), back.map(|contact| contact.depth));
        // But for ties, which go by the order of the pair.
        if let (Some(there), Some(back)) = (there, back) {
            let reversed = back.reversed();
            if there.normal != reversed.normal {
                let way = reversed.normal.as_dvec3() * f64::from(there.depth);
                prop_assert!(gap(&a, &b, way).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn contacts_exist_exactly_for_pairs() {
    let scene = workloads::Scene::by_name("shapes", 600, 3).unwrap();
    let mut tree = Octree::default();
    let handles: Vec<Handle> = scene.objects().iter().map(|object| tree.insert(*object).unwrap()).collect();
    let pairs = crate::support::sorted(crate::support::pairs(&mut tree));
    let view = tree.view();
    let mut found = Vec::new();
    for (index, &a) in handles.iter().enumerate() {
        for &b in &handles[index + 1..] {
            let pair = Pair::new(a, b);
            found.extend(view.contact(pair).unwrap().map(|_| pair));
        }
    }
    assert!(found.len() > 50);
    assert_eq!(crate::support::sorted(found), pairs);
}

#[test]
fn layers_and_mobility_do_not_count() {
    use broadleaf::{Layers, Mobility, Object};
    let mut tree = Octree::default();
    let unit = Object::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let a = tree.insert(unit.with_mobility(Mobility::Static)).unwrap();
    let b = tree.insert(unit.with_mobility(Mobility::Static).with_layers(Layers::NONE)).unwrap();
    assert!(tree.view().contact(Pair::new(a, b)).unwrap().is_some());
    assert_eq!(tree.view().contact(Pair::new(a, a)), Ok(None));
}

#[test]
fn stale_handles_are_named() {
    let mut tree = Octree::default();
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (a, b) = (tree.insert(unit).unwrap(), tree.insert(unit).unwrap());
    tree.remove(b);
    assert_eq!(tree.view().contact(Pair::new(a, b)), Err(Error::StaleHandle { handle: b }));
}

#[test]
fn a_sphere_in_a_box_leaves_by_the_nearest_face() {
    let aabb = Aabb::new(Vec3::ZERO, Vec3::new(10.0, 8.0, 6.0));
    let found = contact(aabb, Sphere::new(Vec3::new(5.0, 7.0, 3.0), 0.5)).unwrap();
    assert_eq!(found, Contact { normal: Vec3::Y, depth: 1.5, position: Vec3::new(5.0, 7.0, 3.0) });
    // On the face itself.
    let found = contact(aabb, Sphere::new(Vec3::new(5.0, 4.0, 0.0), 0.5)).unwrap();
    assert_eq!((found.normal, found.depth), (Vec3::NEG_Z, 0.5));
    // The sphere first.
    let found = contact(Sphere::new(Vec3::new(1.0, 4.0, 3.0), 2.0), aabb).unwrap();
    assert_eq!((found.normal, found.depth), (Vec3::X, 3.0));
}

#[test]
fn coincident_and_degenerate_shapes_have_contacts() {
    let ball = Sphere::new(Vec3::ONE, 2.0);
    let found = contact(ball, ball).unwrap();
    assert_eq!(found, Contact { normal: Vec3::X, depth: 4.0, position: Vec3::ONE });
    let point = Aabb::new(Vec3::ONE, Vec3::ONE);
    assert_eq!(contact(point, point).unwrap(), Contact { normal: Vec3::X, depth: 0.0, position: Vec3::ONE });
    let speck = Sphere::new(Vec3::ONE, 0.0);
    assert_eq!(contact(point, speck).unwrap(), Contact { normal: Vec3::X, depth: 0.0, position: Vec3::ONE });
    // So close that the square of the distance underflows.
    let near = Sphere::new(Vec3::new(0.0, 1e-30, 0.0), 1.0);
    let found = contact(Sphere::new(Vec3::ZERO, 1.0), near).unwrap();
    assert_eq!((found.normal, found.depth), (Vec3::Y, 2.0));
}

#[test]
fn unbounded_shapes_have_contacts() {
    let (inf, everywhere) = (f32::INFINITY, Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY));
    let ground = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(inf, 0.0, inf));
    let found = contact(ground, Aabb::new(Vec3::new(1.0, -0.5, 1.0), Vec3::new(2.0, 1.0, 2.0))).unwrap();
    assert_eq!((found.normal, found.depth), (Vec3::Y, 0.5));
    let found = contact(ground, Sphere::new(Vec3::new(7.0, -3.0, 7.0), 1.0)).unwrap();
    assert_eq!((found.normal, found.depth), (Vec3::Y, 4.0));
    let found = contact(everywhere, everywhere).unwrap();
    assert_eq!(found, Contact { normal: Vec3::X, depth: inf, position: Vec3::ZERO });
    let found = contact(everywhere, Sphere::new(Vec3::ONE, 1.0)).unwrap();
    assert_eq!(found, Contact { normal: Vec3::X, depth: inf, position: Vec3::ONE });
    let huge = Aabb::new(Vec3::MIN, Vec3::MAX);
    let found = contact(huge, huge).unwrap();
    assert_eq!(found, Contact { normal: Vec3::X, depth: inf, position: Vec3::ZERO });
}

#[test]
fn regression_touches_contacts_and_pairs_agree_on_spheres() {
    let (mut random, mut tree) = (Random::new(31), Octree::default());
    let c = Vec3::new(-0.232_028_37, -0.452_751_52, -0.408_773_18);
    let mut spheres = [Sphere::new(c, 0.942_131_4), Sphere::new(c.with_x(1.440_178_5), 0.730_075_4)];
    let handles = spheres.map(|sphere| tree.insert(sphere).unwrap());
    let pair = Pair::new(handles[0], handles[1]);
    let (mut pairs, mut box_only) = (0, 0);
    for _ in 0..4000 {
        for (handle, sphere) in handles.iter().zip(spheres) {
            tree.update(*handle, sphere).unwrap();
        }
        let view = tree.view();
        let is_pair = view.is_pair(pair);
        assert_eq!(view.touches(handles[0], handles[1]), Ok(is_pair), "{spheres:?}");
        assert_eq!(view.touches(handles[1], handles[0]), Ok(is_pair), "{spheres:?}");
        assert_eq!(view.contact(pair).unwrap().is_some(), is_pair, "{spheres:?}");
        assert_eq!(crate::support::pairs(&mut tree).len(), usize::from(is_pair), "{spheres:?}");
        pairs += usize::from(is_pair);
        box_only += usize::from(spheres[0].overlaps(&spheres[1]) && !is_pair);
        // Side by side along an axis, as nearly touching as can be.
        let (a, b) = (random.unit(), random.unit());
        let center = random.signed();
        spheres = [Sphere::new(center, a), Sphere::new(center + Vec3::X * (a + b), b)];
    }
    assert!(pairs > 1000 && box_only > 10, "{pairs} pairs, {box_only} of boxes apart");
}
