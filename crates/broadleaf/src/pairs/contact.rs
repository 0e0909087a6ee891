//! The exact shapes of two objects, without their margins: whether they touch, and how. On request: the pass itself
//! computes no contacts.

use crate::data::View;
use crate::geometry::{Contact, contact};
use crate::{Error, Handle, Pair, Shape};

impl View<'_> {
    /// Whether the shapes of two objects overlap, as they were last set;
    /// touching counts. Where the tree keeps a [`Margin`](crate::Margin), this
    /// is the exact test that its pairs still need; where it keeps none, what
    /// [`View::pairs`] says. Layers and mobility are not asked.
    ///
    /// *Cost:* constant.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn touches(self, a: Handle, b: Handle) -> Result<bool, Error> {
        Ok(self.exact_shape(a)?.overlaps(&self.exact_shape(b)?))
    }

    /// The contact of two objects; `None` if their shapes do not overlap. The
    /// normal points from [`Pair::a`] to [`Pair::b`].
    ///
    /// The shapes are those last set, without a [`Margin`](crate::Margin).
    /// Where there is none, they overlap exactly where [`View::pairs`] says
    /// so; layers and mobility do not count here. A pair is the same in either order, and so
    /// is its contact, bit for bit.
    ///
    /// Ties: of boxes that are equally near to parting by several faces, and
    /// of a sphere whose centre lies in a box, the first of x, y and z counts,
    /// and of one axis the upper face of the first, or of the box. Spheres
    /// about one centre part along x. An object has no contact with itself.
    ///
    /// *Units:* world units. The normal's length is 1 to within a rounding.
    ///
    /// *Cost:* constant.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] names the first stale handle.
    pub fn contact(self, pair: Pair) -> Result<Option<Contact>, Error> {
        let (a, b) = (self.exact_shape(pair.a())?, self.exact_shape(pair.b())?);
        Ok((pair.a() != pair.b() && a.overlaps(&b)).then(|| contact_of(&a, &b)))
    }

    fn exact_shape(self, handle: Handle) -> Result<Shape, Error> {
        self.get(handle).map(|object| object.shape).ok_or(Error::StaleHandle { handle })
    }
}

/// The contact of two shapes that overlap.
fn contact_of(a: &Shape, b: &Shape) -> Contact {
    match (a, b) {
        (Shape::Aabb(a), Shape::Aabb(b)) => contact::aabb_aabb(a, b),
        (Shape::Sphere(a), Shape::Sphere(b)) => contact::sphere_sphere(a, b),
        (Shape::Aabb(aabb), Shape::Sphere(ball)) => contact::aabb_sphere(aabb, ball),
        (Shape::Sphere(ball), Shape::Aabb(aabb)) => contact::aabb_sphere(aabb, ball).reversed(),
    }
}
