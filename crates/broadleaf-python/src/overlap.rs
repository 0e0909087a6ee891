//! Which objects overlap regions.

use crate::answers::{Columns, ListBlock, Visible};
use crate::input::vector;
use crate::options::{Options, count, offsets_of, with_batch_options, with_options};
use crate::placements::Placements;
use crate::refusal::{Refusal, bad};
use crate::regions::{Regions, for_regions};
use crate::threads::{ask_each, ask_one, curve_order};
use crate::view::{View, unexpected};
use broadleaf::query::{Region, Viewpoint};
use broadleaf::{Aabb, Batch, Containment, Error, Handle, QueryStats, Scratch, Threads};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// The question which objects overlap q regions; made by ``View.overlap``. A method asks it.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct OverlapQuery {
    pub(crate) view: View,
    pub(crate) regions: Regions,
    pub(crate) options: Options,
}

/// The middle of a box, as far as it is finite.
pub(crate) fn middle(aabb: &Aabb) -> [f32; 3] {
    let side = |low: f32, high: f32| low.clamp(f32::MIN, f32::MAX) * 0.5 + high.clamp(f32::MIN, f32::MAX) * 0.5;
    [side(aabb.min.x, aabb.max.x), side(aabb.min.y, aabb.max.y), side(aabb.min.z, aabb.max.z)]
}

/// What the library says of an eye or of the least size.
fn refused_viewpoint(error: Error) -> Refusal {
    let argument = match error {
        Error::NotANumber { field } | Error::NotFinite { field, .. } if field.starts_with("eye") => "eye",
        _ => "size_min",
    };
    bad(argument, error.to_string())
}

/// The order in which regions are asked about.
pub(crate) fn region_order<R: Region>(regions: &[R]) -> Option<Vec<u32>> {
    curve_order(regions.iter().map(|region| middle(&region.bounds())))
}

impl OverlapQuery {
    /// Asks, adds up the work, and returns the answers.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(broadleaf::View<'_>, Threads) -> crate::refusal::Checked<(T, QueryStats)> + Send,
    ) -> PyResult<T> {
        let (answers, work) = self.view.ask(py, |view| self.options.threads.run(|threads| ask(view, threads))?)?;
        count(py, self.options.stats.as_ref(), work)?;
        Ok(answers)
    }
}

/// Lists of a kind of answer: by a batch of the library where it knows the options.
macro_rules! lists {
    ($query:expr, $py:expr, $answer:ty, |$batch:ident| $batched:expr, |$one:ident| $single:expr) => {{
        let options = &$query.options;
        let block = $query.ask($py, |view, threads| {
            for_regions!(&$query.regions, regions => {
                if options.fit_batches() {
                    let (mut batch, mut work) = (Batch::<$answer>::new(), QueryStats::default());
                    let $batch = view.overlap_many(regions).map_err(unexpected)?;
                    let queries = with_batch_options!($batched, options, threads, &mut work);
                    queries.collect_into(&mut batch);
                    return Ok((ListBlock::new(offsets_of(&batch), batch.answers()), work));
                }
                let order = region_order(regions);
                let lists = ask_each(regions.len(), order.as_deref(), threads, |question, found: &mut Vec<$answer>, work| {
                    let Ok($one) = view.overlap(&regions[question]) else { return };
                    let mut one = Vec::new();
                    with_options!($single, options, question, work, query => query.collect_into(&mut one));
                    found.append(&mut one);
                });
                let work = lists.work;
                Ok((ListBlock::of(lists), work))
            })
        })?;
        block.into_py($py)
    }};
}

#[pymethods]
impl OverlapQuery {
    fn __len__(&self) -> usize {
        self.regions.len()
    }

    /// All objects: ``Lists`` of ids, uint64.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        lists!(self, py, Handle, |queries| queries, |query| query)
    }

    /// All objects, and which of them lie wholly inside: ``Lists`` of ``Contained``.
    fn containment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        lists!(self, py, (Handle, Containment), |queries| queries.with_containment(), |query| query.with_containment())
    }

    /// One object of each region, whichever comes first: ids, uint64 (q,), 0 for none.
    fn any<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ids = self.ask(py, |view, threads| {
            for_regions!(&self.regions, regions => {
                let order = region_order(regions);
                let (found, work) = ask_one(regions.len(), order.as_deref(), threads, None, |question, work| {
                    let query = view.overlap(&regions[question]).ok()?;
                    with_options!(query, &self.options, question, work, query => query.any())
                });
                Ok((Handle::block(found.into_iter()), work))
            })
        })?;
        ids.into_py(py, &[self.regions.len()])
    }

    /// How many objects overlap each region: int64 (q,).
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = self.ask(py, |view, threads| {
            for_regions!(&self.regions, regions => {
                let order = region_order(regions);
                Ok(ask_one(regions.len(), order.as_deref(), threads, 0, |question, work| {
                    let Ok(query) = view.overlap(&regions[question]) else { return 0 };
                    with_options!(query, &self.options, question, work, query => query.count() as i64)
                }))
            })
        })?;
        Ok(counts.into_pyarray(py))
    }

    /// Which slots hold an object that overlaps any of the regions: bool (slots,), to
    /// index arrays of your own by slot (``slots(ids)``).
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mask = self.ask(py, |view, _| {
            let (mut mask, mut work) = (Vec::new(), QueryStats::default());
            for_regions!(&self.regions, regions => {
                let mut set = broadleaf::query::SlotSet::new();
                for (question, region) in regions.iter().enumerate() {
                    let query = view.overlap(region).map_err(unexpected)?;
                    with_options!(query, &self.options, question, &mut work, query => query.slots_into(&mut set));
                    mask.resize(mask.len().max(set.words().len() * 64), false);
                    set.iter().for_each(|slot| mask[slot as usize] = true);
                }
            });
            Ok((mask, work))
        })?;
        Ok(mask.into_pyarray(py))
    }

    /// All objects as an eye sees them: ``Lists`` of ``Visible``.
    ///
    /// eye: (x, y, z), from where distances are taken. size_min: objects whose box's
    /// diagonal over its distance is below it are left out. front_to_back: answers of each
    /// region from near to far.
    #[pyo3(signature = (eye, size_min = 0.0, *, front_to_back = false))]
    fn seen_from<'py>(
        &self,
        py: Python<'py>,
        eye: &Bound<'py, PyAny>,
        size_min: f32,
        front_to_back: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let viewpoint = Viewpoint::new(vector(eye, "eye")?.into(), size_min).map_err(refused_viewpoint)?;
        let block = self.ask(py, |view, threads| {
            for_regions!(&self.regions, regions => {
                let lists = ask_each(regions.len(), None, threads, |question, found: &mut Vec<Visible>, work| {
                    let Ok(query) = view.overlap(&regions[question]) else { return };
                    with_options!(query, &self.options, question, work, query => {
                        let query = query.seen_from(&viewpoint);
                        let mut scratch = Scratch::new();
                        let query = if front_to_back { query.front_to_back(&mut scratch) } else { query };
                        let mut all = Vec::new();
                        query.collect_into(&mut all);
                        found.extend(all.iter().map(|seen| Visible {
                            handle: seen.handle,
                            inside: seen.containment == Containment::Inside,
                            distance: seen.distance,
                        }));
                    });
                });
                let work = lists.work;
                Ok((ListBlock::of(lists), work))
            })
        })?;
        block.into_py(py)
    }

    /// Asks the meshes that stand in for objects which of their triangles overlap the
    /// regions: ``Lists`` of ``Placed`` triangles. Meshes know all regions but ConvexRegions.
    ///
    /// placements: Placements. ids: uint64 (n,), the object of each placement, whose box
    /// must enclose it, as ``Placements.boxes()`` does.
    fn meshes<'py>(
        &self,
        py: Python<'py>,
        placements: PyRef<'py, Placements>,
        ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let placed = placements.at(ids)?;
        macro_rules! ask {
            ($regions:ident) => {{
                let block = self.ask(py, |view, threads| {
                    let lists = ask_each($regions.len(), None, threads, |question, found: &mut Vec<(Handle, u32)>, work| {
                        let Ok(query) = view.overlap(&$regions[question]) else { return };
                        with_options!(query, &self.options, question, work, query => {
                            query.meshes(|handle| placed.get(handle)).for_each(|answer| found.push(answer));
                        });
                    });
                    let work = lists.work;
                    Ok((ListBlock::of(lists), work))
                })?;
                block.into_py(py)
            }};
        }
        match &self.regions.for_meshes()? {
            Regions::Boxes(regions) => ask!(regions),
            Regions::Spheres(regions) => ask!(regions),
            Regions::Frusta(regions) => ask!(regions),
            Regions::Obbs(regions) => ask!(regions),
            Regions::Capsules(regions) => ask!(regions),
            Regions::Points(_) | Regions::Convex(_) => Err(unexpected("points became boxes").into()),
        }
    }
}
