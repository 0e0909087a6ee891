//! Input of a bulk build on several threads: the objects are divided into shares in
//! memory order, and each task makes the items of its share.

use super::count::{CountScratch, Subtree};
use super::gather::GatheredColumns;
use super::sort::{Counts, Item, NO_COUNTS, count};
use super::tasks::{self, Pool};
use crate::SliceError;
use crate::data::Entry;
use crate::data::stretch::set_len;
use crate::geometry::lanes::Extent;
use alloc::vec::Vec;
use core::ops::Range;

/// Shares for each thread, so that one that starts late finds less to do.
const SHARES: usize = 4;

/// Working memory of a bulk build on several threads. Lists keep what they
/// held until it is written anew.
#[derive(Debug, Default)]
pub(in crate::tree) struct BuildScratch {
    pub(super) shares: Vec<Share>,
    pub(super) items: Vec<Item>,
    pub(super) spare: Vec<Item>,
    /// Objects copied out of a tree.
    pub(super) kept: GatheredColumns,
    /// Objects that no cell can hold.
    pub(super) outsized: Vec<Entry>,
    pub(super) subtrees: Vec<Subtree>,
    pub(super) count: CountScratch,
}

/// A share of the objects, and the totals over it.
#[derive(Debug)]
pub(super) struct Share {
    /// Columns of eight objects, or blocks.
    pub(super) columns: Range<usize>,
    pub(super) extent: Extent,
    /// Its first item among all.
    pub(super) item_first: usize,
    /// Objects that no cell can hold: by index, or by location.
    pub(super) unplaceable: Vec<u32>,
    pub(super) any_spheres: bool,
    pub(super) any_memberships: bool,
    pub(super) error: Option<SliceError>,
    pub(super) counts: Counts,
    pub(super) edge_max: u32,
}

impl Default for Share {
    fn default() -> Self {
        Self {
            columns: 0..0,
            extent: Extent::EMPTY,
            item_first: 0,
            unplaceable: Vec::new(),
            any_spheres: false,
            any_memberships: false,
            error: None,
            counts: NO_COUNTS,
            edge_max: 0,
        }
    }
}

impl Share {
    /// Notes an item that was made.
    #[inline]
    pub(super) fn count_item(&mut self, item: Item) {
        count(&mut self.counts, item);
        self.edge_max = self.edge_max.max(item.edge());
    }
}

impl BuildScratch {
    /// Shares out so many columns.
    pub(super) fn share_out(&mut self, columns: usize) {
        let len = (tasks::threads() * SHARES).clamp(1, columns.max(1));
        self.shares.resize_with(len, Share::default);
        for (i, share) in self.shares.iter_mut().enumerate() {
            let mut unplaceable = core::mem::take(&mut share.unplaceable);
            unplaceable.clear();
            *share = Share { columns: columns * i / len..columns * (i + 1) / len, unplaceable, ..Share::default() };
        }
    }

    /// Says where the items of each share belong, once their numbers are known.
    pub(super) fn place_items(&mut self) {
        let mut len = 0;
        for share in &mut self.shares {
            share.item_first = len;
            len += share.extent.len();
        }
        set_len::<Pool, _>(&mut self.items, len, Item::default());
        set_len::<Pool, _>(&mut self.spare, len, Item::default());
    }

    /// What bounds the objects of all shares.
    pub(super) fn extent(&self) -> Extent {
        let mut extent = Extent::EMPTY;
        self.shares.iter().for_each(|share| extent.unite(&share.extent));
        extent
    }

    /// Bytes allocated.
    pub(in crate::tree) fn bytes(&self) -> usize {
        let Self { shares, items, spare, kept, outsized, subtrees, count } = self;
        let lists = shares.capacity() * size_of::<Share>() + subtrees.capacity() * size_of::<Subtree>();
        lists
            + (items.capacity() + spare.capacity()) * size_of::<Item>()
            + outsized.capacity() * size_of::<Entry>()
            + shares.iter().map(|share| share.unplaceable.capacity() * size_of::<u32>()).sum::<usize>()
            + subtrees.iter().map(|subtree| subtree.scratch.bytes()).sum::<usize>()
            + kept.bytes()
            + count.bytes()
    }
}
