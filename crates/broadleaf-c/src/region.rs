//! Regions as C describes them.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, TestAabbCall, TestSphereCall, bl_test_aabb, bl_test_sphere};
use crate::failure::{Failure, bl_status};
use crate::scratch::Regions;
use crate::types::{bl_aabb, bl_sphere, choice, vec3};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::query::Region;
use broadleaf::shape::{Capsule, ConvexRegion, Obb, Plane};
use broadleaf::{Aabb, ClipDepth, Frustum, Sphere};
use std::ffi::c_void;

/// The kind of a region; each names the member of `bl_region_of` that it reads.
pub type bl_region_kind = u32;
/// `point`.
pub const BL_REGION_POINT: bl_region_kind = 0;
/// `aabb`.
pub const BL_REGION_AABB: bl_region_kind = 1;
/// `sphere`.
pub const BL_REGION_SPHERE: bl_region_kind = 2;
/// `camera`: what it sees.
pub const BL_REGION_FRUSTUM: bl_region_kind = 3;
/// `camera`: what it sees through its rectangle of the screen.
pub const BL_REGION_SCREEN_RECTANGLE: bl_region_kind = 4;
/// `planes`: what lies in front of all six.
pub const BL_REGION_PLANES: bl_region_kind = 5;
/// `obb`.
pub const BL_REGION_OBB: bl_region_kind = 6;
/// `capsule`.
pub const BL_REGION_CAPSULE: bl_region_kind = 7;
/// `convex`: what lies in front of any number of planes.
pub const BL_REGION_CONVEX: bl_region_kind = 8;
/// `own`: a region of the caller's own.
pub const BL_REGION_OWN: bl_region_kind = 9;

/// The range of depth in clip space: `BL_DEPTH_ZERO_TO_ONE` or `BL_DEPTH_MINUS_ONE_TO_ONE`.
pub type bl_clip_depth = u32;
/// 0 to w: Direct3D, Metal, Vulkan, WebGPU; reversed depth included.
pub const BL_DEPTH_ZERO_TO_ONE: bl_clip_depth = 0;
/// -w to w: OpenGL.
pub const BL_DEPTH_MINUS_ONE_TO_ONE: bl_clip_depth = 1;

/// A plane; a point p lies in front of it if dot(normal, p) + offset >= 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_plane {
    /// Direction towards the front; need not have length one.
    pub normal: [f32; 3],
    /// Signed distance of the origin, if the normal has length one.
    pub offset: f32,
}

/// A camera, and a rectangle of its screen.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_camera {
    /// Projection times view matrix, column by column.
    pub view_projection: [f32; 16],
    /// The range of depth in clip space.
    pub depth: bl_clip_depth,
    /// Lower corner of the rectangle, in normalised device coordinates: x from -1
    /// at the left to 1 at the right, y from -1 at the bottom to 1 at the top.
    pub rectangle_min: [f32; 2],
    /// Upper corner. Equal corners are the line of sight through a point.
    pub rectangle_max: [f32; 2],
}

/// An oriented box.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_obb {
    /// The middle.
    pub center: [f32; 3],
    /// Half the edge lengths, along the turned axes.
    pub half_extents: [f32; 3],
    /// A quaternion x, y, z, w; need not have length one.
    pub rotation: [f32; 4],
}

/// The points within a radius of a segment.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_capsule {
    /// One end of the segment.
    pub a: [f32; 3],
    /// The other end.
    pub b: [f32; 3],
    /// Not negative.
    pub radius: f32,
}

/// The points in front of some planes. It allocates for each question.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_convex {
    /// The planes.
    pub planes: *const bl_plane,
    /// How many; of none, everything is in front.
    pub count: usize,
}

/// A region of the caller's own, by tests of one box or sphere at a time.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_caller_region {
    /// A box around the region; may be unbounded.
    pub bounds: bl_aabb,
    /// Whether the region overlaps an object that is a box; touching counts.
    pub overlaps_aabb: bl_test_aabb,
    /// Whether the region overlaps an object that is a sphere.
    pub overlaps_sphere: bl_test_sphere,
    /// Whether the region may overlap anything within a box of the tree: may err on the
    /// side of yes. NULL: as `overlaps_aabb`.
    pub reaches: bl_test_aabb,
    /// Whether a box lies wholly inside: may err on the side of no. NULL: never.
    pub contains_aabb: bl_test_aabb,
    /// Handed to the functions above.
    pub context: *mut c_void,
}

/// What a region is, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub union bl_region_of {
    /// x, y, z.
    pub point: [f32; 3],
    /// A box.
    pub aabb: bl_aabb,
    /// A sphere.
    pub sphere: bl_sphere,
    /// A camera.
    pub camera: bl_camera,
    /// Six planes.
    pub planes: [bl_plane; 6],
    /// An oriented box.
    pub obb: bl_obb,
    /// A capsule.
    pub capsule: bl_capsule,
    /// Any number of planes.
    pub convex: bl_convex,
    /// A region of the caller's own.
    pub own: *const bl_caller_region,
}

/// A shape that objects, or triangles, may overlap. Touching counts.
///
/// Frusta, planes and convex regions report what is behind no single plane: near
/// their edges an object may be reported though it lies outside, as is usual for culling.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bl_region {
    /// Which member of `of` it is.
    pub kind: bl_region_kind,
    /// The region.
    pub of: bl_region_of,
}

/// Tells the six planes of a frustum, of a screen rectangle or of planes: left,
/// right, bottom, top and the two ends of depth. Normals have length one, but
/// that of an end of depth at infinity is zero.
///
/// `planes`: an array of six.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_region_planes(region: *const bl_region, planes: *mut bl_plane) -> bl_status {
    border!(|caller| {
        let region = caller.value(region, "region")?;
        let places = caller.array(planes, 6, "planes")?;
        let Shape::Frustum(frustum) = caller.region(region)? else {
            return Err(Failure::BadValue { name: "region.kind", value: region.kind });
        };
        for (place, plane) in places.iter_mut().zip(frustum.planes()) {
            place.write(bl_plane { normal: plane.normal.to_array(), offset: plane.offset });
        }
        Ok(())
    })
}

/// A region that was read, and is legal but for what a question checks itself.
pub(crate) enum Shape {
    Point(Vec3),
    Aabb(Aabb),
    Sphere(Sphere),
    Frustum(Frustum),
    Obb(Obb),
    Capsule(Capsule),
    Convex(ConvexRegion),
    Own(OwnRegion),
}

/// Runs an expression with a region of whatever type.
macro_rules! with_region {
    ($shape:expr, $region:ident => $body:expr) => {
        match $shape {
            $crate::region::Shape::Point($region) => $body,
            $crate::region::Shape::Aabb($region) => $body,
            $crate::region::Shape::Sphere($region) => $body,
            $crate::region::Shape::Frustum($region) => $body,
            $crate::region::Shape::Obb($region) => $body,
            $crate::region::Shape::Capsule($region) => $body,
            $crate::region::Shape::Convex($region) => $body,
            $crate::region::Shape::Own($region) => $body,
        }
    };
}
pub(crate) use with_region;

impl Caller {
    /// Reads a region.
    pub(crate) fn region(&self, region: &bl_region) -> Result<Shape, Failure> {
        Ok(match region.kind {
            BL_REGION_POINT => Shape::Point(vec3(region.point())),
            BL_REGION_AABB => Shape::Aabb(region.aabb().into()),
            BL_REGION_SPHERE => Shape::Sphere(region.sphere().into()),
            BL_REGION_FRUSTUM => {
                let camera = region.camera();
                Shape::Frustum(Frustum::from_view_projection(camera.columns(), camera.depth()?)?)
            }
            BL_REGION_SCREEN_RECTANGLE => {
                let camera = region.camera();
                let (min, max) = (camera.rectangle_min, camera.rectangle_max);
                Shape::Frustum(Frustum::from_screen_rectangle(camera.columns(), camera.depth()?, min, max)?)
            }
            BL_REGION_PLANES => Shape::Frustum(Frustum::from_planes(region.planes().map(Into::into))?),
            BL_REGION_OBB => {
                let obb = region.obb();
                Shape::Obb(Obb::new(obb.center, obb.half_extents, Quat::from_array(obb.rotation))?)
            }
            BL_REGION_CAPSULE => {
                let capsule = region.capsule();
                Shape::Capsule(Capsule::new(capsule.a, capsule.b, capsule.radius)?)
            }
            BL_REGION_CONVEX => {
                let convex = region.convex();
                let planes = self.slice(convex.planes, convex.count, "region.of.convex.planes")?;
                let planes: Vec<Plane> = planes.iter().map(|&plane| plane.into()).collect();
                Shape::Convex(ConvexRegion::new(&planes)?)
            }
            BL_REGION_OWN => Shape::Own(OwnRegion::read(self.value(region.own(), "region.of.own")?)?),
            kind => return Err(Failure::BadValue { name: "region.kind", value: kind }),
        })
    }
}

impl Regions {
    /// Reads the regions of a batch, which are all of one kind, into the list of that kind.
    pub(crate) fn read(&mut self, caller: &Caller, regions: &[bl_region]) -> Result<(), Failure> {
        let Self { points, boxes, spheres, frusta, obbs, capsules, convex, own } = self;
        points.clear();
        boxes.clear();
        spheres.clear();
        frusta.clear();
        obbs.clear();
        capsules.clear();
        convex.clear();
        own.clear();
        let first = regions.first().map_or(BL_REGION_AABB, |region| region.kind);
        for (index, region) in regions.iter().enumerate() {
            if region.kind != first {
                return Err(Failure::MixedKinds { index });
            }
            match caller.region(region).map_err(|failure| failure.at(index))? {
                Shape::Point(point) => points.push(point),
                Shape::Aabb(aabb) => boxes.push(aabb),
                Shape::Sphere(sphere) => spheres.push(sphere),
                Shape::Frustum(frustum) => frusta.push(frustum),
                Shape::Obb(obb) => obbs.push(obb),
                Shape::Capsule(capsule) => capsules.push(capsule),
                Shape::Convex(planes) => convex.push(planes),
                Shape::Own(region) => own.push(region),
            }
        }
        Ok(())
    }
}

impl bl_camera {
    fn columns(&self) -> [[f32; 4]; 4] {
        std::array::from_fn(|column| std::array::from_fn(|row| self.view_projection[column * 4 + row]))
    }

    fn depth(&self) -> Result<ClipDepth, Failure> {
        let depths =
            [(BL_DEPTH_ZERO_TO_ONE, ClipDepth::ZeroToOne), (BL_DEPTH_MINUS_ONE_TO_ONE, ClipDepth::NegativeOneToOne)];
        choice("camera.depth", self.depth, &depths)
    }
}

impl From<bl_plane> for Plane {
    fn from(plane: bl_plane) -> Self {
        Self::new(plane.normal, plane.offset)
    }
}

/// A region of the caller's own.
pub(crate) struct OwnRegion {
    bounds: Aabb,
    overlaps_aabb: TestAabbCall,
    overlaps_sphere: TestSphereCall,
    reaches: Option<TestAabbCall>,
    contains_aabb: Option<TestAabbCall>,
}

impl OwnRegion {
    fn read(region: &bl_caller_region) -> Result<Self, Failure> {
        let bounds = Aabb::from(region.bounds);
        bounds.check()?;
        let needed = |name| Failure::NullPointer(name);
        Ok(Self {
            bounds,
            overlaps_aabb: Callback::of(region.overlaps_aabb, region.context).ok_or(needed("overlaps_aabb"))?,
            overlaps_sphere: Callback::of(region.overlaps_sphere, region.context).ok_or(needed("overlaps_sphere"))?,
            reaches: Callback::of(region.reaches, region.context),
            contains_aabb: Callback::of(region.contains_aabb, region.context),
        })
    }
}

impl Region for OwnRegion {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.overlaps_aabb.tests_aabb(&(*aabb).into()) != 0
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.overlaps_sphere.tests_sphere(&(*sphere).into()) != 0
    }

    fn reaches(&self, bounds: &Aabb) -> bool {
        self.reaches.unwrap_or(self.overlaps_aabb).tests_aabb(&(*bounds).into()) != 0
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        self.contains_aabb.is_some_and(|contains| contains.tests_aabb(&(*aabb).into()) != 0)
    }
}
