//! Meshes: made of arrays, and the openings of questions about triangles.

use crate::answers::{Block, Data, shaped};
use crate::casts::Casts;
use crate::input::{Rows, Slice, as_array, integers};
use crate::inspect::Reduced;
use crate::mesh_query::{MeshCastQuery, MeshNearestQuery, MeshOverlapQuery};
use crate::nearest::finite_points;
use crate::options::{QueryStats, word};
use crate::refusal::{Checked, POINTS, Refusal, bad, refused_mesh};
use crate::regions::Regions;
use crate::threads::ThreadCount;
use broadleaf::mesh::{BuildQuality, Culling, MeshBuilder};
use broadleaf::{Mesh, Threads};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A static octree of triangles. It is built once, and only asked.
///
/// positions: (v, 3), world units; float64 is rounded to nearest: a touch within one float32 step
/// may be missed.
/// triangles: integers (t, 3), the corners of each as rows of positions; from the front
/// they run counter-clockwise.
/// threads: number of threads for the build; 1 is the calling thread, 0 one for each processor.
/// The mesh does not depend on it.
/// quality: "fast", a fast build; or "high", faster questions of a build that takes 9 to 24 times as long.
/// The answers are the same. A mesh that is read from a pickle is built fast.
///
/// Raises ValueError that names row and column: a coordinate that is not finite or beyond
/// 1e18, an index that names no position.
#[pyclass(frozen, name = "Mesh", module = "broadleaf")]
#[derive(Clone)]
pub(crate) struct PyMesh(pub(crate) Arc<Mesh>);

/// Which sides of triangles rays pass through.
pub(crate) fn culling_of(culling: &str) -> PyResult<Culling> {
    word("culling", culling, &[("none", Culling::None), ("back", Culling::Back), ("front", Culling::Front)])
}

fn builder_of(quality: &str) -> PyResult<MeshBuilder> {
    let quality = word("quality", quality, &[("fast", BuildQuality::Fast), ("high", BuildQuality::High)])?;
    Ok(Mesh::builder().quality(quality))
}

/// Indices of corners, from rows of three integers.
fn corners(triangles: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let array = as_array(triangles, "triangles")?;
    if !matches!(array.shape(), [_, 3] | [0]) {
        let shape = array.getattr("shape")?;
        return Err(bad("triangles", format!("the shape must be (t, 3), but is {shape}")).into());
    }
    integers::<u32>(&array, "triangles").map(|(indices, _)| indices)
}

/// Triangles of nine floats, as three corners each.
fn triangles_of(slice: Slice<'_>) -> Vec<[[f32; 3]; 3]> {
    let split = |row: &[f32; 9]| std::array::from_fn(|corner| std::array::from_fn(|axis| row[3 * corner + axis]));
    slice.rows::<9>().iter().map(split).collect()
}

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(signature = (positions, triangles, *, threads = 1, quality = "fast"))]
    fn new(
        positions: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        threads: usize,
        quality: &str,
    ) -> PyResult<Self> {
        let builder = builder_of(quality)?;
        let (py, rows, indices) = (positions.py(), Rows::of(positions, "positions", &[3])?, corners(triangles)?);
        let (slice, threads) = (rows.borrow()?, ThreadCount::new(threads));
        let mesh = py.detach(|| -> Checked<Mesh> {
            let positions = slice.rows::<3>();
            let build = |threads: Threads| builder.threads(threads).from_indexed(&positions, &indices);
            threads.run(build)?.map_err(|error| refused_mesh(error, 3))
        })?;
        Ok(Self(Arc::new(mesh)))
    }

    /// The mesh of triangles that share no positions: (t, 3, 3), or (t, 9).
    #[staticmethod]
    #[pyo3(signature = (triangles, *, threads = 1, quality = "fast"))]
    fn from_triangles(triangles: &Bound<'_, PyAny>, threads: usize, quality: &str) -> PyResult<Self> {
        let builder = builder_of(quality)?;
        let (py, rows) = (triangles.py(), Rows::of(triangles, "triangles", &[9])?);
        let (slice, threads) = (rows.borrow()?, ThreadCount::new(threads));
        let mesh = py.detach(|| -> Checked<Mesh> {
            let triangles = triangles_of(slice);
            let build = |threads: Threads| builder.threads(threads).from_triangles(&triangles);
            threads.run(build)?.map_err(|error| refused_mesh(error, 9))
        })?;
        Ok(Self(Arc::new(mesh)))
    }

    /// The mesh of a ``trimesh.Trimesh``, or of anything with ``vertices`` and ``faces``.
    #[staticmethod]
    #[pyo3(signature = (mesh, *, threads = 1, quality = "fast"))]
    fn from_trimesh(mesh: &Bound<'_, PyAny>, threads: usize, quality: &str) -> PyResult<Self> {
        Self::new(&mesh.getattr("vertices")?, &mesh.getattr("faces")?, threads, quality)
    }

    /// How many triangles there are, those without an area included.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<broadleaf.Mesh of {} triangles>", self.0.len())
    }

    /// Triangles that have no area. No question finds them.
    #[getter]
    fn degenerate_count(&self) -> usize {
        self.0.degenerate_count()
    }

    /// The smallest box around the triangles that have an area: float32 (6,); None if
    /// there are none.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.bounds().map(|bounds| shaped(py, <[f32; 6]>::from(bounds).to_vec(), &[6])).transpose()
    }

    /// Bytes on the heap.
    fn memory(&self) -> usize {
        self.0.memory()
    }

    /// The triangles in the order of the input: float32 (t, 3, 3).
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mesh = &self.0;
        let floats: Vec<f32> = py.detach(|| {
            let rows = (0..).take(mesh.len()).filter_map(|row| mesh.triangle(row));
            rows.flat_map(|triangle| <[[f32; 3]; 3]>::from(triangle).into_iter().flatten()).collect()
        });
        let count = floats.len() / 9;
        shaped(py, floats, &[count, 3, 3])
    }

    /// The leaves in columns (``Leaves``), in the order of the tree: for drawing and tuning.
    fn leaves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mesh = &self.0;
        let (block, rows) = py.detach(|| {
            let mut leaves = Vec::new();
            mesh.leaves(|leaf| {
                leaves.push(leaf);
                ControlFlow::Continue(())
            });
            let columns = vec![
                (Data::F32(leaves.iter().flat_map(|leaf| <[f32; 6]>::from(leaf.bounds)).collect()), 6),
                (Data::U32(leaves.iter().map(|leaf| leaf.depth).collect()), 1),
                (Data::U32(leaves.iter().map(|leaf| leaf.triangles).collect()), 1),
            ];
            (Block::named("Leaves", columns), leaves.len())
        });
        block.into_py(py, &[rows])
    }

    /// Checks every invariant of the mesh; for tests. Raises BrokenTreeError, which would
    /// be a fault of this package.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        let mesh = &self.0;
        Ok(py.detach(|| mesh.validate().map_err(|broken| Refusal::Broken(broken.to_string())))?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, Bound<'py, PyAny>>> {
        Ok((py.import("broadleaf._pickle")?.getattr("restore")?, ("Mesh", self.triangles(py)?)))
    }

    /// Asks what Rays hit, or what Sweeps touch.
    ///
    /// within: no farther than this, in world units (of Sweeps, a time from 0 to 1). Of a negative
    /// bound or NaN there is no answer and no error.
    /// culling: which sides of triangles rays pass through: "none", "back" or "front".
    /// threads: 1 is the calling thread, 0 one for each processor.
    #[pyo3(signature = (casts, *, within = f32::INFINITY, culling = "none", threads = 1, stats = None))]
    fn cast(
        &self,
        casts: &Bound<'_, PyAny>,
        within: f32,
        culling: &str,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<MeshCastQuery> {
        let (casts, culling) = (Casts::of(casts)?, culling_of(culling)?);
        Ok(MeshCastQuery { mesh: self.0.clone(), casts, within, culling, threads: ThreadCount::new(threads), stats })
    }

    /// Asks which triangles share a point with regions: points (q, 3), boxes (q, 6),
    /// (q, 2, 3) or a tuple (lower, upper) of two arrays (q, 3), spheres (q, 4), Frusta, Obbs,
    /// Capsules. float64 arrays are rounded outward; the classes tell of theirs. Positions were
    /// rounded to nearest.
    ///
    /// Raises ValueError that names the first illegal row.
    #[pyo3(signature = (regions, *, threads = 1, stats = None))]
    fn overlap(
        &self,
        regions: &Bound<'_, PyAny>,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<MeshOverlapQuery> {
        let regions = Regions::of(regions)?.for_meshes()?;
        Ok(MeshOverlapQuery { mesh: self.0.clone(), regions, threads: ThreadCount::new(threads), stats })
    }

    /// Asks for the points of the mesh that are closest to points (q, 3), or whether these
    /// lie inside. float64 is rounded to nearest.
    ///
    /// within: no farther than this, in world units. Of a negative bound or NaN there is no answer
    /// and no error.
    #[pyo3(signature = (points, *, within = f32::INFINITY, threads = 1, stats = None))]
    fn nearest(
        &self,
        points: &Bound<'_, PyAny>,
        within: f32,
        threads: usize,
        stats: Option<Py<QueryStats>>,
    ) -> PyResult<MeshNearestQuery> {
        let rows = Rows::of(points, "points", &[3])?;
        let slice = rows.borrow()?;
        let points = rows.py().detach(|| finite_points(slice, &POINTS))?;
        Ok(MeshNearestQuery { mesh: self.0.clone(), points, within, threads: ThreadCount::new(threads), stats })
    }
}
