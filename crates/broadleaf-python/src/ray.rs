//! What rays and moving shapes meet.

use crate::answers::{Columns, ListBlock, optional};
use crate::casts::Casts;
use crate::mesh::culling_of;
use crate::options::{Options, count, offsets_of, with_batch_options, with_options};
use crate::placements::Placements;
use crate::refusal::Checked;
use crate::threads::{ask_each, ask_one, curve_order};
use crate::view::View;
use broadleaf::query::{StartInside, SweepHit};
use broadleaf::{Batch, QueryStats, Ray, RayHit, Scratch, Sweep, Threads};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::ops::ControlFlow;

/// The question what q rays or moving shapes meet; made by ``View.cast``. A method asks it.
///
/// Rays answer with ``RayHits``, Sweeps with ``SweepHits``.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct CastQuery {
    pub(crate) view: View,
    pub(crate) casts: Casts,
    pub(crate) options: Options,
    pub(crate) within: f32,
    pub(crate) inside: StartInside,
}

/// The order in which rays are asked about: by where they start.
pub(crate) fn ray_order(rays: &[Ray]) -> Option<Vec<u32>> {
    curve_order(rays.iter().map(|ray| ray.origin().to_array()))
}

/// The order in which sweeps are asked about.
pub(crate) fn sweep_order(sweeps: &[Sweep]) -> Option<Vec<u32>> {
    curve_order(sweeps.iter().map(|sweep| crate::overlap::middle(&sweep.start())))
}

impl CastQuery {
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(broadleaf::View<'_>, Threads) -> Checked<(T, QueryStats)> + Send,
    ) -> PyResult<T> {
        let (answers, work) = self.view.ask(py, |view| self.options.threads.run(|threads| ask(view, threads))?)?;
        count(py, self.options.stats.as_ref(), work)?;
        Ok(answers)
    }

    /// Whether the batches of the library know all options.
    fn fits_batches(&self) -> bool {
        self.options.fit_batches() && self.inside == StartInside::Hit
    }
}

/// A ray's question, with what an object around its origin counts as.
macro_rules! opened {
    ($self:expr, rays, $view:expr, $cast:expr) => {
        $view.cast($cast).within($self.within).inside($self.inside)
    };
    ($self:expr, sweeps, $view:expr, $cast:expr) => {
        $view.cast($cast).within($self.within)
    };
}

/// One hit of each cast, by a batch of the library where it knows the options.
macro_rules! one_each {
    ($self:expr, $py:expr, $kind:ident, $casts:expr, $hit:ty, $order:ident, $batched:ident, $terminal:ident) => {{
        let casts = $casts;
        let block = $self.ask($py, |view, threads| {
            if $self.fits_batches() {
                let (mut batch, mut work) = (Batch::<Option<$hit>>::new(), QueryStats::default());
                let queries = view.cast_many(casts).within($self.within);
                with_batch_options!(queries, &$self.options, threads, &mut work).$batched(&mut batch);
                return Ok((optional(batch.answers()), work));
            }
            let order = $order(casts);
            let (found, work) = ask_one(casts.len(), order.as_deref(), threads, None::<$hit>, |question, work| {
                let query = opened!($self, $kind, view, &casts[question]);
                with_options!(query, &$self.options, question, work, query => query.$terminal())
            });
            Ok((optional(&found), work))
        })?;
        block.into_py($py, &[casts.len()])
    }};
}

/// All hits of each cast.
macro_rules! lists {
    ($self:expr, $py:expr, $kind:ident, $casts:expr, $hit:ty, $order:ident, $in_order:expr, $most:expr) => {{
        let casts = $casts;
        let (in_order, most): (bool, Option<usize>) = ($in_order, $most);
        let block = $self.ask($py, |view, threads| {
            if $self.fits_batches() && !in_order {
                let (mut batch, mut work) = (Batch::<$hit>::new(), QueryStats::default());
                let queries = view.cast_many(casts).within($self.within);
                with_batch_options!(queries, &$self.options, threads, &mut work).collect_into(&mut batch);
                return Ok((ListBlock::new(offsets_of(&batch), batch.answers()), work));
            }
            let order = $order(casts);
            let lists = ask_each(casts.len(), order.as_deref(), threads, |question, found: &mut Vec<$hit>, work| {
                let query = opened!($self, $kind, view, &casts[question]);
                with_options!(query, &$self.options, question, work, query => {
                    let (mut scratch, mut left) = (Scratch::new(), most.unwrap_or(usize::MAX));
                    let query = if in_order { query.in_order(&mut scratch) } else { query };
                    if left > 0 {
                        let _ = query.try_for_each(|hit| {
                            found.push(hit);
                            left -= 1;
                            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                        });
                    }
                });
            });
            let work = lists.work;
            Ok((ListBlock::of(lists), work))
        })?;
        block.into_py($py)
    }};
}

#[pymethods]
impl CastQuery {
    fn __len__(&self) -> usize {
        self.casts.len()
    }

    /// The closest hit of each cast, (q,): of none, id 0, distance inf, position NaN. Of
    /// equally close objects that of the lowest slot.
    fn closest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => one_each!(self, py, rays, &**rays, RayHit, ray_order, closest_into, closest),
            Casts::Sweeps(sweeps) => {
                one_each!(self, py, sweeps, &**sweeps, SweepHit, sweep_order, closest_into, closest)
            }
        }
    }

    /// Some hit of each cast, (q,): enough for shadows and lines of sight.
    fn any<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => one_each!(self, py, rays, &**rays, RayHit, ray_order, any_into, any),
            Casts::Sweeps(sweeps) => one_each!(self, py, sweeps, &**sweeps, SweepHit, sweep_order, any_into, any),
        }
    }

    /// All hits of each cast, in no order of distance: ``Lists``.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => lists!(self, py, rays, &**rays, RayHit, ray_order, false, None),
            Casts::Sweeps(sweeps) => lists!(self, py, sweeps, &**sweeps, SweepHit, sweep_order, false, None),
        }
    }

    /// Hits of each cast in order of distance, then of slot: ``Lists``.
    ///
    /// most: no more than so many of each cast; all of them if None.
    #[pyo3(signature = (most = None))]
    fn in_order<'py>(&self, py: Python<'py>, most: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => lists!(self, py, rays, &**rays, RayHit, ray_order, true, most),
            Casts::Sweeps(sweeps) => lists!(self, py, sweeps, &**sweeps, SweepHit, sweep_order, true, most),
        }
    }

    /// How many objects each cast meets: int64 (q,).
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        macro_rules! counts {
            ($kind:ident, $casts:expr, $order:ident) => {{
                let casts = $casts;
                self.ask(py, |view, threads| {
                    let order = $order(casts);
                    Ok(ask_one(casts.len(), order.as_deref(), threads, 0, |question, work| {
                        let query = opened!(self, $kind, view, &casts[question]);
                        with_options!(query, &self.options, question, work, query => query.count() as i64)
                    }))
                })?
            }};
        }
        let counts = match &self.casts {
            Casts::Rays(rays) => counts!(rays, &**rays, ray_order),
            Casts::Sweeps(sweeps) => counts!(sweeps, &**sweeps, sweep_order),
        };
        Ok(counts.into_pyarray(py))
    }

    /// Asks the meshes that stand in for objects; objects without one are passed through.
    /// Answers ``Placed`` MeshHits of rays, MeshSweepHits of Sweeps.
    ///
    /// placements: Placements. ids: uint64 (n,), the object of each placement, whose box
    /// must enclose it, as ``Placements.boxes()`` does. all: ``Lists`` of all hits instead of the
    /// closest hit of each cast, (q,). culling: which sides of triangles rays pass
    /// through: "none", "back" or "front". The option inside is not asked.
    #[pyo3(signature = (placements, ids, *, all = false, culling = "none"))]
    fn meshes<'py>(
        &self,
        py: Python<'py>,
        placements: PyRef<'py, Placements>,
        ids: &Bound<'py, PyAny>,
        all: bool,
        culling: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (placed, culling) = (placements.at(ids)?, culling_of(culling)?);
        macro_rules! ask {
            ($casts:expr, $order:ident) => {{
                let casts = $casts;
                if all {
                    let block = self.ask(py, |view, threads| {
                        let order = $order(casts);
                        let lists = ask_each(casts.len(), order.as_deref(), threads, |question, found: &mut Vec<_>, work| {
                            let query = view.cast(&casts[question]).within(self.within);
                            with_options!(query, &self.options, question, work, query => {
                                let query = query.meshes(|handle| placed.get(handle)).culling(culling);
                                query.for_each(|answer| found.push(answer));
                            });
                        });
                        let work = lists.work;
                        Ok((ListBlock::of(lists), work))
                    })?;
                    block.into_py(py)
                } else {
                    let block = self.ask(py, |view, threads| {
                        let order = $order(casts);
                        let (found, work) = ask_one(casts.len(), order.as_deref(), threads, None, |question, work| {
                            let query = view.cast(&casts[question]).within(self.within);
                            with_options!(query, &self.options, question, work, query => {
                                query.meshes(|handle| placed.get(handle)).culling(culling).closest()
                            })
                        });
                        Ok((Columns::block(found.into_iter()), work))
                    })?;
                    block.into_py(py, &[casts.len()])
                }
            }};
        }
        match &self.casts {
            Casts::Rays(rays) => ask!(&**rays, ray_order),
            Casts::Sweeps(sweeps) => ask!(&**sweeps, sweep_order),
        }
    }
}
