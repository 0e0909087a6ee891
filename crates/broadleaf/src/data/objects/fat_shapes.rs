//! Fat shapes: with a margin, the tree stores a shape grown by the margin, and the exact
//! shape is stored here.

use super::object::{Bounded, Shape};
use crate::Margin;
use crate::data::Handle;
use crate::data::arena::{cloned, copy_list, push_tight, reserve_tight};
use crate::data::ids::Row;
use crate::data::state::hash::WordHash;
#[cfg(feature = "serde")]
use crate::data::state::validate::{BrokenInvariant, ensure};
use crate::geometry::lanes::{Boxes, LaneMask, Shapes, Spheres};
use crate::geometry::{Aabb, Sphere};
use alloc::vec::Vec;
use glam::Vec3;

/// The margin, and the exact shape of each object; without a margin, nothing is stored.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct FatShapes {
    #[cfg_attr(feature = "serde", serde(skip))]
    margin: Margin,
    exact: Vec<Shape>,
}

impl Clone for FatShapes {
    fn clone(&self) -> Self {
        cloned(self, Self::new(self.margin))
    }

    fn clone_from(&mut self, source: &Self) {
        self.margin = source.margin;
        copy_list(&mut self.exact, &source.exact);
    }
}

impl FatShapes {
    pub(crate) const fn new(margin: Margin) -> Self {
        Self { margin, exact: Vec::new() }
    }

    /// Whether objects are stored larger than they are.
    #[inline]
    pub(crate) fn has_margin(&self) -> bool {
        self.margin != Margin::NONE
    }

    /// The exact shape of a living row, if the stored one is larger.
    #[inline]
    pub(crate) fn exact_shape(&self, row: Row) -> Option<Shape> {
        if self.has_margin() { self.exact.get(row.0 as usize).copied() } else { None }
    }

    /// Stores the exact shape of a row.
    pub(crate) fn set(&mut self, row: Row, shape: Shape) {
        let index = row.0 as usize;
        while self.exact.len() <= index {
            push_tight(&mut self.exact, shape);
        }
        self.exact[index] = shape;
    }

    /// Stores the exact shape of a row, and returns it with its margin.
    pub(crate) fn fatten(&mut self, row: Row, shape: Shape) -> Shape {
        self.set(row, shape);
        self.grown(&shape)
    }

    /// The fat bounds of eight boxes, and the lanes in which the stored box need not change: as
    /// [`FatShapes::new_fat_shape`] says.
    #[inline]
    pub(crate) fn new_fat_boxes(&self, boxes: &Boxes, kept: &Boxes) -> (Boxes, LaneMask) {
        let (fresh, widest) = boxes.with_margins(self.margin.absolute, self.margin.relative);
        (fresh, kept.containing(boxes) & widest.containing(kept))
    }

    /// The fat shapes of eight shapes, and the lanes in which the stored shape need not change: as
    /// [`FatShapes::new_fat_shape`] says.
    #[inline]
    pub(crate) fn new_fat_shapes(&self, shapes: &Shapes, kept: &Shapes) -> (Shapes, LaneMask) {
        let (boxes, kept_boxes) = self.new_fat_boxes(&shapes.boxes, &kept.boxes);
        let Margin { absolute, relative } = self.margin;
        let (spheres, kept_spheres) = shapes.spheres.with_margins_and_fits(absolute, relative, &kept.spheres);
        let sphere_lanes = shapes.sphere_lanes;
        let kept_spheres = kept_spheres & sphere_lanes & kept.sphere_lanes;
        let boxes = boxes.blended(sphere_lanes, &spheres.boxes());
        // Lanes without a sphere hold none, as where there is no margin.
        let spheres = Spheres::ZERO.blended(sphere_lanes, &spheres);
        let fresh = Shapes { boxes, spheres, sphere_lanes };
        (fresh, kept_boxes & !(sphere_lanes | kept.sphere_lanes) | kept_spheres)
    }

    /// Stores the exact shapes of rows that have one.
    pub(crate) fn set_many<S: Bounded>(&mut self, handles: &[Handle], shapes: &[S]) {
        for (handle, &shape) in handles.iter().zip(shapes) {
            if let Some(place) = self.exact.get_mut(handle.slot() as usize) {
                *place = shape.into().without_negative_zeros();
            }
        }
    }

    /// What a shape with such a longest edge, or diameter, grows by; an unbounded one by the absolute part.
    #[inline]
    fn margin_of(&self, edge: f32) -> f32 {
        let relative = self.margin.relative * edge;
        self.margin.absolute + if relative.is_finite() { relative } else { 0.0 }
    }

    /// A shape with its margin.
    #[inline]
    fn grown(&self, shape: &Shape) -> Shape {
        match shape {
            Shape::Aabb(aabb) => self.grown_box(aabb).0.into(),
            Shape::Sphere(sphere) => self.grown_sphere(sphere).0.into(),
        }
    }

    /// A box with its margin, and that margin.
    #[inline]
    fn grown_box(&self, aabb: &Aabb) -> (Aabb, f32) {
        let margin = self.margin_of(aabb.extents().max_element());
        (Aabb::new(aabb.min - margin, aabb.max + margin), margin)
    }

    /// A sphere with its margin, and that margin.
    #[inline]
    fn grown_sphere(&self, sphere: &Sphere) -> (Sphere, f32) {
        let margin = self.margin_of(2.0 * sphere.radius);
        (Sphere::new(sphere.center, (sphere.radius + margin).min(Sphere::RADIUS_MAX)), margin)
    }

    /// The fat shape of a new exact shape, unless that still fits the fat shape that is stored.
    #[inline(always)]
    pub(crate) fn new_fat_shape(&self, kept: &Shape, shape: &Shape) -> Option<Shape> {
        let fits = match (kept, shape) {
            (Shape::Aabb(kept), Shape::Aabb(aabb)) => self.fits_box(kept, aabb),
            (Shape::Sphere(kept), Shape::Sphere(sphere)) => self.fits_sphere(kept, sphere),
            _ => false,
        };
        (!fits).then(|| self.grown(shape))
    }

    /// Whether a box lies within the stored one, and that is not much too large for it.
    #[inline(always)]
    fn fits_box(&self, kept: &Aabb, aabb: &Aabb) -> bool {
        let (fresh, margin) = self.grown_box(aabb);
        let slack = 2.0 * margin;
        // Without branches: which side a box leaves by cannot be predicted.
        let holds = kept.min.cmple(aabb.min) & kept.max.cmpge(aabb.max);
        // An infinite end of the stored box does not fit a finite box.
        let is_close = kept.min.cmpge(fresh.min - slack) & kept.max.cmple(fresh.max + slack);
        (holds & is_close).bitmask() == 0b111
    }

    /// Whether a sphere lies within the stored one, and that is not much too large for it.
    #[inline(always)]
    fn fits_sphere(&self, kept: &Sphere, sphere: &Sphere) -> bool {
        let (fresh, margin) = self.grown_sphere(sphere);
        // In 64 bits, so that no square vanishes.
        let [radius, old, new, slack] = [sphere.radius, kept.radius, fresh.radius, 2.0 * margin].map(f64::from);
        // Rounding in later tests must not lose what touches.
        let size = f64::from(kept.center.abs().max_element()) + old;
        let rounding = size * Sphere::DISTANCE_ERROR + Sphere::UNDERFLOW_DISTANCE;
        let distance_sq = kept.center.as_dvec3().distance_squared(sphere.center.as_dvec3());
        // No root, so that eight lanes are cheap. A negative limit must be refused apart: its square is positive.
        let distance_max = (old - radius - rounding).min(new + slack - old);
        (*kept == fresh) | (distance_max >= 0.0) & (distance_sq <= distance_max * distance_max)
    }

    /// Moves the exact shapes by the opposite of `shift`.
    pub(crate) fn shift(&mut self, shift: Vec3) {
        for shape in &mut self.exact {
            *shape = shifted(shape, shift);
        }
    }

    /// Adds the exact shapes.
    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_all([self.margin.absolute.to_bits(), self.margin.relative.to_bits()]);
        hash.add_wide(self.exact.len() as u64);
        for shape in &self.exact {
            match shape {
                Shape::Aabb(Aabb { min, max }) => {
                    hash.add(0);
                    hash.add_all(min.to_array().map(f32::to_bits));
                    hash.add_all(max.to_array().map(f32::to_bits));
                }
                Shape::Sphere(ball) => {
                    hash.add(1);
                    hash.add_all(ball.center.to_array().map(f32::to_bits));
                    hash.add(ball.radius.to_bits());
                }
            }
        }
    }

    /// Checks loaded shapes of the living rows.
    #[cfg(feature = "serde")]
    pub(crate) fn restore(
        &mut self,
        margin: Margin,
        mut living: impl Iterator<Item = Row>,
    ) -> Result<(), BrokenInvariant> {
        self.margin = margin;
        let kept = self.has_margin();
        ensure(kept || self.exact.is_empty(), "shapes are kept where there is a margin", 0)?;
        let legal = |row: Row| self.exact_shape(row).is_some_and(|shape| shape.check().is_ok());
        let faulty = living.find(|&row| kept && !legal(row));
        ensure(faulty.is_none(), "a shape is legal", faulty.map_or(0, |row| row.0))
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        if self.has_margin() {
            reserve_tight(&mut self.exact, additional);
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.exact.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.exact.capacity() * size_of::<Shape>()
    }
}

/// A shape after the origin has moved to `shift`.
fn shifted(shape: &Shape, shift: Vec3) -> Shape {
    match shape {
        Shape::Aabb(aabb) => Aabb::new(aabb.min - shift, aabb.max - shift).into(),
        Shape::Sphere(ball) => Sphere::new(ball.center - shift, ball.radius).into(),
    }
}

/// Whether the shift takes a finite coordinate of a shape to infinity.
pub(crate) fn overflows(shape: &Shape, shift: Vec3) -> bool {
    let does = |at: Vec3| at.is_finite_mask() != (at - shift).is_finite_mask();
    match shape {
        Shape::Aabb(aabb) => does(aabb.min) || does(aabb.max),
        Shape::Sphere(ball) => does(ball.center),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::lanes::{ShapeRow, WIDTH};

    #[test]
    fn eight_fat_shapes_are_what_each_is_alone() {
        let mut state = 7_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let near_most = Sphere::RADIUS_MAX * 0.9;
        let (mut stayed, mut left) = (0, 0);
        for round in 0..4000 {
            let relative = if round % 2 == 0 { 0.0 } else { 0.25 };
            let fat = FatShapes::new(Margin { absolute: 0.125, relative });
            let mut shape = |_| -> Shape {
                let place = Vec3::new(next(4) as f32, next(3) as f32, next(2) as f32) * 0.0625;
                match next(9) {
                    0 => Aabb::new(Vec3::NEG_INFINITY, place).into(),
                    1 => Sphere::new(place, near_most + next(2) as f32 * 1e17).into(),
                    2..=4 => Sphere::new(place, [0.5, 0.375, 0.1875][next(3) as usize]).into(),
                    _ => Aabb::new(place, place + 1.0).into(),
                }
            };
            let given: [Shape; WIDTH] = core::array::from_fn(&mut shape);
            let kept: [Shape; WIDTH] = core::array::from_fn(|lane| fat.grown(&shape(lane)));
            let empty = round % WIDTH;
            let gather = |shapes: &[Shape; WIDTH]| {
                Shapes::gather(|lane| if lane == empty { ShapeRow::EMPTY } else { shapes[lane].into() })
            };
            let (fresh, stays) = fat.new_fat_shapes(&gather(&given), &gather(&kept));
            // Whole blocks are written with it.
            assert_eq!((fresh.boxes.get(empty), fresh.sphere_lanes >> empty & 1), (Aabb::EMPTY, 0));
            for lane in (0..WIDTH).filter(|&lane| fresh.sphere_lanes >> lane & 1 == 0) {
                assert_eq!(fresh.spheres.get(lane), Spheres::ZERO.get(lane));
            }
            for lane in (0..WIDTH).filter(|&lane| lane != empty) {
                let alone = fat.new_fat_shape(&kept[lane], &given[lane]);
                assert_eq!(stays >> lane & 1 == 1, alone.is_none(), "{:?} in {:?}", given[lane], kept[lane]);
                let Some(alone) = alone else {
                    stayed += 1;
                    continue;
                };
                left += 1;
                assert_eq!(fresh.boxes.get(lane), alone.aabb().without_negative_zeros());
                assert_eq!(fresh.sphere_lanes >> lane & 1 == 1, alone.sphere().is_some());
                assert!(alone.sphere().is_none_or(|sphere| fresh.spheres.get(lane) == sphere));
            }
        }
        assert!(stayed > 1000 && left > 1000, "{stayed} stayed, {left} left");
    }
}
