//! The frustum through a rectangle of the screen shows what the matrix puts
//! there: compared with the corners of every object in clip space, for both
//! conventions of depth, reversed and infinite ones included.

use crate::projections::{FAR, projections};
use crate::support::{oracle_of, sorted};
use broadleaf::ClipDepth::ZeroToOne;
use broadleaf::glam::camera::rh::proj::directx;
use broadleaf::glam::camera::rh::view::look_to_mat4;
use broadleaf::glam::{DMat4, DVec4, Mat4, Vec2, Vec3};
use broadleaf::{Aabb, ClipDepth, Containment, Error, Frustum, Handle, Octree, Ray, Sphere};
use workloads::Random;
use workloads::oracle::Selection;

/// Cameras in two places, by every projection.
fn cameras() -> impl Iterator<Item = (String, Mat4, ClipDepth, Vec3)> {
    let eyes = [(Vec3::ZERO, Vec3::NEG_Z), (Vec3::new(30.0, -4.0, 7.0), Vec3::new(0.6, 0.0, -0.8))];
    projections().into_iter().flat_map(move |(name, projection, depth)| {
        eyes.map(|(eye, forward)| {
            (format!("{name} from {eye}"), projection * look_to_mat4(eye, forward, Vec3::Y), depth, eye)
        })
    })
}

/// A rectangle of the screen, at times narrow, at times reaching beyond.
fn rectangle(random: &mut Random) -> (Vec2, Vec2) {
    let (a, b) = (random.signed().truncate() * 1.2, random.signed().truncate() * 1.2);
    let b = if random.one_in(4) { a + random.signed().truncate() * 0.02 } else { b };
    (a.min(b), a.max(b))
}

/// How far a clip-space point is within each of the six bounds; computed in 64 bits.
fn within(clip: DVec4, depth: ClipDepth, min: Vec2, max: Vec2) -> [f64; 6] {
    let (min, max) = (min.as_dvec2(), max.as_dvec2());
    let start = if depth == ZeroToOne { clip.z } else { clip.w + clip.z };
    let (x, y, w) = (clip.x, clip.y, clip.w);
    [x - min.x * w, max.x * w - x, y - min.y * w, max.y * w - y, start, w - clip.z]
}

/// How a box lies to the rectangle by its eight corners; `None` where rounding decides.
fn by_corners(aabb: &Aabb, matrix: &DMat4, depth: ClipDepth, (min, max): (Vec2, Vec2)) -> Option<Option<Containment>> {
    let corner = |i: u8| {
        let pick = |bit: u8, low: f32, high: f32| f64::from(if i & bit > 0 { high } else { low });
        let point = DVec4::new(
            pick(1, aabb.min.x, aabb.max.x),
            pick(2, aabb.min.y, aabb.max.y),
            pick(4, aabb.min.z, aabb.max.z),
            1.0,
        );
        within(*matrix * point, depth, min, max)
    };
    let corners: [[f64; 6]; 8] = [0, 1, 2, 3, 4, 5, 6, 7].map(corner);
    let unclear = 1e-3;
    let (mut behind, mut inside) = (false, true);
    for side in 0..6 {
        let of_side = corners.map(|corner| corner[side]);
        let (low, high) = (of_side.into_iter().fold(f64::MAX, f64::min), of_side.into_iter().fold(f64::MIN, f64::max));
        if low.abs() < unclear || high.abs() < unclear {
            return None;
        }
        behind |= high < 0.0;
        inside &= low > 0.0;
    }
    Some((!behind).then_some(if inside { Containment::Inside } else { Containment::Intersecting }))
}

fn found(tree: &mut Octree, frustum: &Frustum) -> Vec<(Handle, Containment)> {
    let mut found = Vec::new();
    tree.view().overlap(frustum).unwrap().with_containment().collect_into(&mut found);
    found.sort_unstable_by_key(|&(handle, _)| handle);
    found
}

#[test]
fn objects_are_found_as_their_projected_corners_lie() {
    let mut random = Random::new(11);
    for (name, matrix, depth, eye) in cameras() {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        let cube = |random: &mut Random| {
            let center = eye + random.signed() * if random.one_in(2) { FAR } else { 12.0 };
            Aabb::from_center_half_extents(center, (random.signed() + 1.0) * 1.5)
        };
        let boxes: Vec<Aabb> = (0..800).map(|_| cube(&mut random)).collect();
        tree.insert_many(&boxes, &mut handles).unwrap();
        let oracle = oracle_of(&tree);
        let (mut seen, mut inside, mut unseen, mut partly) = (0, 0, 0, 0);
        for _ in 0..40 {
            let (min, max) = rectangle(&mut random);
            let frustum = Frustum::from_screen_rectangle(matrix, depth, min, max).expect(&name);
            let found = found(&mut tree, &frustum);
            assert_eq!(found, oracle.in_frustum(&frustum, Selection::ALL), "{name}");
            for (&handle, aabb) in handles.iter().zip(&boxes) {
                let Some(expected) = by_corners(aabb, &matrix.as_dmat4(), depth, (min, max)) else { continue };
                let at = found.binary_search_by_key(&handle, |&(handle, _)| handle);
                let answer = at.ok().map(|at| found[at].1);
                assert_eq!(answer, expected, "{name}: {aabb:?} through {min} to {max}");
                match expected {
                    None => unseen += 1,
                    Some(Containment::Inside) => inside += 1,
                    Some(Containment::Intersecting) => partly += 1,
                }
                seen += 1;
            }
        }
        assert!(seen > 20_000 && unseen > 10_000, "{name}: {seen} decided, {unseen} unseen");
        assert!(inside > 10 && partly > 50, "{name}: {inside} inside, {partly} partly");
        tree.validate().unwrap();
    }
}

#[test]
fn tiles_of_the_screen_share_out_what_the_screen_shows() {
    let mut random = Random::new(12);
    for (name, matrix, depth, eye) in cameras() {
        let edges: [f32; 5] = [-1.0, -0.4, 0.1, 0.15, 1.0];
        let span = |i: usize| (edges[i], edges[i + 1]);
        let tiles: Vec<_> = (0..16).map(|i| (span(i % 4), span(i / 4))).collect();
        let frustum =
            |&((x0, x1), (y0, y1)): &_| Frustum::from_screen_rectangle(matrix, depth, [x0, y0], [x1, y1]).expect(&name);
        let frusta: Vec<Frustum> = tiles.iter().map(frustum).collect();
        let whole = Frustum::from_view_projection(matrix, depth).unwrap();
        let mut visible = 0;
        for _ in 0..4_000 {
            let point = Sphere::new(eye + random.signed() * 20.0, 0.0);
            let in_tiles = frusta.iter().filter(|tile| tile.classify_sphere(&point).is_some()).count();
            let clip = matrix.as_dmat4() * point.center.as_dvec3().extend(1.0);
            let (x, y) = (clip.x / clip.w, clip.y / clip.w);
            // Nearer to an edge than this, rounding decides.
            let is_near = |edge: f64| (x - edge).abs().min((y - edge).abs()) < 1e-3;
            if edges.iter().any(|&edge| is_near(edge.into())) {
                continue;
            }
            let is_visible = whole.classify_sphere(&point).is_some();
            assert_eq!(in_tiles, usize::from(is_visible), "{name}: {point:?}");
            if is_visible {
                visible += 1;
                let of = |value: f64| (1..4).filter(|&i| value > f64::from(edges[i])).count();
                let tile = of(x) + 4 * of(y);
                assert!(frusta[tile].classify_sphere(&point).is_some(), "{name}: {point:?}");
            }
        }
        assert!(visible > 50, "{name}: {visible} visible");
    }
}

#[test]
fn the_whole_screen_is_the_camera_s_frustum() {
    for (name, matrix, depth, _) in cameras() {
        let whole = Frustum::from_screen_rectangle(matrix, depth, [-1.0, -1.0], [1.0, 1.0]);
        assert_eq!(whole, Frustum::from_view_projection(matrix, depth), "{name}");
        let columns = matrix.to_cols_array_2d();
        let part = Frustum::from_screen_rectangle(columns, depth, [-0.5, 0.0], [0.25, 0.5]).unwrap();
        // Planes of the depth are those of the camera.
        assert_eq!(part.planes()[4..], whole.unwrap().planes()[4..], "{name}");
    }
}

#[test]
fn y_is_up_but_in_matrices_for_vulkan() {
    let above = Aabb::new([-0.5, 1.0, -6.0], [0.5, 2.0, -5.0]);
    for (name, matrix, depth) in projections() {
        let half = |low: f32, high: f32| Frustum::from_screen_rectangle(matrix, depth, [-1.0, low], [1.0, high]);
        let (lower, upper) = (half(-1.0, 0.0).unwrap(), half(0.0, 1.0).unwrap());
        // Orthographic and shifted cameras have their middle elsewhere; the object is above it all the same.
        let (seen, unseen) = if name.starts_with("vulkan") { (lower, upper) } else { (upper, lower) };
        if name.contains("orthographic") || name.contains("frustum") {
            continue;
        }
        assert!(seen.classify_aabb(&above).is_some() && unseen.classify_aabb(&above).is_none(), "{name}");
    }
}

#[test]
fn a_point_of_the_screen_finds_what_its_line_of_sight_hits() {
    let mut random = Random::new(13);
    for (name, matrix, depth, eye) in cameras() {
        // Two depths that every projection here shows.
        let inverse = matrix.as_dmat4().inverse();
        let sight = |point: Vec2| {
            let at = |z: f64| inverse.project_point3(point.as_dvec2().extend(z)).as_vec3();
            let (a, b) = (at(0.25), at(0.75));
            let (near, far) = if a.distance(eye) < b.distance(eye) { (a, b) } else { (b, a) };
            Ray::new(near, far - near).unwrap().with_distance_max(FAR * 0.25).unwrap()
        };
        let mut tree = Octree::default();
        let mut shapes = Vec::new();
        for _ in 0..400 {
            let ray = sight(random.signed().truncate());
            let center = ray.at(random.between(0.0, ray.distance_max()));
            shapes.push(Aabb::from_center_half_extents(center, Vec3::splat(random.between(0.2, 1.5))));
        }
        tree.insert_many(&shapes, &mut Vec::new()).unwrap();
        let oracle = oracle_of(&tree);
        let mut hits = 0;
        for _ in 0..60 {
            let point = random.signed().truncate() * 0.9;
            let click = Frustum::from_screen_rectangle(matrix, depth, point, point).expect(&name);
            let planes = click.planes();
            for [a, b] in [[planes[0], planes[1]], [planes[2], planes[3]]] {
                assert_eq!((a.normal, a.offset), (-b.normal, -b.offset), "{name}");
            }
            let found = found(&mut tree, &click);
            assert_eq!(found, oracle.in_frustum(&click, Selection::ALL), "{name}");
            let ray = sight(point);
            // Boxes that the line only grazes are left to rounding.
            let shrunk = |aabb: &Aabb| Aabb { min: aabb.min + 1e-3, max: aabb.max - 1e-3 };
            let is_hit =
                |handle: Handle| ray.enter_aabb(&shrunk(&oracle.get(handle).expect("alive").shape.aabb())).is_some();
            let expected: Vec<Handle> =
                oracle.objects().iter().map(|&(handle, _)| handle).filter(|&h| is_hit(h)).collect();
            let handles = sorted(found.iter().map(|&(handle, _)| handle).collect::<Vec<_>>());
            for handle in &expected {
                assert!(handles.binary_search(handle).is_ok(), "{name}: {handle:?} is hit through {point}");
            }
            // What lies to one side of the line is not found.
            assert!(found.len() < 300, "{name}: {} of 400 through a point", found.len());
            assert!(found.iter().all(|&(_, containment)| containment == Containment::Intersecting));
            hits += expected.len();
        }
        assert!(hits > 10, "{name}: {hits} hits");
    }
}

#[test]
fn illegal_rectangles_are_errors_that_name_the_value() {
    let matrix = directx::perspective(1.0, 1.0, 0.1, 10.0);
    let refused = |min: [f32; 2], max: [f32; 2]| {
        Frustum::from_screen_rectangle(matrix, ZeroToOne, min, max).expect_err("an illegal rectangle")
    };
    assert_eq!(refused([f32::NAN, 0.0], [1.0, 1.0]), Error::NotANumber { field: "min.x" });
    assert_eq!(refused([0.0, f32::NAN], [1.0, 1.0]), Error::NotANumber { field: "min.y" });
    assert_eq!(refused([0.0, 0.0], [f32::NAN, 1.0]), Error::NotANumber { field: "max.x" });
    let infinite = Error::NotFinite { field: "max.y", value: f32::INFINITY };
    assert_eq!(refused([0.0, 0.0], [1.0, f32::INFINITY]), infinite);
    assert_eq!(refused([0.5, 0.0], [0.25, 1.0]), Error::InvertedBounds { axis: 'x', min: 0.5, max: 0.25 });
    assert_eq!(refused([0.0, 0.5], [1.0, 0.25]), Error::InvertedBounds { axis: 'y', min: 0.5, max: 0.25 });
    let mut bad = matrix.to_cols_array_2d();
    bad[1][2] = f32::NAN;
    let error = Frustum::from_screen_rectangle(bad, ZeroToOne, [0.0; 2], [0.5; 2]).unwrap_err();
    assert_eq!(error, Error::NotANumber { field: "matrix" });
    let flat = [[0.0; 4], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let error = Frustum::from_screen_rectangle(flat, ZeroToOne, [0.0; 2], [0.5; 2]).unwrap_err();
    assert_eq!(error, Error::DegeneratePlane { index: 0 });
}
