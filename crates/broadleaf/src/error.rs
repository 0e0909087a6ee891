//! The one error type: what was wrong, with which value.

use crate::Handle;

/// Why a call was refused. A refused call changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A coordinate, a radius or a distance is not a number.
    #[error("{field} is not a number")]
    NotANumber {
        /// The field, such as `"min.x"`.
        field: &'static str,
    },
    /// A coordinate that must be finite is infinite.
    #[error("{field} must be finite, but is {value}")]
    NotFinite {
        /// The field, such as `"center.x"`.
        field: &'static str,
        /// The value given.
        value: f32,
    },
    /// A box whose lower bound lies above its upper bound.
    #[error("inverted bounds on axis {axis}: min {min} > max {max}")]
    InvertedBounds {
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// The lower bound given.
        min: f32,
        /// The upper bound given.
        max: f32,
    },
    /// A box without a finite point: its `min` is `+inf` or its `max` is `-inf`.
    #[error("the box lies at infinity on axis {axis}: min {min}, max {max}")]
    BoundsAtInfinity {
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// The lower bound given.
        min: f32,
        /// The upper bound given.
        max: f32,
    },
    /// An oriented box with a half extent below zero.
    #[error("half extent on axis {axis} must not be negative, but is {extent}")]
    NegativeExtent {
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// The half extent given.
        extent: f32,
    },
    /// A rotation of length zero.
    #[error("the rotation has length zero")]
    DegenerateRotation,
    /// Axes of an oriented box that was saved: not of length one, not at right
    /// angles to each other, or left-handed.
    #[error("the axes of an oriented box must be orthonormal and right-handed")]
    AxesNotOrthonormal,
    /// A sphere with a radius below zero.
    #[error("radius must not be negative, but is {radius}")]
    NegativeRadius {
        /// The radius given.
        radius: f32,
    },
    /// A sphere whose radius is beyond [`Sphere::RADIUS_MAX`](crate::Sphere::RADIUS_MAX).
    #[error("radius must be at most {limit}, but is {radius}")]
    RadiusTooLarge {
        /// The radius given.
        radius: f32,
        /// The largest radius accepted.
        limit: f32,
    },
    /// A least size below zero.
    #[error("size_min must not be negative, but is {size_min}")]
    NegativeSize {
        /// The size given.
        size_min: f32,
    },
    /// A ray whose direction has no length.
    #[error("the ray's direction has length zero")]
    ZeroDirection,
    /// A ray whose reach is below zero.
    #[error("distance_max must not be negative, but is {distance_max}")]
    NegativeDistance {
        /// The distance given.
        distance_max: f32,
    },
    /// A plane, of a frustum or a convex region, without a direction.
    #[error("plane {index} has no normal")]
    DegeneratePlane {
        /// Which of the planes.
        index: usize,
    },
    /// The handle's object was removed. A handle of another tree is caught
    /// only if no object here has its slot and generation.
    #[error("stale handle {handle:?}")]
    StaleHandle {
        /// The handle given.
        handle: Handle,
    },
    /// A setting outside its range.
    #[error("{setting} must be from {min} to {max}, but is {value}")]
    SettingOutOfRange {
        /// The field of [`Config`](crate::Config); or `scale`, that of a [`Placement`](crate::Placement).
        setting: &'static str,
        /// The value given.
        value: f64,
        /// The smallest value accepted.
        min: f64,
        /// The largest value accepted.
        max: f64,
    },
    /// Two slices that go together differ in length.
    #[error("{handles} handles, but {shapes} shapes")]
    LengthMismatch {
        /// Length of the first slice.
        handles: usize,
        /// Length of the second slice.
        shapes: usize,
    },
    /// A shift of the origin that takes a finite coordinate of an object beyond 32-bit floats.
    #[error("the shift takes {handle:?} beyond the range of coordinates")]
    ShiftTooFar {
        /// The object.
        handle: Handle,
    },
    /// No index is left for another object.
    #[error("the tree holds its limit of {limit} objects")]
    TooManyObjects {
        /// The number of objects that a tree can hold.
        limit: usize,
    },
}

/// An [`Error`] in a call that takes slices, and where in the slice it stands.
///
/// It becomes an [`Error`] by `?`, which forgets the index.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("element {index}: {error}")]
pub struct SliceError {
    /// Index of the first refused element.
    pub index: usize,
    /// What is wrong with it.
    #[source]
    pub error: Error,
}

impl From<SliceError> for Error {
    /// What is wrong, without its place in the slice.
    fn from(refused: SliceError) -> Self {
        refused.error
    }
}
