//! Whether the exact shapes of two objects touch, without their margins.

use crate::data::View;
use crate::{Error, Handle};

impl View<'_> {
    /// Whether the shapes of two objects overlap, as they were last set;
    /// touching counts. Where the tree keeps a [`Margin`](crate::Margin), this
    /// is the exact test that its pairs still need; where it keeps none, what
    /// [`View::pairs`] says. Layers and mobility are not asked.
    ///
    /// *Cost:* constant.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn touches(self, a: Handle, b: Handle) -> Result<bool, Error> {
        let shape = |handle| self.get(handle).map(|object| object.shape).ok_or(Error::StaleHandle { handle });
        Ok(shape(a)?.overlaps(&shape(b)?))
    }
}
