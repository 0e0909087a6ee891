//! The questions that can be asked many at a time.

use super::batch::Batch;
use super::ray::RayHit;
use super::sweep::SweepHit;
use crate::data::object::Layers;
use crate::data::threads::Threads;
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
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let boxes = [Aabb::new(Vec3::ONE, Vec3::splat(2.0)), Aabb::new(Vec3::splat(7.0), Vec3::splat(8.0))];
    /// tree.view().in_aabb_batch_into(&boxes, Layers::ALL, Threads::One, &mut batch)?;
    /// assert_eq!(batch.answers(), [unit]);
    /// assert_eq!(batch.ranges(), [0..1, 1..1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other, and a copy of the answers.
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
        batch.arrange(self, aabbs.iter().map(|aabb| aabb.center()));
        Ok(batch.run(aabbs.len(), threads, |question, found| {
            self.in_legal_aabb(&aabbs[question], layers, |handle| push(found, handle))
        }))
    }

    /// [`View::in_sphere`] for many spheres.
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Sphere, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let blasts = [Sphere::new(Vec3::X * 9.0, 1.0), Sphere::new(Vec3::X * 2.0, 1.0)];
    /// tree.view().in_sphere_batch_into(&blasts, Layers::ALL, Threads::One, &mut batch)?;
    /// assert_eq!((batch.of(0), batch.of(1)), (&[][..], &[unit][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other, and a copy of the answers.
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
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Containment, Frustum, Layers, Octree, Plane, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let half = |x: f32| Frustum::from_planes([Plane { normal: Vec3::X, offset: -x }; 6]);
    /// let frusta = [half(-1.0)?, half(0.5)?, half(2.0)?];
    /// tree.view().in_frustum_batch_into(&frusta, Layers::ALL, Threads::One, &mut batch);
    /// assert_eq!(batch.answers(), [(unit, Containment::Inside), (unit, Containment::Intersecting)]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single calls; on one thread no more.
    pub fn in_frustum_batch_into(
        self,
        frusta: &[Frustum],
        layers: Layers,
        threads: Threads,
        batch: &mut Batch<(Handle, Containment)>,
    ) -> QueryStats {
        batch.arrange_dear();
        batch.run(frusta.len(), threads, |question, found| {
            self.in_frustum(&frusta[question], layers, |handle, containment| push(found, (handle, containment)))
        })
    }

    /// [`View::hits`] for many rays: every object along each, in no order of distance.
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Ray, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let rays = [Ray::new(Vec3::splat(-1.0), Vec3::X)?, Ray::new(Vec3::splat(-1.0), Vec3::ONE)?];
    /// tree.view().hits_batch_into(&rays, Layers::ALL, Threads::One, &mut batch);
    /// assert_eq!(batch.iter().map(<[_]>::len).collect::<Vec<_>>(), [0, 1]);
    /// assert_eq!(batch.of(1)[0].handle, unit);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other, and a copy of the answers.
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
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Ray, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let rays = [Ray::new(Vec3::splat(-1.0), Vec3::X)?, Ray::new(Vec3::new(0.5, 0.5, 9.0), Vec3::NEG_Z)?];
    /// tree.view().closest_hit_batch_into(&rays, Layers::ALL, Threads::One, &mut batch);
    /// // The ray of a hit is found by its index.
    /// let hits: Vec<_> = rays.iter().zip(batch.answers()).filter_map(|(ray, hit)| Some((ray, (*hit)?))).collect();
    /// assert_eq!(hits.len(), 1);
    /// assert_eq!((hits[0].1.handle, hits[0].1.position), (unit, hits[0].0.at(8.0)));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other.
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
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Ray, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let lamp = Vec3::new(0.5, 0.5, 9.0);
    /// let rays = [Ray::segment(lamp, Vec3::new(0.5, 0.5, -9.0))?, Ray::segment(lamp, Vec3::X * 9.0)?];
    /// tree.view().any_hit_batch_into(&rays, Layers::ALL, Threads::One, &mut batch);
    /// let shadow: Vec<_> = batch.answers().iter().map(Option::is_some).collect();
    /// assert_eq!(shadow, [true, false]);
    /// assert_eq!(batch.answers()[0].map(|hit| hit.handle), Some(unit));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other.
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
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Sphere, Sweep, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let ball = Sphere::new(Vec3::new(-4.0, 0.5, 0.5), 1.0);
    /// let steps = [Sweep::sphere(ball, Vec3::X)?, Sweep::sphere(ball, Vec3::X * 4.0)?];
    /// tree.view().swept_batch_into(&steps, Layers::ALL, Threads::One, &mut batch);
    /// assert_eq!((batch.of(0).len(), batch.of(1)[0].handle), (0, unit));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other, and a copy of the answers.
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
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Layers, Octree, Sphere, Sweep, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// let ball = Sphere::new(Vec3::new(-4.0, 0.5, 0.5), 1.0);
    /// let steps = [Sweep::sphere(ball, Vec3::X)?, Sweep::sphere(ball, Vec3::X * 4.0)?];
    /// tree.view().first_swept_batch_into(&steps, Layers::ALL, Threads::One, &mut batch);
    /// let times: Vec<_> = batch.answers().iter().map(|hit| hit.map(|hit| (hit.handle, hit.time))).collect();
    /// assert_eq!(times, [None, Some((unit, 0.75))]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single calls, of neighbours after each other.
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
