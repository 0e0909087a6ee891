//! The tree: what changes it.

use crate::answers::ids;
use crate::input::{Column, IdSlice, Ids, boolean_column, vector};
use crate::refusal::{Checked, Refusal, SHAPES, bad, refused_in};
use crate::shapes::{ShapeArrays, Shapes};
use crate::state::Shared;
use crate::threads::ThreadCount;
use crate::view::View;
use broadleaf::{Config, Error, Handle, Layers, Margin, Mobility, Object, Octree, Shape, SliceError, Threads};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::Arc;

/// A dynamic octree over boxes and spheres.
///
/// Changes are methods of the tree; questions are methods of the ``View`` that
/// ``Octree.view()`` gives. Objects are named by ids: uint64, never reused, 0 names none.
///
/// looseness: one more than the edges of its cell that an object may be long, 1 to 2**20.
/// smallest_cell: edge of the smallest cell in world units. If many objects lie 2^24 such
/// cells or more from the origin, it is doubled until cells reach all but a few; if many
/// would share one, it is halved.
/// leaf_capacity: objects in a leaf before it splits, 1 to 64.
/// depth_limit: levels below the root, 1 to 21.
/// margin: how much larger than its shape an object is kept, in world units;
/// margin_relative: the same in proportion to its longest edge. Pairs and answers are
/// then those of the larger shapes; ``View.touches`` is the exact test.
///
/// Raises ValueError if a setting is out of its range.
#[pyclass(frozen, name = "Octree", module = "broadleaf")]
pub(crate) struct PyOctree {
    pub(crate) shared: Arc<Shared>,
}

/// What the library says of a setting.
fn refused_setting(error: Error) -> Refusal {
    match error {
        Error::SettingOutOfRange { setting, .. } => {
            let argument = match setting {
                "margin.absolute" => "margin",
                "margin.relative" => "margin_relative",
                other => other,
            };
            bad(argument, error.to_string())
        }
        _ => bad("settings", error.to_string()),
    }
}

/// What the library says of an element of ids and shapes.
fn refused_change<'a>(ids: IdSlice<'a>, layout: crate::refusal::Layout) -> impl Fn(SliceError) -> Refusal + 'a {
    move |refused| match refused.error {
        Error::StaleHandle { .. } => ids.stale(refused.index),
        _ => refused_in(layout)(refused),
    }
}

impl PyOctree {
    pub(crate) fn of(tree: Octree) -> Self {
        Self { shared: Arc::new(Shared::new(tree)) }
    }

    /// Changes the tree without the interpreter lock.
    pub(crate) fn change<T: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Octree) -> Checked<T> + Send,
    ) -> PyResult<T> {
        Ok(py.detach(|| self.shared.change(change))?)
    }

    /// Reads the tree without the interpreter lock.
    pub(crate) fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&Octree) -> Checked<T> + Send) -> PyResult<T> {
        Ok(py.detach(|| read(&self.shared.read()?.tree))?)
    }

    /// Changes each of some objects, all of which must live.
    fn set_each(&self, given: &Bound<'_, PyAny>, prepare: impl FnOnce(usize) -> PyResult<Setter>) -> PyResult<()> {
        let given = Ids::of(given, "ids", 1)?;
        let (py, ids) = (given.py(), given.borrow()?);
        let setter = prepare(ids.ids.len())?;
        let change = |tree: &mut Octree| {
            let handles = living(tree, ids)?;
            for (row, &handle) in handles.iter().enumerate() {
                setter.set(tree, handle, row).map_err(|_| ids.stale(row))?;
            }
            Ok(())
        };
        self.change(py, change)
    }
}

/// The handles of ids, all of which must name living objects.
pub(crate) fn living(tree: &Octree, ids: IdSlice<'_>) -> Checked<Vec<Handle>> {
    let handles = ids.handles()?;
    match handles.iter().position(|&handle| !tree.contains(handle)) {
        None => Ok(handles),
        Some(row) => Err(ids.stale(row)),
    }
}

/// What is set of each object.
enum Setter {
    Layers(Option<Column<u32>>, Option<Column<u32>>),
    Static(Column<bool>),
    UserData(Column<u64>),
}

impl Setter {
    fn set(&self, tree: &mut Octree, handle: Handle, row: usize) -> Result<(), Error> {
        match self {
            Self::Layers(memberships, filters) => {
                let layers = tree.get(handle).map_or(Layers::ALL, |object| object.layers);
                tree.set_layers(handle, layers_of(layers, memberships.as_ref(), filters.as_ref(), row))
            }
            Self::Static(is_static) => tree.set_mobility(handle, mobility(is_static.get(row))),
            Self::UserData(data) => tree.set_user_data(handle, data.get(row)),
        }
    }
}

fn mobility(is_static: bool) -> Mobility {
    if is_static { Mobility::Static } else { Mobility::Moving }
}

fn layers_of(known: Layers, memberships: Option<&Column<u32>>, filters: Option<&Column<u32>>, row: usize) -> Layers {
    let memberships = memberships.map_or(known.memberships, |column| column.get(row));
    Layers::new(memberships, filters.map_or(known.filters, |column| column.get(row)))
}

/// What objects are inserted with, beside their shapes.
struct Attributes {
    memberships: Option<Column<u32>>,
    filters: Option<Column<u32>>,
    is_static: Option<Column<bool>>,
    user_data: Option<Column<u64>>,
}

impl Attributes {
    fn are_usual(&self) -> bool {
        self.memberships.is_none() && self.filters.is_none() && self.is_static.is_none() && self.user_data.is_none()
    }

    fn object(&self, row: usize, shape: Shape) -> Object {
        let layers = layers_of(Layers::ALL, self.memberships.as_ref(), self.filters.as_ref(), row);
        Object::new(shape)
            .with_layers(layers)
            .with_mobility(mobility(self.is_static.as_ref().is_some_and(|column| column.get(row))))
            .with_user_data(self.user_data.as_ref().map_or(0, |column| column.get(row)))
    }

    /// Inserts the shapes; as they lie, if nothing but shapes is said.
    fn insert(&self, tree: &mut Octree, shapes: &Shapes<'_>, handles: &mut Vec<Handle>) -> Checked<()> {
        let objects: Vec<Object> = match shapes {
            Shapes::Boxes(boxes, layout) if self.are_usual() => {
                return tree.insert_many(boxes, handles).map_err(refused_in(layout));
            }
            Shapes::Spheres(spheres, layout) if self.are_usual() => {
                return tree.insert_many(spheres, handles).map_err(refused_in(layout));
            }
            Shapes::Boxes(boxes, _) => boxes.iter().enumerate().map(|(row, &s)| self.object(row, s.into())).collect(),
            Shapes::Spheres(list, _) => list.iter().enumerate().map(|(row, &s)| self.object(row, s.into())).collect(),
        };
        let (Shapes::Boxes(_, layout) | Shapes::Spheres(_, layout)) = shapes;
        tree.insert_many(&objects, handles).map_err(refused_in(layout))
    }
}

/// Has the tree build on threads while it runs.
pub(crate) fn on_threads<T: Send>(
    tree: &mut Octree,
    threads: ThreadCount,
    run: impl FnOnce(&mut Octree) -> T + Send,
) -> Checked<T> {
    threads.run(|threads| {
        tree.set_threads(threads);
        let done = run(tree);
        tree.set_threads(Threads::One);
        done
    })
}

#[pymethods]
impl PyOctree {
    #[new]
    #[pyo3(signature = (*, looseness = 3.0, smallest_cell = 0.015625, leaf_capacity = 64, depth_limit = 21, margin = 0.0, margin_relative = 0.0))]
    fn new(
        looseness: f32,
        smallest_cell: f32,
        leaf_capacity: u32,
        depth_limit: u32,
        margin: f32,
        margin_relative: f32,
    ) -> PyResult<Self> {
        let margin = Margin { absolute: margin, relative: margin_relative };
        let config = Config { looseness, smallest_cell, leaf_capacity, depth_limit, margin };
        Ok(Self::of(Octree::new(config).map_err(refused_setting)?))
    }

    /// Inserts n objects and returns their ids: uint64 (n,), in the order of the rows.
    ///
    /// shapes: boxes (n, 6) as min x, y, z, max x, y, z, or (n, 2, 3); spheres (n, 4) as centre x,
    /// y, z, radius; or a tuple (lower, upper) of two arrays (n, 3), the corners, or (3,) for one
    /// box. A list is a list of rows. A side of a box may be infinite. float32 is kept as it is;
    /// float64 is rounded outward: nothing is missed.
    /// memberships, filters: uint32, (n,) or one for all; two objects are a pair only if
    /// each one's memberships share a bit with the other's filters. All bits unless given.
    /// static: bool, (n,) or one for all; two static objects are never a pair.
    /// user_data: uint64, (n,) or one for all; yours, 0 unless given.
    /// threads: number of threads for the bulk build of an empty tree; 1 is the calling thread, 0
    /// one for each processor. The result does not depend on it.
    ///
    /// Raises ValueError that names the first illegal row; then nothing is inserted.
    #[pyo3(signature = (shapes, *, memberships = None, filters = None, r#static = None, user_data = None, threads = 1))]
    fn insert<'py>(
        &self,
        py: Python<'py>,
        shapes: &Bound<'py, PyAny>,
        memberships: Option<&Bound<'py, PyAny>>,
        filters: Option<&Bound<'py, PyAny>>,
        r#static: Option<&Bound<'py, PyAny>>,
        user_data: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let arrays = ShapeArrays::of(shapes, &SHAPES, &[6, 4])?;
        let count = arrays.len();
        let attributes = Attributes {
            memberships: memberships.map(|given| Column::integers(given, "memberships", count)).transpose()?,
            filters: filters.map(|given| Column::integers(given, "filters", count)).transpose()?,
            is_static: r#static.map(|given| boolean_column(given, "static", count)).transpose()?,
            user_data: user_data.map(|given| Column::integers(given, "user_data", count)).transpose()?,
        };
        let (slices, threads) = (arrays.borrow()?, ThreadCount::new(threads));
        let insert = |tree: &mut Octree| {
            let (shapes, mut handles) = (slices.resolve(&SHAPES)?, Vec::new());
            on_threads(tree, threads, |tree| attributes.insert(tree, &shapes, &mut handles))??;
            Ok(ids(&handles))
        };
        Ok(self.change(py, insert)?.into_pyarray(py))
    }

    /// Gives n objects new shapes, boxes or spheres: ``shapes[i]`` to ``ids[i]``.
    ///
    /// ids: uint64 (n,). shapes: as for ``insert``. Of an id given twice the last shape stays.
    ///
    /// Raises ValueError that names the first illegal row, StaleIdError for an id that
    /// names no object; then nothing is changed.
    fn update(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, shapes: &Bound<'_, PyAny>) -> PyResult<()> {
        let (given, arrays) = (Ids::of(ids, "ids", 1)?, ShapeArrays::of(shapes, &SHAPES, &[6, 4])?);
        let (ids, slices) = (given.borrow()?, arrays.borrow()?);
        if ids.ids.len() != arrays.len() {
            return Err(bad("shapes", format!("{} shapes, but {} ids", arrays.len(), ids.ids.len())).into());
        }
        let update = |tree: &mut Octree| {
            let handles = ids.handles()?;
            match slices.resolve(&SHAPES)? {
                Shapes::Boxes(boxes, layout) => tree.update_many(&handles, &boxes).map_err(refused_change(ids, layout)),
                Shapes::Spheres(spheres, layout) => {
                    tree.update_many(&handles, &spheres).map_err(refused_change(ids, layout))
                }
            }
        };
        self.change(py, update)
    }

    /// Removes n objects: ids uint64 (n,), each at most once. Their ids name nothing from now on.
    ///
    /// Raises StaleIdError; then nothing is removed.
    fn remove(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let remove = |tree: &mut Octree| {
            let handles = ids.handles()?;
            tree.remove_many(&handles).map_err(|refused| ids.stale(refused.index))
        };
        self.change(py, remove)
    }

    /// Removes every object but those of the ids, uint64 (n,); returns how many it removed.
    ///
    /// Raises StaleIdError; then nothing is removed.
    fn retain(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let retain = |tree: &mut Octree| {
            let mut kept: Vec<u64> = living(tree, ids)?.iter().map(|handle| handle.to_bits()).collect();
            kept.sort_unstable();
            let before = tree.len();
            tree.retain(|handle, _| kept.binary_search(&handle.to_bits()).is_ok());
            Ok(before - tree.len())
        };
        self.change(py, retain)
    }

    /// Puts n objects on other layers: memberships and filters, uint32, (n,) or one for
    /// all; None leaves them as they are. Raises StaleIdError; then nothing is changed.
    #[pyo3(signature = (ids, *, memberships = None, filters = None))]
    fn set_layers(
        &self,
        ids: &Bound<'_, PyAny>,
        memberships: Option<&Bound<'_, PyAny>>,
        filters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.set_each(ids, |count| {
            let column = |given: Option<&Bound<'_, PyAny>>, argument| {
                given.map(|given| Column::integers(given, argument, count)).transpose()
            };
            Ok(Setter::Layers(column(memberships, "memberships")?, column(filters, "filters")?))
        })
    }

    /// Makes n objects static or moving: bool, (n,) or one for all. Raises StaleIdError;
    /// then nothing is changed.
    fn set_static(&self, ids: &Bound<'_, PyAny>, r#static: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_each(ids, |count| Ok(Setter::Static(boolean_column(r#static, "static", count)?)))
    }

    /// Gives n objects other user data: uint64, (n,) or one for all. Raises StaleIdError;
    /// then nothing is changed.
    fn set_user_data(&self, ids: &Bound<'_, PyAny>, user_data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_each(ids, |count| Ok(Setter::UserData(Column::integers(user_data, "user_data", count)?)))
    }

    /// Brings the tree up to date and gives a view to ask. The view is good until the
    /// tree is changed; after that its questions raise StaleViewError.
    ///
    /// threads: number of threads for a bulk build, as for ``insert``; the result does not depend on it.
    #[pyo3(signature = (*, threads = 1))]
    fn view(&self, py: Python<'_>, threads: usize) -> PyResult<View> {
        let threads = ThreadCount::new(threads);
        let version = py.detach(|| -> Checked<u64> {
            let state = self.shared.read()?;
            if state.tree.try_view().is_some() {
                return Ok(state.version);
            }
            drop(state);
            let mut state = self.shared.write()?;
            on_threads(&mut state.tree, threads, |tree| {
                tree.view();
            })?;
            Ok(state.version)
        })?;
        Ok(View { shared: self.shared.clone(), version })
    }

    /// A view, if the tree is up to date as it is; None if ``view`` would have work to do.
    fn try_view(&self, py: Python<'_>) -> PyResult<Option<View>> {
        let version = py.detach(|| -> Checked<Option<u64>> {
            let state = self.shared.read()?;
            Ok(state.tree.try_view().map(|_| state.version))
        })?;
        Ok(version.map(|version| View { shared: self.shared.clone(), version }))
    }

    /// Removes all objects and keeps the memory. Every id names nothing from now on.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |tree| {
            tree.clear();
            Ok(())
        })
    }

    /// Builds the tree anew, which also views do where it pays.
    ///
    /// threads: number of threads, as for ``insert``; the result does not depend on it.
    #[pyo3(signature = (*, threads = 1))]
    fn rebuild(&self, py: Python<'_>, threads: usize) -> PyResult<()> {
        let threads = ThreadCount::new(threads);
        self.change(py, |tree| on_threads(tree, threads, Octree::rebuild))
    }

    /// Moves the origin: every position p becomes p - shift, rounded to nearest. Ids stay good.
    ///
    /// shift: (x, y, z), world units. Raises ValueError if it is not finite, or takes a
    /// finite coordinate beyond 32 bits; then nothing is changed.
    fn shift_origin(&self, py: Python<'_>, shift: &Bound<'_, PyAny>) -> PyResult<()> {
        let shift = vector::<3>(shift, "shift")?;
        let refuse = |error: Error| bad("shift", error.to_string());
        self.change(py, |tree| tree.shift_origin(shift.into()).map_err(refuse))
    }
}
