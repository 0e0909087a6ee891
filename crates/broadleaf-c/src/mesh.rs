//! Triangle meshes: built once, then only asked.

use crate::border::{Opaque, border};
use crate::failure::{Failure, bl_status};
use crate::types::{bl_aabb, bl_containment, bl_handle, bl_threads, choice, threads_choice, vec3};
use broadleaf::glam::Quat;
use broadleaf::mesh::{BuildQuality, MeshBuilder, MeshHit, MeshPoint, MeshSweepHit, Side};
use broadleaf::{Mesh, Placement};
use std::ops::ControlFlow;

/// A static octree of triangles.
pub struct bl_mesh {
    pub(crate) mesh: Mesh,
}

impl Opaque for bl_mesh {}

/// A side of a triangle: `BL_SIDE_NONE`, `BL_SIDE_FRONT`, `BL_SIDE_BACK`.
pub type bl_side = u32;
/// The question knows no sides.
pub const BL_SIDE_NONE: bl_side = 0;
/// The side from which the corners run counter-clockwise.
pub const BL_SIDE_FRONT: bl_side = 1;
/// The other side.
pub const BL_SIDE_BACK: bl_side = 2;

/// Where a cast meets a triangle, or the point of a mesh that is closest to another.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_mesh_hit {
    /// The object that the mesh stands in for; `BL_NO_HANDLE` if a mesh itself was asked.
    pub handle: bl_handle,
    /// The triangle, by its place in the input; `BL_NO_TRIANGLE` if there is none.
    pub triangle: u32,
    /// The side that a ray hits.
    pub side: bl_side,
    /// Of a sweep the time from 0 to 1, else the distance.
    pub time: f32,
    /// In world units.
    pub distance: f32,
    /// The point of the triangle that is hit, touched, or closest.
    pub position: [f32; 3],
    /// Of a ray, the triangle's unit normal towards its front. Of a sweep, the direction in which
    /// the triangle holds the shape up. Else zero.
    pub normal: [f32; 3],
    /// Of a sweep, the middle of the shape when it touches; else zero.
    pub center: [f32; 3],
    /// Of a ray, the weights of the triangle's corners; else zero.
    pub barycentric: [f32; 3],
}

/// No triangle.
pub const BL_NO_TRIANGLE: u32 = 0xffff_ffff;

/// A triangle that shares a point with a region.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct bl_mesh_triangle {
    /// The object that the mesh stands in for; `BL_NO_HANDLE` if a mesh itself was asked.
    pub handle: bl_handle,
    /// The triangle, by its place in the input.
    pub triangle: u32,
    /// How it lies to the region.
    pub containment: bl_containment,
}

/// A leaf of a mesh, for drawing and for tuning.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_mesh_leaf {
    /// Fitted bounds of the triangles.
    pub bounds: bl_aabb,
    /// Levels below the root.
    pub depth: u32,
    /// How many triangles it holds, from one to eight.
    pub triangles: u32,
}

/// Where a mesh stands in the world: scaled, then turned, then moved.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_placement {
    /// A quaternion x, y, z, w; need not have length one.
    pub rotation: [f32; 4],
    /// Where the mesh's origin stands.
    pub translation: [f32; 3],
    /// How many times as large the mesh is, 1e-9 to 1e9.
    pub scale: f32,
}

impl bl_placement {
    pub(crate) fn read(&self) -> Result<Placement, Failure> {
        Ok(Placement::new(Quat::from_array(self.rotation), vec3(self.translation), self.scale)?)
    }
}

/// What the build of a mesh is good at: `BL_BUILD_FAST` or `BL_BUILD_HIGH`. Its answers are the same.
pub type bl_build_quality = u32;
/// A fast build: for meshes that are built in the game.
pub const BL_BUILD_FAST: bl_build_quality = 0;
/// Fast questions, from a build that takes 9 to 24 times as long, by model and processor: for meshes that are built
/// once and asked for long.
pub const BL_BUILD_HIGH: bl_build_quality = 1;

fn builder(quality: bl_build_quality, threads: bl_threads) -> Result<MeshBuilder, Failure> {
    let qualities = [(BL_BUILD_FAST, BuildQuality::Fast), (BL_BUILD_HIGH, BuildQuality::High)];
    Ok(Mesh::builder().quality(choice("quality", quality, &qualities)?).threads(threads_choice(threads)?))
}

/// Builds the mesh of triangles whose corners are positions named by indices. Free it with `bl_mesh_free`.
///
/// `positions`: three floats each. `indices`: three to a triangle.
/// `quality`: a fast build or fast questions.
/// `threads`: which threads build; the mesh is the same.
/// Errors: `BL_STATUS_BAD_MESH`: a position that is not finite or too far out, an index without a position, a
/// number of indices that is no multiple of three, too many triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_new(
    positions: *const f32,
    position_count: usize,
    indices: *const u32,
    index_count: usize,
    quality: bl_build_quality,
    threads: bl_threads,
    mesh: *mut *mut bl_mesh,
) -> bl_status {
    border!(|caller| {
        let positions = caller.slice(positions.cast::<[f32; 3]>(), position_count, "positions")?;
        let indices = caller.slice(indices, index_count, "indices")?;
        let place = caller.room(mesh, "mesh")?;
        let mesh = builder(quality, threads)?.from_indexed(positions, indices)?;
        caller.give(place, bl_mesh { mesh });
        Ok(())
    })
}

/// Builds the mesh of triangles that share no positions; as `bl_mesh_new`.
///
/// `corners`: nine floats a triangle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_from_triangles(
    corners: *const f32,
    triangle_count: usize,
    quality: bl_build_quality,
    threads: bl_threads,
    mesh: *mut *mut bl_mesh,
) -> bl_status {
    border!(|caller| {
        let triangles = caller.slice(corners.cast::<[[f32; 3]; 3]>(), triangle_count, "corners")?;
        let place = caller.room(mesh, "mesh")?;
        let mesh = builder(quality, threads)?.from_triangles(triangles)?;
        caller.give(place, bl_mesh { mesh });
        Ok(())
    })
}

/// Frees a mesh; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_free(mesh: *mut bl_mesh) {
    border!(|caller| caller.free(mesh, "mesh"));
}

/// Tells how many triangles a mesh has, and how many of them have no area and are never found.
///
/// `degenerate`: may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_len(mesh: *const bl_mesh, len: *mut usize, degenerate: *mut usize) -> bl_status {
    border!(|caller| {
        let mesh = &caller.shared(mesh, "mesh")?.mesh;
        let len = caller.room(len, "len")?;
        if !degenerate.is_null() {
            caller.room(degenerate, "degenerate")?.write(mesh.degenerate_count());
        }
        len.write(mesh.len());
        Ok(())
    })
}

/// Tells the smallest box around all triangles that have an area.
///
/// `answer`: 1 if there are such triangles; else 0, and `bounds` is not written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_bounds(mesh: *const bl_mesh, bounds: *mut bl_aabb, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let found = caller.shared(mesh, "mesh")?.mesh.bounds();
        let (place, answer) = (caller.room(bounds, "bounds")?, caller.room(answer, "answer")?);
        if let Some(found) = found {
            place.write(found.into());
        }
        answer.write(u32::from(found.is_some()));
        Ok(())
    })
}

/// Tells the bytes allocated by a mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_memory(mesh: *const bl_mesh, bytes: *mut usize) -> bl_status {
    border!(|caller| {
        let mesh = caller.shared(mesh, "mesh")?;
        caller.room(bytes, "bytes")?.write(mesh.mesh.memory());
        Ok(())
    })
}

/// Tells the corners of a triangle, by its place in the input.
///
/// `corners`: an array of nine floats.
/// `answer`: 1 if there is such a triangle; else 0, and `corners` is not written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_corners(
    mesh: *const bl_mesh,
    triangle: u32,
    corners: *mut f32,
    answer: *mut u32,
) -> bl_status {
    border!(|caller| {
        let found = caller.shared(mesh, "mesh")?.mesh.triangle(triangle);
        let place = caller.room(corners.cast::<[[f32; 3]; 3]>(), "corners")?;
        let answer = caller.room(answer, "answer")?;
        if let Some(found) = found {
            place.write(found.into());
        }
        answer.write(u32::from(found.is_some()));
        Ok(())
    })
}

/// Lists the leaves of a mesh.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_leaves(
    mesh: *const bl_mesh,
    found: *mut bl_mesh_leaf,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mesh = caller.shared(mesh, "mesh")?;
        let mut list = caller.list(found, capacity, count)?;
        mesh.mesh.leaves(|leaf| {
            list.push(bl_mesh_leaf { bounds: leaf.bounds.into(), depth: leaf.depth, triangles: leaf.triangles });
            ControlFlow::Continue(())
        });
        list.finish()
    })
}

/// Checks every invariant of a mesh; as `bl_octree_validate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_validate(mesh: *const bl_mesh) -> bl_status {
    border!(|caller| Ok(caller.shared(mesh, "mesh")?.mesh.validate()?))
}

impl bl_mesh_hit {
    pub(crate) const NONE: Self = Self {
        handle: 0,
        triangle: BL_NO_TRIANGLE,
        side: BL_SIDE_NONE,
        time: 0.0,
        distance: 0.0,
        position: [0.0; 3],
        normal: [0.0; 3],
        center: [0.0; 3],
        barycentric: [0.0; 3],
    };
}

impl From<MeshHit> for bl_mesh_hit {
    fn from(hit: MeshHit) -> Self {
        Self {
            triangle: hit.triangle,
            side: if hit.side == Side::Back { BL_SIDE_BACK } else { BL_SIDE_FRONT },
            time: hit.distance,
            distance: hit.distance,
            position: hit.position.to_array(),
            normal: hit.normal.to_array(),
            barycentric: hit.barycentric.to_array(),
            ..Self::NONE
        }
    }
}

impl From<MeshSweepHit> for bl_mesh_hit {
    fn from(hit: MeshSweepHit) -> Self {
        Self {
            triangle: hit.triangle,
            time: hit.time,
            distance: hit.distance,
            position: hit.contact.to_array(),
            normal: hit.normal.to_array(),
            center: hit.center.to_array(),
            ..Self::NONE
        }
    }
}

impl From<MeshPoint> for bl_mesh_hit {
    fn from(point: MeshPoint) -> Self {
        Self {
            triangle: point.triangle,
            time: point.distance,
            distance: point.distance,
            position: point.position.to_array(),
            ..Self::NONE
        }
    }
}
