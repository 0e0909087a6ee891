//! One capsule against eight boxes: a test that errs on the side of overlap.

use super::{BoxQuery, Boxes, LaneMask, SweepQuery};
use crate::geometry::{Capsule, Sphere};

/// A capsule: the box around it, and the box around one end on the way to the other.
#[derive(Clone, Copy)]
pub(crate) struct CapsuleQuery {
    around: BoxQuery,
    /// None where the way is too long for 32-bit floats.
    swept: Option<SweepQuery>,
}

impl CapsuleQuery {
    pub(crate) fn new(capsule: &Capsule) -> Self {
        let motion = capsule.b() - capsule.a();
        let end = Sphere::new(capsule.a(), capsule.radius()).aabb();
        let swept = motion.is_finite().then(|| SweepQuery::new(&end, motion));
        Self { around: BoxQuery::new(&capsule.aabb()), swept }
    }

    /// The lanes whose finite box may share a point with the capsule.
    #[inline]
    pub(crate) fn boxes(&self, boxes: &Boxes) -> LaneMask {
        let mask = boxes.overlaps(&self.around);
        match &self.swept {
            Some(swept) if mask != 0 => mask & swept.boxes(boxes, 1.0).0,
            _ => mask,
        }
    }
}
