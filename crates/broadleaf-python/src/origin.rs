//! Worlds of 64-bit coordinates.

use crate::answers::shaped;
use crate::input::{Rows, Slice, vector};
use crate::refusal::{Checked, SHAPES, bad, refused};
use broadleaf::glam::{DVec3, Vec3};
use broadleaf::shape::WorldOrigin;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

/// A point of a 64-bit world around which the 32-bit coordinates of a tree lie.
///
/// point: (x, y, z), finite. When the action has moved on, shift the tree by
/// ``Octree.shift_origin``, go on with ``shifted`` by the same vector, and update the objects
/// from their 64-bit shapes.
#[pyclass(frozen, name = "WorldOrigin", module = "broadleaf")]
pub(crate) struct PyWorldOrigin(WorldOrigin);

/// A point as Python has it.
type Point = (f64, f64, f64);

/// Rows of `N` floats of 64 bits.
fn doubles<const N: usize>(slice: Slice<'_>) -> Vec<[f64; N]> {
    match slice {
        Slice::Single(floats) => floats.as_chunks().0.iter().map(|row: &[f32; N]| row.map(f64::from)).collect(),
        Slice::Double(floats) => floats.as_chunks().0.to_vec(),
    }
}

#[pymethods]
impl PyWorldOrigin {
    #[new]
    fn new(point: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rows = Rows::of(point, "point", &[3])?;
        rows.expect_rows(1)?;
        let origin = WorldOrigin::new(DVec3::from_array(rows.borrow()?.doubles()[0]));
        Ok(Self(origin.map_err(|error| bad("point", error.to_string()))?))
    }

    /// The point of the world: (x, y, z).
    #[getter]
    fn point(&self) -> Point {
        self.0.point().into()
    }

    /// The smallest 32-bit boxes around 64-bit ones: float64 (n, 6) of the world, answer
    /// float32 (n, 6) relative to the origin. Raises ValueError naming row and column.
    fn boxes<'py>(&self, py: Python<'py>, shapes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = Rows::of(shapes, "shapes", &[6])?;
        let around = |(row, [a, b, c, d, e, f]): (usize, [f64; 6])| {
            let aabb = self.0.aabb(DVec3::new(a, b, c), DVec3::new(d, e, f));
            aabb.map(<[f32; 6]>::from).map_err(|error| refused(SHAPES.boxes, row, error))
        };
        let slice = rows.borrow()?;
        let boxes: Checked<Vec<[f32; 6]>> = py.detach(|| doubles(slice).into_iter().enumerate().map(around).collect());
        shaped(py, boxes?.into_flattened(), &[rows.count, 6])
    }

    /// 32-bit spheres around 64-bit ones, for which no overlap is missed: float64 (n, 4) of
    /// the world, answer float32 (n, 4) relative to the origin.
    fn spheres<'py>(&self, py: Python<'py>, shapes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = Rows::of(shapes, "shapes", &[4])?;
        let around = |(row, [x, y, z, radius]): (usize, [f64; 4])| {
            let sphere = self.0.sphere(DVec3::new(x, y, z), radius);
            sphere.map(<[f32; 4]>::from).map_err(|error| refused(SHAPES.spheres, row, error))
        };
        let slice = rows.borrow()?;
        let spheres: Checked<Vec<[f32; 4]>> =
            py.detach(|| doubles(slice).into_iter().enumerate().map(around).collect());
        shaped(py, spheres?.into_flattened(), &[rows.count, 4])
    }

    /// Points of the world relative to the origin, rounded to nearest: (n, 3), answer float32.
    fn to_local<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = Rows::of(points, "points", &[3])?;
        let (slice, local) = (rows.borrow()?, |point: [f64; 3]| self.0.to_local(point.into()).to_array());
        let local: Vec<f32> = py.detach(|| doubles::<3>(slice).into_iter().flat_map(local).collect());
        shaped(py, local, &[rows.count, 3])
    }

    /// Points relative to the origin as points of the world: (n, 3), answer float64.
    fn to_world<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = Rows::of(points, "points", &[3])?;
        let (slice, world) = (rows.borrow()?, |&point: &[f32; 3]| self.0.to_world(Vec3::from(point)).to_array());
        let world: Vec<f64> = py.detach(|| slice.rows::<3>().iter().flat_map(world).collect());
        Ok(world.into_pyarray(py).reshape([rows.count, 3])?.into_any())
    }

    /// The origin of a tree after ``Octree.shift_origin`` by the same vector, (x, y, z).
    fn shifted(&self, shift: &Bound<'_, PyAny>) -> PyResult<Self> {
        let origin = self.0.shifted(vector(shift, "shift")?.into());
        Ok(Self(origin.map_err(|error| bad("shift", error.to_string()))?))
    }

    fn __repr__(&self) -> String {
        let [x, y, z] = self.0.point().to_array();
        format!("WorldOrigin(({x}, {y}, {z}))")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Point,)) {
        (slf.get_type().into_any(), (slf.get().point(),))
    }
}
