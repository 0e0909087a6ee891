//! A tree that is up to date, to ask: the openings of questions, and pairs.

use crate::answers::{Block, Data, ListBlock, pair_ids as ids_of_pairs, pair_rows, shaped};
use crate::casts::Casts;
use crate::input::{IdSlice, Ids, pair_ids};
use crate::inspect::object_block;
use crate::nearest::{NearestQuery, Places};
use crate::options::{GivenOptions, QueryStats, count, with_options, word};
use crate::overlap::OverlapQuery;
use crate::ray::CastQuery;
use crate::refusal::{Checked, Refusal};
use crate::regions::Regions;
use crate::state::Shared;
use crate::threads::{ThreadCount, ask_each};
use broadleaf::query::StartInside;
use broadleaf::{Handle, Pair, Scratch, Shape};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A tree that is up to date, to ask; made by ``Octree.view()``.
///
/// Every question is one call for many regions, casts or places, on as many threads as
/// are said, without the interpreter lock. Answers come as arrays, in the order of the
/// questions, and are the same for every number of threads. A view keeps its tree alive;
/// after a change of the tree every question raises StaleViewError. A question keeps a copy
/// of its arrays: they may be changed before a method asks it.
///
/// Options of all questions: layers, only objects with ``memberships & layers != 0``;
/// only, "static" or "moving" objects; exclude, an id, or one for each question, (q,), where 0
/// excludes none; accept, bool (slots,), only objects whose slot (``slots(ids)``) has True (slots
/// beyond its end count as False: a mask made before an insert leaves out new objects); threads,
/// 1 is the calling thread, 0 one for each processor; stats, a QueryStats that is added to.
#[pyclass(frozen, module = "broadleaf")]
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) shared: Arc<Shared>,
    pub(crate) version: u64,
}

impl View {
    /// Asks the tree without the interpreter lock.
    pub(crate) fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(broadleaf::View<'_>) -> Checked<T> + Send,
    ) -> PyResult<T> {
        Ok(py.detach(|| self.shared.ask(self.version, ask))?)
    }
}

/// The handles of ids, all of which must name living objects.
fn living(view: broadleaf::View<'_>, ids: IdSlice<'_>) -> Checked<Vec<Handle>> {
    let handles = ids.handles()?;
    match handles.iter().position(|&handle| view.user_data(handle).is_none()) {
        None => Ok(handles),
        Some(row) => Err(ids.stale(row)),
    }
}

#[pymethods]
impl View {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |view| Ok(view.len()))
    }

    /// Whether the tree is as it was when the view was taken: whether it can be asked.
    #[getter]
    fn is_current(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(py.detach(|| -> Checked<bool> { Ok(self.shared.read()?.version == self.version) })?)
    }

    /// Asks which objects overlap regions; touching counts.
    ///
    /// regions: points (q, 3), boxes (q, 6), (q, 2, 3) or a tuple (lower, upper) of two arrays
    /// (q, 3), spheres (q, 4); or Frusta, Obbs, Capsules, ConvexRegions. A list is a list of rows.
    /// float64 arrays are rounded outward; the classes tell what they do with theirs.
    ///
    /// Raises ValueError that names the first illegal row.
    #[pyo3(signature = (regions, *, layers = None, only = None, exclude = None, accept = None, threads = 1, stats = None))]
    fn overlap(
        &self,
        regions: &Bound<'_, PyAny>,
        layers: Option<u32>,
        only: Option<&str>,
        exclude: Option<&Bound<'_, PyAny>>,
        accept: Option<&Bound<'_, PyAny>>,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<OverlapQuery> {
        let regions = Regions::of(regions)?;
        let options = GivenOptions { layers, only, exclude, accept, threads, stats }.check(regions.len())?;
        Ok(OverlapQuery { view: self.clone(), regions, options })
    }

    /// Asks what Rays or Sweeps meet.
    ///
    /// within: no farther than this, in world units (of Sweeps, a time from 0 to 1). Of a negative
    /// bound or NaN there is no answer and no error.
    /// inside: of rays, what an object that contains the origin counts as: "hit" at distance
    /// 0, "skip", or "exit", a hit where the ray leaves it.
    #[pyo3(signature = (casts, *, layers = None, only = None, exclude = None, accept = None, within = f32::INFINITY, inside = "hit", threads = 1, stats = None))]
    fn cast(
        &self,
        casts: &Bound<'_, PyAny>,
        layers: Option<u32>,
        only: Option<&str>,
        exclude: Option<&Bound<'_, PyAny>>,
        accept: Option<&Bound<'_, PyAny>>,
        within: f32,
        inside: &str,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<CastQuery> {
        let casts = Casts::of(casts)?;
        let words = [("hit", StartInside::Hit), ("skip", StartInside::Skip), ("exit", StartInside::Exit)];
        let inside = word("inside", inside, &words)?;
        if inside != StartInside::Hit && matches!(casts, Casts::Sweeps(_)) {
            return Err(crate::refusal::bad("inside", "only rays start inside of objects").into());
        }
        let options = GivenOptions { layers, only, exclude, accept, threads, stats }.check(casts.len())?;
        Ok(CastQuery { view: self.clone(), casts, options, within, inside })
    }

    /// Asks which objects are nearest to points or boxes. Distances are to surfaces, in world
    /// units, 0 inside.
    ///
    /// places: points (q, 3); boxes (q, 6), (q, 2, 3) or a tuple (lower, upper) of two arrays
    /// (q, 3). A list is a list of rows. Points of float64 are rounded to nearest, boxes outward.
    /// within: no farther than this, in world units. Of a negative bound or NaN there is no answer
    /// and no error.
    #[pyo3(signature = (places, *, layers = None, only = None, exclude = None, accept = None, within = f32::INFINITY, threads = 1, stats = None))]
    fn nearest(
        &self,
        places: &Bound<'_, PyAny>,
        layers: Option<u32>,
        only: Option<&str>,
        exclude: Option<&Bound<'_, PyAny>>,
        accept: Option<&Bound<'_, PyAny>>,
        within: f32,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<NearestQuery> {
        let places = Places::of(places)?;
        let options = GivenOptions { layers, only, exclude, accept, threads, stats }.check(places.len())?;
        Ok(NearestQuery { view: self.clone(), places, options, within })
    }

    /// All pairs of objects that overlap, each once: uint64 (m, 2), the lower id first.
    /// Touching counts; layers are respected; two static objects are never a pair.
    ///
    /// Order: the same for the same calls on the tree, whatever the threads.
    #[pyo3(signature = (*, threads = 1, stats = None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = ThreadCount::new(threads);
        let (pairs, work) = self.ask(py, |view| {
            self.shared.with_work(|kept| {
                let mut work = broadleaf::QueryStats::default();
                let (scratch, pairs) = (&mut kept.scratch, &mut kept.pairs);
                threads.run(|threads| {
                    view.pairs(scratch).threads(threads).stats(&mut work).collect_into(pairs);
                    (ids_of_pairs(pairs), work)
                })
            })
        })?;
        count(py, stats.as_ref(), work)?;
        pair_rows(py, pairs)
    }

    /// How many pairs there are, without a list of them.
    #[pyo3(signature = (*, threads = 1))]
    fn pair_count(&self, py: Python<'_>, threads: usize) -> PyResult<usize> {
        let threads = ThreadCount::new(threads);
        self.ask(py, |view| threads.run(|threads| view.pairs(&mut Scratch::new()).threads(threads).count()))
    }

    /// The partners of objects: ids uint64 (q,); the other sides of their pairs, as
    /// ``Lists`` of ids. Raises StaleIdError.
    #[pyo3(signature = (ids, *, layers = None, only = None, exclude = None, accept = None, threads = 1, stats = None))]
    fn pairs_of<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        layers: Option<u32>,
        only: Option<&str>,
        exclude: Option<&Bound<'py, PyAny>>,
        accept: Option<&Bound<'py, PyAny>>,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let options = GivenOptions { layers, only, exclude, accept, threads, stats }.check(ids.ids.len())?;
        let (block, work) = self.ask(py, |view| {
            let handles = living(view, ids)?;
            options.threads.run(|threads| {
                let lists = ask_each(handles.len(), None, threads, |question, found: &mut Vec<Handle>, work| {
                    let Ok(query) = view.pairs_of(handles[question]) else { return };
                    with_options!(query, &options, question, work, query => query.for_each(|handle| found.push(handle)));
                });
                let work = lists.work;
                (ListBlock::of(lists), work)
            })
        })?;
        count(py, options.stats.as_ref(), work)?;
        block.into_py(py)
    }

    /// Which of some pairs of objects are pairs of ``pairs``: uint64 (m, 2), answer bool
    /// (m,). Not so if an id names nothing.
    fn is_pair<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let given = pair_ids(pairs, "pairs")?;
        let ids = given.borrow()?.ids;
        let list = self.ask(py, |view| {
            let is_pair = |&[a, b]: &[u64; 2]| match (Handle::from_bits(a), Handle::from_bits(b)) {
                (Some(a), Some(b)) => view.is_pair(Pair::new(a, b)),
                _ => false,
            };
            Ok(ids.as_chunks().0.iter().map(is_pair).collect::<Vec<_>>())
        })?;
        Ok(list.into_pyarray(py))
    }

    /// Which of some pairs of objects overlap as they were last set, without margins:
    /// uint64 (m, 2), answer bool (m,). Layers and mobility do not count. Raises StaleIdError.
    fn touches<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let given = pair_ids(pairs, "pairs")?;
        let ids = given.borrow()?;
        let list = self.ask(py, |view| {
            let handles = living(view, ids)?;
            let touches = |&[a, b]: &[Handle; 2]| view.touches(a, b).unwrap_or(false);
            Ok(handles.as_chunks().0.iter().map(touches).collect::<Vec<_>>())
        })?;
        Ok(list.into_pyarray(py))
    }

    /// How pairs of objects touch: uint64 (m, 2), answer ``Contacts``. Moving the second
    /// object of a row by ``normals * depths`` leaves the two touching. Raises StaleIdError.
    fn contacts<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let given = pair_ids(pairs, "pairs")?;
        let ids = given.borrow()?;
        let (block, rows) = self.ask(py, |view| {
            let handles = living(view, ids)?;
            let rows = handles.as_chunks::<2>().0;
            let (mut touching, mut normals) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
            let (mut depths, mut positions) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
            for &[a, b] in rows {
                let pair = Pair::new(a, b);
                let contact = view.contact(pair).ok().flatten();
                // From the first of the row to the second.
                let contact = contact.map(|contact| if pair.a() == a { contact } else { contact.reversed() });
                touching.push(contact.is_some());
                normals.push(contact.map_or([f32::NAN; 3], |contact| contact.normal.to_array()));
                depths.push(contact.map_or(f32::NAN, |contact| contact.depth));
                positions.push(contact.map_or([f32::NAN; 3], |contact| contact.position.to_array()));
            }
            let columns = vec![
                (Data::Bool(touching), 1),
                (Data::F32(normals.into_flattened()), 3),
                (Data::F32(depths), 1),
                (Data::F32(positions.into_flattened()), 3),
            ];
            Ok((Block::named("Contacts", columns), rows.len()))
        })?;
        block.into_py(py, &[rows])
    }

    /// Objects as they were last set, in columns (``Objects``): of ids, uint64 (n,). Raises
    /// StaleIdError.
    fn objects<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let (block, rows) = self.ask(py, |view| {
            let handles = living(view, ids)?.into_iter();
            let objects: Vec<_> =
                handles.filter_map(|handle| view.get(handle).map(|object| (handle, object))).collect();
            Ok((object_block(&objects), objects.len()))
        })?;
        block.into_py(py, &[rows])
    }

    /// The boxes that the tree keeps, margins included: ids uint64 (n,), answer float32 (n, 6).
    /// Raises StaleIdError.
    fn fat_boxes<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let boxes = self.ask(py, |view| {
            let kept = living(view, ids)?.into_iter().filter_map(|handle| view.fat_shape(handle));
            Ok(kept.map(|shape: Shape| <[f32; 6]>::from(shape.aabb())).collect::<Vec<_>>())
        })?;
        let rows = boxes.len();
        shaped(py, boxes.into_flattened(), &[rows, 6])
    }

    /// User data of objects: ids uint64 (n,), answer uint64 (n,). Raises StaleIdError.
    fn user_data<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let data = self.ask(py, |view| {
            let datum = |(row, handle)| view.user_data(handle).ok_or_else(|| ids.stale(row));
            ids.handles()?.into_iter().enumerate().map(datum).collect::<Checked<Vec<u64>>>()
        })?;
        Ok(data.into_pyarray(py))
    }

    /// The smallest box around all objects that a cell can hold: float32 (6,); None if
    /// there are none. Unbounded and far-away objects do not count.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bounds = self.ask(py, |view| Ok(view.bounds()))?;
        bounds.map(|bounds| shaped(py, <[f32; 6]>::from(bounds).to_vec(), &[6])).transpose()
    }

    /// The nodes of the tree in columns (``Nodes``), parents before children: for drawing
    /// and tuning.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (block, rows) = self.ask(py, |view| {
            let mut nodes = Vec::new();
            view.visit_nodes(|node| {
                nodes.push(node);
                ControlFlow::Continue(())
            });
            let boxes = |of: fn(&broadleaf::inspect::NodeInfo) -> broadleaf::Aabb| {
                Data::F32(nodes.iter().flat_map(|node| <[f32; 6]>::from(of(node))).collect())
            };
            let numbers = |of: fn(&broadleaf::inspect::NodeInfo) -> u32| Data::U32(nodes.iter().map(of).collect());
            let columns = vec![
                (boxes(|node| node.cell), 6),
                (boxes(|node| node.bounds), 6),
                (numbers(|node| node.depth), 1),
                (numbers(|node| node.objects), 1),
                (numbers(|node| node.blocks), 1),
                (numbers(|node| node.objects_below), 1),
                (numbers(|node| node.children), 1),
                (Data::Bool(nodes.iter().map(|node| node.changed).collect()), 1),
                (Data::Bool(nodes.iter().map(|node| node.leaf).collect()), 1),
            ];
            Ok((Block::named("Nodes", columns), nodes.len()))
        })?;
        block.into_py(py, &[rows])
    }
}

/// A question that cannot fail has failed: a fault of this package.
pub(crate) fn unexpected(error: impl std::fmt::Display) -> Refusal {
    Refusal::Broken(format!("a checked question was refused: {error}"))
}
