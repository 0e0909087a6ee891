//! Settings of a tree, and their ranges.

use crate::Error;

const TWO_20: f64 = (1_u64 << 20) as f64;
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Config {
    /// How long an object may be that a cell holds, 1.0 to 2^20: `looseness - 1`
    /// edges of the cell (its longest, where edges differ).
    ///
    /// An object belongs to the deepest cell that holds its centre and in which,
    /// along each axis, it is short enough or lies inside. At 1.0 it has to lie
    /// inside: an object that straddles a boundary stays with the parent, as in
    /// the classic octree. At 3.0 (default) an object may be as long as two edges of
    /// its cell. One that is there already stays until its centre has left the cell by an
    /// eighth of an edge (less below 2.0); so nothing flickers on a boundary.
    ///
    /// What no child of a cell holds stands apart from its children, in buckets
    /// of its own. So the setting moves cost, not answers: a larger value puts long
    /// objects among small ones, which makes the boxes around those longer.
    pub looseness: f32,
    /// Edge of the smallest cell in world units, 2^-40 to 2^40; rounded down
    /// to a power of two. Default 1/64.
    ///
    /// Objects whose centre lies 2^24 such cells or more from the origin (by default 262,144 units), or that are
    /// longer than that, are beyond the reach of the cells.
    ///
    /// A bulk build starts with this cell and adapts its cells to the world. The answers of questions do not
    /// depend on it; their order may.
    ///
    /// 1. Objects beyond reach: if these are more than a sixteenth of all objects, and more than a leaf holds, the
    ///    build doubles the smallest cell until they are not, up to 2^40 units. For fewer objects too, as long as the
    ///    cell stays small beside the world.
    /// 2. Small and dense worlds: the build halves the smallest cell until a cell 64 times as long would hold no more
    ///    objects than a leaf, if they lay evenly.
    /// 3. Density: with more than 512 objects, the edges of all cells are multiplied by one factor, below 2 for cubes
    ///    and below 8 otherwise, so that objects that lie evenly fill their leaves well. The reach stays as it is.
    /// 4. Flat and long worlds: their cells are flat or long too.
    ///
    /// At looseness 1.0 the build doubles the smallest cell for many objects beyond reach, and does nothing else:
    /// all cells are cubes whose edges are powers of two.
    ///
    /// *Cost:* what remains beyond stands apart from the tree, in buckets of
    /// its own, arranged by where objects stood when they were packed, and packed anew as they
    /// spread; [`Counters::outsized`](crate::inspect::Counters::outsized) tells how many. Far
    /// out, floats are coarse: an origin that follows the action keeps them fine.
    pub smallest_cell: f32,
    /// Objects in a leaf before it splits, 1 to 64. Default 64.
    pub leaf_capacity: u32,
    /// Levels below the root at which cells no longer split, 1 to 21. Default 21.
    pub depth_limit: u32,
    /// How much larger than its shape an object is kept. Default: not at all.
    pub margin: Margin,
}

/// Fat bounds: an object is kept larger than its shape, so that an update to
/// a shape that still lies inside does not touch the tree.
///
/// Pairs, events and questions are then those of the fattened shapes: a
/// superset of the exact ones. [`View::touches`](crate::View::touches) tells
/// which pairs touch in truth; [`Octree::get`](crate::Octree::get) and
/// [`View::get`](crate::View::get) give the shape as it was last set. An
/// object is fattened anew when its shape leaves its fat bounds, or has
/// shrunk so that they are larger than fresh ones by two margins. Boxes grow
/// by the margin on every side, spheres in radius. Static objects are
/// fattened like others.
///
/// It pays where most moves are small beside it, as of bodies that come to rest: a
/// move within the margin costs the tree nothing, and events nothing. Where
/// objects leave their fat bounds every few frames it costs: each update
/// compares the shape with what is kept, there are more pairs, and the caller
/// tests them once more. In the record `events-x86-64-v3` of `docs/performance.md` (Xeon, 2026-11-29),
/// a margin of 0.04 makes a frame with events 6.4 times as fast in a pile of 100,000 objects, and
/// 1.5 times in a recorded pile of 3,005; a recorded drum takes 1.05 times as long, and a city of
/// 100,000 1.24 times. Over the scenes of the sweep it takes 1.14 times as long in the median.
///
/// ```
/// use broadleaf::{Aabb, Config, Margin, Octree, PairTracker, glam::Vec3};
///
/// let margin = Margin { absolute: 0.1, relative: 0.0 };
/// let mut tree = Octree::new(Config { margin, ..Config::default() })?;
/// let mut tracker = PairTracker::new();
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// let (a, b) = (tree.insert(unit)?, tree.insert(unit.translated(Vec3::X * 1.1))?);
/// tracker.update(tree.changes());
/// assert_eq!(tracker.begun().len(), 1);
/// assert!(!tree.view().touches(a, b)?);
///
/// tree.update(b, unit.translated(Vec3::X * 1.05))?; // within the margin: nothing to do
/// assert_eq!(tracker.update(tree.changes()).objects_tested, 0);
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Margin {
    /// Part that is the same for every object, in world units, 0 to 2^40.
    pub absolute: f32,
    /// Part in proportion to the longest edge of the object's box, 0 to 1.
    pub relative: f32,
}

impl Margin {
    /// No margin: objects are kept exactly.
    pub const NONE: Self = Self { absolute: 0.0, relative: 0.0 };
}

impl Default for Config {
    fn default() -> Self {
        Self { looseness: 3.0, smallest_cell: 1.0 / 64.0, leaf_capacity: 64, depth_limit: 21, margin: Margin::NONE }
    }
}

impl Config {
    /// Settings that reproduce the classic strict octree: full containment,
    /// cells of at least one unit, and no subdivision for a lone object.
    #[must_use]
    pub fn strict() -> Self {
        Self { looseness: 1.0, smallest_cell: 1.0, leaf_capacity: 1, depth_limit: 21, margin: Margin::NONE }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`Error::SettingOutOfRange`] names the first setting that is out of range.
    pub fn check(&self) -> Result<(), Error> {
        in_range("looseness", f64::from(self.looseness), 1.0, TWO_20)?;
        in_range("smallest_cell", f64::from(self.smallest_cell), 1.0 / TWO_40, TWO_40)?;
        in_range("leaf_capacity", f64::from(self.leaf_capacity), 1.0, 64.0)?;
        in_range("depth_limit", f64::from(self.depth_limit), 1.0, 21.0)?;
        in_range("margin.absolute", f64::from(self.margin.absolute), 0.0, TWO_40)?;
        in_range("margin.relative", f64::from(self.margin.relative), 0.0, 1.0)
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
