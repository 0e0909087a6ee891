use super::*;
use std::collections::HashMap;

/// How often each edge is walked in each direction.
fn edges(model: &Model) -> HashMap<(u32, u32), u32> {
    let mut edges = HashMap::new();
    for corners in model.indices().chunks_exact(3) {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            *edges.entry((corners[from], corners[to])).or_insert(0) += 1;
        }
    }
    edges
}

/// Six times the volume within a closed surface that faces outward.
fn volume(model: &Model) -> f64 {
    let count = u32::try_from(model.len()).unwrap();
    let part = |t: Triangle| f64::from(t.a.cross(t.b).dot(t.c));
    (0..count).map(|index| part(model.triangle(index))).sum::<f64>() / 6.0
}

#[test]
fn closed_models_share_each_edge_between_two_triangles_and_face_outward() {
    for name in Model::NAMES {
        for count in [1, 50, 999, 5_000] {
            let model = Model::by_name(name, count, 4).unwrap();
            if !model.is_closed() {
                continue;
            }
            let edges = edges(&model);
            for ((from, to), times) in &edges {
                assert_eq!(*times, 1, "{name}, {count}: an edge is walked twice");
                assert_eq!(edges.get(&(*to, *from)), Some(&1), "{name}, {count}: an edge is open");
            }
            assert!(volume(&model) > 0.0, "{name}, {count}");
        }
    }
}

#[test]
fn a_fine_sphere_and_a_fine_torus_have_their_volumes() {
    let expect = |name, expected: f64| {
        let model = Model::by_name(name, 50_000, 1).unwrap();
        assert!((volume(&model) / expected - 1.0).abs() < 0.01, "{name}: {}", volume(&model));
    };
    expect("sphere", 4.0 / 3.0 * std::f64::consts::PI * 512.0);
    expect("torus", 2.0 * std::f64::consts::PI.powi(2) * 8.0 * 9.0);
}

#[test]
fn models_have_the_number_of_triangles_that_was_asked_for() {
    for name in Model::NAMES {
        for count in [0, 1, 17, 100, 1_001, 4_096, 70_000] {
            let model = Model::by_name(name, count, 2).unwrap();
            let least = match name {
                "sphere" => 8,
                "torus" => 18,
                "boxes" => 12,
                "terrain" => 2,
                _ => 1,
            };
            let expected = if name == "slivers" { count.max(least) } else { count.max(least) & !1 };
            assert_eq!(model.len(), expected as usize, "{name}, {count}");
            let vertices = u32::try_from(model.positions().len()).unwrap();
            assert!(model.indices().iter().all(|index| *index < vertices), "{name}, {count}");
            assert!(model.positions().iter().all(|position| position.is_finite()), "{name}, {count}");
        }
    }
    assert!(Model::by_name("teapot", 10, 1).is_none());
}

#[test]
fn models_depend_on_the_seed_alone() {
    for name in Model::NAMES {
        let [model, twin, other] = [3, 3, 4].map(|seed| Model::by_name(name, 1_002, seed).unwrap());
        assert_eq!(model.surface, twin.surface, "{name}");
        assert_ne!(model.surface, other.surface, "{name}");
        assert!(!model.description().is_empty());
    }
}

#[test]
fn rays_are_made_for_every_model() {
    for name in Model::NAMES {
        let model = Model::by_name(name, 500, 1).unwrap();
        let bounds = model.bounds();
        assert_eq!(rays::coherent(&bounds, 8, 5, 1).len(), 40);
        assert_eq!(rays::incoherent(&bounds, 30, 1).len(), 30);
        assert_eq!(rays::at_edges(&model, 30, 1).len(), 30);
        for ray in rays::axis_parallel(&model, 30, 1) {
            assert_eq!(ray.direction().abs().element_sum(), 1.0, "{name}");
        }
    }
    let point = Aabb::new(Vec3::ONE, Vec3::ONE);
    assert_eq!(rays::incoherent(&point, 3, 1).len(), 3);
}
