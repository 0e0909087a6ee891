use super::*;
use broadleaf::glam::Vec3;
use workloads::Random;
use workloads::sweep::{Parameters, SweepScene, fixed};

fn boxes(scene: &SweepScene) -> Vec<Aabb> {
    scene.objects().iter().map(|object| object.shape.aabb()).collect()
}

/// Compares all answers with those of a plain scan.
fn check(tree: &PlainTree, boxes: &[Aabb], name: &str) {
    let mut pairs = Vec::new();
    tree.pairs(&mut pairs);
    let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
    pairs.sort_unstable();
    let mut expected = Vec::new();
    for (a, first) in (0..).zip(boxes) {
        expected.extend((0..a).zip(boxes).filter(|(_, second)| first.overlaps(second)).map(|(b, _)| (b, a)));
    }
    expected.sort_unstable();
    assert_eq!(pairs, expected, "{name}");
    let mut random = Random::new(5);
    let bounds = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
    for _ in 0..20 {
        let middle = boxes[random.below(u32::try_from(boxes.len()).unwrap()) as usize].center();
        let query = Aabb::from_center_half_extents(middle, Vec3::splat(3.0));
        let mut found = Vec::new();
        tree.overlapping(&query, &mut |index| found.push(index));
        found.sort_unstable();
        let expected: Vec<u32> = (0..).zip(boxes).filter(|(_, aabb)| query.overlaps(aabb)).map(|(i, _)| i).collect();
        assert_eq!(found, expected, "{name}");
        let ray = broadleaf::Ray::new(random.point(&bounds), middle - random.point(&bounds)).unwrap();
        let lanes = Lanes::new(ray.origin(), ray.direction());
        let hit = tree.nearest_hit(&lanes, f32::INFINITY).map(|(_, distance)| distance);
        let slabs = |aabb: &Aabb| {
            let (a, b) = ((aabb.min - ray.origin()) / ray.direction(), (aabb.max - ray.origin()) / ray.direction());
            let (enter, exit) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
            (enter <= exit).then_some(enter)
        };
        let expected = boxes.iter().filter_map(slabs).reduce(f32::min);
        let near = |a: f32, b: f32| (a - b).abs() <= 1e-3 * a.max(b).max(1.0);
        assert!(hit.is_none() == expected.is_none(), "{name}: {hit:?} instead of {expected:?}");
        assert!(hit.zip(expected).is_none_or(|(a, b)| near(a, b)), "{name}: {hit:?} instead of {expected:?}");
    }
}

#[test]
fn answers_are_those_of_a_plain_scan() {
    let mut tree = PlainTree::default();
    for count in [1, 2, 9, 65, 700, 2000] {
        for named in fixed(count) {
            let mut scene = SweepScene::new(&named.parameters);
            tree.build(&boxes(&scene));
            check(&tree, &boxes(&scene), &named.name);
            for _ in 0..2 {
                let moved: Vec<Aabb> = scene.step().iter().map(broadleaf::Shape::aabb).collect();
                tree.update(scene.movers(), &moved);
            }
            check(&tree, &boxes(&scene), &named.name);
        }
    }
}

#[test]
fn sizes_over_four_decades_and_equal_boxes_are_placed() {
    let scene = SweepScene::new(&Parameters { size_ratio: 1e4, pairs: 4.0, ..Parameters::even(3000, 2) });
    let mut tree = PlainTree::default();
    tree.build(&boxes(&scene));
    check(&tree, &boxes(&scene), "sizes");
    let same = vec![Aabb::new([1.0; 3], [2.0; 3]); 300];
    tree.build(&same);
    check(&tree, &same, "equal boxes");
}

#[test]
fn an_empty_tree_finds_nothing() {
    let mut tree = PlainTree::default();
    tree.build(&[]);
    tree.update(&[], &[]);
    let mut pairs = Vec::new();
    tree.pairs(&mut pairs);
    assert!(pairs.is_empty());
    assert!(tree.nearest_hit(&Lanes::new(Vec3::ZERO, Vec3::X), f32::INFINITY).is_none());
}
