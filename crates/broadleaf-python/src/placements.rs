//! Meshes that stand among the objects of a tree.

use crate::answers::shaped;
use crate::input::{Column, Ids, Rows};
use crate::mesh::PyMesh;
use crate::refusal::{Checked, Layout, bad, bad_row, refused};
use crate::regions::float_column;
use broadleaf::glam::Quat;
use broadleaf::{Handle, Mesh, Placement};
use pyo3::prelude::*;
use std::sync::Arc;

/// Where meshes stand in the world: n copies, each scaled, then turned, then moved.
///
/// meshes: a Mesh, or a list of them. translations: (n, 3), world units. rotations: (n, 4),
/// quaternions x, y, z, w, which need not have length one; None turns nothing. scales: (n,)
/// or one for all, 1e-9 to 1e9. which: integers (n,) or one for all, the mesh of each copy.
///
/// Insert the boxes of ``boxes()`` as objects, and hand the placements with their ids to the
/// method ``meshes`` of a question of a view.
#[pyclass(frozen, module = "broadleaf")]
pub(crate) struct Placements {
    meshes: Vec<Arc<Mesh>>,
    copies: Arc<Vec<(u32, Placement)>>,
}

#[pymethods]
impl Placements {
    #[new]
    #[pyo3(signature = (meshes, translations, rotations = None, scales = None, which = None))]
    fn new(
        meshes: &Bound<'_, PyAny>,
        translations: &Bound<'_, PyAny>,
        rotations: Option<&Bound<'_, PyAny>>,
        scales: Option<&Bound<'_, PyAny>>,
        which: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        const LAYOUT: Layout =
            &[("translation", "translations", 0), ("rotation", "rotations", 0), ("scale", "scales", 0)];
        let meshes: Vec<PyMesh> = match meshes.cast::<PyMesh>() {
            Ok(mesh) => vec![mesh.get().clone()],
            Err(_) => {
                meshes.try_iter()?.map(|mesh| Ok(mesh?.cast::<PyMesh>()?.get().clone())).collect::<PyResult<_>>()?
            }
        };
        let translations = Rows::of(translations, "translations", &[3])?;
        let count = translations.count;
        let rotations = rotations.map(|given| Rows::of(given, "rotations", &[4])).transpose()?;
        rotations.as_ref().map(|rows| rows.expect_rows(count)).transpose()?;
        let scales = scales.map(|given| float_column(given, "scales", count)).transpose()?.unwrap_or(Column::One(1.0));
        let which = which.map(|given| Column::<u32>::integers(given, "which", count)).transpose()?;
        let which = which.unwrap_or(Column::One(0));
        let py = translations.py();
        let (translations, rotations) = (translations.borrow()?, rotations.as_ref().map(Rows::borrow).transpose()?);
        let copies = py.detach(|| {
            let (translations, rotations) = (translations.rows::<3>(), rotations.map(|slice| slice.rows::<4>()));
            let copy = |row: usize| {
                let mesh = which.get(row);
                if mesh as usize >= meshes.len() {
                    return Err(bad_row("which", row, format!("there is no mesh {mesh}")));
                }
                let rotation = rotations.as_ref().map_or(Quat::IDENTITY, |rows| Quat::from_array(rows[row]));
                let placement = Placement::new(rotation, translations[row], scales.get(row));
                Ok((mesh, placement.map_err(|error| refused(LAYOUT, row, error))?))
            };
            (0..count).map(copy).collect::<Checked<Vec<_>>>()
        })?;
        Ok(Self { meshes: meshes.into_iter().map(|mesh| mesh.0).collect(), copies: Arc::new(copies) })
    }

    fn __len__(&self) -> usize {
        self.copies.len()
    }

    /// A box around each copy, to insert: float32 (n, 6). Of a mesh without triangles,
    /// the point where it stands.
    fn boxes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let around = |(mesh, placement): &(u32, Placement)| match self.meshes[*mesh as usize].bounds() {
            Some(bounds) => <[f32; 6]>::from(placement.aabb(&bounds)),
            None => {
                let [x, y, z] = placement.translation().to_array();
                [x, y, z, x, y, z]
            }
        };
        let boxes: Vec<[f32; 6]> = py.detach(|| self.copies.iter().map(around).collect());
        let count = boxes.len();
        shaped(py, boxes.into_flattened(), &[count, 6])
    }
}

/// Which copy each object is.
pub(crate) struct PlacedAt {
    meshes: Vec<Arc<Mesh>>,
    copies: Arc<Vec<(u32, Placement)>>,
    /// By slot: the object, and its copy.
    by_slot: Vec<Option<(Handle, u32)>>,
}

impl Placements {
    /// The copies as the objects of these ids.
    pub(crate) fn at(&self, ids: &Bound<'_, PyAny>) -> PyResult<PlacedAt> {
        let given = Ids::of(ids, "ids", 1)?;
        let ids = given.borrow()?;
        let by_slot = given.py().detach(|| {
            let handles = ids.handles()?;
            if handles.len() != self.copies.len() {
                return Err(bad("ids", format!("{} ids, but {} placements", handles.len(), self.copies.len())));
            }
            let slots = handles.iter().map(|handle| handle.slot() as usize + 1).max().unwrap_or(0);
            let mut by_slot = vec![None; slots];
            (0..).zip(handles).for_each(|(copy, handle)| by_slot[handle.slot() as usize] = Some((handle, copy)));
            Ok(by_slot)
        })?;
        Ok(PlacedAt { meshes: self.meshes.clone(), copies: self.copies.clone(), by_slot })
    }
}

impl PlacedAt {
    /// The mesh that an object is, and where it stands.
    pub(crate) fn get(&self, handle: Handle) -> Option<(&Mesh, Placement)> {
        let (object, copy) = (*self.by_slot.get(handle.slot() as usize)?)?;
        let (mesh, placement) = *self.copies.get(copy as usize).filter(|_| object == handle)?;
        Some((&*self.meshes[mesh as usize], placement))
    }
}
