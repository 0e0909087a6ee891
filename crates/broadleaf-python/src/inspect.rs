//! The tree: what it tells of itself, copies, snapshots.

use crate::answers::{Block, Data, named};
use crate::input::Ids;
use crate::refusal::{Checked, Refusal};
use crate::tree::{PyOctree, living};
use broadleaf::{Handle, Mobility, Object, Octree, Shape};
use numpy::{IntoPyArray, PyArray1};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// The columns of objects: the named tuple `Objects`.
pub(crate) fn object_block(objects: &[(Handle, Object)]) -> Block {
    let shapes = objects.iter().map(|(_, object)| object.shape);
    let boxes = shapes.clone().flat_map(|shape| <[f32; 6]>::from(shape.aabb())).collect();
    let spheres = shapes.flat_map(|shape| match shape {
        Shape::Sphere(sphere) => sphere.into(),
        _ => [f32::NAN; 4],
    });
    let objects_of = || objects.iter().map(|(_, object)| object);
    Block::named(
        "Objects",
        vec![
            (Data::U64(objects.iter().map(|(handle, _)| handle.to_bits()).collect()), 1),
            (Data::F32(boxes), 6),
            (Data::F32(spheres.collect()), 4),
            (Data::U32(objects_of().map(|object| object.layers.memberships).collect()), 1),
            (Data::U32(objects_of().map(|object| object.layers.filters).collect()), 1),
            (Data::Bool(objects_of().map(|object| object.mobility == Mobility::Static).collect()), 1),
            (Data::U64(objects_of().map(|object| object.user_data).collect()), 1),
        ],
    )
}

#[pymethods]
impl PyOctree {
    /// Settings of the classic strict octree: full containment, cells of at least one
    /// unit, no subdivision for a lone object.
    #[staticmethod]
    fn strict() -> PyResult<Self> {
        let tree = Octree::new(broadleaf::Config::strict());
        Ok(Self::of(tree.map_err(|error| Refusal::Broken(error.to_string()))?))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |tree| Ok(tree.len()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<broadleaf.Octree of {} objects>", self.__len__(py)?))
    }

    /// The settings, as a named tuple.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let config = self.read(py, |tree| Ok(tree.config()))?;
        let floats = [config.looseness, config.smallest_cell, config.margin.absolute, config.margin.relative];
        let [looseness, cell, absolute, relative] = floats.map(|value| value.into_bound_py_any(py));
        let (capacity, depth) =
            (config.leaf_capacity.into_bound_py_any(py)?, config.depth_limit.into_bound_py_any(py)?);
        named(py, "Config", [looseness?, cell?, capacity, depth, absolute?, relative?])
    }

    /// The ids of all objects: uint64 (n,), lowest slot first.
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let list = self.read(py, |tree| Ok(tree.iter().map(|(handle, _)| handle.to_bits()).collect::<Vec<_>>()))?;
        Ok(list.into_pyarray(py))
    }

    /// Which ids name living objects: ids uint64 (n,), answer bool (n,).
    fn contains<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?.ids;
        let lives = |tree: &Octree, id: u64| Handle::from_bits(id).is_some_and(|handle| tree.contains(handle));
        let list = self.read(py, |tree| Ok(ids.iter().map(|&id| lives(tree, id)).collect::<Vec<bool>>()))?;
        Ok(list.into_pyarray(py))
    }

    /// Objects as they were last set, in columns (``Objects``): of the ids, uint64 (n,), in
    /// their order; of all objects if None, lowest slot first. Raises StaleIdError.
    #[pyo3(signature = (ids = None))]
    fn objects<'py>(&self, py: Python<'py>, ids: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let given = ids.map(|ids| Ids::of(ids, "ids", 1)).transpose()?;
        let ids = given.as_ref().map(Ids::borrow).transpose()?;
        let (block, count) = self.read(py, |tree| {
            let objects: Vec<(Handle, Object)> = match ids {
                None => tree.iter().collect(),
                Some(ids) => {
                    let described = |handle| tree.get(handle).map(|object| (handle, object));
                    living(tree, ids)?.into_iter().filter_map(described).collect()
                }
            };
            Ok((object_block(&objects), objects.len()))
        })?;
        block.into_py(py, &[count])
    }

    /// Makes room for so many more objects.
    ///
    /// Raises ValueError if a tree cannot hold as many. If the memory does not suffice, the process
    /// ends: no exception is raised.
    fn reserve(&self, py: Python<'_>, objects: usize) -> PyResult<()> {
        // More than a tree can number would end the process, not the call.
        if objects > 1 << 28 {
            return Err(crate::refusal::bad("objects", format!("{objects} are more than a tree can hold")).into());
        }
        Ok(py.detach(|| -> Checked<()> {
            self.shared.write()?.tree.reserve(objects);
            Ok(())
        })?)
    }

    /// Frees memory that is not in use.
    fn shrink_to_fit(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| -> Checked<()> {
            self.shared.write()?.tree.shrink_to_fit();
            Ok(())
        })?)
    }

    /// Bytes allocated, by kind, as a named tuple.
    fn memory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let memory = self.read(py, |tree| Ok(tree.memory()))?;
        let fields = [memory.nodes, memory.blocks, memory.objects, memory.scratch, memory.total()];
        named(
            py,
            "MemoryUse",
            fields.map(|field| field.into_bound_py_any(py)).into_iter().collect::<PyResult<Vec<_>>>()?,
        )
    }

    /// What the tree has done and how it stands, as a named tuple.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let counters = self.read(py, |tree| Ok(tree.counters()))?;
        let fields = [
            counters.nodes_live as u64,
            counters.nodes_free as u64,
            counters.nodes_reused,
            counters.nodes_peak as u64,
            counters.blocks_live as u64,
            counters.blocks_free as u64,
            counters.blocks_reused,
            counters.blocks_peak as u64,
            counters.outsized as u64,
            counters.rebuilds,
            counters.placements,
            counters.relocations,
            counters.splits,
            counters.merges,
            counters.refits,
            counters.reruns,
            counters.growths,
        ];
        named(
            py,
            "Counters",
            fields.map(|field| field.into_bound_py_any(py)).into_iter().collect::<PyResult<Vec<_>>>()?,
        )
    }

    /// Checks every invariant of the tree; for tests. Raises BrokenTreeError, which would
    /// be a fault of this package.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        self.read(py, |tree| tree.validate().map_err(|broken| Refusal::Broken(broken.to_string())))
    }

    /// A hash of all that decides what the tree does next: equal on every machine after
    /// the same calls.
    fn state_hash(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, |tree| Ok(tree.state_hash()))
    }

    /// A copy that goes on like the original: the same answers in the same order.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::of(self.read(py, |tree| Ok(tree.clone()))?))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    /// Becomes a copy of another tree, in the memory that is there: for rollback.
    fn copy_from(&self, py: Python<'_>, other: PyRef<'_, Self>) -> PyResult<()> {
        let (to, from) = (self.shared.clone(), other.shared.clone());
        if Arc::ptr_eq(&to, &from) {
            return Ok(());
        }
        Ok(py.detach(move || -> Checked<()> {
            // Two copies in opposite directions take the locks in one order.
            let (source, mut target) = if Arc::as_ptr(&to) < Arc::as_ptr(&from) {
                let target = to.write()?;
                (from.read()?, target)
            } else {
                (from.read()?, to.write()?)
            };
            target.tree.clone_from(&source.tree);
            target.version += 1;
            Ok(())
        })?)
    }

    /// The tree as bytes, with a checksum. A release reads what it writes.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.read(py, |tree| {
            let mut bytes = Vec::new();
            tree.snapshot_into(&mut bytes);
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The tree of a snapshot; it goes on bit for bit like the original. Raises
    /// SnapshotError for bytes that are none: nothing is used before it is checked.
    #[staticmethod]
    fn from_snapshot(py: Python<'_>, snapshot: &[u8]) -> PyResult<Self> {
        let tree = py.detach(|| Octree::from_snapshot(snapshot));
        Ok(Self::of(tree.map_err(|error| Refusal::Snapshot(error.to_string()))?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "Octree", self.snapshot(py)?)
    }
}

/// What pickle keeps: a function, and its arguments.
pub(crate) type Reduced<'py, T = Bound<'py, PyBytes>> = (Bound<'py, PyAny>, (&'static str, T));

/// An object as its class and its snapshot.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    class: &'static str,
    snapshot: Bound<'py, PyBytes>,
) -> PyResult<Reduced<'py>> {
    Ok((py.import("broadleaf._pickle")?.getattr("restore")?, (class, snapshot)))
}
