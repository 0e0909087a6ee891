//! The description of an object: shape, layers, mobility, user data.

use crate::Error;
use crate::geometry::lanes::{Boxes, ShapeRow};
use crate::geometry::{Aabb, Sphere, overlap};

/// The extent of an object.
///
/// More shapes may follow: a `match` outside this crate needs an arm `_`, for which
/// [`Shape::aabb`] is always there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    /// A box, kept exactly.
    Aabb(Aabb),
    /// A sphere, kept exactly; it is also known by its box.
    Sphere(Sphere),
}

impl From<Shape> for ShapeRow {
    #[inline(always)]
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Aabb(aabb) => aabb.into(),
            Shape::Sphere(sphere) => sphere.into(),
        }
    }
}

impl Shape {
    /// The box around the shape.
    #[inline]
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        match self {
            Self::Aabb(aabb) => *aabb,
            Self::Sphere(sphere) => sphere.aabb(),
        }
    }

    /// The same shape without negative zeros: what a tree keeps.
    #[inline]
    pub(crate) fn without_negative_zeros(&self) -> Self {
        match self {
            Self::Aabb(aabb) => Self::Aabb(aabb.without_negative_zeros()),
            Self::Sphere(sphere) => Self::Sphere(sphere.without_negative_zeros()),
        }
    }

    /// Whether any coordinate is a negative zero.
    pub(crate) fn has_negative_zero(&self) -> bool {
        let negative = |value: f32| value == 0.0 && value.is_sign_negative();
        let any = |at: glam::Vec3| at.to_array().into_iter().any(negative);
        match self {
            Self::Aabb(aabb) => any(aabb.min) || any(aabb.max),
            Self::Sphere(sphere) => any(sphere.center) || negative(sphere.radius),
        }
    }

    /// Whether two shapes overlap, as pairs do: the boxes first, then what the
    /// spheres ask for. Either test rounds, so both must hold.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.aabb().overlaps(&other.aabb())
            && match (self, other) {
                (Self::Aabb(_), Self::Aabb(_)) => true,
                (Self::Sphere(a), Self::Sphere(b)) => overlap::sphere_sphere(a, b),
                (Self::Aabb(aabb), Self::Sphere(ball)) | (Self::Sphere(ball), Self::Aabb(aabb)) => {
                    overlap::aabb_sphere(aabb, ball)
                }
            }
    }

    /// Checks that a tree accepts the shape.
    ///
    /// # Errors
    /// As [`Aabb::check`] and [`Sphere::check`].
    #[inline]
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Aabb(aabb) => aabb.check(),
            Self::Sphere(sphere) => sphere.check(),
        }
    }
}

/// What a bulk update takes slices of: [`Aabb`], [`Sphere`] or [`Shape`], or the
/// floats of a box (`[f32; 6]`: min x, y, z, max x, y, z) or of a sphere
/// (`[f32; 4]`: centre x, y, z, radius).
///
/// A trait rather than a conversion, so that a slice is read where it lies.
pub trait Bounded: Copy + Into<Shape> + sealed::Sealed {
    /// The box around the shape.
    fn aabb(&self) -> Aabb;
    /// The sphere, if the shape is one.
    fn sphere(&self) -> Option<Sphere>;
    /// Checks that a tree accepts the shape.
    ///
    /// # Errors
    /// As [`Aabb::check`] and [`Sphere::check`].
    fn check(&self) -> Result<(), Error>;
    /// Whether the check passes for all of a list.
    #[doc(hidden)]
    #[inline(always)]
    fn all_legal(shapes: &[Self]) -> bool {
        shapes.iter().all(|shape| shape.check().is_ok())
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::data::Aabb {}
    impl Sealed for super::Sphere {}
    impl Sealed for crate::data::Shape {}
    impl Sealed for [f32; 6] {}
    impl Sealed for [f32; 4] {}
}

impl Bounded for Aabb {
    #[inline(always)]
    fn aabb(&self) -> Aabb {
        *self
    }

    #[inline(always)]
    fn sphere(&self) -> Option<Sphere> {
        None
    }

    #[inline(always)]
    fn check(&self) -> Result<(), Error> {
        Self::check(self)
    }

    #[inline(always)]
    fn all_legal(shapes: &[Self]) -> bool {
        Boxes::all_legal(shapes)
    }
}

impl Bounded for Sphere {
    #[inline]
    fn aabb(&self) -> Aabb {
        Self::aabb(self)
    }

    #[inline]
    fn sphere(&self) -> Option<Sphere> {
        Some(*self)
    }

    #[inline]
    fn check(&self) -> Result<(), Error> {
        Self::check(self)
    }
}

impl Bounded for Shape {
    #[inline]
    fn aabb(&self) -> Aabb {
        Self::aabb(self)
    }

    #[inline]
    fn sphere(&self) -> Option<Sphere> {
        match self {
            Self::Aabb(_) => None,
            Self::Sphere(sphere) => Some(*sphere),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), Error> {
        Self::check(self)
    }
}

impl Bounded for [f32; 6] {
    #[inline(always)]
    fn aabb(&self) -> Aabb {
        Aabb::from(*self)
    }

    #[inline(always)]
    fn sphere(&self) -> Option<Sphere> {
        None
    }

    #[inline(always)]
    fn check(&self) -> Result<(), Error> {
        Aabb::from(*self).check()
    }
}

impl Bounded for [f32; 4] {
    #[inline]
    fn aabb(&self) -> Aabb {
        Sphere::from(*self).aabb()
    }

    #[inline]
    fn sphere(&self) -> Option<Sphere> {
        Some(Sphere::from(*self))
    }

    #[inline]
    fn check(&self) -> Result<(), Error> {
        Sphere::from(*self).check()
    }
}

impl From<Aabb> for Shape {
    #[inline]
    fn from(aabb: Aabb) -> Self {
        Self::Aabb(aabb)
    }
}

impl From<Sphere> for Shape {
    #[inline]
    fn from(sphere: Sphere) -> Self {
        Self::Sphere(sphere)
    }
}

/// A box, as [`Aabb::from`] makes it: min x, y, z, max x, y, z.
impl From<[f32; 6]> for Shape {
    #[inline(always)]
    fn from(floats: [f32; 6]) -> Self {
        Self::Aabb(floats.into())
    }
}

/// A sphere, as [`Sphere::from`] makes it: centre x, y, z, radius.
impl From<[f32; 4]> for Shape {
    #[inline]
    fn from(floats: [f32; 4]) -> Self {
        Self::Sphere(floats.into())
    }
}

/// Who interacts with whom: two sides interact if each one's memberships
/// share a bit with the other's filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers {
    /// The layers that this side is on.
    pub memberships: u32,
    /// The layers that this side looks for.
    pub filters: u32,
}

impl Layers {
    /// On every layer, looking for every layer: the default.
    pub const ALL: Self = Self { memberships: u32::MAX, filters: u32::MAX };
    /// On no layer, looking for none: interacts with nothing.
    pub const NONE: Self = Self { memberships: 0, filters: 0 };

    /// The given layers.
    #[inline]
    #[must_use]
    pub const fn new(memberships: u32, filters: u32) -> Self {
        Self { memberships, filters }
    }

    /// Whether the two sides interact; symmetric.
    #[inline]
    #[must_use]
    pub const fn interacts(self, other: Self) -> bool {
        self.memberships & other.filters != 0 && other.memberships & self.filters != 0
    }
}

impl Default for Layers {
    fn default() -> Self {
        Self::ALL
    }
}

/// Whether an object takes part in pairs of its own accord.
///
/// More kinds may follow, such as of objects that only a program moves: a `match`
/// outside this crate needs an arm `_`.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Pairs with everything.
    #[default]
    Moving,
    /// Pairs with moving objects only: two static objects are never a pair.
    /// It may still be moved; that is only dearer than it needs to be.
    Static,
}

/// An object as a caller describes it.
///
/// ```
/// use broadleaf::{Aabb, Layers, Mobility, Object, glam::Vec3};
///
/// let wall = Object::new(Aabb::new(Vec3::ZERO, Vec3::ONE))
///     .with_mobility(Mobility::Static)
///     .with_layers(Layers::new(0b01, 0b10))
///     .with_user_data(7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// Box or sphere.
    pub shape: Shape,
    /// Whom it interacts with. Filters and memberships take 4 bytes an object
    /// each as soon as one object has other than all.
    pub layers: Layers,
    /// Static or moving.
    pub mobility: Mobility,
    /// The caller's own, such as an entity's index. Takes 8 bytes an object
    /// as soon as one object has other than zero.
    pub user_data: u64,
}

impl Object {
    /// A moving object on all layers, with user data 0.
    #[inline]
    #[must_use]
    pub fn new(shape: impl Into<Shape>) -> Self {
        Self { shape: shape.into(), layers: Layers::ALL, mobility: Mobility::Moving, user_data: 0 }
    }

    /// The same object on other layers.
    #[inline]
    #[must_use]
    pub fn with_layers(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }

    /// The same object with another mobility.
    #[inline]
    #[must_use]
    pub fn with_mobility(self, mobility: Mobility) -> Self {
        Self { mobility, ..self }
    }

    /// The same object with other user data.
    #[inline]
    #[must_use]
    pub fn with_user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }
}

impl<S: Into<Shape>> From<S> for Object {
    #[inline]
    fn from(shape: S) -> Self {
        Self::new(shape)
    }
}
