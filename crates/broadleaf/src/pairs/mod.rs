//! Overlapping pairs: all of them, those of one object, and which began and ended.
//!
//! ```
//! use broadleaf::{Aabb, Octree, PairTracker, Scratch, glam::Vec3};
//!
//! let (mut tree, mut tracker, mut scratch) = (Octree::default(), PairTracker::new(), Scratch::new());
//! let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
//! let (a, b) = (tree.insert(unit)?, tree.insert(unit)?);
//! assert_eq!(tree.view().pairs(&mut scratch).count(), 1);
//!
//! tracker.update(tree.changes());
//! tree.update(b, unit.translated(Vec3::X * 3.0))?;
//! tracker.update(tree.changes());
//! assert_eq!(tracker.ended().iter().map(|pair| (pair.a(), pair.b())).collect::<Vec<_>>(), [(a, b)]);
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! | to know | ask |
//! |---|---|
//! | all pairs, each once | [`View::pairs`](crate::View::pairs) gives [`PairQuery`] |
//! | the partners of one object | [`View::pairs_of`](crate::View::pairs_of) gives [`PartnerQuery`] |
//! | which pairs began and ended | [`PairTracker`] with [`Octree::changes`](crate::Octree::changes) |
//! | whether two objects are a pair | [`View::is_pair`](crate::View::is_pair) |
//! | how two objects touch | [`View::contact`](crate::View::contact) gives [`Contact`] |
//! | which pairs to serve if there are too many | [`PairBudget`] |

mod budget;
mod contact;
mod hash;
mod joint_walk;
mod movers;
mod of;
mod pair;
mod pass;
mod question;
#[cfg(feature = "serde")]
mod saved;
mod tracker;

pub use crate::data::journal::Changes;
pub use crate::geometry::Contact;
pub use budget::{BudgetReport, PairBudget};
pub use of::PartnerQuery;
pub use pair::Pair;
pub use question::PairQuery;
pub use tracker::PairTracker;

pub(crate) use question::PassScratch;
