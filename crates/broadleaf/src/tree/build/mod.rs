//! Bulk builds: a tree is made from many objects at once, from the caller's slice
//! (`from_slice.rs`, `from_slice_shared.rs`) or from the tree's own objects (`rebuild.rs`, `gather.rs`).
//!
//! ```text
//! read the boxes, eight at a time; choose the grid and the root cell           rebuild.rs
//! for each object:  item = (Morton key of its centre, longest edge that a cell
//!                           needs to hold it surely, index)
//! build(root cell, items):                                                     cut.rs
//!     if they fit into one leaf:      a bucket: blocks of eight, in order
//!     move the items that no child cell holds into a pile                      residents.rs
//!     at the root:                    sort the rest by key                     sort/
//!     cut the rest into octants by three bits of the key, and build each;
//!         neighbouring octants with few items share one bucket;
//!         where all items of an octant lie in one cell far below, its node has that cell
//! ```
//!
//! A root that is one leaf sorts its items as well; on several threads all items are sorted before the root is built.
//!
//! After the sort, the items of a cell are consecutive, so a cell is a range of the list
//! and cutting is a search for the eight boundaries. The cost is linear, apart from
//! objects in piles and keys that have to be made anew below ten levels. Where the root is so high that cells of leaves
//! may lie so deep, keys have more levels in bits that the indices leave free (`tails.rs`).
//!
//! On several threads (`parallel.rs`) the tree is cut into subtrees that are built side
//! by side. Nodes and blocks get the ids that a serial build gives them.
//!
//! *Source:* G. Morton, A Computer Oriented Geodetic Data Base, 1966, for the order;
//! C. Lauterbach and others, Fast BVH Construction on GPUs, 2009, for cutting sorted
//! Morton keys into a hierarchy.

mod count;
mod cut;
mod from_slice;
mod from_slice_shared;
mod gather;
mod parallel;
mod rebuild;
mod residents;
pub(super) mod share;
pub(super) mod sort;
mod source;
mod store;
mod stretch_store;
mod tails;
mod tasks;
