//! Regions to ask with: arrays of points, boxes and spheres, and the classes of
//! what takes more than one array.

use crate::input::{Column, Rows, Slice, as_array, vector};
use crate::options::word;
use crate::refusal::{Checked, Layout, REGIONS, bad, bad_row, refused};
use crate::shapes::{Checks, Points, ShapeArrays, ShapeSlices, points};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::shape::{Capsule, ConvexRegion, Obb, Plane};
use broadleaf::{Aabb, ClipDepth, Frustum, Sphere};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use std::sync::Arc;

/// Regions of one kind, checked.
#[derive(Clone)]
pub(crate) enum Regions {
    Points(Arc<Vec<Vec3>>),
    Boxes(Arc<Vec<Aabb>>),
    Spheres(Arc<Vec<Sphere>>),
    Frusta(Arc<Vec<Frustum>>),
    Obbs(Arc<Vec<Obb>>),
    Capsules(Arc<Vec<Capsule>>),
    Convex(Arc<Vec<ConvexRegion>>),
}

/// Runs the same code for regions of each kind.
macro_rules! for_regions {
    ($regions:expr, $list:ident => $body:expr) => {
        match $regions {
            $crate::regions::Regions::Points($list) => $body,
            $crate::regions::Regions::Boxes($list) => $body,
            $crate::regions::Regions::Spheres($list) => $body,
            $crate::regions::Regions::Frusta($list) => $body,
            $crate::regions::Regions::Obbs($list) => $body,
            $crate::regions::Regions::Capsules($list) => $body,
            $crate::regions::Regions::Convex($list) => $body,
        }
    };
}
pub(crate) use for_regions;

impl Regions {
    /// Regions of a class of this module, or of arrays.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(frusta) = object.cast::<Frusta>() {
            return Ok(Self::Frusta(frusta.get().0.clone()));
        }
        if let Ok(obbs) = object.cast::<Obbs>() {
            return Ok(Self::Obbs(obbs.get().0.clone()));
        }
        if let Ok(capsules) = object.cast::<Capsules>() {
            return Ok(Self::Capsules(capsules.get().0.clone()));
        }
        if let Ok(convex) = object.cast::<ConvexRegions>() {
            return Ok(Self::Convex(convex.get().0.clone()));
        }
        let arrays = ShapeArrays::of(object, &REGIONS, &[3, 4, 6])?;
        let slices = arrays.borrow()?;
        Ok(object.py().detach(|| Self::of_slices(slices))?)
    }

    fn of_slices(slices: ShapeSlices<'_>) -> Checked<Self> {
        if let ShapeSlices::Rows(3, slice) = slices {
            return Ok(match points(slice, &REGIONS)? {
                Points::Around(boxes) => Self::Boxes(Arc::new(boxes)),
                Points::Exact(points) => Self::Points(Arc::new(points)),
            });
        }
        Ok(match slices.resolve(&REGIONS)?.checked()? {
            Checks::Boxes(boxes) => Self::Boxes(Arc::new(boxes)),
            Checks::Spheres(spheres) => Self::Spheres(Arc::new(spheres)),
        })
    }

    /// What meshes know: points become boxes without extent.
    pub(crate) fn for_meshes(&self) -> Checked<Self> {
        match self {
            Self::Points(points) => {
                Ok(Self::Boxes(Arc::new(points.iter().map(|&point| Aabb::new(point, point)).collect())))
            }
            Self::Convex(_) => Err(bad("regions", "meshes know points, boxes, spheres, Frusta, Obbs and Capsules")),
            known => Ok(known.clone()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        for_regions!(self, list => list.len())
    }
}

/// Reads rows of an array into checked shapes, without the interpreter lock.
fn each_row<const N: usize, T: Send>(
    rows: &Rows<'_>,
    make: impl Fn(usize, &[f32; N]) -> Checked<T> + Sync,
) -> PyResult<Arc<Vec<T>>> {
    let slice = rows.borrow()?;
    let made = || slice.rows::<N>().iter().enumerate().map(|(row, floats)| make(row, floats)).collect::<Checked<_>>();
    Ok(Arc::new(rows.py().detach(made)?))
}

/// View frusta: n regions, each in front of six planes.
///
/// Make them by ``from_planes``, ``from_view_projection`` or ``from_screen_rectangle``.
/// Numbers of 64 bits are rounded to nearest: a touch within one float32 step may be missed.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct Frusta(pub(crate) Arc<Vec<Frustum>>);

fn depth_of(depth: &str) -> PyResult<ClipDepth> {
    word("depth", depth, &[("zero_to_one", ClipDepth::ZeroToOne), ("negative_one_to_one", ClipDepth::NegativeOneToOne)])
}

/// A matrix in rows of four, as numpy has it, in columns.
fn columns(matrix: &[f32; 16]) -> [[f32; 4]; 4] {
    std::array::from_fn(|column| std::array::from_fn(|row| matrix[4 * row + column]))
}

#[pymethods]
impl Frusta {
    /// Frusta of planes: an array (n, 6, 4) or (n, 24). A plane is nx, ny, nz, offset; a
    /// point p is in front of it if ``n . p + offset >= 0``. Normals need not have length one.
    #[staticmethod]
    fn from_planes(planes: &Bound<'_, PyAny>) -> PyResult<Self> {
        const LAYOUT: Layout = &[("normal", "planes", 0), ("offset", "planes", 3)];
        let rows = Rows::of(planes, "planes", &[24])?;
        let make = |row: usize, floats: &[f32; 24]| {
            let mut planes = [Plane::new(Vec3::ZERO, 0.0); 6];
            planes.iter_mut().zip(floats.as_chunks().0).for_each(|(plane, &floats)| *plane = Plane::from(floats));
            Frustum::from_planes(planes).map_err(|error| refused(LAYOUT, row, error))
        };
        Ok(Self(each_row(&rows, make)?))
    }

    /// What cameras see: their projection times view matrices, an array (n, 4, 4), or (4, 4)
    /// for one, that takes column vectors (``clip = matrix @ [x, y, z, 1]``).
    ///
    /// depth: "zero_to_one" (Direct3D, Vulkan, WebGPU) or "negative_one_to_one" (OpenGL).
    #[staticmethod]
    #[pyo3(signature = (matrices, depth = "zero_to_one"))]
    fn from_view_projection(matrices: &Bound<'_, PyAny>, depth: &str) -> PyResult<Self> {
        Self::of_screen(matrices, depth, Frustum::from_view_projection)
    }

    /// What cameras see through a rectangle of the screen, in normalised device
    /// coordinates: ``low`` and ``high`` are (x, y), -1 to 1 from left to right and from
    /// bottom to top. ``low == high`` gives the line of sight through a point.
    #[staticmethod]
    #[pyo3(signature = (matrices, low, high, depth = "zero_to_one"))]
    fn from_screen_rectangle(
        matrices: &Bound<'_, PyAny>,
        low: &Bound<'_, PyAny>,
        high: &Bound<'_, PyAny>,
        depth: &str,
    ) -> PyResult<Self> {
        let (low, high): ([f32; 2], [f32; 2]) = (vector(low, "low")?, vector(high, "high")?);
        for (argument, corner) in [("low", low), ("high", high)] {
            if let Some(value) = corner.iter().find(|x| !x.is_finite()) {
                return Err(bad(argument, format!("a coordinate must be finite, but is {value}")).into());
            }
        }
        if low[0] > high[0] || low[1] > high[1] {
            return Err(bad("low", format!("{low:?} must not be above high, which is {high:?}")).into());
        }
        Self::of_screen(matrices, depth, |matrix, depth| Frustum::from_screen_rectangle(matrix, depth, low, high))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The planes: float32 (n, 6, 4), their normals of length one.
    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let planes = || self.0.iter().flat_map(|frustum| frustum.planes().map(<[f32; 4]>::from)).flatten().collect();
        let floats: Vec<f32> = py.detach(planes);
        crate::answers::shaped(py, floats, &[self.0.len(), 6, 4])
    }
}

impl Frusta {
    fn of_screen(
        matrices: &Bound<'_, PyAny>,
        depth: &str,
        make: impl Fn([[f32; 4]; 4], ClipDepth) -> Result<Frustum, broadleaf::Error> + Sync,
    ) -> PyResult<Self> {
        const LAYOUT: Layout = &[("matrix", "matrices", 0)];
        let depth = depth_of(depth)?;
        let array = as_array(matrices, "matrices")?;
        let matrices =
            if array.shape() == [4, 4] { array.call_method1("reshape", ((1, 16),))? } else { array.into_any() };
        let rows = Rows::of(&matrices, "matrices", &[16])?;
        let make =
            |row: usize, floats: &[f32; 16]| make(columns(floats), depth).map_err(|error| refused(LAYOUT, row, error));
        Ok(Self(each_row(&rows, make)?))
    }
}

/// Oriented boxes: n boxes that are turned.
///
/// centers: (n, 3). half_extents: (n, 3). rotations: (n, 4), quaternions x, y, z, w as
/// scipy's ``Rotation.as_quat`` gives them; they need not have length one. Of 64-bit
/// arrays the boxes are enlarged by what rounding may take from them.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct Obbs(pub(crate) Arc<Vec<Obb>>);

#[pymethods]
impl Obbs {
    #[new]
    fn new(
        centers: &Bound<'_, PyAny>,
        half_extents: &Bound<'_, PyAny>,
        rotations: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        const LAYOUT: Layout =
            &[("center", "centers", 0), ("half_extents", "half_extents", 0), ("rotation", "rotations", 0)];
        let (py, centers) = (centers.py(), Rows::of(centers, "centers", &[3])?);
        let (extents, rotations) =
            (Rows::of(half_extents, "half_extents", &[3])?, Rows::of(rotations, "rotations", &[4])?);
        extents.expect_rows(centers.count)?;
        rotations.expect_rows(centers.count)?;
        let (centers, extents, rotations) = (centers.borrow()?, extents.borrow()?, rotations.borrow()?);
        let is_double = [centers, extents, rotations].iter().any(|slice| matches!(slice, Slice::Double(_)));
        let make = |center: [f32; 3], extent: [f32; 3], rotation: [f32; 4]| {
            let (center, mut extent) = (Vec3::from(center), Vec3::from(extent));
            if is_double {
                // Half a unit in the last place each of the centre, the extents and the turn, and to spare.
                let size = center.abs().max_element() + extent.abs().max_element();
                // A negative extent stays one, to be refused.
                let grown = extent + size * 4.0 * f32::EPSILON;
                extent = Vec3::select(extent.cmpge(Vec3::ZERO), grown, extent);
            }
            Obb::new(center, extent, Quat::from_array(rotation))
        };
        let obbs: Checked<Vec<Obb>> = py.detach(|| {
            let (centers, extents, rotations) = (centers.rows::<3>(), extents.rows::<3>(), rotations.rows::<4>());
            let obb = |row: usize| {
                make(centers[row], extents[row], rotations[row]).map_err(|error| refused(LAYOUT, row, error))
            };
            (0..centers.len()).map(obb).collect()
        });
        Ok(Self(Arc::new(obbs?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Capsules: the points within a radius of n segments.
///
/// starts: (n, 3). ends: (n, 3). radii: (n,) or one float. If one of the arrays has 64 bits, or
/// the float has no exact value of 32, the capsules are enlarged by what rounding may take from them.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct Capsules(pub(crate) Arc<Vec<Capsule>>);

#[pymethods]
impl Capsules {
    #[new]
    fn new(starts: &Bound<'_, PyAny>, ends: &Bound<'_, PyAny>, radii: &Bound<'_, PyAny>) -> PyResult<Self> {
        const LAYOUT: Layout = &[("a", "starts", 0), ("b", "ends", 0), ("radius", "radii", 0)];
        let (starts, ends) = (Rows::of(starts, "starts", &[3])?, Rows::of(ends, "ends", &[3])?);
        ends.expect_rows(starts.count)?;
        let (radii, are_rounded) = rounded_column(radii, "radii", starts.count)?;
        let (py, starts, ends) = (starts.py(), starts.borrow()?, ends.borrow()?);
        let is_double = are_rounded || [starts, ends].iter().any(|slice| matches!(slice, Slice::Double(_)));
        let make = |a: [f32; 3], b: [f32; 3], mut radius: f32| {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            if is_double && radius >= 0.0 {
                let size = a.abs().max_element().max(b.abs().max_element()) + radius;
                radius += size * 4.0 * f32::EPSILON;
            }
            Capsule::new(a, b, radius)
        };
        let capsules: Checked<Vec<Capsule>> = py.detach(|| {
            let (starts, ends) = (starts.rows::<3>(), ends.rows::<3>());
            let capsule =
                |row: usize| make(starts[row], ends[row], radii.get(row)).map_err(|error| refused(LAYOUT, row, error));
            (0..starts.len()).map(capsule).collect()
        });
        Ok(Self(Arc::new(capsules?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Convex regions: the points in front of all planes of each.
///
/// planes: (m, 4), each nx, ny, nz, offset; a point p is in front if ``n . p + offset >= 0``.
/// offsets: (n + 1,), where the planes of each region begin, as in the answers of this
/// package; None makes one region of all planes. Numbers of 64 bits are rounded to nearest:
/// a touch within one float32 step may be missed.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct ConvexRegions(pub(crate) Arc<Vec<ConvexRegion>>);

#[pymethods]
impl ConvexRegions {
    #[new]
    #[pyo3(signature = (planes, offsets = None))]
    fn new(planes: &Bound<'_, PyAny>, offsets: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let rows = Rows::of(planes, "planes", &[4])?;
        let offsets = match offsets {
            Some(offsets) => crate::input::integers::<u64>(offsets, "offsets")?.0,
            None => vec![0, rows.count as u64],
        };
        if offsets.is_empty() {
            return Err(bad("offsets", "n + 1 offsets are needed, so at least one").into());
        }
        let slice = rows.borrow()?;
        let regions = rows.py().detach(|| {
            let planes: Vec<Plane> = slice.rows::<4>().iter().map(|&floats| Plane::from(floats)).collect();
            offsets
                .windows(2)
                .enumerate()
                .map(|(row, range)| convex_region(&planes, row, range))
                .collect::<Checked<_>>()
        });
        Ok(Self(Arc::new(regions?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// The region of this row: in front of the planes of a range.
fn convex_region(planes: &[Plane], row: usize, range: &[u64]) -> Checked<ConvexRegion> {
    let [from, to] = [range[0], range[1]].map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
    let planes_of = planes
        .get(from..to)
        .ok_or_else(|| bad_row("offsets", row, format!("{from} to {to} is no range of the {} planes", planes.len())))?;
    ConvexRegion::new(planes_of).map_err(|error| match error {
        broadleaf::Error::DegeneratePlane { index } => bad_row("planes", from + index, "the plane has no normal"),
        error => bad_row("offsets", row, error.to_string()),
    })
}

/// A column of floats: one for all rows, or one a row.
pub(crate) fn float_column(object: &Bound<'_, PyAny>, argument: &'static str, count: usize) -> PyResult<Column<f32>> {
    Ok(rounded_column(object, argument, count)?.0)
}

/// The same, and whether rounding to 32 bits may have changed a value.
fn rounded_column(object: &Bound<'_, PyAny>, argument: &'static str, count: usize) -> PyResult<(Column<f32>, bool)> {
    if let Ok(value) = object.extract::<f64>() {
        #[expect(clippy::cast_possible_truncation, reason = "rounded to nearest")]
        let rounded = value as f32;
        return Ok((Column::One(rounded), f64::from(rounded) != value));
    }
    let rows = as_array(object, argument)?.call_method1("reshape", ((-1, 1),))?;
    let rows = Rows::of(&rows, argument, &[1])?;
    rows.expect_rows(count)?;
    let slice = rows.borrow()?;
    let values = slice.rows::<1>().iter().map(|&[value]| value).collect();
    Ok((Column::Each(values), matches!(slice, Slice::Double(_))))
}
