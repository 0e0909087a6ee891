//! PhysX's standalone broad phase (automatic box pruning), through its C interface.
#![expect(unsafe_code, reason = "PhysX is reached through its C interface; nothing outside this file sees a pointer")]

use super::cases::EventFrame;
use super::{EventSubject, IndexPair, Kept, index_pair};
use broadleaf::{Aabb, Mobility, Object};
use physx_sys::{
    PxBounds3, PxBroadPhase, PxBroadPhase_release_mut, PxBroadPhase_update_mut_1, PxBroadPhaseDesc_new,
    PxBroadPhasePair, PxBroadPhaseResults_new, PxBroadPhaseType, PxBroadPhaseUpdateData_new, PxVec3,
    phys_PxCreateBroadPhase, phys_PxGetBroadPhaseDynamicFilterGroup, phys_PxGetBroadPhaseStaticFilterGroup,
    physx_create_foundation,
};
use std::ptr::NonNull;
use std::sync::Once;

static FOUNDATION: Once = Once::new();

/// Coordinates are rounded within the broad phase; by less than this.
const REACH: f32 = 1e-3;

/// The broad phase and the columns it reads.
#[derive(Default)]
pub(super) struct PhysxEvents {
    broad_phase: Option<NonNull<PxBroadPhase>>,
    bounds: Vec<PxBounds3>,
    groups: Vec<u32>,
    distances: Vec<f32>,
    created: Vec<u32>,
    updated: Vec<u32>,
    removed: Vec<u32>,
    begun: Vec<IndexPair>,
    ended: Vec<IndexPair>,
}

fn convert(aabb: &Aabb) -> PxBounds3 {
    let point = |[x, y, z]: [f32; 3]| PxVec3 { x, y, z };
    PxBounds3 { minimum: point(aabb.min.to_array()), maximum: point(aabb.max.to_array()) }
}

/// Copies pairs out of the broad phase's buffer.
fn copy(pairs: *const PxBroadPhasePair, count: u32, into: &mut Vec<IndexPair>) {
    into.clear();
    if count > 0 {
        // SAFETY: the broad phase keeps `count` pairs there until its next update.
        let pairs = unsafe { std::slice::from_raw_parts(pairs, count as usize) };
        into.extend(pairs.iter().map(|pair| index_pair(pair.mID0, pair.mID1)));
    }
}

impl PhysxEvents {
    fn spawn(&mut self, objects: &[Object]) {
        // The broad phase may read, but not use, one element past the last.
        self.bounds.truncate(self.groups.len());
        for object in objects {
            let index = u32::try_from(self.groups.len()).expect("few objects");
            // SAFETY: these two functions compute a number.
            self.groups.push(match object.mobility {
                Mobility::Static => unsafe { phys_PxGetBroadPhaseStaticFilterGroup() },
                _ => unsafe { phys_PxGetBroadPhaseDynamicFilterGroup(index) },
            });
            self.bounds.push(convert(&object.shape.aabb()));
            self.distances.push(0.0);
            self.created.push(index);
        }
        self.bounds.push(convert(&Aabb::new(broadleaf::glam::Vec3::ZERO, broadleaf::glam::Vec3::ZERO)));
    }

    fn update(&mut self) {
        let Some(broad_phase) = self.broad_phase else { return };
        let length = |list: &[u32]| u32::try_from(list.len()).expect("few objects");
        let capacity = length(&self.groups);
        // SAFETY: all lists live until the call returns, have the lengths that
        // are given, and name indices below the capacity.
        let results = unsafe {
            let data = PxBroadPhaseUpdateData_new(
                self.created.as_ptr(),
                length(&self.created),
                self.updated.as_ptr(),
                length(&self.updated),
                self.removed.as_ptr(),
                length(&self.removed),
                self.bounds.as_ptr(),
                self.groups.as_ptr(),
                self.distances.as_ptr(),
                capacity,
            );
            let mut results = PxBroadPhaseResults_new();
            PxBroadPhase_update_mut_1(broad_phase.as_ptr(), &raw mut results, &raw const data);
            results
        };
        copy(results.mCreatedPairs, results.mNbCreatedPairs, &mut self.begun);
        copy(results.mDeletedPairs, results.mNbDeletedPairs, &mut self.ended);
        self.created.clear();
        self.updated.clear();
        self.removed.clear();
    }
}

impl Drop for PhysxEvents {
    fn drop(&mut self) {
        if let Some(broad_phase) = self.broad_phase.take() {
            // SAFETY: it was created by `load` and is not used after.
            unsafe { PxBroadPhase_release_mut(broad_phase.as_ptr()) };
        }
    }
}

impl EventSubject for PhysxEvents {
    fn name(&self) -> &'static str {
        "PhysX ABP"
    }

    fn load(&mut self, objects: &[Object]) {
        *self = Self::default();
        // SAFETY: the foundation is made once, as PhysX asks, and never released.
        FOUNDATION.call_once(|| _ = unsafe { physx_create_foundation() });
        // SAFETY: there is a foundation, and the description lives until the call returns.
        self.broad_phase = NonNull::new(unsafe {
            let description = PxBroadPhaseDesc_new(PxBroadPhaseType::Abp);
            phys_PxCreateBroadPhase(&raw const description)
        });
        self.spawn(objects);
        self.update();
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.removed.extend_from_slice(&frame.removed);
        if !frame.spawned.is_empty() {
            self.spawn(&frame.spawned);
        }
        for (&index, aabb) in frame.moved.iter().zip(&frame.boxes) {
            self.bounds[index as usize] = convert(aabb);
        }
        self.updated.extend_from_slice(&frame.moved);
        self.update();
        self.begun.len() + self.ended.len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        self.begun.clone()
    }

    fn ended(&self) -> Vec<IndexPair> {
        self.ended.clone()
    }

    fn kept(&self) -> Kept {
        Kept::Within(REACH)
    }

    fn ends_removed(&self) -> bool {
        false
    }
}
