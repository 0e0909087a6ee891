//! The extension module of the Python package `broadleaf`.
//!
//! Arrays of numpy come in as slices, answers leave as arrays; between them stands
//! the library, and no Python object for a hit. Changes, questions and the reading of
//! arrays into shapes run without the interpreter lock; the conversions of numpy, and
//! the copying of masks and columns of numbers, keep it. The package has this module
//! once or twice, for two levels of the instruction set; `python/broadleaf/_select.py`
//! chooses.
//!
//! | room | holds |
//! |---|---|
//! | `input`, `shapes`, `regions`, `casts` | from arrays to the library's shapes |
//! | `answers` | from answers to columns |
//! | `refusal` | from errors to exceptions that name row and column |
//! | `threads` | pools, and questions shared out |
//! | `state`, `tree`, `inspect`, `view` | the tree behind a lock, and views of a version |
//! | `overlap`, `ray`, `nearest`, `tracker` | questions about objects |
//! | `mesh`, `mesh_query`, `placements` | triangles |
#![expect(clippy::too_many_arguments, reason = "options of Python are arguments by name")]

mod answers;
mod casts;
mod input;
mod inspect;
mod mesh;
mod mesh_query;
mod nearest;
mod options;
mod origin;
mod overlap;
mod placements;
mod ray;
mod refusal;
mod regions;
mod shapes;
mod state;
mod threads;
mod tracker;
mod tree;
mod view;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// The slots of ids: uint64 of any shape (n,), answer int64 (n,). Slots are dense, start at 0
/// and are used again after a removal: to index arrays of your own. Objects that one
/// ``insert`` put into a new tree have the slots 0, 1, 2, in the order of the rows.
#[pyfunction]
fn slots<'py>(py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let given = input::Ids::of(ids, "ids", 1)?;
    let ids = given.borrow()?;
    let slots = py.detach(|| -> refusal::Checked<Vec<i64>> {
        Ok(ids.handles()?.iter().map(|handle| i64::from(handle.slot())).collect())
    })?;
    Ok(slots.into_pyarray(py))
}

/// Whether this processor runs code for x86-64-v3.
#[pyfunction]
fn runs_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        has!("avx2") && has!("bmi1") && has!("bmi2") && has!("f16c") && has!("fma") && has!("lzcnt") && has!("movbe")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// For which level of the instruction set this module is compiled.
const LEVEL: &str = if cfg!(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")) {
    "x86-64-v3"
} else {
    "baseline"
};

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::casts::{Rays, Sweeps};
    #[pymodule_export]
    use super::mesh::PyMesh;
    #[pymodule_export]
    use super::mesh_query::{MeshCastQuery, MeshNearestQuery, MeshOverlapQuery};
    #[pymodule_export]
    use super::nearest::NearestQuery;
    #[pymodule_export]
    use super::options::QueryStats;
    #[pymodule_export]
    use super::origin::PyWorldOrigin;
    #[pymodule_export]
    use super::overlap::OverlapQuery;
    #[pymodule_export]
    use super::placements::Placements;
    #[pymodule_export]
    use super::ray::CastQuery;
    #[pymodule_export]
    use super::regions::{Capsules, ConvexRegions, Frusta, Obbs};
    #[pymodule_export]
    use super::tracker::{PyPairBudget, PyPairTracker};
    #[pymodule_export]
    use super::tree::PyOctree;
    #[pymodule_export]
    use super::view::View;
    #[pymodule_export]
    use super::{runs_v3, slots};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("LEVEL", super::LEVEL)
    }
}
