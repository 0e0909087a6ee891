//! Which objects are nearest to points or boxes.

use crate::answers::{Columns, ListBlock, optional};
use crate::input::Slice;
use crate::options::{Options, count, with_batch_options, with_options};
use crate::overlap::middle;
use crate::placements::Placements;
use crate::refusal::{Checked, PLACES, ShapeArgument, refused};
use crate::shapes::{Checks, ShapeArrays, ShapeSlices};
use crate::threads::{ask_each, ask_one, curve_order};
use crate::view::{View, unexpected};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Batch, Neighbor, QueryStats, Scratch, Threads};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// Points or boxes to be near to, checked.
pub(crate) enum Places {
    Points(Vec<Vec3>),
    Boxes(Vec<Aabb>),
}

/// Points, rounded to nearest, and finite.
pub(crate) fn finite_points(slice: Slice<'_>, argument: &ShapeArgument) -> Checked<Vec<Vec3>> {
    let points: Vec<Vec3> = slice.rows::<3>().iter().map(|&point| point.into()).collect();
    match points.iter().position(|point| !point.is_finite()) {
        None => Ok(points),
        Some(row) => {
            let axis = points[row].to_array().iter().position(|x| !x.is_finite()).unwrap_or(0);
            let field = ["point.x", "point.y", "point.z"][axis];
            Err(refused(argument.points, row, broadleaf::Error::NotFinite { field, value: points[row][axis] }))
        }
    }
}

impl Places {
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let arrays = ShapeArrays::of(object, &PLACES, &[3, 6])?;
        let slices = arrays.borrow()?;
        Ok(object.py().detach(|| -> Checked<Self> {
            if let ShapeSlices::Rows(3, slice) = slices {
                return Ok(Self::Points(finite_points(slice, &PLACES)?));
            }
            match slices.resolve(&PLACES)?.checked()? {
                Checks::Boxes(boxes) => Ok(Self::Boxes(boxes)),
                Checks::Spheres(_) => Err(crate::refusal::bad("places", "points or boxes are needed, not spheres")),
            }
        })?)
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Boxes(boxes) => boxes.len(),
        }
    }

    fn order(&self) -> Option<Vec<u32>> {
        match self {
            Self::Points(points) => curve_order(points.iter().map(|point| point.to_array())),
            Self::Boxes(boxes) => curve_order(boxes.iter().map(middle)),
        }
    }
}

/// Runs the same code for points and for boxes.
macro_rules! for_places {
    ($places:expr, $list:ident => $body:expr) => {
        match $places {
            Places::Points($list) => $body,
            Places::Boxes($list) => $body,
        }
    };
}

/// The question which objects are nearest to q places; made by ``View.nearest``. A method asks it.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct NearestQuery {
    pub(crate) view: View,
    pub(crate) places: Places,
    pub(crate) options: Options,
    pub(crate) within: f32,
}

impl NearestQuery {
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(broadleaf::View<'_>, Threads) -> Checked<(T, QueryStats)> + Send,
    ) -> PyResult<T> {
        let (answers, work) = self.view.ask(py, |view| self.options.threads.run(|threads| ask(view, threads))?)?;
        count(py, self.options.stats.as_ref(), work)?;
        Ok(answers)
    }

    /// Lists of neighbours, in no order or by distance.
    fn lists<'py>(&self, py: Python<'py>, in_order: bool) -> PyResult<Bound<'py, PyAny>> {
        let block = self.ask(py, |view, threads| {
            for_places!(&self.places, places => {
                let order = self.places.order();
                let lists = ask_each(places.len(), order.as_deref(), threads, |question, found: &mut Vec<Neighbor>, work| {
                    let Ok(query) = view.nearest(places[question]) else { return };
                    let query = query.within(self.within);
                    with_options!(query, &self.options, question, work, query => {
                        let mut scratch = Scratch::new();
                        let query = if in_order { query.in_order(&mut scratch) } else { query };
                        let mut near = Vec::new();
                        query.collect_into(&mut near);
                        found.append(&mut near);
                    });
                });
                let work = lists.work;
                Ok((ListBlock::of(lists), work))
            })
        })?;
        block.into_py(py)
    }
}

/// Rows of `k` neighbours, filled up with missing ones.
fn padded<'a>(k: usize, rows: impl Iterator<Item = &'a [Neighbor]> + 'a, count: usize) -> Vec<Option<Neighbor>> {
    let mut all = Vec::with_capacity(count * k);
    for row in rows {
        all.extend(row.iter().map(|&near| Some(near)));
        all.extend(std::iter::repeat_n(None, k - row.len()));
    }
    all
}

#[pymethods]
impl NearestQuery {
    fn __len__(&self) -> usize {
        self.places.len()
    }

    /// The nearest object of each place, (q,), as ``Neighbors``; of none, id 0 and
    /// distance inf. Of equally near objects that of the lowest slot.
    fn closest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let block = self.ask(py, |view, threads| {
            for_places!(&self.places, places => {
                if self.options.fit_batches() {
                    let (mut batch, mut work) = (Batch::<Option<Neighbor>>::new(), QueryStats::default());
                    let queries = view.nearest_many(places).map_err(unexpected)?.within(self.within);
                    with_batch_options!(queries, &self.options, threads, &mut work).closest_into(&mut batch);
                    return Ok((optional(batch.answers()), work));
                }
                let order = self.places.order();
                let (found, work) = ask_one(places.len(), order.as_deref(), threads, None, |question, work| {
                    let query = view.nearest(places[question]).ok()?.within(self.within);
                    with_options!(query, &self.options, question, work, query => query.closest())
                });
                Ok((optional(&found), work))
            })
        })?;
        block.into_py(py, &[self.places.len()])
    }

    /// The k nearest objects of each place, (q, k), as ``Neighbors``, by distance, then by
    /// slot; where there are fewer, id 0 and distance inf.
    fn k<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyAny>> {
        let questions = self.places.len();
        if k.checked_mul(questions).is_none_or(|answers| answers > 1 << 28) {
            return Err(crate::refusal::bad("k", format!("{k} neighbours of {questions} places do not fit")).into());
        }
        let block = self.ask(py, |view, threads| {
            for_places!(&self.places, places => {
                if self.options.fit_batches() {
                    let (mut batch, mut work) = (Batch::<Neighbor>::new(), QueryStats::default());
                    let queries = view.nearest_many(places).map_err(unexpected)?.within(self.within);
                    with_batch_options!(queries, &self.options, threads, &mut work).k_into(k, &mut batch);
                    return Ok((optional(&padded(k, batch.iter(), questions)), work));
                }
                let order = self.places.order();
                let lists = ask_each(places.len(), order.as_deref(), threads, |question, found: &mut Vec<Neighbor>, work| {
                    let Ok(query) = view.nearest(places[question]) else { return };
                    let (query, mut near) = (query.within(self.within), Vec::new());
                    with_options!(query, &self.options, question, work, query => query.k_into(k, &mut near));
                    found.append(&mut near);
                });
                let range = |at: &[i64]| &lists.answers[at[0] as usize..at[1] as usize];
                let rows = padded(k, lists.offsets.windows(2).map(range), questions);
                Ok((optional(&rows), lists.work))
            })
        })?;
        block.into_py(py, &[questions, k])
    }

    /// All objects within the bound, in no order: ``Lists`` of ``Neighbors``.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.lists(py, false)
    }

    /// All objects within the bound, by distance, then by slot: ``Lists`` of ``Neighbors``.
    fn in_order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.lists(py, true)
    }

    /// How many objects are within the bound: int64 (q,).
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = self.ask(py, |view, threads| {
            for_places!(&self.places, places => {
                let order = self.places.order();
                Ok(ask_one(places.len(), order.as_deref(), threads, 0, |question, work| {
                    let Ok(query) = view.nearest(places[question]) else { return 0 };
                    let query = query.within(self.within);
                    with_options!(query, &self.options, question, work, query => query.count() as i64)
                }))
            })
        })?;
        Ok(counts.into_pyarray(py))
    }

    /// Asks the meshes that stand in for objects: of each place the closest point of any,
    /// (q,), as ``Placed`` MeshPoints. To a box, the point closest to its middle.
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
        let block = self.ask(py, |view, threads| {
            for_places!(&self.places, places => {
                let order = self.places.order();
                let (found, work) = ask_one(places.len(), order.as_deref(), threads, None, |question, work| {
                    let query = view.nearest(places[question]).ok()?.within(self.within);
                    with_options!(query, &self.options, question, work, query => {
                        query.meshes(|handle| placed.get(handle)).closest()
                    })
                });
                Ok((Columns::block(found.into_iter()), work))
            })
        })?;
        block.into_py(py, &[self.places.len()])
    }
}
