use super::*;
use crate::oracle::sweep::pairs;

fn halves(scene: &SweepScene) -> Vec<Vec3> {
    scene.objects().iter().map(|object| object.shape.aabb().half_extents()).collect()
}

/// Pairs of boxes per object without those of giants, whatever layers and mobility say.
fn pairs_per_object(scene: &SweepScene) -> f32 {
    let boxes: Vec<Object> = scene.objects().iter().map(|object| Object::new(object.shape.aabb())).collect();
    let ordinary = |index: u32| !scene.giants[index as usize];
    let count = pairs(&boxes).into_iter().filter(|&(a, b)| ordinary(a) && ordinary(b)).count();
    count as f32 / scene.giants.iter().filter(|giant| !**giant).count() as f32
}

/// What scenes with few pairs, or few objects that have most of them, may be off by.
fn factor(parameters: &Parameters) -> f32 {
    if parameters.size_ratio > 10.0 || parameters.count < 3000 || parameters.pairs < 0.1 { 1.5 } else { 1.2 }
}

#[test]
fn fixed_scenes_have_the_pairs_that_they_should() {
    let list = fixed(3000);
    assert_eq!(list.len(), 24);
    for Named { name, parameters } in list {
        let (found, factor) = (pairs_per_object(&SweepScene::new(&parameters)), factor(&parameters));
        let range = parameters.pairs / factor..=parameters.pairs * factor;
        assert!(range.contains(&found), "{name}: {found} pairs per object instead of {}", parameters.pairs);
    }
}

#[test]
fn drawn_scenes_are_what_was_drawn() {
    for Named { name, parameters } in draws(30, 7, 4000) {
        assert!((1000..=4000).contains(&parameters.count));
        let scene = SweepScene::new(&parameters);
        let (found, factor) = (pairs_per_object(&scene), factor(&parameters));
        let range = parameters.pairs / factor..=parameters.pairs * factor;
        assert!(range.contains(&found), "{name}: {found} pairs per object: {parameters:?}");
        assert_eq!(scene.giants.iter().filter(|giant| **giant).count(), parameters.giants.number as usize);
        assert!(scene.objects().iter().all(|object| object.shape.check().is_ok()), "{name}");
        let share = |count: usize| count as f32 / parameters.count as f32;
        let statics = share(scene.objects().iter().filter(|object| object.mobility == Mobility::Static).count());
        assert!((statics - parameters.statics).abs() < 0.05, "{name}: {statics} are static");
        let movers = share(scene.movers().len());
        let expected = (1.0 - parameters.statics) * parameters.movers;
        assert!((movers - expected).abs() < 0.05, "{name}: {movers} move");
        let spheres = share(scene.bodies.iter().filter(|body| body.sphere).count());
        assert!((spheres - parameters.spheres).abs() < 0.15, "{name}: {spheres} are spheres");
    }
}

#[test]
fn regression_objects_near_a_point_may_be_smaller_than_a_millionth_of_the_world() {
    for number in [0, 10] {
        let parameters = Parameters {
            size_ratio: 9000.0,
            proportions: [1.0, 1.0, 21.0],
            orientation: Orientation::Turned,
            dimension: Dimension::Point,
            thickness: 0.0005,
            off: 0.1,
            giants: Giants { number, edge: 0.1 },
            ..Parameters::even(20_000, 6)
        };
        let found = pairs_per_object(&SweepScene::new(&parameters));
        assert!((0.5..2.0).contains(&found), "{number} giants: {found} pairs per object instead of 1");
    }
}

#[test]
fn sizes_and_proportions_are_met() {
    let even = Parameters::even(5000, 3);
    for sizes in [Sizes::Even, Sizes::Octaves, Sizes::Power, Sizes::Two(100)] {
        let scene = SweepScene::new(&Parameters { sizes, size_ratio: 50.0, ..even.clone() });
        let edges = halves(&scene).into_iter().map(|half| half.min_element());
        let (least, most) = edges.fold((f32::INFINITY, 0.0_f32), |(low, high), e| (low.min(e), high.max(e)));
        assert!((25.0..51.0).contains(&(most / least)), "{sizes:?}: {}", most / least);
    }
    let proportions = [1.0, 4.0, 24.0];
    let planks = SweepScene::new(&Parameters { proportions, orientation: Orientation::Shuffled, ..even.clone() });
    let mut longest = [0; 3];
    for half in halves(&planks) {
        let mut edges = half.to_array();
        edges.sort_by(f32::total_cmp);
        assert!((edges[1] / edges[0] - 4.0).abs() < 0.1 && (edges[2] / edges[0] - 24.0).abs() < 0.3, "{edges:?}");
        longest[half.max_position()] += 1;
    }
    assert!(longest.iter().all(|&count| count > 1500), "{longest:?}");
    let turned =
        SweepScene::new(&Parameters { proportions: [1.0, 1.0, 50.0], orientation: Orientation::Turned, ..even });
    assert!(halves(&turned).iter().any(|half| half.min_element() * 3.0 > half.max_element()));
}

#[test]
fn worlds_have_the_dimension_that_they_should() {
    let extents = |dimension, thickness| {
        let scene = SweepScene::new(&Parameters { dimension, thickness, ..Parameters::even(2000, 3) });
        (scene.bounds().extents(), scene)
    };
    let (line, _) = extents(Dimension::Line, 0.01);
    assert!(line.x > 50.0 * line.y && line.x > 50.0 * line.z);
    let (plane, _) = extents(Dimension::Plane, 0.01);
    assert!(plane.x > 50.0 * plane.y && plane.z > 50.0 * plane.y);
    let (shell, scene) = extents(Dimension::Shell, 0.0);
    let off = |body: &Body| (body.center.length() / (shell.x / 2.0) - 1.0).abs();
    assert!(scene.bodies.iter().all(|body| off(body) < 0.01));
    let (point, scene) = extents(Dimension::Point, 0.0);
    let near = scene.bodies.iter().filter(|body| body.center.length() < point.x / 100.0).count();
    assert!(near > 500, "{near}");
}

#[test]
fn groups_and_strays_are_far_away() {
    let scene = |clustering| SweepScene::new(&Parameters { clustering, ..Parameters::even(2000, 3) });
    let islands = scene(Clustering::FarGroups { groups: 2, apart: 500.0 });
    let middle = islands.bounds().center();
    assert!(islands.bodies.iter().all(|body| body.center.distance(middle) > islands.bounds().extents().length() / 3.0));
    let stray = scene(Clustering::Stray(1000.0));
    let away = stray.bodies[0].center;
    assert!(stray.bodies[1..].iter().all(|body| body.center.distance(away) > 100.0 * body.center.length()));
}

#[test]
fn steps_are_as_long_as_they_should() {
    for step in [0.05, 3.0] {
        let mut scene = SweepScene::new(&Parameters { step, movers: 0.5, ..Parameters::even(2000, 3) });
        let start: Vec<Vec3> = scene.bodies.iter().map(|body| body.center).collect();
        let shapes = scene.step();
        assert_eq!(shapes.len(), scene.movers().len());
        for (&mover, shape) in scene.movers().iter().zip(&shapes) {
            let edge = shape.aabb().extents().min_element();
            let moved = shape.aabb().center().distance(start[mover as usize]);
            assert!((moved / edge / step - 1.0).abs() < 0.02, "{moved} with an edge of {edge}");
        }
        // Whoever moves stays near its place.
        for _ in 0..20 {
            scene.step();
        }
        let away = scene.bodies.iter().zip(&start).map(|(body, &start)| (body.center - start).abs().max_element());
        assert!(away.fold(0.0, f32::max) < 4.1 * step * 1.01);
    }
}

#[test]
fn questions_meet_what_they_should() {
    let scene = SweepScene::new(&Parameters { size_ratio: 30.0, ..Parameters::even(5000, 3) });
    let boxes = scene.query_boxes(300, 5);
    let hits = |aabb: &Aabb| scene.objects().iter().filter(|object| object.shape.aabb().overlaps(aabb)).count();
    let average = boxes.iter().map(hits).sum::<usize>() as f32 / 300.0;
    assert!((25.0..35.0).contains(&average), "{average}");
    assert_eq!(scene.query_rays(7, 5).len(), 7);
}

#[test]
fn scenes_are_the_same_everywhere() {
    // Sums of the bits of all coordinates, which no platform may change.
    let bits = |named: &Named| {
        let boxes =
            SweepScene::new(&named.parameters).objects().iter().map(|object| object.shape.aabb()).collect::<Vec<_>>();
        let coordinates = boxes.iter().flat_map(|aabb| [aabb.min.to_array(), aabb.max.to_array()].concat());
        coordinates.fold(0_u64, |sum, x| sum.rotate_left(5).wrapping_add(x.to_bits().into()))
    };
    let sum = fixed(200).iter().chain(&draws(4, 9, 1000)).fold(0_u64, |sum, named| sum.rotate_left(7) ^ bits(named));
    assert_eq!(sum, 7_833_441_043_390_472_414);
}

#[test]
fn a_hash_gives_one_seed() {
    assert_eq!(seed_from_hash("00000000000000ff11"), Some(255));
    assert_eq!(seed_from_hash("f11d369"), None);
    assert_eq!(seed_from_hash("zzzzzzzzzzzzzzzzzz"), None);
    assert_eq!(draws(3, 5, 5000), draws(5, 5, 5000)[..3]);
    assert_ne!(draws(3, 5, 5000), draws(3, 6, 5000));
}

#[test]
fn small_scenes_can_be_made() {
    for count in [1, 2, 100] {
        for Named { parameters, .. } in fixed(count) {
            let mut scene = SweepScene::new(&parameters);
            assert_eq!(scene.objects().len(), count as usize);
            scene.step();
            assert!(scene.objects().iter().all(|object| object.shape.check().is_ok()));
            assert_eq!(scene.query_boxes(5, 1).len(), 5);
            assert_eq!(scene.query_rays(5, 1).len(), 5);
        }
    }
}

#[test]
fn series_vary_one_parameter_of_the_even_scene() {
    for series in Series::ALL {
        let mut last = 0.0;
        for Named { name, mut parameters } in series.scenes(1000) {
            let (of, value) = Series::of_scene(&name).unwrap();
            assert!(of == series && value > last, "{name}");
            last = value;
            let even = Parameters::even(1000, parameters.seed);
            let found = match series {
                Series::Number => f64::from(std::mem::replace(&mut parameters.count, even.count)),
                Series::SizeRatio => f64::from(std::mem::replace(&mut parameters.size_ratio, even.size_ratio)),
                Series::Density => f64::from(std::mem::replace(&mut parameters.pairs, even.pairs)),
                Series::AspectRatio => {
                    assert_eq!(std::mem::replace(&mut parameters.orientation, even.orientation), Orientation::Shuffled);
                    f64::from(std::mem::replace(&mut parameters.proportions, even.proportions)[2])
                }
            };
            assert!((found - value).abs() <= 1e-6 * value, "{name}: {found}");
            assert_eq!(parameters, even, "{name}");
        }
    }
    assert_eq!(Series::of_scene("sizes-30"), None);
    assert_eq!(Series::of_scene("number-many"), None);
}
