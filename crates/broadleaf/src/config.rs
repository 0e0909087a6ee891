//! Settings of a tree, and their ranges.

use crate::Error;

const TWO_40: f64 = (1_u64 << 40) as f64;

/// Settings of an [`Octree`](crate::Octree), checked by [`Octree::new`](crate::Octree::new).
///
/// ```
/// use broadleaf::{Config, Octree};
///
/// let tree = Octree::new(Config { looseness: 1.5, ..Config::default() })?;
/// assert_eq!(tree.config().looseness, 1.5);
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Edge of a node's loose cube over the edge of its cell, 1.0 to 2.0.
    ///
    /// An object belongs to the deepest cell that holds its centre and whose
    /// loose cube contains it. At 1.0 an object that straddles a boundary
    /// stays with the parent; at 2.0 (default) every object no larger than a
    /// cell fits, so nothing straddles. One that is there already stays until
    /// its centre has left the cell by a quarter of what the loose cube
    /// reaches beyond it; so nothing flickers on a boundary.
    pub looseness: f32,
    /// Edge of the smallest cell in world units, 2^-40 to 2^40; rounded down to a power of two.
    ///
    /// Objects whose centre lies 2^24 smallest cells or more from the origin
    /// cannot be placed by a 32-bit float; they go to a list that every
    /// question also tests. Default 1/64, which places objects up to 262,144
    /// units from the origin.
    pub smallest_cell: f32,
    /// Objects in a leaf before it splits, 1 to 64. Default 64.
    pub leaf_capacity: u32,
    /// Levels below the root at which cells no longer split, 1 to 21. Default 21.
    pub depth_limit: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { looseness: 2.0, smallest_cell: 1.0 / 64.0, leaf_capacity: 64, depth_limit: 21 }
    }
}

impl Config {
    /// Settings that reproduce the classic strict octree: full containment,
    /// cells of at least one unit, and no subdivision for a lone object.
    #[must_use]
    pub fn strict() -> Self {
        Self { looseness: 1.0, smallest_cell: 1.0, leaf_capacity: 1, depth_limit: 21 }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`Error::SettingOutOfRange`] names the first setting that is out of range.
    pub fn check(&self) -> Result<(), Error> {
        in_range("looseness", f64::from(self.looseness), 1.0, 2.0)?;
        in_range("smallest_cell", f64::from(self.smallest_cell), 1.0 / TWO_40, TWO_40)?;
        in_range("leaf_capacity", f64::from(self.leaf_capacity), 1.0, 64.0)?;
        in_range("depth_limit", f64::from(self.depth_limit), 1.0, 21.0)
    }

    /// The smallest cell rounded down to a power of two. The setting must be in range.
    pub(crate) fn cell_unit(&self) -> f32 {
        f32::from_bits(self.smallest_cell.to_bits() & 0x7f80_0000)
    }
}

fn in_range(setting: &'static str, value: f64, min: f64, max: f64) -> Result<(), Error> {
    // Written so that NaN is out of range.
    if value >= min && value <= max { Ok(()) } else { Err(Error::SettingOutOfRange { setting, value, min, max }) }
}
