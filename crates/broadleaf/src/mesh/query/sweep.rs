//! What a moving sphere or box touches: nodes are tested eight at a time in 32
//! bits, generously, and triangles one by one in 64.

use super::walk::{Question, walk};
use crate::data::QueryStats;
use crate::geometry::lanes::{Boxes, LaneMask, PaddedRay, SweepQuery, WIDTH, set_bits};
use crate::geometry::triangle::hull::Hull;
use crate::geometry::triangle::overlap::Ball;
use crate::geometry::triangle::point::{closest_point_f64, corners};
use crate::geometry::triangle::sweep::sphere_triangle;
use crate::geometry::{Aabb, Ray, Sweep, Triangle};
use crate::mesh::columns::Leaf;
use crate::mesh::{Mesh, MeshSweepHit, unit_normal};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// What moves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    Ball(Ball),
    Hull(Hull),
}

/// What moves, and how far in a time of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingBody {
    pub(crate) body: Body,
    pub(crate) motion: DVec3,
}

/// Where a moving shape touches a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) triangle: u32,
    pub(crate) time: f64,
    pub(crate) contact: DVec3,
    /// Of length one.
    pub(crate) normal: DVec3,
}

impl Touch {
    /// The hit of a sweep at this touch.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub(crate) fn hit(&self, sweep: &Sweep) -> MeshSweepHit {
        let motion = sweep.motion().as_dvec3();
        MeshSweepHit {
            triangle: self.triangle,
            time: self.time as f32,
            distance: (motion.length() * self.time) as f32,
            center: (Body::of(sweep).center() + motion * self.time).as_vec3(),
            contact: self.contact.as_vec3(),
            normal: self.normal.as_vec3(),
        }
    }
}

impl Body {
    pub(crate) fn of(sweep: &Sweep) -> Self {
        match sweep.ball() {
            Some(sphere) => Self::Ball(Ball::of_sphere(&sphere)),
            None => Self::Hull(Hull::of_aabb(&sweep.start())),
        }
    }

    fn center(&self) -> DVec3 {
        match self {
            Self::Ball(ball) => ball.center,
            Self::Hull(hull) => hull.center,
        }
    }
}

impl MovingBody {
    /// A sweep as it is.
    pub(crate) fn of(sweep: &Sweep) -> Self {
        Self { body: Body::of(sweep), motion: sweep.motion().as_dvec3() }
    }

    /// Where it first touches a mesh, no later than `limit`; of triangles
    /// touched at once, the first of the input.
    pub(crate) fn first(&self, mesh: &Mesh, limit: f32) -> (Option<Touch>, QueryStats) {
        match &self.body {
            Body::Ball(ball) => match BallPath::new(ball, self.motion, &mesh.bounds) {
                Some(path) => first(path, mesh, limit),
                None => (None, QueryStats::default()),
            },
            Body::Hull(hull) => match HullPath::new(hull, self.motion) {
                Some(path) => first(path, mesh, limit),
                None => (None, QueryStats::default()),
            },
        }
    }

    /// Visits each triangle of a mesh that it touches no later than `limit`.
    pub(crate) fn all(&self, mesh: &Mesh, limit: f32, visit: &mut dyn FnMut(Touch) -> ControlFlow<()>) -> QueryStats {
        match &self.body {
            Body::Ball(ball) => match BallPath::new(ball, self.motion, &mesh.bounds) {
                Some(path) => walk(mesh, &mut AllTouches { reach: path.reach(f64::from(limit)), path, limit, visit }),
                None => QueryStats::default(),
            },
            Body::Hull(hull) => match HullPath::new(hull, self.motion) {
                Some(path) => walk(mesh, &mut AllTouches { reach: path.reach(f64::from(limit)), path, limit, visit }),
                None => QueryStats::default(),
            },
        }
    }
}

/// A shape on its way.
trait SweptShape {
    /// The lanes that it may touch within a reach, and how near each is.
    fn boxes(&self, boxes: &Boxes, reach: f32) -> (LaneMask, [f32; WIDTH]);
    /// How far nodes are looked at that may hold a touch at a time.
    fn reach(&self, time: f64) -> f32;
    /// The first time from 0 to 1, and perhaps later than `limit`, at which it touches a triangle.
    fn time(&self, corners: &[DVec3; 3], limit: f64) -> Option<f64>;
    /// Where and along which normal it touches a triangle at that time.
    fn contact(&self, triangle: &Triangle, time: f64) -> (DVec3, DVec3);
}

/// A sphere on its way: its middle among boxes grown by the radius.
struct BallPath {
    ray: PaddedRay,
    ball: Ball,
    motion: DVec3,
    length: f64,
}

impl BallPath {
    /// `None` if it is so far away that 32 bits cannot represent it.
    #[expect(clippy::cast_possible_truncation, reason = "rounded; boxes are padded by more")]
    fn new(ball: &Ball, motion: DVec3, bounds: &Aabb) -> Option<Self> {
        // Without a motion, any direction does: the reach is zero.
        let direction = if motion == DVec3::ZERO { Vec3::X } else { motion.as_vec3() };
        let direction = if direction == Vec3::ZERO { motion.normalize_or(DVec3::X).as_vec3() } else { direction };
        let ray = Ray::new(ball.center.as_vec3(), direction).ok()?;
        let ray = PaddedRay::new(&ray, bounds, (ball.radius as f32).min(f32::MAX));
        Some(Self { ray, ball: *ball, motion, length: motion.length() })
    }
}

impl SweptShape for BallPath {
    #[inline]
    fn boxes(&self, boxes: &Boxes, reach: f32) -> (LaneMask, [f32; WIDTH]) {
        self.ray.boxes(boxes, reach)
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded up")]
    fn reach(&self, time: f64) -> f32 {
        ((self.length * time) as f32).next_up().min(f32::MAX)
    }

    fn time(&self, corners: &[DVec3; 3], _: f64) -> Option<f64> {
        sphere_triangle(self.ball.center, self.ball.radius, self.motion, corners)
    }

    fn contact(&self, triangle: &Triangle, time: f64) -> (DVec3, DVec3) {
        let center = self.ball.center + self.motion * time;
        let (contact, distance_sq) = closest_point_f64(&corners(triangle), center);
        let normal =
            if distance_sq > 0.0 { (center - contact).normalize_or_zero() } else { unit_normal(triangle).as_dvec3() };
        (contact, normal)
    }
}

/// A box on its way, among boxes as the box around it; nearness is time.
struct HullPath {
    query: SweepQuery,
    hull: Hull,
    motion: DVec3,
}

impl HullPath {
    /// `None` if it is so far away that 32 bits cannot represent it.
    fn new(hull: &Hull, motion: DVec3) -> Option<Self> {
        let half = hull.edges.into_iter().fold(DVec3::ZERO, |half, edge| half + edge.abs());
        let (low, high) = (hull.center - half, hull.center + half);
        // Grown by more than the rounding to 32 bits, and in the query by more than that of the test.
        let margin = DVec3::splat(low.abs().max(high.abs()).max_element() * 1e-6);
        let around = Aabb { min: (low - margin).as_vec3(), max: (high + margin).as_vec3() }.clamped_to_finite();
        let motion_rounded = motion.as_vec3();
        let is_legal = motion_rounded.is_finite() && around.check().is_ok();
        is_legal.then(|| Self { query: SweepQuery::new(&around, motion_rounded), hull: *hull, motion })
    }
}

impl SweptShape for HullPath {
    #[inline]
    fn boxes(&self, boxes: &Boxes, reach: f32) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, reach)
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded up")]
    fn reach(&self, time: f64) -> f32 {
        // The grown box meets nodes no later than the box meets triangles.
        (time as f32).next_up()
    }

    fn time(&self, corners: &[DVec3; 3], limit: f64) -> Option<f64> {
        self.hull.touches(self.motion, corners, limit)
    }

    fn contact(&self, triangle: &Triangle, time: f64) -> (DVec3, DVec3) {
        let corners = corners(triangle);
        let contact = self.hull.moved(self.motion * time).contact(&corners);
        (contact, self.hull.normal(self.motion, &corners, time))
    }
}

fn first<P: SweptShape>(path: P, mesh: &Mesh, limit: f32) -> (Option<Touch>, QueryStats) {
    let mut question = FirstTouch { reach: path.reach(f64::from(limit)), path, limit, best: None };
    let mut stats = walk(mesh, &mut question);
    stats.hits = u64::from(question.best.is_some());
    let touch = question.best.map(|(time, leaf, lane)| touch(&question.path, time, leaf, lane));
    (touch, stats)
}

fn touch<P: SweptShape>(path: &P, time: f64, leaf: &Leaf, lane: usize) -> Touch {
    let (contact, normal) = path.contact(&leaf.triangles.get(lane), time);
    Touch { triangle: leaf.ids[lane % WIDTH], time, contact, normal }
}

/// Whether a time, as it is reported, is within a bound.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn is_within(time: f64, limit: f32) -> bool {
    time as f32 <= limit
}

struct FirstTouch<'a, P> {
    path: P,
    reach: f32,
    limit: f32,
    best: Option<(f64, &'a Leaf, usize)>,
}

impl<'a, P: SweptShape> Question<'a> for FirstTouch<'a, P> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.path.boxes(boxes, self.reach)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.reach
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let (mask, _) = self.test(&leaf.triangles.boxes());
        for lane in set_bits(u64::from(mask & leaf.occupied())) {
            let corners = corners(&leaf.triangles.get(lane));
            let latest = self.best.map_or(1.0, |(best, ..)| best);
            let Some(time) = self.path.time(&corners, latest) else { continue };
            let wins = match self.best {
                Some((best, ..)) if time != best => time < best,
                Some((_, other, at)) => leaf.ids[lane % WIDTH] < other.ids[at % WIDTH],
                None => is_within(time, self.limit),
            };
            if wins {
                self.best = Some((time, leaf, lane));
                self.reach = self.path.reach(time);
            }
        }
        ControlFlow::Continue(())
    }
}

struct AllTouches<'v, P> {
    path: P,
    reach: f32,
    limit: f32,
    visit: &'v mut dyn FnMut(Touch) -> ControlFlow<()>,
}

impl<'a, P: SweptShape> Question<'a> for AllTouches<'_, P> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.path.boxes(boxes, self.reach)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.reach
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let (mask, _) = self.test(&leaf.triangles.boxes());
        for lane in set_bits(u64::from(mask & leaf.occupied())) {
            let corners = corners(&leaf.triangles.get(lane));
            let Some(time) = self.path.time(&corners, 1.0).filter(|&time| is_within(time, self.limit)) else {
                continue;
            };
            stats.hits += 1;
            (self.visit)(touch(&self.path, time, leaf, lane))?;
        }
        ControlFlow::Continue(())
    }
}
