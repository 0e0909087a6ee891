//! What is refused, and the Python exception that says so.
//!
//! The library names a field of one shape, such as `min.x`. Here it becomes the
//! argument, the row and the column of the caller's array.

use broadleaf::mesh::MeshError;
use broadleaf::{Error, SliceError};
use pyo3::{PyErr, import_exception};

import_exception!(broadleaf._errors, InputError);
import_exception!(broadleaf._errors, StaleIdError);
import_exception!(broadleaf._errors, StaleViewError);
import_exception!(broadleaf._errors, SnapshotError);
import_exception!(broadleaf._errors, BrokenTreeError);

/// Why a call is refused; made without the interpreter lock.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// A value of an argument, and where in the array it stands.
    Input { argument: String, row: Option<usize>, column: Option<usize>, message: String },
    /// An id that names no living object.
    StaleId { argument: &'static str, row: usize, id: u64 },
    /// The tree has changed since the view was taken.
    StaleView,
    /// Bytes that are no snapshot.
    Snapshot(String),
    /// An invariant that does not hold, or a call that ended within.
    Broken(String),
}

/// A result without the interpreter lock.
pub(crate) type Checked<T> = Result<T, Refusal>;

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Input { argument, row, column, message } => {
                let place = match (row, column) {
                    (Some(row), Some(column)) => format!("{argument}: row {row}, column {column}: "),
                    (Some(row), None) => format!("{argument}: row {row}: "),
                    _ => format!("{argument}: "),
                };
                InputError::new_err((place + &message, argument, row, column))
            }
            Refusal::StaleId { argument, row, id } => {
                let message = format!("{argument}: row {row}: no object has the id {id}, or it is listed twice");
                StaleIdError::new_err((message, argument, row, id))
            }
            Refusal::StaleView => StaleViewError::new_err("the tree has changed since this view was taken"),
            Refusal::Snapshot(message) => SnapshotError::new_err(message),
            Refusal::Broken(message) => BrokenTreeError::new_err(message),
        }
    }
}

/// An argument that is refused as a whole.
pub(crate) fn bad(argument: &str, message: impl Into<String>) -> Refusal {
    Refusal::Input { argument: argument.to_owned(), row: None, column: None, message: message.into() }
}

/// A row of an argument that is refused.
pub(crate) fn bad_row(argument: &str, row: usize, message: impl Into<String>) -> Refusal {
    Refusal::Input { argument: argument.to_owned(), row: Some(row), column: None, message: message.into() }
}

/// Where the fields of a shape stand in the caller's arrays: the field's name in
/// the library, the argument, and the column of its first coordinate.
pub(crate) type Layout = &'static [(&'static str, &'static str, usize)];

/// An argument that takes shapes: its name, and where the fields of each kind stand in its arrays.
pub(crate) struct ShapeArgument {
    pub(crate) name: &'static str,
    /// The names of the two arrays of corners.
    pub(crate) corner_names: [&'static str; 2],
    pub(crate) boxes: Layout,
    pub(crate) spheres: Layout,
    pub(crate) corners: Layout,
    pub(crate) points: Layout,
}

/// The argument of this name.
macro_rules! shape_argument {
    ($name:literal) => {
        ShapeArgument {
            name: $name,
            corner_names: [concat!($name, "[0]"), concat!($name, "[1]")],
            boxes: &[("min", $name, 0), ("max", $name, 3)],
            spheres: &[("center", $name, 0), ("radius", $name, 3)],
            corners: &[("min", concat!($name, "[0]"), 0), ("max", concat!($name, "[1]"), 0)],
            points: &[("point", $name, 0), ("min", $name, 0), ("max", $name, 0)],
        }
    };
}

pub(crate) static SHAPES: ShapeArgument = shape_argument!("shapes");
pub(crate) static REGIONS: ShapeArgument = shape_argument!("regions");
pub(crate) static PLACES: ShapeArgument = shape_argument!("places");
pub(crate) static POINTS: ShapeArgument = shape_argument!("points");

/// What the library says of a row, as the caller sees it.
pub(crate) fn refused(layout: Layout, row: usize, error: Error) -> Refusal {
    let field = match error {
        Error::NotANumber { field } | Error::NotFinite { field, .. } => field.to_owned(),
        Error::InvertedBounds { axis, .. } => format!("min.{axis}"),
        Error::BoundsAtInfinity { axis, min, .. } => {
            format!("{}.{axis}", if min == f32::INFINITY { "min" } else { "max" })
        }
        Error::NegativeRadius { .. } | Error::RadiusTooLarge { .. } => "radius".to_owned(),
        Error::NegativeExtent { axis, .. } => format!("half_extents.{axis}"),
        Error::NegativeDistance { .. } => "distance_max".to_owned(),
        Error::ZeroDirection => "direction".to_owned(),
        Error::DegenerateRotation => "rotation".to_owned(),
        Error::SettingOutOfRange { setting, .. } => setting.to_owned(),
        _ => String::new(),
    };
    let (name, axis) = field.split_once('.').unwrap_or((&field, ""));
    let first = layout.first().map_or("shapes", |(_, argument, _)| argument);
    let place = layout.iter().find(|(prefix, ..)| *prefix == name);
    let argument = place.map_or(first, |(_, argument, _)| argument).to_owned();
    let column = place.and_then(|(prefix, _, start)| match axis {
        "x" => Some(*start),
        "y" => Some(start + 1),
        "z" => Some(start + 2),
        "w" => Some(start + 3),
        // A field of one number has one column, if it stands among others.
        _ if matches!(*prefix, "radius") => Some(*start),
        _ => None,
    });
    Refusal::Input { argument, row: Some(row), column, message: error.to_string() }
}

/// What the library says of an element of a slice.
pub(crate) fn refused_in(layout: Layout) -> impl Fn(SliceError) -> Refusal {
    move |SliceError { index, error }| refused(layout, index, error)
}

/// What the library says of triangles.
pub(crate) fn refused_mesh(error: MeshError, columns: usize) -> Refusal {
    let at = |axis: char| ['x', 'y', 'z'].iter().position(|&other| other == axis);
    let (argument, row, column) = match error {
        MeshError::NotFinite { position, axis, .. } | MeshError::TooFar { position, axis, .. } => {
            // Nine columns are three corners of a triangle in one row.
            let corners = columns / 3;
            let column = at(axis).map(|axis| position % corners * 3 + axis);
            (if corners == 1 { "positions" } else { "triangles" }, Some(position / corners), column)
        }
        MeshError::IndexOutOfRange { at, .. } => ("triangles", Some(at / 3), Some(at % 3)),
        _ => ("triangles", None, None),
    };
    Refusal::Input { argument: argument.to_owned(), row, column, message: error.to_string() }
}
