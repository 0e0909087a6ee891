//! Casts to ask with: rays, and boxes and spheres that move.

use crate::input::Rows;
use crate::refusal::{Checked, Layout, SHAPES, refused};
use crate::regions::float_column;
use crate::shapes::{ShapeArrays, Shapes};
use broadleaf::{Aabb, Ray, Sphere, Sweep};
use pyo3::prelude::*;
use std::sync::Arc;

/// Casts of one kind.
#[derive(Clone)]
pub(crate) enum Casts {
    Rays(Arc<Vec<Ray>>),
    Sweeps(Arc<Vec<Sweep>>),
}

impl Casts {
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(rays) = object.cast::<Rays>() {
            return Ok(Self::Rays(rays.get().0.clone()));
        }
        if let Ok(sweeps) = object.cast::<Sweeps>() {
            return Ok(Self::Sweeps(sweeps.get().0.clone()));
        }
        let kind = object.get_type().name()?;
        Err(pyo3::exceptions::PyTypeError::new_err(format!("casts: Rays or Sweeps are needed, not {kind}")))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Rays(rays) => rays.len(),
            Self::Sweeps(sweeps) => sweeps.len(),
        }
    }
}

/// Rays: n half-lines, or segments.
///
/// origins: (n, 3), world units. directions: (n, 3), of any length but zero. distance_max:
/// how far each reaches, (n,) or one float; None for no end. The end belongs to the ray.
/// Numbers of 64 bits are rounded to nearest: a touch within one float32 step may be missed.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct Rays(pub(crate) Arc<Vec<Ray>>);

#[pymethods]
impl Rays {
    #[new]
    #[pyo3(signature = (origins, directions, distance_max = None))]
    fn new(
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        distance_max: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        const LAYOUT: Layout =
            &[("direction", "directions", 0), ("origin", "origins", 0), ("distance_max", "distance_max", 0)];
        let (origins, directions) = (Rows::of(origins, "origins", &[3])?, Rows::of(directions, "directions", &[3])?);
        directions.expect_rows(origins.count)?;
        let reach = distance_max.map(|reach| float_column(reach, "distance_max", origins.count)).transpose()?;
        let py = origins.py();
        let (origins, directions) = (origins.borrow()?, directions.borrow()?);
        let rays: Checked<Vec<Ray>> = py.detach(|| {
            let (origins, directions) = (origins.rows::<3>(), directions.rows::<3>());
            let make = |(row, (&origin, &direction))| {
                let ray = Ray::new(origin, direction);
                let ray = ray.and_then(|ray| match &reach {
                    Some(reach) => ray.with_distance_max(reach.get(row)),
                    None => Ok(ray),
                });
                ray.map_err(|error| refused(LAYOUT, row, error))
            };
            origins.iter().zip(&*directions).enumerate().map(make).collect()
        });
        Ok(Self(Arc::new(rays?)))
    }

    /// Segments between two points each; both ends belong to them.
    ///
    /// starts: (n, 3). ends: (n, 3), other points than the starts.
    #[staticmethod]
    fn segments(starts: &Bound<'_, PyAny>, ends: &Bound<'_, PyAny>) -> PyResult<Self> {
        const LAYOUT: Layout = &[("to", "ends", 0), ("from", "starts", 0), ("direction", "ends", 0)];
        let (starts, ends) = (Rows::of(starts, "starts", &[3])?, Rows::of(ends, "ends", &[3])?);
        ends.expect_rows(starts.count)?;
        let (py, starts, ends) = (starts.py(), starts.borrow()?, ends.borrow()?);
        let rays: Checked<Vec<Ray>> = py.detach(|| {
            let (starts, ends) = (starts.rows::<3>(), ends.rows::<3>());
            let make = |(row, (&start, &end))| Ray::segment(start, end).map_err(|error| refused(LAYOUT, row, error));
            starts.iter().zip(&*ends).enumerate().map(make).collect()
        });
        Ok(Self(Arc::new(rays?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Sweeps: n boxes or spheres that move without turning.
///
/// shapes: boxes (n, 6) or (n, 2, 3), spheres (n, 4), or a tuple (lower, upper) of two arrays
/// (n, 3); finite.
/// motions: (n, 3), from the start to the end. Time runs from 0 to 1. Shapes of 64 bits
/// are rounded outward, motions to nearest.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct Sweeps(pub(crate) Arc<Vec<Sweep>>);

#[pymethods]
impl Sweeps {
    #[new]
    fn new(shapes: &Bound<'_, PyAny>, motions: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = shapes.py();
        let (shapes, motions) = (ShapeArrays::of(shapes, &SHAPES, &[6, 4])?, Rows::of(motions, "motions", &[3])?);
        motions.expect_rows(shapes.len())?;
        let (shapes, motions) = (shapes.borrow()?, motions.borrow()?);
        let sweeps: Checked<Vec<Sweep>> = py.detach(|| {
            let motions = motions.rows::<3>();
            let refuse = |layout: Layout, row: usize, error: broadleaf::Error| {
                let is_motion = matches!(error, broadleaf::Error::NotANumber { field } | broadleaf::Error::NotFinite { field, .. } if field.starts_with("motion"));
                refused(if is_motion { &[("motion", "motions", 0)] } else { layout }, row, error)
            };
            match shapes.resolve(&SHAPES)? {
                Shapes::Boxes(boxes, layout) => {
                    let make = |(row, (&floats, &motion)): (usize, (&[f32; 6], &[f32; 3]))| {
                        Sweep::aabb(Aabb::from(floats), motion).map_err(|error| refuse(layout, row, error))
                    };
                    boxes.iter().zip(&*motions).enumerate().map(make).collect()
                }
                Shapes::Spheres(spheres, layout) => {
                    let make = |(row, (&floats, &motion)): (usize, (&[f32; 4], &[f32; 3]))| {
                        Sweep::sphere(Sphere::from(floats), motion).map_err(|error| refuse(layout, row, error))
                    };
                    spheres.iter().zip(&*motions).enumerate().map(make).collect()
                }
            }
        });
        Ok(Self(Arc::new(sweeps?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
