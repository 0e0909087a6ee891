//! Overlapping pairs, asked of a [`View`](crate::View). Reads only.

mod bucket;
mod budget;
mod chains;
mod contact;
mod diff;
mod hash;
mod of;
mod outside;
mod pair;
mod pass;
mod question;
mod refused;
mod rows;
#[cfg(feature = "serde")]
mod saved;
mod sink;
#[cfg(feature = "parallel")]
mod tasks;
mod touch;
mod tracker;

pub use budget::{BudgetReport, PairBudget};
pub use of::PartnerQuery;
pub use pair::Pair;
pub use question::PairQuery;
pub use tracker::PairTracker;

pub(crate) use question::PassScratch;
