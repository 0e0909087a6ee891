//! Changing objects. A setter writes the object's lane and sets its dirty bit; the
//! consequences are left to the next view.

use super::Octree;
use crate::data::{Bounded, Layers, Mobility, Row, Shape};
use crate::geometry::lanes::{PREFETCH_ALL_MAX, PREFETCH_CODE_MIN};
use crate::spans::span;
use crate::{Error, Handle, SliceError};

/// How many objects ahead of the one that is written memory is prefetched.
const PREFETCH_DISTANCE: usize = 16;

impl Octree {
    /// Replaces the bounds of an object; a box may become a sphere and back.
    ///
    /// *Cost:* constant. An object that stays in its cell is rewritten in place.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], or a box or sphere that is not legal.
    pub fn update(&mut self, handle: Handle, shape: impl Into<Shape>) -> Result<(), Error> {
        let shape = shape.into();
        let row = self.row(handle)?;
        shape.check()?;
        self.reshape(row, &shape);
        Ok(())
    }

    /// Replaces the bounds of many objects: `shapes[i]` becomes that of
    /// `handles[i]`. Of a handle given twice, the last shape stays. A shape may be
    /// an array of floats: `[f32; 6]` is a box (min x, y, z, max x, y, z), `[f32; 4]`
    /// a sphere (centre x, y, z, radius).
    ///
    /// *Cost:* linear: one pass that checks, one that writes. Where at least two
    /// thirds of all objects are given (with a margin, half of them), and the tree has not held many times as
    /// many, the second goes through memory in order, and does most of what is
    /// otherwise left to the next view: one call for all is cheaper than several.
    /// It is cheapest where all slots of the handles follow each other, as those of
    /// [`insert_many`](Octree::insert_many) into a new tree do; where they do not, it
    /// takes four bytes of working memory a slot, which are kept.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], or the first stale handle or illegal shape
    /// with its index: then nothing is changed.
    pub fn update_many<S: Bounded>(&mut self, handles: &[Handle], shapes: &[S]) -> Result<(), SliceError> {
        if handles.len() != shapes.len() {
            let error = Error::LengthMismatch { handles: handles.len(), shapes: shapes.len() };
            return Err(SliceError { index: handles.len().min(shapes.len()), error });
        }
        if handles.is_empty() {
            return Ok(());
        }
        let _span = span!("update_many", objects = handles.len());
        let are_most = self.are_most(handles.len());
        if are_most && handles.len() >= PREFETCH_CODE_MIN {
            self.prefetch_code_of_rewrite::<S>();
            Self::prefetch_code_of_flush();
            if handles.len() <= PREFETCH_ALL_MAX {
                self.data.blocks.prefetch(handles.len());
                self.data.nodes.prefetch(handles.len());
            }
        }
        let run = self.check_many(handles, shapes)?;
        if are_most {
            self.rewrite(handles, shapes, run);
            return Ok(());
        }
        for (later, (handle, shape)) in (PREFETCH_DISTANCE..).zip(handles.iter().zip(shapes)) {
            if let Some(later) = handles.get(later) {
                let at = self.data.objects.location(Row(later.slot()));
                self.data.blocks[at.block()].boxes.prefetch();
            }
            self.reshape(Row(handle.slot()), shape);
        }
        Ok(())
    }

    /// Checks that all handles name living objects, and that all shapes are
    /// legal; the first row, if the others follow in order.
    fn check_many<S: Bounded>(&self, handles: &[Handle], shapes: &[S]) -> Result<Option<Row>, SliceError> {
        let run = self.data.objects.run_of(handles);
        let alive = run.is_some() || handles.iter().all(|&handle| self.data.objects.row(handle).is_some());
        if !(alive && S::all_legal(shapes)) {
            for (index, (&handle, shape)) in handles.iter().zip(shapes).enumerate() {
                let legal = self.row(handle).and_then(|_| shape.check());
                legal.map_err(|error| SliceError { index, error })?;
            }
        }
        Ok(run)
    }

    /// Replaces the layers of an object.
    ///
    /// *Cost:* constant; the next view refits what holds the object. The first
    /// filters or memberships that are not all make their column.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_layers(&mut self, handle: Handle, layers: Layers) -> Result<(), Error> {
        let row = self.row(handle)?;
        self.data.write_layers(row, layers);
        Ok(())
    }

    /// Makes an object static or moving.
    ///
    /// *Cost:* constant; the next view refits what holds the object.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_mobility(&mut self, handle: Handle, mobility: Mobility) -> Result<(), Error> {
        let row = self.row(handle)?;
        self.data.write_mobility(row, mobility);
        Ok(())
    }

    /// Replaces the user data of an object.
    ///
    /// *Cost:* constant; the next view has nothing to do for it. The first that
    /// is not zero makes the column of user data, unless [`Octree::reserve`] has.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_user_data(&mut self, handle: Handle, user_data: u64) -> Result<(), Error> {
        let row = self.row(handle)?;
        self.data.objects.set_user_data(row, user_data);
        Ok(())
    }

    /// Stores a legal shape of a living row. With a margin, the lane is written only if the shape has left its
    /// fat bounds.
    #[inline(always)]
    fn reshape<S: Bounded>(&mut self, row: Row, shape: &S) {
        if self.data.fat.has_margin() {
            self.reshape_fat(row, (*shape).into());
        } else {
            self.data.write_shape(row, &shape.aabb(), shape.sphere());
        }
    }

    #[inline(never)]
    fn reshape_fat(&mut self, row: Row, shape: Shape) {
        let (kept, shape) = (self.data.stored_shape(row), shape.without_negative_zeros());
        if let Some(fat) = self.data.fat.new_fat_shape(&kept, &shape) {
            self.data.write_shape(row, &fat.aabb(), fat.sphere());
        }
        self.data.fat.set(row, shape);
    }
}
