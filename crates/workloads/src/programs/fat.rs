//! Trees with a margin answer for larger shapes than they were given: an oracle of these.

use super::compare::{Complaint, same};
use crate::oracle::Oracle;
use broadleaf::{Handle, Margin, Object, Octree, View};
use std::borrow::Cow;

/// An oracle of the shapes that a tree keeps; complains of those that are not
/// around the shape as given, or larger than a margin allows.
pub(super) fn kept<'a>(tree: &mut Octree, given: &'a Oracle) -> Result<Cow<'a, Oracle>, Complaint> {
    let margin = tree.config().margin;
    if margin == Margin::NONE {
        return Ok(Cow::Borrowed(given));
    }
    let view = tree.view();
    let mut kept = Oracle::new();
    for (handle, object) in given.objects() {
        let shape = view.fat_shape(*handle).ok_or_else(|| format!("{handle:?} is kept without a shape"))?;
        let holds = shape.aabb().contains(&object.shape.aabb());
        // At the end of all floats a box that is rounded outward is infinite.
        let [inner, outer] = [object.shape, shape].map(|shape| shape.aabb().clamped_to_finite());
        // A shape that shrinks keeps its bounds until they are two margins too large.
        let edge = inner.extents().max_element();
        let reach = outer.max.abs().max(outer.min.abs()).max_element();
        let most = 3.001 * (margin.absolute + margin.relative * edge) + 1e-5 * reach;
        let room = (inner.min - outer.min).max(outer.max - inner.max).max_element();
        if !holds || (edge.is_finite() && room > most) {
            return Err(format!("{shape:?} is kept of {:?} with {margin:?}", object.shape));
        }
        kept.insert(*handle, Object { shape, ..*object });
    }
    Ok(Cow::Owned(kept))
}

/// Of the pairs of the shapes kept, those that touch are the pairs of the shapes given.
pub(super) fn compare_touches(view: View<'_>, given: &Oracle, kept: &Oracle) -> Result<(), Complaint> {
    let mut touching: Vec<(Handle, Handle)> = Vec::new();
    for (a, b) in kept.pairs() {
        if view.touches(a, b).map_err(|error| error.to_string())? {
            touching.push((a, b));
        }
    }
    same("pairs that touch", &touching, &given.pairs())
}
