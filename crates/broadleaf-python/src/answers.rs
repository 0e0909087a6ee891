//! Answers as columns: made without the interpreter lock, handed over without a copy.
//!
//! A `Block` is what one named tuple of `broadleaf._answers` is made of.

use crate::threads::Lists;
use broadleaf::mesh::{MeshHit, MeshPoint, MeshSweepHit, Side};
use broadleaf::query::SweepHit;
use broadleaf::{Containment, Handle, Neighbor, Pair, RayHit};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// No object: the generation of a handle is odd, so none is zero.
pub(crate) const NO_ID: u64 = 0;
/// No triangle.
const NO_TRIANGLE: i64 = -1;

/// One column.
pub(crate) enum Data {
    U64(Vec<u64>),
    I64(Vec<i64>),
    U32(Vec<u32>),
    F32(Vec<f32>),
    Bool(Vec<bool>),
    /// A named tuple in the place of a column.
    Nested(Block),
}

/// Columns, and how many numbers of each make a row.
pub(crate) struct Block {
    /// The named tuple; none for a single column, which stands for itself.
    name: Option<&'static str>,
    columns: Vec<(Data, usize)>,
}

impl Block {
    pub(crate) fn named(name: &'static str, columns: Vec<(Data, usize)>) -> Self {
        Self { name: Some(name), columns }
    }

    pub(crate) fn single(data: Data, width: usize) -> Self {
        Self { name: None, columns: vec![(data, width)] }
    }

    /// The arrays, of the given shape; rows of several numbers have a dimension more.
    pub(crate) fn into_py<'py>(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (data, width) in self.columns {
            let mut shape = shape.to_vec();
            if width > 1 {
                shape.push(width);
            }
            arrays.push(match data {
                Data::U64(list) => shaped(py, list, &shape)?,
                Data::I64(list) => shaped(py, list, &shape)?,
                Data::U32(list) => shaped(py, list, &shape)?,
                Data::F32(list) => shaped(py, list, &shape)?,
                Data::Bool(list) => shaped(py, list, &shape)?,
                Data::Nested(block) => block.into_py(py, &shape)?,
            });
        }
        match self.name {
            Some(name) => named(py, name, arrays),
            None => Ok(arrays.swap_remove(0)),
        }
    }
}

/// A list as an array of this shape, without a copy.
pub(crate) fn shaped<'py, T: Element>(py: Python<'py>, list: Vec<T>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let array: Bound<'py, PyArray1<T>> = list.into_pyarray(py);
    if shape.len() == 1 { Ok(array.into_any()) } else { Ok(array.reshape(shape.to_vec())?.into_any()) }
}

/// A named tuple of `broadleaf._answers`.
pub(crate) fn named<'py>(
    py: Python<'py>,
    name: &str,
    fields: impl IntoIterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyTuple::new(py, fields.into_iter().collect::<Vec<_>>())?;
    py.import(intern!(py, "broadleaf._answers"))?.getattr(name)?.call1(fields)
}

/// What is answered, in columns.
pub(crate) trait Columns: Copy + Send + Sync {
    /// The columns of so many answers, some of which may be missing.
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block;
}

/// Lists of answers to many questions, ready to be handed over.
pub(crate) struct ListBlock {
    offsets: Vec<i64>,
    values: Block,
    count: usize,
}

impl ListBlock {
    pub(crate) fn new<T: Columns>(offsets: Vec<i64>, answers: &[T]) -> Self {
        let values = T::block(answers.iter().map(|&answer| Some(answer)));
        Self { offsets, values, count: answers.len() }
    }

    pub(crate) fn of<T: Columns>(lists: Lists<T>) -> Self {
        Self::new(lists.offsets, &lists.answers)
    }

    pub(crate) fn into_py<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let values = self.values.into_py(py, &[self.count])?;
        let offsets = self.offsets.into_pyarray(py).into_any();
        named(py, "Lists", [offsets, values])
    }
}

/// The columns of what may be missing.
pub(crate) fn optional<T: Columns>(answers: &[Option<T>]) -> Block {
    T::block(answers.iter().copied())
}

/// Ids of handles.
pub(crate) fn ids(handles: &[Handle]) -> Vec<u64> {
    handles.iter().map(|handle| handle.to_bits()).collect()
}

/// Ids of pairs, two a row.
pub(crate) fn pair_rows<'py>(py: Python<'py>, ids: Vec<[u64; 2]>) -> PyResult<Bound<'py, PyAny>> {
    let rows = ids.len();
    shaped(py, ids.into_flattened(), &[rows, 2])
}

pub(crate) fn pair_ids(pairs: &[Pair]) -> Vec<[u64; 2]> {
    pairs.iter().map(|pair| [pair.a().to_bits(), pair.b().to_bits()]).collect()
}

impl Columns for Handle {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        Block::single(Data::U64(answers.map(|handle| handle.map_or(NO_ID, Self::to_bits)).collect()), 1)
    }
}

/// A triangle of a mesh, by its row.
impl Columns for u32 {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        Block::single(Data::I64(answers.map(|row| row.map_or(NO_TRIANGLE, i64::from)).collect()), 1)
    }
}

/// An object or a triangle, and whether it lies wholly inside.
impl<T: Columns> Columns for (T, Containment) {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        let (mut firsts, mut inside) = (Vec::with_capacity(answers.len()), Vec::with_capacity(answers.len()));
        for answer in answers {
            inside.push(answer.is_some_and(|(_, containment)| containment == Containment::Inside));
            firsts.push(answer.map(|(first, _)| first));
        }
        let firsts = T::block(firsts.into_iter());
        Block::named("Contained", vec![(Data::Nested(firsts), 1), (Data::Bool(inside), 1)])
    }
}

/// An object, and what its mesh answers.
impl<T: Columns> Columns for (Handle, T) {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        let (mut ids, mut seconds) = (Vec::with_capacity(answers.len()), Vec::with_capacity(answers.len()));
        for answer in answers {
            ids.push(answer.map_or(NO_ID, |(handle, _)| handle.to_bits()));
            seconds.push(answer.map(|(_, second)| second));
        }
        Block::named("Placed", vec![(Data::U64(ids), 1), (Data::Nested(T::block(seconds.into_iter())), 1)])
    }
}

/// An object as an eye sees it: the object, whether it lies wholly inside, and its distance.
#[derive(Clone, Copy)]
pub(crate) struct Visible {
    pub(crate) handle: Handle,
    pub(crate) inside: bool,
    pub(crate) distance: f32,
}

/// Answers that are taken apart at a time: they stay in the cache from column to column.
const GATHERED: usize = 1024;

/// Gathers columns: for each answer one row, or the values of a missing one.
macro_rules! gather {
    ($answers:expr, $name:literal, $answer:ident => [$(($kind:ident, $width:literal, $value:expr, $missing:expr)),+ $(,)?]) => {{
        let mut answers = $answers;
        let count = answers.len();
        let mut columns = vec![$((Data::$kind(Vec::with_capacity(count * $width)), $width)),+];
        let mut rows = Vec::with_capacity(GATHERED.min(count));
        loop {
            rows.clear();
            rows.extend(answers.by_ref().take(GATHERED));
            if rows.is_empty() {
                break Block::named($name, columns);
            }
            let mut column = columns.iter_mut();
            $(if let Some((Data::$kind(list), _)) = column.next() {
                for row in &rows {
                    match row {
                        Some($answer) => list.extend_from_slice(&$value),
                        None => list.extend_from_slice(&$missing),
                    }
                }
            })+
        }
    }};
}

const NOWHERE: [f32; 3] = [f32::NAN; 3];
const NEVER: [f32; 1] = [f32::INFINITY];

impl Columns for Visible {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "Visible", seen => [
            (U64, 1, [seen.handle.to_bits()], [NO_ID]),
            (Bool, 1, [seen.inside], [false]),
            (F32, 1, [seen.distance], NEVER),
        ])
    }
}

impl Columns for RayHit {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "RayHits", hit => [
            (U64, 1, [hit.handle.to_bits()], [NO_ID]),
            (F32, 1, [hit.distance], NEVER),
            (F32, 3, hit.position.to_array(), NOWHERE),
            (F32, 3, hit.normal.to_array(), NOWHERE),
        ])
    }
}

impl Columns for SweepHit {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "SweepHits", hit => [
            (U64, 1, [hit.handle.to_bits()], [NO_ID]),
            (F32, 1, [hit.time], NEVER),
            (F32, 1, [hit.distance], NEVER),
            (F32, 3, hit.position.to_array(), NOWHERE),
            (F32, 3, hit.normal.to_array(), NOWHERE),
        ])
    }
}

impl Columns for Neighbor {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "Neighbors", near => [
            (U64, 1, [near.handle.to_bits()], [NO_ID]),
            (F32, 1, [near.distance], NEVER),
            (F32, 3, near.position.to_array(), NOWHERE),
            (F32, 3, near.normal.to_array(), NOWHERE),
        ])
    }
}

impl Columns for MeshHit {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "MeshHits", hit => [
            (I64, 1, [i64::from(hit.triangle)], [NO_TRIANGLE]),
            (F32, 1, [hit.distance], NEVER),
            (F32, 3, hit.position.to_array(), NOWHERE),
            (F32, 3, hit.normal.to_array(), NOWHERE),
            (F32, 3, hit.barycentric.to_array(), NOWHERE),
            (Bool, 1, [hit.side == Side::Front], [false]),
        ])
    }
}

impl Columns for MeshSweepHit {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "MeshSweepHits", hit => [
            (I64, 1, [i64::from(hit.triangle)], [NO_TRIANGLE]),
            (F32, 1, [hit.time], NEVER),
            (F32, 1, [hit.distance], NEVER),
            (F32, 3, hit.center.to_array(), NOWHERE),
            (F32, 3, hit.contact.to_array(), NOWHERE),
            (F32, 3, hit.normal.to_array(), NOWHERE),
        ])
    }
}

impl Columns for MeshPoint {
    fn block(answers: impl ExactSizeIterator<Item = Option<Self>>) -> Block {
        gather!(answers, "MeshPoints", near => [
            (I64, 1, [i64::from(near.triangle)], [NO_TRIANGLE]),
            (F32, 1, [near.distance], NEVER),
            (F32, 3, near.position.to_array(), NOWHERE),
        ])
    }
}
