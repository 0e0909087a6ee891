//! Regions and casts of a caller's own are asked like the built-in ones, and
//! answer what brute force says. Here are the shapes; the tests of each kind
//! have a file of their own.

mod casts;
mod regions;

use crate::support::{asked, random_world};
use broadleaf::glam::{Vec2, Vec3, Vec3Swizzles};
use broadleaf::query::CastHit;
use broadleaf::{
    Aabb, Batch, Error, Handle, Octree, Ray, Shape, Sphere,
    query::{Cast, Region},
};
use casts::{WatchedCast, blocks};
use regions::{Watched, compare_region};
use std::cell::Cell;
use workloads::Random;
use workloads::oracle::Selection;

/// An upright cylinder: its axis is y.
#[derive(Debug, Clone, Copy)]
struct Cylinder {
    foot: Vec3,
    height: f32,
    radius: f32,
}

impl Cylinder {
    fn random(random: &mut Random) -> Self {
        let foot = (random.signed() * 20.0).round();
        Self { foot, height: [0.0, 2.0, 8.0, 1e30][random.below(4) as usize], radius: random.below(9) as f32 }
    }

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
        let high = aabb.min.y <= self.foot.y + self.height && aabb.max.y >= self.foot.y;
        high && self.off_axis(nearest) <= self.radius
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let out = (self.off_axis(sphere.center.xz()) - self.radius).max(0.0);
        let above = sphere.center.y - sphere.center.y.clamp(self.foot.y, self.foot.y + self.height);
        Vec2::new(out, above).length() <= sphere.radius
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        let far = (aabb.min.xz() - self.foot.xz()).abs().max((aabb.max.xz() - self.foot.xz()).abs());
        let high = aabb.min.y >= self.foot.y && aabb.max.y <= self.foot.y + self.height;
        high && far.length() <= self.radius
    }

    fn check(&self) -> Result<(), Error> {
        Sphere::new(self.foot, self.radius).check()
    }
}

/// A region behind a reference. With `dyn Region` it is one type, so that questions about regions of any type are
/// compiled once.
struct AnyRegion<'a, R: ?Sized>(&'a R);

impl<R: Region + ?Sized> Region for AnyRegion<'_, R> {
    fn bounds(&self) -> Aabb {
        self.0.bounds()
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.0.overlaps_aabb(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.0.overlaps_sphere(sphere)
    }

    fn reaches(&self, bounds: &Aabb) -> bool {
        self.0.reaches(bounds)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        self.0.contains_aabb(aabb)
    }

    fn check(&self) -> Result<(), Error> {
        self.0.check()
    }
}

/// Straight pieces end to end, each with the length of way before it.
struct Path {
    pieces: Vec<(Ray, f32)>,
    length: f32,
    bounds: Aabb,
}

/// Where a path is first blocked.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Block {
    handle: Handle,
    walked: f32,
    piece: usize,
    is_ball: bool,
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

    fn random(random: &mut Random) -> Self {
        let (from, to) = (random.signed().xz() * 22.0, random.signed().xz() * 22.0);
        let level = random.between(-12.0, 12.0).round();
        let hills = |at: Vec2| level + 4.0 * (at.x * 0.3).sin() * (at.y * 0.4).cos();
        let pieces = 1 + u16::try_from(random.below(40)).unwrap();
        if random.one_in(4) {
            Self::over(from.round(), to.round() + 1.0, 1, |_| level)
        } else {
            Self::over(from, to, pieces, hills)
        }
        .expect("two ends")
    }

    fn first(&self, limit: f32, enter: impl Fn(&Ray) -> Option<f32>) -> Option<f32> {
        let pieces = self.pieces.iter().take_while(|(_, before)| *before <= limit);
        pieces.into_iter().find_map(|(ray, before)| Some(before + enter(ray)?))
    }
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

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        let at_box = self.meets_aabb(&sphere.aabb(), limit)?;
        Some(self.first(limit, |ray| ray.enter_sphere(sphere))?.max(at_box))
    }

    fn hit(&self, met: &CastHit) -> Block {
        let piece = self.pieces.partition_point(|(_, before)| *before <= met.entry).saturating_sub(1);
        Block { handle: met.handle, walked: met.distance, piece, is_ball: matches!(met.shape, Shape::Sphere(_)) }
    }
}

/// A cast of any type whose hits are blocks, behind a reference: one type, so that questions are compiled once.
struct AnyCast<'a>(&'a dyn Cast<Hit = Block>);

impl Cast for AnyCast<'_> {
    type Hit = Block;

    fn reach(&self) -> f32 {
        self.0.reach()
    }

    fn bounds(&self) -> Aabb {
        self.0.bounds()
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        self.0.meets_aabb(aabb, limit)
    }

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        self.0.meets_sphere(sphere, limit)
    }

    fn hit(&self, met: &CastHit) -> Block {
        self.0.hit(met)
    }
}

fn is_a_box(aabb: &Aabb) -> bool {
    aabb.min.is_finite() && aabb.max.is_finite() && aabb.min.cmple(aabb.max).all()
}

#[test]
fn regression_regions_and_casts_are_asked_about_boxes_alone() {
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    for seed in 0..6 {
        let ((mut tree, oracle), mut random) = (random_world(seed + 40, 200), Random::new(seed));
        let (view, tests) = (tree.view(), Cell::new(0));
        let region = Cylinder::random(&mut random);
        let watched = Watched { region, contains: true, bounds: everywhere, tests: &tests };
        compare_region(view, &oracle, &watched, Vec3::ONE, Selection::ALL);
        let path = Path::random(&mut random);
        let cast = WatchedCast::new(&path, path.length);
        assert_eq!(asked!(view.cast(&cast)).len(), blocks(&oracle, &path, Selection::ALL).len());
    }
}

#[test]
fn an_empty_tree_has_nothing_for_shapes_of_the_callers() {
    let (mut tree, mut random) = (Octree::default(), Random::new(1));
    let (region, path) = (Cylinder::random(&mut random), Path::random(&mut random));
    let view = tree.view();
    assert!(asked!(view.overlap(&region).unwrap()).is_empty() && asked!(view.cast(&path)).is_empty());
    let mut batch = Batch::new();
    view.overlap_many(&[region, region]).unwrap().collect_into(&mut batch);
    assert_eq!((batch.len(), batch.answers().len()), (2, 0));
    let mut batch = Batch::new();
    view.cast_many(&[path]).closest_into(&mut batch);
    assert_eq!(batch.answers(), [None]);
}
