//! What the camera sees, what the mouse points at, and what it selects.
//!
//! `cargo run --release -p broadleaf --example culling_and_picking`

use broadleaf::glam::camera::rh;
use broadleaf::glam::{Mat4, Vec2, Vec3};
use broadleaf::{Aabb, ClipDepth, Config, Containment, Error, Frustum, Layers, Mobility, Object, Octree, Ray, Sphere};

const BUILDINGS: Layers = Layers::new(0b01, u32::MAX);
const LAMPS: Layers = Layers::new(0b10, u32::MAX);
/// A question that finds lamps alone.
const ONLY_LAMPS: Layers = Layers::new(u32::MAX, 0b10);
const ONLY_HOUSES: Layers = Layers::new(u32::MAX, 0b01);
/// The screen, in pixels.
const SCREEN: Vec2 = Vec2::new(1280.0, 720.0);

fn main() -> Result<(), Error> {
    let mut city = Octree::new(Config::default())?;
    // 40 by 40 blocks of houses; user data says which. A lamp stands at every corner.
    for block in 0..1600_u64 {
        let (x, z) = ((block % 40) as f32 * 10.0, (block / 40) as f32 * 10.0);
        let height = 4.0 + (block * 7 % 13) as f32;
        let house = Aabb::new(Vec3::new(x, 0.0, z), Vec3::new(x + 6.0, height, z + 6.0));
        city.insert(still(house, BUILDINGS, block))?;
        city.insert(still(Sphere::new(Vec3::new(x + 8.0, 3.0, z + 8.0), 0.3), LAMPS, block))?;
    }

    // A camera above the roofs, looking along +z and down.
    let eye = Vec3::new(200.0, 30.0, 0.0);
    let view = rh::view::look_at_mat4(eye, Vec3::new(200.0, 0.0, 60.0), Vec3::Y);
    let projection = rh::proj::directx::perspective(1.0, 16.0 / 9.0, 0.1, 150.0);
    let view_projection = projection * view;
    let frustum = Frustum::from_view_projection(view_projection, ClipDepth::ZeroToOne)?;

    // Culling: objects wholly inside need no clipping.
    let mut visible = Vec::new();
    let stats = city.view().in_frustum_into(&frustum, Layers::ALL, &mut visible);
    let inside = visible.iter().filter(|(_, containment)| *containment == Containment::Inside).count();
    println!("{} of {} objects are in view, {inside} of them wholly", visible.len(), city.len());
    println!("{} nodes visited, {} objects tested", stats.nodes_visited, stats.objects_tested);
    assert!(inside > 0 && inside < visible.len() && visible.len() < city.len());
    assert!(stats.objects_tested < city.len() as u64);

    // By layer: the lamps in view.
    let mut lamps = Vec::new();
    city.view().in_frustum_into(&frustum, ONLY_LAMPS, &mut lamps);
    assert!(!lamps.is_empty() && lamps.len() < visible.len());
    assert!(lamps.iter().all(|lamp| visible.contains(lamp)));

    // Picking: the house under the middle of the screen, by the mouse's ray.
    let mouse = mouse_ray(view_projection, Vec2::ZERO)?;
    let (hit, _) = city.view().closest_hit(&mouse, Layers::ALL);
    let hit = hit.expect("the camera looks at the city");
    let house = city.get(hit.handle).expect("a hit's handle is alive");
    println!("the mouse points at block {}, {:.2} away, at {}", house.user_data, hit.distance, hit.position);
    assert!((hit.position - mouse.at(hit.distance)).length() < 1e-3);
    assert!(visible.iter().any(|&(handle, _)| handle == hit.handle));
    // Nothing stands before it: no object is hit by the segment that ends just short.
    let short = mouse.with_distance_max(hit.distance * 0.999)?;
    assert!(city.view().any_hit(&short, Layers::ALL).0.is_none());

    // Selection: the houses within a rectangle that the mouse has dragged over the screen.
    let (from, to) = (Vec2::new(420.0, 400.0), Vec2::new(300.0, 200.0));
    let (min, max) = (ndc(from).min(ndc(to)), ndc(from).max(ndc(to)));
    let selection = Frustum::from_screen_rectangle(view_projection, ClipDepth::ZeroToOne, min, max)?;
    let mut selected = Vec::new();
    city.view().in_frustum_into(&selection, ONLY_HOUSES, &mut selected);
    println!("{} houses are selected", selected.len());
    assert!(!selected.is_empty() && selected.len() < visible.len());
    // It holds each house whose middle is drawn there, and only what is in view.
    let middle = |aabb: &Aabb| view_projection.project_point3(aabb.center()).truncate();
    let is_within = |at: Vec2| at.cmpge(min).all() && at.cmple(max).all();
    for (handle, _) in visible.iter().filter(|(handle, _)| city.get(*handle).is_some_and(is_house)) {
        let aabb = city.get(*handle).expect("alive").shape.aabb();
        assert!(!is_within(middle(&aabb)) || selected.iter().any(|(other, _)| other == handle));
    }
    assert!(selected.iter().all(|(handle, _)| visible.iter().any(|(other, _)| other == handle)));

    // At the sky there is nothing to pick.
    let sky = Ray::new(eye, Vec3::Y)?;
    assert!(city.view().closest_hit(&sky, Layers::ALL).0.is_none());
    Ok(())
}

fn still(shape: impl Into<broadleaf::Shape>, layers: Layers, block: u64) -> Object {
    Object::new(shape).with_mobility(Mobility::Static).with_layers(layers).with_user_data(block)
}

fn is_house(object: Object) -> bool {
    object.layers == BUILDINGS
}

/// A pixel, counted from the top left, in normalised device coordinates: y is up.
fn ndc(pixel: Vec2) -> Vec2 {
    let part = pixel / SCREEN;
    Vec2::new(2.0 * part.x - 1.0, 1.0 - 2.0 * part.y)
}

/// The ray through a point of the screen, whose corners are (-1, -1) and (1, 1).
fn mouse_ray(view_projection: Mat4, mouse: Vec2) -> Result<Ray, Error> {
    let inverse = view_projection.inverse();
    let near = inverse.project_point3(mouse.extend(0.0));
    let far = inverse.project_point3(mouse.extend(1.0));
    Ray::segment(near, far)
}
