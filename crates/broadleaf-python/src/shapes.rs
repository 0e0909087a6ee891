//! Boxes, spheres and points from the caller's arrays. What comes in 64 bits is
//! rounded outward, so that nothing that overlaps is missed.

use crate::input::{Rows, Slice};
use crate::refusal::{Checked, Layout, Refusal, ShapeArgument, refused};
use broadleaf::glam::{DVec3, Vec3};
use broadleaf::shape::WorldOrigin;
use broadleaf::{Aabb, Sphere};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::borrow::Cow;

/// The arrays of boxes or spheres: rows of six or four floats, or a tuple of two arrays of corners.
pub(crate) enum ShapeArrays<'py> {
    Rows(Rows<'py>),
    Corners(Rows<'py>, Rows<'py>),
}

/// The same in one piece, without the interpreter lock.
#[derive(Clone, Copy)]
pub(crate) enum ShapeSlices<'a> {
    Rows(usize, Slice<'a>),
    Corners(Slice<'a>, Slice<'a>),
}

/// Boxes or spheres, as the library takes them; not checked where they came in 32 bits.
pub(crate) enum Shapes<'a> {
    Boxes(Cow<'a, [[f32; 6]]>, Layout),
    Spheres(Cow<'a, [[f32; 4]]>, Layout),
}

impl<'py> ShapeArrays<'py> {
    /// Shapes of an argument; rows of three are allowed where points are. Only a tuple is corners:
    /// a list of two arrays may be two points or two boxes.
    pub(crate) fn of(object: &Bound<'py, PyAny>, argument: &ShapeArgument, widths: &[usize]) -> PyResult<Self> {
        if let Ok(corners) = object.cast::<PyTuple>()
            && corners.len() == 2
        {
            let [lower, upper] = argument.corner_names;
            let min = Rows::of(&corners.get_item(0)?, lower, &[3])?;
            let max = Rows::of(&corners.get_item(1)?, upper, &[3])?;
            max.expect_rows(min.count)?;
            return Ok(Self::Corners(min, max));
        }
        Ok(Self::Rows(Rows::of(object, argument.name, widths)?))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Rows(rows) | Self::Corners(rows, _) => rows.count,
        }
    }

    pub(crate) fn borrow(&self) -> PyResult<ShapeSlices<'_>> {
        Ok(match self {
            Self::Rows(rows) => ShapeSlices::Rows(rows.width, rows.borrow()?),
            Self::Corners(min, max) => ShapeSlices::Corners(min.borrow()?, max.borrow()?),
        })
    }
}

impl<'a> ShapeSlices<'a> {
    /// The boxes, of the 64-bit ones those around; or the spheres.
    pub(crate) fn resolve(self, argument: &ShapeArgument) -> Checked<Shapes<'a>> {
        let layout = argument.corners;
        match self {
            Self::Rows(6, slice) => Ok(Shapes::Boxes(boxes(slice, argument.boxes)?, argument.boxes)),
            Self::Rows(_, slice) => Ok(Shapes::Spheres(spheres(slice, argument.spheres)?, argument.spheres)),
            Self::Corners(Slice::Single(min), Slice::Single(max)) => {
                let both = min.as_chunks().0.iter().zip(max.as_chunks().0);
                Ok(Shapes::Boxes(both.map(|(&[a, b, c], &[d, e, f])| [a, b, c, d, e, f]).collect(), layout))
            }
            Self::Corners(min, max) => {
                let (min, max) = (min.doubles(), max.doubles());
                let both = min.iter().zip(&*max).enumerate();
                let outward = |(row, (&min, &max)): (usize, (&[f64; 3], &[f64; 3]))| around(layout, row, min, max);
                Ok(Shapes::Boxes(both.map(outward).collect::<Checked<_>>()?, layout))
            }
        }
    }
}

impl Slice<'_> {
    /// Rows of three floats of 64 bits.
    pub(crate) fn doubles(self) -> Vec<[f64; 3]> {
        match self {
            Self::Single(floats) => floats.as_chunks().0.iter().map(|row: &[f32; 3]| row.map(f64::from)).collect(),
            Self::Double(floats) => floats.as_chunks().0.to_vec(),
        }
    }
}

/// The world's own origin.
fn origin() -> Checked<WorldOrigin> {
    WorldOrigin::new(DVec3::ZERO).map_err(|error| Refusal::Broken(error.to_string()))
}

/// The smallest 32-bit box around a 64-bit one.
fn around(layout: Layout, row: usize, min: [f64; 3], max: [f64; 3]) -> Checked<[f32; 6]> {
    let aabb = origin()?.aabb(min.into(), max.into()).map_err(|error| refused(layout, row, error))?;
    Ok(aabb.into())
}

fn boxes(slice: Slice<'_>, layout: Layout) -> Checked<Cow<'_, [[f32; 6]]>> {
    match slice {
        Slice::Single(_) => Ok(slice.rows()),
        Slice::Double(floats) => {
            let outward = |(row, &[a, b, c, d, e, f]): (usize, &[f64; 6])| around(layout, row, [a, b, c], [d, e, f]);
            floats.as_chunks().0.iter().enumerate().map(outward).collect()
        }
    }
}

fn spheres(slice: Slice<'_>, layout: Layout) -> Checked<Cow<'_, [[f32; 4]]>> {
    match slice {
        Slice::Single(_) => Ok(slice.rows()),
        Slice::Double(floats) => {
            let origin = origin()?;
            let outward = |(row, &[x, y, z, radius]): (usize, &[f64; 4])| {
                let sphere = origin.sphere(DVec3::new(x, y, z), radius);
                sphere.map(<[f32; 4]>::from).map_err(|error| refused(layout, row, error))
            };
            floats.as_chunks().0.iter().enumerate().map(outward).collect()
        }
    }
}

/// Finite points: those of 32 bits as they are, those of 64 as the smallest boxes around them.
pub(crate) enum Points {
    Exact(Vec<Vec3>),
    Around(Vec<Aabb>),
}

pub(crate) fn points(slice: Slice<'_>, argument: &ShapeArgument) -> Checked<Points> {
    let refuse = |row: usize, column: usize, value: f64| {
        let message = format!("a coordinate must be finite, but is {value}");
        Refusal::Input { argument: argument.name.to_owned(), row: Some(row), column: Some(column), message }
    };
    match slice {
        Slice::Single(_) => {
            let exact = |(row, &point): (usize, &[f32; 3])| match point.iter().position(|x| !x.is_finite()) {
                Some(axis) => Err(refuse(row, axis, point[axis].into())),
                None => Ok(Vec3::from(point)),
            };
            Ok(Points::Exact(slice.rows::<3>().iter().enumerate().map(exact).collect::<Checked<_>>()?))
        }
        Slice::Double(floats) => {
            let outward = |(row, &point): (usize, &[f64; 3])| match point.iter().position(|x| !x.is_finite()) {
                Some(axis) => Err(refuse(row, axis, point[axis])),
                None => around(argument.points, row, point, point).map(Aabb::from),
            };
            Ok(Points::Around(floats.as_chunks().0.iter().enumerate().map(outward).collect::<Checked<_>>()?))
        }
    }
}

/// Boxes or spheres, checked.
pub(crate) enum Checks {
    Boxes(Vec<Aabb>),
    Spheres(Vec<Sphere>),
}

impl Shapes<'_> {
    /// Checks every shape, and makes them the library's.
    pub(crate) fn checked(self) -> Checked<Checks> {
        match self {
            Self::Boxes(boxes, layout) => {
                let checked = |(row, &floats): (usize, &[f32; 6])| {
                    let aabb = Aabb::from(floats);
                    aabb.check().map(|()| aabb).map_err(|error| refused(layout, row, error))
                };
                Ok(Checks::Boxes(boxes.iter().enumerate().map(checked).collect::<Checked<_>>()?))
            }
            Self::Spheres(spheres, layout) => {
                let checked = |(row, &floats): (usize, &[f32; 4])| {
                    let sphere = Sphere::from(floats);
                    sphere.check().map(|()| sphere).map_err(|error| refused(layout, row, error))
                };
                Ok(Checks::Spheres(spheres.iter().enumerate().map(checked).collect::<Checked<_>>()?))
            }
        }
    }
}
