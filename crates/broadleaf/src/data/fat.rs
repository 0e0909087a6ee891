//! Fat bounds: what is larger in the tree than its caller gave it.

use super::arena::{push_tight, reserve_tight};
use super::ids::Row;
use super::object::Shape;
use crate::Margin;
use crate::geometry::{Aabb, Sphere};
use alloc::vec::Vec;
use glam::Vec3;

/// The margin, and each object's shape as it was given. Nothing is kept where
/// there is no margin.
#[derive(Debug, Clone)]
pub(crate) struct Fat {
    margin: Margin,
    given: Vec<Shape>,
}

impl Fat {
    pub(crate) const fn new(margin: Margin) -> Self {
        Self { margin, given: Vec::new() }
    }

    /// Whether objects are kept larger than they are.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.margin != Margin::NONE
    }

    /// The shape of a living row as it was given, if it is kept larger.
    #[inline]
    pub(crate) fn given(&self, row: Row) -> Option<Shape> {
        if self.is_kept() { self.given.get(row.0 as usize).copied() } else { None }
    }

    /// Notes the shape of a row.
    pub(crate) fn set(&mut self, row: Row, shape: Shape) {
        let index = row.0 as usize;
        while self.given.len() <= index {
            push_tight(&mut self.given, shape);
        }
        self.given[index] = shape;
    }

    /// Notes the shape of a row, and returns it with its margin.
    pub(crate) fn fatten(&mut self, row: Row, shape: Shape) -> Shape {
        self.set(row, shape);
        self.fattened(&shape)
    }

    fn fattened(&self, shape: &Shape) -> Shape {
        let margin = self.margin_of(shape);
        match shape {
            Shape::Aabb(aabb) => Aabb::new(aabb.min - margin, aabb.max + margin).into(),
            Shape::Sphere(ball) => Sphere::new(ball.center, (ball.radius + margin).min(Sphere::RADIUS_MAX)).into(),
        }
    }

    /// What a shape grows by; of an unbounded one the absolute part.
    fn margin_of(&self, shape: &Shape) -> f32 {
        let edge = match shape {
            Shape::Aabb(aabb) => aabb.extents().max_element(),
            Shape::Sphere(ball) => 2.0 * ball.radius,
        };
        let relative = self.margin.relative * edge;
        self.margin.absolute + if relative.is_finite() { relative } else { 0.0 }
    }

    /// Whether a shape may stay in the bounds that are kept of it.
    pub(crate) fn is_still_in(&self, kept: &Shape, shape: &Shape) -> bool {
        let (fresh, slack) = (self.fattened(shape), 2.0 * self.margin_of(shape));
        match (kept, shape, fresh) {
            (Shape::Aabb(kept), Shape::Aabb(aabb), Shape::Aabb(fresh)) => {
                let holds = kept.min.cmple(aabb.min).all() && kept.max.cmpge(aabb.max).all();
                // Infinite ends are kept as they are, and may not be kept of a finite box.
                let fits = kept.min.cmpge(fresh.min - slack).all() && kept.max.cmple(fresh.max + slack).all();
                holds && fits
            }
            (Shape::Sphere(kept), Shape::Sphere(ball), Shape::Sphere(fresh)) => {
                // Rounding in later tests must not lose what touches.
                let rounding = (kept.center.abs().max_element() + kept.radius) * (4.0 * f32::EPSILON);
                let reach = kept.center.distance(ball.center) + ball.radius;
                kept == &fresh || (reach + rounding <= kept.radius && kept.radius <= fresh.radius + slack)
            }
            _ => false,
        }
    }

    /// Moves every shape.
    pub(crate) fn shift(&mut self, shift: Vec3) {
        self.given.iter_mut().for_each(|given| *given = shifted(given, shift));
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        if self.is_kept() {
            reserve_tight(&mut self.given, additional);
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.given.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.given.capacity() * size_of::<Shape>()
    }
}

/// A shape after the origin has moved to `shift`.
pub(crate) fn shifted(shape: &Shape, shift: Vec3) -> Shape {
    match shape {
        Shape::Aabb(aabb) => Aabb::new(aabb.min - shift, aabb.max - shift).into(),
        Shape::Sphere(ball) => Sphere::new(ball.center - shift, ball.radius).into(),
    }
}
