//! The steps that must be refused: every call gets the input, answers with the
//! typed error, and changes nothing.

use super::Fault;
use super::compare::{Complaint, compare_objects, same};
use super::run::Runner;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Error, Handle, Layers, Mobility, Shape};

impl Runner {
    /// Offers a faulty shape to every call that takes a shape.
    pub(super) fn refuse(&mut self, index: u32, fault: Fault) -> Result<(), Complaint> {
        let bad = fault.shape();
        let good = Shape::from(Aabb::new(Vec3::ZERO, Vec3::ONE));
        let expect = |call: &str, error: Option<Error>| match error {
            Some(error) if fault.is_reported_by(&error) => Ok(()),
            other => Err(format!("{call}: {other:?} is not the error of {fault:?}")),
        };
        expect("insert", self.tree.insert(bad).err())?;
        let mut handles = self.live.clone();
        let error = self.tree.insert_many(&[good, good, bad], &mut handles).err();
        same("index of the fault", &error.map(|error| error.index), &Some(2))?;
        expect("insert_many", error.map(|error| error.error))?;
        if let Some(handle) = self.chosen(index) {
            expect("update", self.tree.update(handle, bad).err())?;
            let error = self.tree.update_many(&[handle, handle], &[good, bad]).err();
            same("index of the fault", &error.map(|error| error.index), &Some(1))?;
            expect("update_many", error.map(|error| error.error))?;
            let error = self.tree.update_many(&[handle], &[good, good]).err();
            let expected = Error::LengthMismatch { handles: 1, shapes: 2 };
            same("a length mismatch", &error.map(|error| error.error), &Some(expected))?;
        }
        compare_objects(&self.tree, &self.oracle)?;
        let view = self.tree.view();
        match bad {
            Shape::Aabb(aabb) => {
                expect("overlap", view.overlap(&aabb).err())?;
                expect("nearest", view.nearest(aabb).err())?;
                expect("overlap_many", view.overlap_many(&[aabb]).err().map(|error| error.error))?;
            }
            Shape::Sphere(ball) => {
                expect("overlap", view.overlap(&ball).err())?;
            }
            _ => {}
        }
        let nowhere = Vec3::new(0.0, f32::NAN, 0.0);
        let error = view.overlap(&nowhere).err();
        same("a point that is NaN", &matches!(error, Some(Error::NotANumber { .. })), &true)?;
        let error = view.nearest(nowhere).err();
        same("a place that is NaN", &matches!(error, Some(Error::NotANumber { .. })), &true)
    }

    /// Offers a removed object's handle to every call that takes a handle.
    pub(super) fn refuse_stale(&mut self, index: u32) -> Result<(), Complaint> {
        if self.retired.is_empty() {
            return Ok(());
        }
        let handle = self.retired[index as usize % self.retired.len()];
        let stale = Err(Error::StaleHandle { handle });
        let shape = Shape::from(Aabb::new(Vec3::ZERO, Vec3::ONE));
        same("get", &self.tree.get(handle), &None)?;
        same("contains", &self.tree.contains(handle), &false)?;
        same("remove", &self.tree.remove(handle), &None)?;
        same("update", &self.tree.update(handle, shape), &stale)?;
        same("set_layers", &self.tree.set_layers(handle, Layers::NONE), &stale)?;
        same("set_mobility", &self.tree.set_mobility(handle, Mobility::Static), &stale)?;
        same("set_user_data", &self.tree.set_user_data(handle, 1), &stale)?;
        let (handles, shapes) = (self.chosen(index).into_iter().chain([handle]), [shape, shape]);
        let handles: Vec<Handle> = handles.collect();
        let error = self.tree.update_many(&handles, &shapes[..handles.len()]).err();
        let expected = Some((handles.len() - 1, Error::StaleHandle { handle }));
        same("update_many", &error.map(|error| (error.index, error.error)), &expected)?;
        let view = self.tree.view();
        same("pairs_of", &view.pairs_of(handle).err(), &stale.err())?;
        same("user data in the view", &view.user_data(handle), &None)
    }
}
