//! Plain data that crosses the border, and its conversion to the library's types.

use crate::failure::Failure;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Containment, Handle, Layers, Mobility, Object, Pair, QueryStats, Shape, Sphere, Threads};

/// Names one object of one tree for as long as it lives; never zero. The upper
/// half is the slot (see `bl_handle_slot`), the lower half tells apart the objects that
/// use one slot in turn. A handle whose object was removed is refused, and
/// never names another object.
pub type bl_handle = u64;

/// No handle: what a question that finds nothing answers.
pub const BL_NO_HANDLE: bl_handle = 0;

/// Whether an object pairs with static ones: `BL_MOVING` or `BL_STATIC`.
pub type bl_mobility = u32;
/// Pairs with everything.
pub const BL_MOVING: bl_mobility = 0;
/// Pairs with moving objects only: two static objects are never a pair.
pub const BL_STATIC: bl_mobility = 1;

/// Which threads do the work of a call: `BL_THREADS_ONE` or `BL_THREADS_POOL`. The results are the same.
pub type bl_threads = u32;
/// The calling thread.
pub const BL_THREADS_ONE: bl_threads = 0;
/// The threads of the library's pool; see `bl_pool_start`.
pub const BL_THREADS_POOL: bl_threads = 1;

/// The kind of a shape: `BL_SHAPE_AABB` or `BL_SHAPE_SPHERE`.
pub type bl_shape_kind = u32;
/// A box.
pub const BL_SHAPE_AABB: bl_shape_kind = 0;
/// A sphere.
pub const BL_SHAPE_SPHERE: bl_shape_kind = 1;

/// How something lies to a region: `BL_INTERSECTING` or `BL_INSIDE`.
pub type bl_containment = u32;
/// It overlaps the region, but does not lie wholly inside, or only just.
pub const BL_INTERSECTING: bl_containment = 0;
/// All of it lies inside.
pub const BL_INSIDE: bl_containment = 1;

/// An axis-aligned box in world units, closed on all sides: touching counts.
/// A point or a plate (`min == max` on some axes) is legal, and so are infinite coordinates.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct bl_aabb {
    /// The lower corner: x, y, z.
    pub min: [f32; 3],
    /// The upper corner.
    pub max: [f32; 3],
}

/// A sphere in world units, closed.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct bl_sphere {
    /// The middle; finite.
    pub center: [f32; 3],
    /// From 0 to 1e18.
    pub radius: f32,
}

/// A box or a sphere.
#[repr(C)]
#[derive(Clone, Copy)]
pub union bl_bounds {
    /// If the kind is `BL_SHAPE_AABB`.
    pub aabb: bl_aabb,
    /// If the kind is `BL_SHAPE_SPHERE`.
    pub sphere: bl_sphere,
}

/// The extent of an object.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bl_shape {
    /// Which one of `bounds` it is.
    pub kind: bl_shape_kind,
    /// The box or the sphere.
    pub bounds: bl_bounds,
}

/// Who interacts with whom: two sides do if the memberships of each share a
/// bit with the filters of the other.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct bl_layers {
    /// The layers that this side is on.
    pub memberships: u32,
    /// The layers that this side looks for.
    pub filters: u32,
}

/// An object. Begin with `bl_object_aabb` or `bl_object_sphere` and set
/// what differs: one of zeros alone is on no layer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bl_object {
    /// Box or sphere.
    pub shape: bl_shape,
    /// Whom it interacts with.
    pub layers: bl_layers,
    /// Static or moving.
    pub mobility: bl_mobility,
    /// The caller's own, such as an entity's index.
    pub user_data: u64,
}

/// An object and its handle.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bl_entry {
    /// Names it.
    pub handle: bl_handle,
    /// What was last set.
    pub object: bl_object,
}

/// Two objects that overlap and interact. The lower handle comes first, so
/// that records of one pair are equal.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct bl_pair {
    /// The lower handle.
    pub a: bl_handle,
    /// The higher handle.
    pub b: bl_handle,
}

/// An object that overlaps a region, as a camera wants to know it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_visible {
    /// The object.
    pub handle: bl_handle,
    /// How it lies to the region.
    pub containment: bl_containment,
    /// From the eye to the object's surface; zero without a viewpoint.
    pub distance: f32,
}

/// An object that a cast meets, or that is near a place.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct bl_hit {
    /// The object; `BL_NO_HANDLE` if there is none.
    pub handle: bl_handle,
    /// How far along the cast, in its own unit: of a sweep the time from 0 to 1, else the distance.
    pub time: f32,
    /// In world units: along a ray or a motion, or to what was asked about.
    pub distance: f32,
    /// The point of the object that is met, or is nearest. Zero for a cast of the caller's own.
    pub position: [f32; 3],
    /// The outward normal there; zero if they overlap at the start. Zero for a cast of the caller's own.
    pub normal: [f32; 3],
}

/// Two overlapping shapes: the shortest way to part them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_contact {
    /// Unit vector from the first shape to the second.
    pub normal: [f32; 3],
    /// How far the second must move along the normal for the two to touch.
    pub depth: f32,
    /// A point of both.
    pub position: [f32; 3],
}

/// The work that a question took. Questions add to it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct bl_query_stats {
    /// Nodes whose children were tested, eight at a time.
    pub nodes_visited: u64,
    /// Objects tested, eight at a time.
    pub objects_tested: u64,
    /// Results handed out.
    pub hits: u64,
}

impl bl_query_stats {
    pub(crate) fn add(&mut self, work: QueryStats) {
        self.nodes_visited += work.nodes_visited;
        self.objects_tested += work.objects_tested;
        self.hits += work.hits;
    }
}

/// Returns the slot of a handle: an index, dense and used again after removal, for columns of the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn bl_handle_slot(handle: bl_handle) -> u32 {
    (handle >> 32) as u32
}

/// Returns a moving object on all layers, with user data 0.
#[unsafe(no_mangle)]
pub extern "C" fn bl_object_aabb(aabb: bl_aabb) -> bl_object {
    Object::new(Aabb::from(aabb)).into()
}

/// Returns a moving object on all layers, with user data 0.
#[unsafe(no_mangle)]
pub extern "C" fn bl_object_sphere(sphere: bl_sphere) -> bl_object {
    Object::new(Sphere::from(sphere)).into()
}

impl From<bl_aabb> for Aabb {
    fn from(aabb: bl_aabb) -> Self {
        Self::new(aabb.min, aabb.max)
    }
}

impl From<Aabb> for bl_aabb {
    fn from(aabb: Aabb) -> Self {
        Self { min: aabb.min.to_array(), max: aabb.max.to_array() }
    }
}

impl From<bl_sphere> for Sphere {
    fn from(sphere: bl_sphere) -> Self {
        Self::new(sphere.center, sphere.radius)
    }
}

impl From<Sphere> for bl_sphere {
    fn from(sphere: Sphere) -> Self {
        Self { center: sphere.center.to_array(), radius: sphere.radius }
    }
}

impl From<Shape> for bl_shape {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Sphere(sphere) => Self { kind: BL_SHAPE_SPHERE, bounds: bl_bounds { sphere: sphere.into() } },
            // Other kinds, should there be any, are known by their box.
            other => Self { kind: BL_SHAPE_AABB, bounds: bl_bounds { aabb: other.aabb().into() } },
        }
    }
}

/// The kind has been checked: see [`bl_shape::check`].
impl From<bl_shape> for Shape {
    #[inline]
    fn from(shape: bl_shape) -> Self {
        if shape.kind == BL_SHAPE_SPHERE {
            Self::Sphere(shape.sphere().into())
        } else {
            Self::Aabb(shape.aabb().into())
        }
    }
}

impl From<Object> for bl_object {
    fn from(object: Object) -> Self {
        let Layers { memberships, filters, .. } = object.layers;
        let mobility = if object.mobility == Mobility::Static { BL_STATIC } else { BL_MOVING };
        let layers = bl_layers { memberships, filters };
        Self { shape: object.shape.into(), layers, mobility, user_data: object.user_data }
    }
}

/// Kind and mobility have been checked: see [`bl_object::check`].
impl From<bl_object> for Object {
    #[inline]
    fn from(object: bl_object) -> Self {
        let mobility = if object.mobility == BL_STATIC { Mobility::Static } else { Mobility::Moving };
        Self::new(object.shape)
            .with_layers(object.layers.into())
            .with_mobility(mobility)
            .with_user_data(object.user_data)
    }
}

impl From<bl_layers> for Layers {
    fn from(layers: bl_layers) -> Self {
        Self::new(layers.memberships, layers.filters)
    }
}

impl From<Pair> for bl_pair {
    fn from(pair: Pair) -> Self {
        Self { a: pair.a().to_bits(), b: pair.b().to_bits() }
    }
}

impl bl_shape {
    pub(crate) fn check(&self) -> Result<(), Failure> {
        choice("shape.kind", self.kind, &[(BL_SHAPE_AABB, ()), (BL_SHAPE_SPHERE, ())])
    }
}

impl bl_object {
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.shape.check()?;
        mobility_choice(self.mobility).map(drop)
    }
}

/// The choice that a number names.
pub(crate) fn choice<T: Copy>(name: &'static str, value: u32, choices: &[(u32, T)]) -> Result<T, Failure> {
    let found = choices.iter().find(|(number, _)| *number == value);
    found.map(|(_, choice)| *choice).ok_or(Failure::BadValue { name, value })
}

pub(crate) fn mobility_choice(value: bl_mobility) -> Result<Mobility, Failure> {
    choice("mobility", value, &[(BL_MOVING, Mobility::Moving), (BL_STATIC, Mobility::Static)])
}

pub(crate) fn threads_choice(value: bl_threads) -> Result<Threads, Failure> {
    choice("threads", value, &[(BL_THREADS_ONE, Threads::One), (BL_THREADS_POOL, Threads::Pool)])
}

pub(crate) fn threads_number(threads: Threads) -> bl_threads {
    if threads == Threads::Pool { BL_THREADS_POOL } else { BL_THREADS_ONE }
}

pub(crate) fn containment_number(containment: Containment) -> bl_containment {
    if containment == Containment::Inside { BL_INSIDE } else { BL_INTERSECTING }
}

/// The handle of a number that came from C. Whether its object lives is for the tree to say.
pub(crate) fn handle(name: &'static str, bits: bl_handle) -> Result<Handle, Failure> {
    Handle::from_bits(bits).ok_or(Failure::BadHandle { name, bits })
}

pub(crate) fn pair(pair: &bl_pair) -> Result<Pair, Failure> {
    Ok(Pair::new(handle("pair.a", pair.a)?, handle("pair.b", pair.b)?))
}

pub(crate) fn vec3(floats: [f32; 3]) -> Vec3 {
    Vec3::from_array(floats)
}
