//! Which pairs began and ended, and which are served if there are too many.

use crate::answers::{named, pair_ids as ids_of_pairs, pair_rows};
use crate::input::{Column, Ids, pair_ids};
use crate::inspect::{Reduced, reduced};
use crate::options::{QueryStats, count};
use crate::refusal::{Checked, Refusal};
use crate::state::lock;
use crate::threads::ThreadCount;
use crate::tree::PyOctree;
use crate::view::View;
use broadleaf::pairs::{BudgetReport, PairBudget};
use broadleaf::{Handle, Pair, PairTracker, Threads};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Mutex;

/// Keeps the pairs of a tree from frame to frame, and tells which began and which ended.
///
/// Any number of trackers may follow one tree, each at its own rate. Whatever the cause
/// (an insertion, a removal, a move, new layers), the events are those of a comparison of
/// ``View.pairs`` before and after.
#[pyclass(frozen, name = "PairTracker", module = "broadleaf")]
pub(crate) struct PyPairTracker(Mutex<PairTracker>);

/// Pairs as sorted, so that they can be looked up.
fn sorted_pairs(given: &Ids<'_>) -> PyResult<Vec<Pair>> {
    let ids = given.borrow()?;
    Ok(given.py().detach(|| -> Checked<Vec<Pair>> {
        let mut pairs = ids.pairs()?;
        pairs.sort_unstable();
        Ok(pairs)
    })?)
}

impl PyPairTracker {
    /// Reads a list of pairs, and hands it over as an array (m, 2).
    fn pairs_by<'py>(
        &self,
        py: Python<'py>,
        read: impl FnOnce(&PairTracker) -> Vec<[u64; 2]> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = py.detach(|| -> Checked<_> { Ok(read(&*lock(&self.0)?)) })?;
        pair_rows(py, rows)
    }
}

#[pymethods]
impl PyPairTracker {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(PairTracker::new()))
    }

    /// Takes over the pairs of the tree as it is now, and returns which began and which
    /// ended since the last update of this tracker: ``PairEvents`` of two arrays uint64 (m, 2).
    /// Pairs of a removed object end under its old id.
    ///
    /// refuse: uint64 (r, 2), pairs of objects that are to be none, such as parts of one
    /// body. It is looked at when a pair begins to overlap; ``ask_again`` has it looked at anew.
    /// None refuses nothing, and leaves pairs that were refused before as they are. Ids of removed
    /// objects are ignored; numbers that are no id, such as 0, raise StaleIdError.
    /// threads: 1 is the calling thread, 0 one for each processor; the events are the same.
    #[pyo3(signature = (tree, *, refuse = None, threads = 1, stats = None))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        tree: PyRef<'py, PyOctree>,
        refuse: Option<&Bound<'py, PyAny>>,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let refused = refuse.map(|pairs| sorted_pairs(&pair_ids(pairs, "refuse")?)).transpose()?;
        let (shared, threads) = (tree.shared.clone(), ThreadCount::new(threads));
        let (begun, ended, work) = py.detach(|| -> Checked<_> {
            let (mut tracker, mut state) = (lock(&self.0)?, shared.write()?);
            let (tracker, tree) = (&mut *tracker, &mut state.tree);
            let work = threads.run(|threads| {
                tracker.set_threads(threads);
                tree.set_threads(threads);
                let changes = tree.changes();
                let work = match &refused {
                    None => tracker.update(changes),
                    Some(refused) => tracker.update_with(changes, |pair| refused.binary_search(&pair).is_err()),
                };
                tree.set_threads(Threads::One);
                work
            })?;
            Ok((ids_of_pairs(tracker.begun()), ids_of_pairs(tracker.ended()), work))
        })?;
        count(py, stats.as_ref(), work)?;
        named(py, "PairEvents", [pair_rows(py, begun)?, pair_rows(py, ended)?])
    }

    /// Has ``refuse`` looked at again about all pairs of objects, with the next update that
    /// has one: ids uint64 (n,). Ids that name nothing, 0 among them, are ignored.
    fn ask_again(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?.ids;
        Ok(py.detach(|| -> Checked<()> {
            let mut tracker = lock(&self.0)?;
            ids.iter().filter_map(|&id| Handle::from_bits(id)).for_each(|handle| tracker.ask_again(handle));
            Ok(())
        })?)
    }

    /// All pairs as of the last update: uint64 (m, 2).
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.pairs_by(py, |tracker| ids_of_pairs(tracker.pairs()))
    }

    /// The pairs that began with the last update: uint64 (m, 2).
    fn begun<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.pairs_by(py, |tracker| ids_of_pairs(tracker.begun()))
    }

    /// The pairs that ended with the last update: uint64 (m, 2).
    fn ended<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.pairs_by(py, |tracker| ids_of_pairs(tracker.ended()))
    }

    /// The pairs that were there before the last update and still are: uint64 (m, 2).
    fn persisting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.pairs_by(py, |tracker| tracker.persisting().map(|pair| [pair.a().to_bits(), pair.b().to_bits()]).collect())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(py.detach(|| -> Checked<usize> { Ok(lock(&self.0)?.pairs().len()) })?)
    }

    /// Forgets all pairs, without events.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| -> Checked<()> {
            lock(&self.0)?.clear();
            Ok(())
        })?)
    }

    /// A hash of what the tracker knows: equal on every machine after the same calls.
    fn state_hash(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(py.detach(|| -> Checked<u64> { Ok(lock(&self.0)?.state_hash()) })?)
    }

    /// A copy that goes on like the original.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self(Mutex::new(py.detach(|| -> Checked<_> { Ok(lock(&self.0)?.clone()) })?)))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    /// The tracker as bytes, to go on with beside a snapshot of its tree.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| -> Checked<Vec<u8>> {
            let mut bytes = Vec::new();
            lock(&self.0)?.snapshot_into(&mut bytes);
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The tracker of a snapshot. Raises SnapshotError for bytes that are none.
    #[staticmethod]
    fn from_snapshot(py: Python<'_>, snapshot: &[u8]) -> PyResult<Self> {
        let tracker = py.detach(|| PairTracker::from_snapshot(snapshot));
        Ok(Self(Mutex::new(tracker.map_err(|error| Refusal::Snapshot(error.to_string()))?)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "PairTracker", self.snapshot(py)?)
    }
}

/// Shares out a frame's limited number of pairs by the classes of their objects.
///
/// Class 0 is the most urgent, 255 the least; a pair is of the more urgent class of its
/// two objects. What does not fit is deferred, and offered again with the next frame.
///
/// essential: classes below it are never deferred.
/// patience: every so many frames a deferred pair rises by one class.
#[pyclass(frozen, name = "PairBudget", module = "broadleaf")]
pub(crate) struct PyPairBudget(Mutex<PairBudget>);

#[pymethods]
impl PyPairBudget {
    #[new]
    #[pyo3(signature = (essential = 0, *, patience = 16))]
    fn new(essential: u8, patience: u32) -> Self {
        Self(Mutex::new(PairBudget::new(essential).with_patience(patience)))
    }

    /// The pairs of this frame: ``Served``, whose pairs are uint64 (m, 2), the urgent first.
    ///
    /// view: of the tree as it is now.
    /// pairs: uint64 (n, 2), all pairs of the frame or those that began, each at most once.
    /// pairs_max: how many are served at most. Essential pairs are served beyond it; where they
    /// fill the frame, one other pair is served as well, unless pairs_max is 0.
    /// classes: uint8 by slot (``slots(ids)``), or one for all; objects beyond its end are of
    /// class 255.
    fn serve<'py>(
        &self,
        py: Python<'py>,
        view: PyRef<'py, View>,
        pairs: &Bound<'py, PyAny>,
        pairs_max: usize,
        classes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = pair_ids(pairs, "pairs")?;
        let ids = given.borrow()?;
        let offered = py.detach(|| ids.pairs())?;
        if let Some(row) = offered.iter().position(|pair| pair.a() == pair.b()) {
            return Err(crate::refusal::bad_row("pairs", row, "a pair is of two objects").into());
        }
        let classes = match crate::input::integers::<u8>(classes, "classes")? {
            (classes, 0) => Column::One(classes[0]),
            (classes, _) => Column::Each(classes),
        };
        let class_of = |slot: usize| match &classes {
            Column::One(class) => *class,
            Column::Each(classes) => classes.get(slot).copied().unwrap_or(u8::MAX),
        };
        let view = view.clone();
        let (served, report) = py.detach(|| -> Checked<_> {
            let mut budget = lock(&self.0)?;
            view.shared.ask(view.version, |view| {
                let mut served = Vec::new();
                let report =
                    budget.serve(view, &offered, pairs_max, |handle| class_of(handle.slot() as usize), &mut served);
                Ok((ids_of_pairs(&served), report))
            })
        })?;
        let BudgetReport { essential, deferred, dropped, waited_max, .. } = report;
        let numbers = [essential, deferred, dropped, waited_max as usize].map(|number| number.into_bound_py_any(py));
        let mut fields = vec![pair_rows(py, served)?];
        for number in numbers {
            fields.push(number?);
        }
        named(py, "Served", fields)
    }

    /// The pairs that wait for the next frame: uint64 (m, 2), sorted.
    fn deferred<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = py.detach(|| -> Checked<_> { Ok(ids_of_pairs(&lock(&self.0)?.deferred().collect::<Vec<_>>())) })?;
        pair_rows(py, rows)
    }

    /// The pairs that waited, and with the last frame were none any more: uint64 (m, 2).
    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = py.detach(|| -> Checked<_> { Ok(ids_of_pairs(lock(&self.0)?.dropped())) })?;
        pair_rows(py, rows)
    }

    /// Forgets what waits.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| -> Checked<()> {
            lock(&self.0)?.clear();
            Ok(())
        })?)
    }

    /// A hash of what waits: equal on every machine after the same calls.
    fn state_hash(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(py.detach(|| -> Checked<u64> { Ok(lock(&self.0)?.state_hash()) })?)
    }

    /// The budget as bytes.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| -> Checked<Vec<u8>> {
            let mut bytes = Vec::new();
            lock(&self.0)?.snapshot_into(&mut bytes);
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The budget of a snapshot. Raises SnapshotError for bytes that are none.
    #[staticmethod]
    fn from_snapshot(py: Python<'_>, snapshot: &[u8]) -> PyResult<Self> {
        let budget = py.detach(|| PairBudget::from_snapshot(snapshot));
        Ok(Self(Mutex::new(budget.map_err(|error| Refusal::Snapshot(error.to_string()))?)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "PairBudget", self.snapshot(py)?)
    }
}
