//! Working memory of questions, and where batches keep what they find.

use crate::border::{Opaque, border};
use crate::failure::bl_status;
use crate::region::OwnRegion;
use broadleaf::query::{SlotSet, SweepHit};
use broadleaf::shape::{Capsule, ConvexRegion, Obb};
use broadleaf::{Aabb, Batch, Containment, Frustum, Handle, Neighbor, Ray, RayHit, Scratch, Sphere, Sweep, glam::Vec3};

/// Working memory of questions. Keep one for each thread and hand it in again
/// each frame: once it has grown, questions allocate nothing. It holds nothing
/// between two calls that could be asked for.
#[derive(Default)]
pub struct bl_scratch {
    pub(crate) scratch: Scratch,
    pub(crate) slots: SlotSet,
    pub(crate) bytes: Vec<u8>,
    pub(crate) neighbors: Vec<Neighbor>,
    pub(crate) regions: Regions,
    pub(crate) rays: Vec<Ray>,
    pub(crate) sweeps: Vec<Sweep>,
    pub(crate) places: Vec<Aabb>,
    pub(crate) batches: Batches,
}

/// The regions of a batch, one list for each kind.
#[derive(Default)]
pub(crate) struct Regions {
    pub(crate) points: Vec<Vec3>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) spheres: Vec<Sphere>,
    pub(crate) frusta: Vec<Frustum>,
    pub(crate) obbs: Vec<Obb>,
    pub(crate) capsules: Vec<Capsule>,
    pub(crate) convex: Vec<ConvexRegion>,
    pub(crate) own: Vec<OwnRegion>,
}

/// The answers of batches, one buffer for each type.
#[derive(Default)]
pub(crate) struct Batches {
    pub(crate) handles: Batch<Handle>,
    pub(crate) contained: Batch<(Handle, Containment)>,
    pub(crate) rays: Batch<RayHit>,
    pub(crate) ray: Batch<Option<RayHit>>,
    pub(crate) sweeps: Batch<SweepHit>,
    pub(crate) sweep: Batch<Option<SweepHit>>,
    pub(crate) neighbors: Batch<Neighbor>,
    pub(crate) neighbor: Batch<Option<Neighbor>>,
}

impl Opaque for bl_scratch {}

/// Makes working memory that holds nothing yet. Free it with `bl_scratch_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_scratch_new(scratch: *mut *mut bl_scratch) -> bl_status {
    border!(|caller| {
        let place = caller.room(scratch, "scratch")?;
        caller.give(place, bl_scratch::default());
        Ok(())
    })
}

/// Frees working memory; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_scratch_free(scratch: *mut bl_scratch) {
    border!(|caller| caller.free(scratch, "scratch"));
}
