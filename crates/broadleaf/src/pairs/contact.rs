//! Contact details of one pair, on request: the pass itself computes none.

use super::sink::{aabb, word};
use crate::data::Data;
use crate::data::ids::{ObjectWord, Row};
use crate::data::view::View;
use crate::geometry::{Contact, contact, overlap};
use crate::{Error, Handle, Pair};

impl View<'_> {
    /// The contact of two objects; `None` if their shapes do not overlap. The
    /// normal points from [`Pair::a`] to [`Pair::b`].
    ///
    /// Shapes overlap exactly where [`View::pairs`] says so; layers and
    /// mobility do not count here. A pair is the same in either order, and so
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
        let row = |handle: Handle| self.data.objects.row(handle).ok_or(Error::StaleHandle { handle });
        let (a, b) = (row(pair.a())?, row(pair.b())?);
        Ok(if a == b { None } else { contact_of(self.data, a, b) })
    }
}

fn contact_of(data: &Data, a: Row, b: Row) -> Option<Contact> {
    let (at_a, at_b) = (data.objects.location(a), data.objects.location(b));
    let (box_a, box_b) = (aabb(data, at_a), aabb(data, at_b));
    if !box_a.overlaps(&box_b) {
        return None;
    }
    let sphere_at = |row, at| word(data, row).has(ObjectWord::SPHERE).then(|| data.blocks.sphere(at));
    match (sphere_at(a, at_a), sphere_at(b, at_b)) {
        (None, None) => Some(contact::aabb_aabb(&box_a, &box_b)),
        (Some(a), Some(b)) => overlap::sphere_sphere(&a, &b).then(|| contact::sphere_sphere(&a, &b)),
        (None, Some(ball)) => overlap::aabb_sphere(&box_a, &ball).then(|| contact::aabb_sphere(&box_a, &ball)),
        (Some(ball), None) => {
            overlap::aabb_sphere(&box_b, &ball).then(|| contact::aabb_sphere(&box_b, &ball).reversed())
        }
    }
}
