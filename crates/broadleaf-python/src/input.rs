//! Arrays of the caller's: borrowed where they lie if they are contiguous and of
//! the right type, converted by numpy otherwise.
//!
//! Borrowing keeps the interpreter lock out of the work: the slices are read after
//! it is released. As with numpy's own functions, a caller must not write to an
//! array while another thread's call reads it.

use crate::refusal::{Checked, Refusal, bad, bad_row};
use broadleaf::{Handle, Pair};
use numpy::{Element, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;

/// An array of numpy, of whatever type and shape. Rows of unequal lengths are refused.
pub(crate) fn as_array<'py>(object: &Bound<'py, PyAny>, argument: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    let py = object.py();
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (object,));
    let array = array.map_err(|error| match error.is_instance_of::<PyValueError>(py) {
        true => bad(argument, error.value(py).to_string()).into(),
        false => error,
    })?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

/// The array with this type of elements, in one piece.
fn converted<'py, T: Element>(array: &Bound<'py, PyUntypedArray>) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    if array.is_c_contiguous()
        && let Ok(same) = array.extract::<PyReadonlyArrayDyn<'py, T>>()
    {
        return Ok(same);
    }
    let py = array.py();
    let options = PyDict::new(py);
    options.set_item(intern!(py, "dtype"), T::get_dtype(py))?;
    let numpy = py.import(intern!(py, "numpy"))?;
    let copy = numpy.call_method(intern!(py, "ascontiguousarray"), (array,), Some(&options))?;
    copy.extract::<PyReadonlyArrayDyn<'py, T>>()
}

/// The letter that numpy has for a kind of numbers: `f`, `i`, `u`, `b`.
fn kind_of(array: &Bound<'_, PyUntypedArray>, argument: &str, allowed: &str) -> PyResult<char> {
    let kind = char::from(array.dtype().kind());
    // An empty list has no numbers to tell a type by.
    if allowed.contains(kind) || array.is_empty() {
        return Ok(kind);
    }
    Err(PyTypeError::new_err(format!("{argument}: an array of {} is no array of numbers that fit here", array.dtype())))
}

/// A shape as Python writes it.
fn shape_text(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    if let [only] = &lengths[..] { format!("({only},)") } else { format!("({})", lengths.join(", ")) }
}

/// Rows that may come in two dimensions: boxes of two corners, triangles, matrices, planes of frusta.
const SPLIT_ROWS: [[usize; 2]; 4] = [[2, 3], [3, 3], [4, 4], [6, 4]];

/// Rows of floats.
pub(crate) struct Rows<'py> {
    array: Floats<'py>,
    pub(crate) argument: &'static str,
    pub(crate) width: usize,
    pub(crate) count: usize,
}

enum Floats<'py> {
    Single(PyReadonlyArrayDyn<'py, f32>),
    Double(PyReadonlyArrayDyn<'py, f64>),
}

/// Floats in one piece, as the caller has them.
#[derive(Clone, Copy)]
pub(crate) enum Slice<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl<'py> Rows<'py> {
    /// Rows of one of the given widths. An array of one dimension is one row.
    pub(crate) fn of(object: &Bound<'py, PyAny>, argument: &'static str, widths: &[usize]) -> PyResult<Self> {
        let array = as_array(object, argument)?;
        kind_of(&array, argument, "fiub")?;
        let shape = array.shape().to_vec();
        let (count, width) = match shape[..] {
            [width] if width > 0 => (1, width),
            [0] => (0, widths[0]),
            [count, width] => (count, width),
            [count, a, b] if SPLIT_ROWS.contains(&[a, b]) => (count, a * b),
            _ => (0, 0),
        };
        if !widths.contains(&width) {
            let wanted: Vec<String> = widths.iter().map(|width| format!("(n, {width})")).collect();
            let is_corners = widths.contains(&6) && matches!(shape[..], [2, _, 3]);
            let hint = if is_corners { ": two arrays of corners are a tuple (lower, upper)" } else { "" };
            let message = format!("the shape must be {}, but is {}{hint}", wanted.join(" or "), shape_text(&shape));
            return Err(bad(argument, message).into());
        }
        let single = array.dtype().is_equiv_to(&numpy::dtype::<f32>(array.py()));
        let array = if single { Floats::Single(converted(&array)?) } else { Floats::Double(converted(&array)?) };
        Ok(Self { array, argument, width, count })
    }

    pub(crate) fn py(&self) -> Python<'py> {
        match &self.array {
            Floats::Single(array) => array.py(),
            Floats::Double(array) => array.py(),
        }
    }

    pub(crate) fn borrow(&self) -> PyResult<Slice<'_>> {
        let lost = |_| PyErr::from(bad(self.argument, "the array is not contiguous"));
        Ok(match &self.array {
            Floats::Single(array) => Slice::Single(array.as_slice().map_err(lost)?),
            Floats::Double(array) => Slice::Double(array.as_slice().map_err(lost)?),
        })
    }

    /// Refuses arrays of other than so many rows.
    pub(crate) fn expect_rows(&self, count: usize) -> PyResult<()> {
        if self.count == count {
            return Ok(());
        }
        Err(bad(self.argument, format!("{} rows, but {count} are needed", self.count)).into())
    }
}

/// A vector of `N` floats, rounded to nearest.
pub(crate) fn vector<const N: usize>(object: &Bound<'_, PyAny>, argument: &'static str) -> PyResult<[f32; N]> {
    let rows = Rows::of(object, argument, &[N])?;
    rows.expect_rows(1)?;
    Ok(rows.borrow()?.rows::<N>()[0])
}

impl<'a> Slice<'a> {
    /// Rows of `N` floats of 32 bits; those of 64 are rounded to nearest.
    pub(crate) fn rows<const N: usize>(self) -> Cow<'a, [[f32; N]]> {
        match self {
            Self::Single(floats) => Cow::Borrowed(floats.as_chunks().0),
            #[expect(clippy::cast_possible_truncation, reason = "rounded to nearest")]
            Self::Double(floats) => floats.as_chunks::<N>().0.iter().map(|row| row.map(|x| x as f32)).collect(),
        }
    }
}

/// Numbers of one type: one for all rows, or one a row.
pub(crate) enum Column<T> {
    One(T),
    Each(Vec<T>),
}

impl<T: Copy> Column<T> {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> T {
        match self {
            Self::One(value) => *value,
            Self::Each(values) => values[row],
        }
    }

    /// A column of integers, or one integer.
    pub(crate) fn integers(object: &Bound<'_, PyAny>, argument: &'static str, count: usize) -> PyResult<Self>
    where
        T: TryFrom<u64> + Element,
    {
        let values = integers::<T>(object, argument)?;
        match values {
            (values, 0) => Ok(Self::One(values[0])),
            (values, _) if values.len() == count => Ok(Self::Each(values)),
            (values, _) => Err(bad(argument, format!("{} values, but {count} are needed", values.len())).into()),
        }
    }
}

/// An array of integers. Of a list that mixes signed and unsigned ones numpy would make floats.
fn integer_array<'py>(object: &Bound<'py, PyAny>, argument: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = as_array(object, argument)?;
    if array.dtype().kind() != b'f' || array.is_empty() || object.cast::<PyUntypedArray>().is_ok() {
        return Ok(array);
    }
    let py = object.py();
    let (index, numpy) = (py.import("operator")?.getattr("index")?, py.import("numpy")?);
    let objects = numpy.call_method1("asarray", (object, "object"))?;
    let integers = objects.call_method0("ravel")?.try_iter()?.map(|item| index.call1((item?,)));
    let integers = integers.collect::<PyResult<Vec<_>>>()?;
    let unsigned = numpy.call_method1("array", (integers, "uint64"))?;
    Ok(unsigned.call_method1("reshape", (objects.getattr("shape")?,))?.cast_into::<PyUntypedArray>()?)
}

/// Integers of an array, and its number of dimensions: none of a single integer.
pub(crate) fn integers<T: TryFrom<u64> + Element + Copy>(
    object: &Bound<'_, PyAny>,
    argument: &'static str,
) -> PyResult<(Vec<T>, usize)> {
    let array = integer_array(object, argument)?;
    let dimensions = array.ndim();
    if array.dtype().is_equiv_to(&T::get_dtype(array.py())) {
        return Ok((slice_of(&converted::<T>(&array)?, argument)?.to_vec(), dimensions));
    }
    let refuse = |row: usize, value: String| bad_row(argument, row, format!("{value} is out of range"));
    let values: Checked<Vec<T>> = if kind_of(&array, argument, "iub")? == 'i' {
        let array = converted::<i64>(&array)?;
        let fitted = |(row, &value): (usize, &i64)| {
            let value = u64::try_from(value).ok().and_then(|value| T::try_from(value).ok());
            value.ok_or_else(|| {
                refuse(row, slice_of(&array, argument).map_or(String::new(), |all| all[row].to_string()))
            })
        };
        slice_of(&array, argument)?.iter().enumerate().map(fitted).collect()
    } else {
        let array = converted::<u64>(&array)?;
        let fitted = |(row, &value): (usize, &u64)| T::try_from(value).map_err(|_| refuse(row, value.to_string()));
        slice_of(&array, argument)?.iter().enumerate().map(fitted).collect()
    };
    Ok((values?, dimensions))
}

fn slice_of<'a, T: Element>(array: &'a PyReadonlyArrayDyn<'_, T>, argument: &str) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| bad(argument, "the array is not contiguous").into())
}

/// Booleans of an array, and its number of dimensions.
pub(crate) fn booleans(object: &Bound<'_, PyAny>, argument: &'static str) -> PyResult<(Vec<bool>, usize)> {
    let array = as_array(object, argument)?;
    kind_of(&array, argument, "b")?;
    Ok((slice_of(&converted::<bool>(&array)?, argument)?.to_vec(), array.ndim()))
}

/// A column of booleans, or one.
pub(crate) fn boolean_column(
    object: &Bound<'_, PyAny>,
    argument: &'static str,
    count: usize,
) -> PyResult<Column<bool>> {
    match booleans(object, argument)? {
        (values, 0) => Ok(Column::One(values[0])),
        (values, _) if values.len() == count => Ok(Column::Each(values)),
        (values, _) => Err(bad(argument, format!("{} values, but {count} are needed", values.len())).into()),
    }
}

/// Ids of objects, borrowed.
pub(crate) struct Ids<'py> {
    array: PyReadonlyArrayDyn<'py, u64>,
    argument: &'static str,
}

impl<'py> Ids<'py> {
    /// An array of ids of so many dimensions; a single id counts as one of one.
    pub(crate) fn of(object: &Bound<'py, PyAny>, argument: &'static str, dimensions: usize) -> PyResult<Self> {
        let array = integer_array(object, argument)?;
        if array.ndim() > dimensions || array.ndim() + 1 < dimensions {
            let message = format!("an array of {dimensions} dimensions is needed, but this one has {}", array.ndim());
            return Err(bad(argument, message).into());
        }
        if array.dtype().is_equiv_to(&numpy::dtype::<u64>(array.py())) || array.is_empty() {
            return Ok(Self { array: converted(&array)?, argument });
        }
        // Python's own integers come as signed ones.
        if let Ok(list) = integers::<u64>(object, argument) {
            let list = numpy::PyArray1::from_vec(array.py(), list.0);
            return Ok(Self { array: converted(list.as_untyped())?, argument });
        }
        Err(PyTypeError::new_err(format!("{argument}: ids are uint64, not {}", array.dtype())))
    }

    pub(crate) fn borrow(&self) -> PyResult<IdSlice<'_>> {
        Ok(IdSlice { ids: slice_of(&self.array, self.argument)?, argument: self.argument })
    }
}

/// Ids in one piece.
#[derive(Clone, Copy)]
pub(crate) struct IdSlice<'a> {
    pub(crate) ids: &'a [u64],
    pub(crate) argument: &'static str,
}

impl<'py> Ids<'py> {
    pub(crate) fn py(&self) -> Python<'py> {
        self.array.py()
    }
}

impl IdSlice<'_> {
    /// The handles; the first number that is none is refused.
    pub(crate) fn handles(self) -> Checked<Vec<Handle>> {
        let handle = |(row, &id): (usize, &u64)| Handle::from_bits(id).ok_or_else(|| self.stale(row));
        self.ids.iter().enumerate().map(handle).collect()
    }

    /// The handles, where 0 is none; the first other number that is none is refused.
    pub(crate) fn optional_handles(self) -> Checked<Vec<Option<Handle>>> {
        let handle = |(row, &id): (usize, &u64)| match Handle::from_bits(id) {
            None if id != 0 => Err(self.stale(row)),
            handle => Ok(handle),
        };
        self.ids.iter().enumerate().map(handle).collect()
    }

    /// Pairs, of an array of two columns.
    pub(crate) fn pairs(self) -> Checked<Vec<Pair>> {
        let handles = self.handles()?;
        Ok(handles.as_chunks().0.iter().map(|&[a, b]| Pair::new(a, b)).collect())
    }

    pub(crate) fn stale(self, row: usize) -> Refusal {
        Refusal::StaleId { argument: self.argument, row, id: self.ids.get(row).copied().unwrap_or(0) }
    }
}

/// Pairs of ids: an array of two columns.
pub(crate) fn pair_ids<'py>(object: &Bound<'py, PyAny>, argument: &'static str) -> PyResult<Ids<'py>> {
    let ids = Ids::of(object, argument, 2)?;
    let shape = ids.array.shape();
    if ids.array.is_empty() || shape.last() == Some(&2) {
        return Ok(ids);
    }
    Err(bad(argument, format!("the shape must be (m, 2), but is {}", shape_text(shape))).into())
}
