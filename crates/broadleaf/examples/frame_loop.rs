//! A frame loop: things appear, move and vanish; each frame asks who overlaps whom.
//!
//! `cargo run --release -p broadleaf --example frame_loop`

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Error, Handle, Octree, QueryStats, Scratch, Sphere};

const FRAMES: u32 = 240;
const SHIPS: usize = 2_000;
const BULLETS_PER_FRAME: usize = 10;
const BULLET_FRAMES: u32 = 60;

struct Bullet {
    handle: Handle,
    center: Vec3,
    born: u32,
}

fn main() -> Result<(), Error> {
    let mut tree = Octree::new(Config::default())?;

    // A cloud of ships: boxes on a spiral, all inserted in one call.
    let centers: Vec<Vec3> = (0..SHIPS).map(|ship| place_on_spiral(ship, 0)).collect();
    let ships: Vec<Aabb> = centers.iter().map(|&center| ship_at(center)).collect();
    let mut handles = Vec::new();
    tree.insert_many(&ships, &mut handles).map_err(|refused| refused.error)?;

    // Buffers live outside the loop, so that frames allocate nothing once warm.
    let (mut scratch, mut pairs, mut shapes) = (Scratch::new(), Vec::new(), Vec::new());
    let mut bullets: Vec<Bullet> = Vec::new();
    let mut pairs_total = 0;

    for frame in 0..FRAMES {
        // Appear: handles are good at once.
        for gun in 0..BULLETS_PER_FRAME {
            let center = Vec3::new(-120.0, gun as f32 * 4.0 - 20.0, 0.0);
            bullets.push(Bullet { handle: tree.insert(bullet_at(center))?, center, born: frame });
        }
        // Move: ships in one call, bullets one by one.
        shapes.clear();
        shapes.extend((0..SHIPS).map(|ship| ship_at(place_on_spiral(ship, frame))));
        tree.update_many(&handles, &shapes).map_err(|refused| refused.error)?;
        for bullet in &mut bullets {
            bullet.center.x += 4.0;
            tree.update(bullet.handle, bullet_at(bullet.center))?;
        }
        // Vanish.
        bullets.retain(|bullet| {
            let alive = frame - bullet.born < BULLET_FRAMES;
            alive || tree.remove(bullet.handle).is_none()
        });

        // Ask: the view brings the tree up to date.
        let view = tree.view();
        let mut stats = QueryStats::default();
        view.pairs(&mut scratch).stats(&mut stats).collect_into(&mut pairs);
        pairs_total += pairs.len();
        if frame % 60 == 59 {
            let (objects, tested) = (view.len(), stats.objects_tested);
            println!("frame {frame:3}: {objects} objects, {} pairs, {tested} objects tested", pairs.len());
        }
    }

    let counters = tree.counters();
    println!("{} nodes live, {} reused since the start", counters.nodes_live, counters.nodes_reused);

    // Each bullet lives a fixed time, so the population is known.
    assert_eq!(tree.len(), SHIPS + BULLETS_PER_FRAME * BULLET_FRAMES as usize);
    assert!(pairs_total > 0);
    // The last frame's pairs are those that comparing all with all finds.
    assert_eq!(pairs.len(), count_by_brute_force(&tree));
    // A removed object's handle is stale: it never names another object.
    let last = bullets[0].handle;
    assert!(tree.remove(last).is_some());
    assert_eq!(tree.get(last), None);
    assert!(tree.view().overlap(&ships[0])?.exclude(handles[0]).any() != Some(last));
    Ok(())
}

fn place_on_spiral(ship: usize, frame: u32) -> Vec3 {
    let angle = ship as f32 * 2.399_963 + frame as f32 * 0.01;
    let radius = 2.0 * (ship as f32).sqrt();
    Vec3::new(radius * angle.cos(), radius * angle.sin(), (ship % 7) as f32 - 3.0)
}

fn ship_at(center: Vec3) -> Aabb {
    Aabb::from_center_half_extents(center, Vec3::new(1.0, 0.6, 0.4))
}

fn bullet_at(center: Vec3) -> Sphere {
    Sphere::new(center, 0.25)
}

fn count_by_brute_force(tree: &Octree) -> usize {
    use broadleaf::Shape;
    let shapes: Vec<Shape> = tree.iter().map(|(_, object)| object.shape).collect();
    let near = |aabb: &Aabb, sphere: &Sphere| {
        let closest = sphere.center.clamp(aabb.min, aabb.max);
        closest.distance_squared(sphere.center) <= sphere.radius * sphere.radius
    };
    let touch = |a: &Shape, b: &Shape| match (a, b) {
        (Shape::Aabb(a), Shape::Aabb(b)) => a.overlaps(b),
        (Shape::Sphere(a), Shape::Sphere(b)) => a.overlaps(b),
        (Shape::Aabb(aabb), Shape::Sphere(sphere)) | (Shape::Sphere(sphere), Shape::Aabb(aabb)) => near(aabb, sphere),
        // Shapes that a later version may have.
        (a, b) => a.aabb().overlaps(&b.aabb()),
    };
    let after = |index: usize| &shapes[index + 1..];
    shapes.iter().enumerate().map(|(index, a)| after(index).iter().filter(|b| touch(a, b)).count()).sum()
}
