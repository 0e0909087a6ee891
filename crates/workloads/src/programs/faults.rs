//! Faulty input, and the error that it must get.

use super::source::Source;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Error, Shape, Sphere};

/// A shape that a tree must refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A box with NaN on one of the six sides.
    NanSide(u8),
    /// A box with its sides swapped on an axis.
    Inverted(u8),
    /// A box that lies at infinity on an axis.
    AtInfinity(u8),
    /// A sphere with a NaN or infinite centre.
    Center(u8),
    /// A radius below zero.
    NegativeRadius,
    /// A radius that is NaN.
    NanRadius,
    /// A radius beyond the limit.
    HugeRadius,
}

impl Fault {
    pub(super) fn generate(source: &mut dyn Source) -> Self {
        let side = u8::try_from(source.below(6)).expect("below 6");
        match source.below(7) {
            0 => Self::NanSide(side),
            1 => Self::Inverted(side % 3),
            2 => Self::AtInfinity(side),
            3 => Self::Center(side),
            4 => Self::NegativeRadius,
            5 => Self::NanRadius,
            _ => Self::HugeRadius,
        }
    }

    /// The faulty shape.
    #[must_use]
    pub fn shape(self) -> Shape {
        let mut aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);
        let mut ball = Sphere::new(Vec3::ZERO, 1.0);
        match self {
            Self::NanSide(side) if side < 3 => aabb.min[usize::from(side)] = f32::NAN,
            Self::NanSide(side) => aabb.max[usize::from(side % 3)] = f32::NAN,
            Self::Inverted(axis) => aabb.min[usize::from(axis % 3)] = 2.0,
            Self::AtInfinity(side) => {
                let far = if side < 3 { f32::INFINITY } else { f32::NEG_INFINITY };
                let axis = usize::from(side % 3);
                (aabb.min[axis], aabb.max[axis]) = (far, far);
            }
            Self::Center(side) => {
                let value = if side < 3 { f32::NAN } else { f32::INFINITY };
                ball.center[usize::from(side % 3)] = value;
                return ball.into();
            }
            Self::NegativeRadius => {
                return Sphere { radius: -1.0, ..ball }.into();
            }
            Self::NanRadius => {
                return Sphere { radius: f32::NAN, ..ball }.into();
            }
            Self::HugeRadius => {
                return Sphere { radius: 2e18, ..ball }.into();
            }
        }
        aabb.into()
    }

    /// Whether this is the error that the shape must get.
    #[must_use]
    pub fn is_reported_by(self, error: &Error) -> bool {
        match (self, *error) {
            (Self::NanSide(side), Error::NotANumber { field }) => {
                field == ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z"][usize::from(side)]
            }
            (Self::Inverted(axis), Error::InvertedBounds { axis: named, .. }) => {
                named == ['x', 'y', 'z'][usize::from(axis % 3)]
            }
            (Self::AtInfinity(side), Error::BoundsAtInfinity { axis: named, .. }) => {
                named == ['x', 'y', 'z'][usize::from(side % 3)]
            }
            (Self::Center(side), Error::NotANumber { field }) => side < 3 && field == center(side),
            (Self::Center(side), Error::NotFinite { field, .. }) => side >= 3 && field == center(side),
            (Self::NegativeRadius, Error::NegativeRadius { .. })
            | (Self::NanRadius, Error::NotANumber { field: "radius" })
            | (Self::HugeRadius, Error::RadiusTooLarge { .. }) => true,
            _ => false,
        }
    }
}

fn center(side: u8) -> &'static str {
    ["center.x", "center.y", "center.z"][usize::from(side % 3)]
}
