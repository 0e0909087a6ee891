//! Questions about the triangles of a mesh, many at once.

use crate::answers::{Columns, ListBlock, optional};
use crate::casts::Casts;
use crate::options::{QueryStats, count};
use crate::overlap::region_order;
use crate::ray::{ray_order, sweep_order};
use crate::refusal::Checked;
use crate::regions::Regions;
use crate::threads::{Lists, ThreadCount, ask_each, ask_one, curve_order};
use broadleaf::glam::Vec3;
use broadleaf::mesh::{Culling, MeshHit, MeshPoint, MeshSweepHit};
use broadleaf::{Containment, Mesh, QueryStats as Work, Ray, Sweep, Threads};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::Arc;

/// Bytes of a mesh above which the order of questions pays: a smaller one stays in the cache.
const ORDERED_FROM: usize = 8 << 20;

/// The order in which casts are asked about, if it pays.
fn order_of<C>(mesh: &Mesh, casts: &[C], order: fn(&[C]) -> Option<Vec<u32>>) -> Option<Vec<u32>> {
    if mesh.memory() < ORDERED_FROM { None } else { order(casts) }
}

/// Runs a question without the interpreter lock, and adds its work to what is counted.
fn ask<T: Send>(
    py: Python<'_>,
    threads: ThreadCount,
    stats: Option<&Py<QueryStats>>,
    run: impl FnOnce(Threads) -> (T, Work) + Send,
) -> PyResult<T> {
    let (answers, work) = py.detach(|| -> Checked<_> { threads.run(run) })?;
    count(py, stats, work)?;
    Ok(answers)
}

/// A question with the work counted, if it is asked for.
macro_rules! counted {
    ($query:expr, $stats:expr, $work:expr) => {{
        let query = $query;
        if $stats.is_some() { query.stats($work) } else { query }
    }};
}

/// The question what q rays hit of a mesh, or q moving shapes touch; made by ``Mesh.cast``.
///
/// Rays answer with ``MeshHits``, Sweeps with ``MeshSweepHits``.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct MeshCastQuery {
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) casts: Casts,
    pub(crate) within: f32,
    pub(crate) culling: Culling,
    pub(crate) threads: ThreadCount,
    pub(crate) stats: Option<Py<QueryStats>>,
}

impl MeshCastQuery {
    /// The question of one ray.
    fn ray<'a>(&'a self, ray: &'a Ray, work: &'a mut Work) -> broadleaf::mesh::MeshCastQuery<'a, Ray> {
        counted!(self.mesh.cast(ray).within(self.within).culling(self.culling), self.stats, work)
    }

    /// The question of one sweep.
    fn sweep<'a>(&'a self, sweep: &'a Sweep, work: &'a mut Work) -> broadleaf::mesh::MeshCastQuery<'a, Sweep> {
        counted!(self.mesh.cast(sweep).within(self.within), self.stats, work)
    }

    /// One answer each.
    fn one_each<'py, C: Sync, T: Columns>(
        &self,
        py: Python<'py>,
        casts: &[C],
        order: fn(&[C]) -> Option<Vec<u32>>,
        one: impl Fn(&C, &mut Work) -> Option<T> + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let run = |threads| {
            let order = order_of(&self.mesh, casts, order);
            let (found, work) =
                ask_one(casts.len(), order.as_deref(), threads, None, |question, work| one(&casts[question], work));
            (optional(&found), work)
        };
        ask(py, self.threads, self.stats.as_ref(), run)?.into_py(py, &[casts.len()])
    }

    /// Lists of answers.
    fn lists<'py, C: Sync, T: Columns>(
        &self,
        py: Python<'py>,
        casts: &[C],
        order: fn(&[C]) -> Option<Vec<u32>>,
        each: impl Fn(&C, &mut Vec<T>, &mut Work) + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let run = |threads| {
            let order = order_of(&self.mesh, casts, order);
            let append = |question: usize, found: &mut Vec<T>, work: &mut Work| each(&casts[question], found, work);
            let lists = ask_each(casts.len(), order.as_deref(), threads, append);
            let work = lists.work;
            (ListBlock::of(lists), work)
        };
        ask(py, self.threads, self.stats.as_ref(), run)?.into_py(py)
    }
}

#[pymethods]
impl MeshCastQuery {
    fn __len__(&self) -> usize {
        self.casts.len()
    }

    /// The closest hit of each cast, (q,): of none, triangle -1 and distance inf. Of equally
    /// near triangles the first of the input.
    fn closest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => {
                self.one_each::<_, MeshHit>(py, rays, ray_order, |ray, work| self.ray(ray, work).closest())
            }
            Casts::Sweeps(sweeps) => self
                .one_each::<_, MeshSweepHit>(py, sweeps, sweep_order, |sweep, work| self.sweep(sweep, work).closest()),
        }
    }

    /// Some hit of each cast, (q,): enough for shadows and lines of sight.
    fn any<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => {
                self.one_each::<_, MeshHit>(py, rays, ray_order, |ray, work| self.ray(ray, work).any())
            }
            Casts::Sweeps(sweeps) => {
                self.one_each::<_, MeshSweepHit>(py, sweeps, sweep_order, |sweep, work| self.sweep(sweep, work).any())
            }
        }
    }

    /// All hits of each cast, in no order of distance: ``Lists``.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.casts {
            Casts::Rays(rays) => self.lists::<_, MeshHit>(py, rays, ray_order, |ray, found, work| {
                self.ray(ray, work).for_each(|hit| found.push(hit));
            }),
            Casts::Sweeps(sweeps) => self.lists::<_, MeshSweepHit>(py, sweeps, sweep_order, |sweep, found, work| {
                self.sweep(sweep, work).for_each(|hit| found.push(hit));
            }),
        }
    }

    /// How many triangles each cast meets: int64 (q,).
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = ask(py, self.threads, self.stats.as_ref(), |threads| match &self.casts {
            Casts::Rays(rays) => {
                ask_one(rays.len(), order_of(&self.mesh, rays, ray_order).as_deref(), threads, 0, |question, work| {
                    self.ray(&rays[question], work).count() as i64
                })
            }
            Casts::Sweeps(sweeps) => ask_one(
                sweeps.len(),
                order_of(&self.mesh, sweeps, sweep_order).as_deref(),
                threads,
                0,
                |question, work| self.sweep(&sweeps[question], work).count() as i64,
            ),
        })?;
        Ok(counts.into_pyarray(py))
    }
}

/// The question which triangles share a point with q regions; made by ``Mesh.overlap``.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct MeshOverlapQuery {
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) regions: Regions,
    pub(crate) threads: ThreadCount,
    pub(crate) stats: Option<Py<QueryStats>>,
}

/// Runs the same code for the regions that meshes know; the opening has refused the others.
macro_rules! for_mesh_regions {
    ($self:expr, $list:ident => $body:expr, else $none:expr) => {
        match &$self.regions {
            Regions::Boxes($list) => $body,
            Regions::Spheres($list) => $body,
            Regions::Frusta($list) => $body,
            Regions::Obbs($list) => $body,
            Regions::Capsules($list) => $body,
            Regions::Points(_) | Regions::Convex(_) => $none,
        }
    };
}

#[pymethods]
impl MeshOverlapQuery {
    fn __len__(&self) -> usize {
        self.regions.len()
    }

    /// All triangles of each region: ``Lists`` of int64.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lists = ask(py, self.threads, self.stats.as_ref(), |threads| {
            let lists = for_mesh_regions!(self, regions => {
                ask_each(regions.len(), region_order(regions).as_deref(), threads, |question, found: &mut Vec<u32>, work| {
                    let Ok(query) = self.mesh.overlap(&regions[question]) else { return };
                    counted!(query, self.stats, work).for_each(|triangle| found.push(triangle));
                })
            }, else none());
            let work = lists.work;
            (ListBlock::of(lists), work)
        })?;
        lists.into_py(py)
    }

    /// All triangles, and which of them lie wholly inside: ``Lists`` of ``Contained`` triangles.
    fn containment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lists = ask(py, self.threads, self.stats.as_ref(), |threads| {
            let lists = for_mesh_regions!(self, regions => {
                ask_each(regions.len(), region_order(regions).as_deref(), threads, |question, found: &mut Vec<(u32, Containment)>, work| {
                    let Ok(query) = self.mesh.overlap(&regions[question]) else { return };
                    counted!(query.with_containment(), self.stats, work).for_each(|answer| found.push(answer));
                })
            }, else none());
            let work = lists.work;
            (ListBlock::of(lists), work)
        })?;
        lists.into_py(py)
    }

    /// One triangle of each region, whichever comes first: int64 (q,), -1 for none.
    fn any<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = ask(py, self.threads, self.stats.as_ref(), |threads| {
            let (found, work) = for_mesh_regions!(self, regions => {
                ask_one(regions.len(), region_order(regions).as_deref(), threads, None, |question, work| {
                    counted!(self.mesh.overlap(&regions[question]).ok()?, self.stats, work).any()
                })
            }, else (Vec::new(), Work::default()));
            (optional(&found), work)
        })?;
        found.into_py(py, &[self.regions.len()])
    }

    /// How many triangles share a point with each region: int64 (q,).
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = ask(py, self.threads, self.stats.as_ref(), |threads| {
            for_mesh_regions!(self, regions => {
                ask_one(regions.len(), region_order(regions).as_deref(), threads, 0, |question, work| {
                    let Ok(query) = self.mesh.overlap(&regions[question]) else { return 0 };
                    counted!(query, self.stats, work).count() as i64
                })
            }, else (Vec::new(), Work::default()))
        })?;
        Ok(counts.into_pyarray(py))
    }
}

fn none<T>() -> Lists<T> {
    Lists { offsets: vec![0], answers: Vec::new(), work: Work::default() }
}

/// The question which points of a mesh are closest to q points; made by ``Mesh.nearest``.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct MeshNearestQuery {
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) points: Vec<Vec3>,
    pub(crate) within: f32,
    pub(crate) threads: ThreadCount,
    pub(crate) stats: Option<Py<QueryStats>>,
}

impl MeshNearestQuery {
    fn order(&self) -> Option<Vec<u32>> {
        curve_order(self.points.iter().map(|point| point.to_array()))
    }
}

#[pymethods]
impl MeshNearestQuery {
    fn __len__(&self) -> usize {
        self.points.len()
    }

    /// The closest point to each, (q,), as ``MeshPoints``; of none, triangle -1 and distance inf.
    fn closest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let block = ask(py, self.threads, self.stats.as_ref(), |threads| {
            let unknown = None::<MeshPoint>;
            let (found, work) =
                ask_one(self.points.len(), self.order().as_deref(), threads, unknown, |question, work| {
                    let query = self.mesh.nearest(self.points[question]).ok()?;
                    counted!(query.within(self.within), self.stats, work).closest()
                });
            (optional(&found), work)
        })?;
        block.into_py(py, &[self.points.len()])
    }

    /// Whether each point lies inside the mesh, which must be closed and its triangles
    /// turned alike: bool (q,). The bound within does not count.
    fn is_inside<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let inside = ask(py, self.threads, self.stats.as_ref(), |threads| {
            ask_one(self.points.len(), self.order().as_deref(), threads, false, |question, work| {
                let query = self.mesh.nearest(self.points[question]);
                query.is_ok_and(|query| counted!(query, self.stats, work).is_inside())
            })
        })?;
        Ok(inside.into_pyarray(py))
    }
}
