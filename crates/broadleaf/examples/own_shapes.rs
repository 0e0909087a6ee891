//! Shapes of your own: an upright cylinder as a region, such as a lift shaft,
//! and a line that follows the ground of a height field as a cast.
//!
//! `cargo run --release -p broadleaf --example own_shapes`

use broadleaf::glam::{Vec2, Vec3, Vec3Swizzles};
use broadleaf::query::{Cast, CastHit, Region};
use broadleaf::{Aabb, Error, Handle, Octree, Ray, Scratch, Sphere};

/// An upright cylinder: its axis is y.
struct Cylinder {
    foot: Vec3,
    height: f32,
    radius: f32,
}

impl Cylinder {
    /// How far a point of the plane is from the axis.
    fn off_axis(&self, at: Vec2) -> f32 {
        at.distance(self.foot.xz())
    }
}

impl Region for Cylinder {
    fn bounds(&self) -> Aabb {
        let flat = Vec3::new(self.radius, 0.0, self.radius);
        Aabb::new(self.foot - flat, self.foot + flat + Vec3::Y * self.height)
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        let nearest = self.foot.xz().clamp(aabb.min.xz(), aabb.max.xz());
        let at_its_height = aabb.min.y <= self.foot.y + self.height && aabb.max.y >= self.foot.y;
        at_its_height && self.off_axis(nearest) <= self.radius
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let aside = (self.off_axis(sphere.center.xz()) - self.radius).max(0.0);
        let above = sphere.center.y - sphere.center.y.clamp(self.foot.y, self.foot.y + self.height);
        Vec2::new(aside, above).length() <= sphere.radius
    }

    // Saves tests: what lies in a box that lies inside is an answer at once.
    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        let (low, high) = (aabb.min.xz() - self.foot.xz(), aabb.max.xz() - self.foot.xz());
        let at_its_height = aabb.min.y >= self.foot.y && aabb.max.y <= self.foot.y + self.height;
        at_its_height && low.abs().max(high.abs()).length() <= self.radius
    }

    // Asked once, by the opening of a question.
    fn check(&self) -> Result<(), Error> {
        Sphere::new(self.foot, self.radius).check()
    }
}

/// A way over the ground: straight pieces end to end, each with the length of the way before it.
struct Path {
    pieces: Vec<(Ray, f32)>,
    length: f32,
    bounds: Aabb,
}

impl Path {
    /// Over the ground at `height`, from one point to another, in so many pieces.
    fn over(from: Vec2, to: Vec2, pieces: u16, height: impl Fn(Vec2) -> f32) -> Result<Self, Error> {
        let at = |step: u16| {
            let place = from.lerp(to, f32::from(step) / f32::from(pieces));
            Vec3::new(place.x, height(place), place.y)
        };
        let mut path = Self { pieces: Vec::new(), length: 0.0, bounds: Aabb::from_points((0..=pieces).map(at)) };
        for step in 0..pieces {
            let ray = Ray::segment(at(step), at(step + 1))?;
            path.pieces.push((ray, path.length));
            path.length += ray.distance_max();
        }
        Ok(path)
    }

    /// How long the way is to where a piece first enters something; pieces beyond `limit` are of no interest.
    fn first(&self, limit: f32, enter: impl Fn(&Ray) -> Option<f32>) -> Option<f32> {
        let mut pieces = self.pieces.iter().take_while(|(_, before)| *before <= limit);
        pieces.find_map(|(ray, before)| Some(before + enter(ray)?))
    }
}

/// What stands in the way.
#[derive(Debug, Clone, Copy)]
struct Block {
    handle: Handle,
    /// Length of the way to it.
    walked: f32,
    /// The piece of the path that meets it.
    piece: usize,
}

impl Cast for Path {
    type Hit = Block;

    fn reach(&self) -> f32 {
        self.length
    }

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        self.first(limit, |ray| ray.enter_aabb(aabb))
    }

    // No sooner than the box around the sphere, whatever rounding makes of it.
    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        let at_box = self.meets_aabb(&sphere.aabb(), limit)?;
        Some(self.first(limit, |ray| ray.enter_sphere(sphere))?.max(at_box))
    }

    fn hit(&self, met: &CastHit) -> Block {
        let piece = self.pieces.partition_point(|(_, before)| *before <= met.entry).saturating_sub(1);
        Block { handle: met.handle, walked: met.distance, piece }
    }
}

fn main() -> Result<(), Error> {
    let hills = |at: Vec2| 3.0 * (at.x * 0.2).sin() * (at.y * 0.15).cos();
    let on_ground = |at: Vec2| Vec3::new(at.x, hills(at), at.y);

    // Rocks all over the hills, and crates in every storey of a tower.
    let mut tree = Octree::default();
    for row in 0..400_u16 {
        let place = Vec2::new(f32::from(row % 20) * 5.0, f32::from(row / 20) * 5.0);
        tree.insert(Sphere::new(on_ground(place), 0.5))?;
    }
    let tower = on_ground(Vec2::new(52.5, 52.5));
    for storey in 0..30_u16 {
        for side in [Vec3::ZERO, Vec3::X * 3.0, Vec3::Z * 6.0] {
            let center = tower + side + Vec3::Y * f32::from(storey) * 3.0;
            tree.insert(Aabb::from_center_half_extents(center, Vec3::splat(0.4)))?;
        }
    }
    let view = tree.view();

    // The region: what stands in the lift shaft?
    let shaft = Cylinder { foot: tower, height: 20.0, radius: 3.0 };
    let in_shaft = view.overlap(&shaft)?.count();
    let (mut found, mut scratch) = (Vec::new(), Scratch::new());
    view.overlap(&shaft)?.with_containment().collect_into(&mut found);
    println!("{in_shaft} things in the shaft; the first is {:?}", found[0]);
    // Seven storeys, with one crate on the axis and one that reaches in.
    assert_eq!((in_shaft, found.len()), (14, 14));

    // The cast: how far does a beetle come that walks along a line?
    let walk = Path::over(Vec2::new(1.0, 0.2), Vec2::new(96.0, 95.2), 400, hills)?;
    let block = view.cast(&walk).closest().expect("things stand in the way");
    println!("after {:.2} of {:.2}, in piece {}, there is {:?}", block.walked, walk.length, block.piece, block.handle);

    // All options and terminals are there: what comes next, if it climbs over two?
    let mut blocks = Vec::new();
    view.cast(&walk).in_order(&mut scratch).collect_into(&mut blocks);
    assert_eq!(blocks[0].handle, block.handle);
    assert!(blocks.is_sorted_by_key(|block| block.walked));
    let beyond = view.cast(&walk).exclude(block.handle).filter(|handle| handle != blocks[1].handle).closest();
    assert_eq!(beyond.map(|beyond| beyond.handle), blocks.get(2).map(|block| block.handle));
    assert_eq!(view.cast(&walk).within(block.walked).count(), 1);
    Ok(())
}
