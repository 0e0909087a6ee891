//! The questions that can be asked many at a time.

use super::batch::Batch;
use super::ray::RayHit;
use super::sweep::SweepHit;
use super::tasks::Threads;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::{Aabb, Containment, Frustum, Ray, Sphere, Sweep};
use crate::{Error, Handle, SliceError};
use alloc::vec::Vec;
use core::ops::ControlFlow;

fn check_all<T>(items: &[T], check: impl Fn(&T) -> Result<(), Error>) -> Result<(), SliceError> {
    let checked = |(index, item)| check(item).map_err(|error| SliceError { index, error });
    items.iter().enumerate().try_for_each(checked)
}

impl View<'_> {
    /// [`View::in_aabb`] for many boxes.
    ///
    /// # Errors
    /// The first box that is not legal; the batch is then unchanged.
    pub fn in_aabb_batch_into(
        self,
        aabbs: &[Aabb],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<Handle>,
    ) -> Result<QueryStats, SliceError> {
        check_all(aabbs, Aabb::check)?;
        batch.arrange(self, aabbs.iter().map(|aabb| aabb.clamped_to_finite().center()));
        Ok(batch.run(aabbs.len(), threads, |question, found| {
            self.in_legal_aabb(&aabbs[question], layers, |handle| push(found, handle))
        }))
    }

    /// [`View::in_sphere`] for many spheres.
    ///
    /// # Errors
    /// The first sphere that is not legal; the batch is then unchanged.
    pub fn in_sphere_batch_into(
        self,
        spheres: &[Sphere],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<Handle>,
    ) -> Result<QueryStats, SliceError> {
        check_all(spheres, Sphere::check)?;
        batch.arrange(self, spheres.iter().map(|sphere| sphere.center));
        Ok(batch.run(spheres.len(), threads, |question, found| {
            self.in_legal_sphere(&spheres[question], layers, |handle| push(found, handle))
        }))
    }

    /// [`View::in_frustum`] for many frusta, such as those of shadow maps.
    pub fn in_frustum_batch_into(
        self,
        frusta: &[Frustum],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<(Handle, Containment)>,
    ) -> QueryStats {
        batch.arrange_as_given();
        batch.run(frusta.len(), threads, |question, found| {
            self.in_frustum(&frusta[question], layers, |handle, containment| push(found, (handle, containment)))
        })
    }

    /// [`View::hits`] for many rays: every object along each, in no order of distance.
    pub fn hits_batch_into(
        self,
        rays: &[Ray],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<RayHit>,
    ) -> QueryStats {
        batch.arrange(self, rays.iter().map(Ray::origin));
        batch.run(rays.len(), threads, |question, found| self.hits(&rays[question], layers, |hit| push(found, hit)))
    }

    /// [`View::closest_hit`] for many rays: [`Batch::answers`] has one for each.
    pub fn closest_hit_batch_into(
        self,
        rays: &[Ray],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<Option<RayHit>>,
    ) -> QueryStats {
        batch.arrange(self, rays.iter().map(Ray::origin));
        batch.run_each(rays.len(), threads, None, |question| self.closest_hit(&rays[question], layers))
    }

    /// [`View::any_hit`] for many rays: [`Batch::answers`] has one for each.
    pub fn any_hit_batch_into(
        self,
        rays: &[Ray],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<Option<RayHit>>,
    ) -> QueryStats {
        batch.arrange(self, rays.iter().map(Ray::origin));
        batch.run_each(rays.len(), threads, None, |question| self.any_hit(&rays[question], layers))
    }

    /// [`View::swept`] for many moving shapes: all that each meets, in no order of time.
    pub fn swept_batch_into(
        self,
        sweeps: &[Sweep],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<SweepHit>,
    ) -> QueryStats {
        batch.arrange(self, sweeps.iter().map(|sweep| sweep.start().center()));
        batch
            .run(sweeps.len(), threads, |question, found| self.swept(&sweeps[question], layers, |hit| push(found, hit)))
    }

    /// [`View::first_swept`] for many moving shapes: [`Batch::answers`] has one for each.
    pub fn first_swept_batch_into(
        self,
        sweeps: &[Sweep],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<Option<SweepHit>>,
    ) -> QueryStats {
        batch.arrange(self, sweeps.iter().map(|sweep| sweep.start().center()));
        batch.run_each(sweeps.len(), threads, None, |question| self.first_swept(&sweeps[question], layers))
    }
}

#[inline]
fn push<T>(found: &mut Vec<T>, answer: T) -> ControlFlow<()> {
    found.push(answer);
    ControlFlow::Continue(())
}
