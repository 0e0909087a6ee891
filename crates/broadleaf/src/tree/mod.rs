//! The [`Octree`] and the operations that change it, one a file.
//!
//! | what a caller does | file |
//! |---|---|
//! | add objects: to the pending chain, or as a bulk build | `insert.rs`, `build` |
//! | change one object, or many | `update.rs`; most of them in one call: `rewrite.rs` |
//! | remove objects | `remove.rs` |
//! | bring the tree up to date, and ask | `flush`, by [`Octree::view`] |
//! | build the tree anew | `build/rebuild.rs` |
//! | move the origin | `shift.rs` |
//! | save, load, hash | `snapshot.rs`, `hash.rs` |
//!
//! A setter writes the object's lane and sets its dirty bit. Everything that follows
//! from the change is computed by the next [`Octree::view`].

mod build;
mod flush;
mod hash;
mod insert;
mod remove;
mod rewrite;
mod shift;
#[cfg(feature = "serde")]
mod snapshot;
mod update;

use crate::data::arena::cloned;
use crate::data::journal::Changes;
use crate::data::report::MemoryUse;
use crate::data::state::validate::{BrokenInvariant, ensure};
use crate::data::{BumpScratch, Counters, Data, Interactions, Object, Row, Threads, View};
use crate::{Config, Error, Handle};
use alloc::vec::Vec;
use build::share::BuildScratch;
use flush::pile::PackScratch;

/// A block mostly holds so many objects or more.
const OBJECTS_PER_BLOCK: usize = 7;
/// There is mostly one node for so many objects or more.
const OBJECTS_PER_NODE: usize = 24;

/// A dynamic octree over boxes and spheres.
///
/// ```
/// use broadleaf::{Aabb, Config, Octree, Sphere, glam::Vec3};
///
/// let mut tree = Octree::new(Config::default())?;
/// let crate_ = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
/// let ball = tree.insert(Sphere::new(Vec3::splat(5.0), 0.5))?;
/// tree.update(ball, Sphere::new(Vec3::new(1.5, 0.5, 0.5), 0.5))?;
///
/// let mut found = Vec::new();
/// tree.view().overlap(&Aabb::new(Vec3::ZERO, Vec3::splat(2.0)))?.collect_into(&mut found);
/// assert!(found.contains(&crate_) && found.contains(&ball));
/// # Ok::<(), broadleaf::Error>(())
/// ```
///
/// [`Clone::clone_from`] takes a snapshot into a tree that is there already:
/// without allocation if its memory suffices, at the cost of copying. The
/// clone goes on bit for bit like the original: the same results in the same
/// order. Working memory is not copied.
///
/// Coordinates and radii that are -0.0 are kept as 0.0: of two zeros of
/// different sign, instructions that unite bounds keep one or the other, and
/// the tree is the same on every machine.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "snapshot::SavedTree"))]
pub struct Octree {
    config: Config,
    data: Data,
    /// Objects that left their cell, each once; empty between views.
    #[cfg_attr(feature = "serde", serde(skip))]
    misplaced: Vec<Row>,
    #[cfg_attr(feature = "serde", serde(skip))]
    packing: PackScratch,
    #[cfg_attr(feature = "serde", serde(skip))]
    bump_scratch: BumpScratch,
    /// Which threads do bulk builds.
    #[cfg_attr(feature = "serde", serde(skip))]
    threads: Threads,
    /// Scratch of bulk builds on several threads.
    #[cfg_attr(feature = "serde", serde(skip))]
    build_scratch: BuildScratch,
    /// Scratch: objects converted from a type of the caller's, while they are inserted.
    #[cfg_attr(feature = "serde", serde(skip))]
    converted: Vec<Object>,
    counters: Counters,
}

impl Clone for Octree {
    fn clone(&self) -> Self {
        cloned(self, Self::with_checked(self.config))
    }

    fn clone_from(&mut self, source: &Self) {
        // Working memory is not copied, nor the list of misplaced objects, which is empty.
        let Self { config, data, threads, counters, .. } = source;
        self.config = *config;
        self.data.clone_from(data);
        self.threads = *threads;
        self.counters = *counters;
    }
}

impl Default for Octree {
    fn default() -> Self {
        Self::with_checked(Config::default())
    }
}

impl Octree {
    /// An empty tree. Allocates nothing.
    ///
    /// # Errors
    /// [`Error::SettingOutOfRange`] names the first setting that is out of range.
    pub fn new(config: Config) -> Result<Self, Error> {
        config.check()?;
        Ok(Self::with_checked(config))
    }

    fn with_checked(config: Config) -> Self {
        Self {
            config,
            data: Data::new(&config),
            misplaced: Vec::new(),
            packing: PackScratch::default(),
            bump_scratch: BumpScratch::default(),
            threads: Threads::One,
            build_scratch: BuildScratch::default(),
            converted: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> Config {
        self.config
    }

    /// Which threads do bulk builds, as set by [`Octree::set_threads`].
    #[must_use]
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Sets which threads do bulk builds from now on: [`insert_many`](Octree::insert_many)
    /// into an empty tree, [`rebuild`](Octree::rebuild), and those that
    /// [`view`](Octree::view) chooses. A new tree, and one that was read, has
    /// [`Threads::One`]: nothing runs on other threads unless this is called. A clone has the setting of the original.
    ///
    /// The tree is the same, bit for bit; so this is no part of its state, its
    /// hash or its snapshots.
    ///
    /// *Cost:* about a fifth more work than on one thread, shared out; so it
    /// is worth it where cores are free. Worlds below 16,384 objects, and pools of one
    /// thread, take the calling thread anyway. A tree that is built for a second
    /// time keeps its working memory, until [`shrink_to_fit`](Octree::shrink_to_fit).
    /// The caller waits for the pool: do not hold a lock that its threads may want.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// The number of objects in the tree, pending ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.data.objects.len()
    }

    /// Whether the tree holds no object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the handle names a living object of this tree.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.data.objects.row(handle).is_some()
    }

    /// The object of a handle; `None` if it is stale. The shape is the one
    /// last set, with a positive zero in place of each negative one.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<Object> {
        self.data.objects.row(handle).map(|row| self.data.describe(row))
    }

    /// All objects, lowest slot first.
    ///
    /// *Cost:* linear in the most objects that there have been at once.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, Object)> + '_ {
        let objects = &self.data.objects;
        objects.live_rows().map(|row| (objects.handle(row), self.data.describe(row)))
    }

    /// Brings the tree up to date and borrows it for questions.
    ///
    /// *Cost:* in proportion to what changed since the last view; nothing if nothing did.
    /// Each view after a change looks at one word for 64 blocks.
    /// May build the tree anew, on the threads that [`Octree::set_threads`] allows.
    #[inline]
    pub fn view(&mut self) -> View<'_> {
        self.flush();
        View { data: &self.data }
    }

    /// A view of a tree that is up to date; `None` if it is not. So readers that
    /// share the tree, as behind a read lock, ask side by side:
    ///
    /// ```
    /// # use broadleaf::{Aabb, Octree, glam::Vec3};
    /// let mut tree = Octree::default();
    /// let handle = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// assert!(tree.try_view().is_none(), "an object waits for its place");
    /// tree.view(); // once a frame, by whoever may write
    /// let shared = &tree;
    /// assert_eq!(shared.try_view().expect("up to date").len(), 1);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// It is `Some` from [`view`](Octree::view) and [`changes`](Octree::changes) on,
    /// until a call leaves the next view something to do: `insert`, `remove`,
    /// `update`, `set_layers` and `set_mobility`, those for many objects, and
    /// `shift_origin`. Calls that are refused leave it as it is, as do
    /// `set_user_data`, an update within the [`Margin`](crate::Margin), and all
    /// that only reads. It is `Some` as well of a tree that is new or cleared, and after
    /// [`rebuild`](Octree::rebuild). Where a change happens to leave nothing to do,
    /// it may still be `Some`, and then answers as [`view`](Octree::view) would. A clone and
    /// a tree that was read are as up to date as the original.
    ///
    /// *Cost:* constant.
    #[must_use]
    pub fn try_view(&self) -> Option<View<'_>> {
        self.is_up_to_date().then_some(View { data: &self.data })
    }

    /// Brings the tree up to date and lends it to a [`PairTracker`](crate::PairTracker),
    /// which gets what changed since its own last update. Call it once for each tracker.
    #[inline]
    pub fn changes(&mut self) -> Changes<'_> {
        self.flush();
        Changes { data: &mut self.data }
    }

    /// Removes all objects, keeping the memory. Every handle becomes stale.
    ///
    /// *Cost:* linear in the memory in use.
    pub fn clear(&mut self) {
        self.data.objects.clear();
        self.data.interactions = Interactions::NONE;
        self.data.journal.forget();
        self.clear_tree();
    }

    /// Makes room for `objects` more objects, whatever filters and user data
    /// they have, and for their removal. The columns of memberships and of spheres are made when the
    /// first object needs them.
    ///
    /// # Panics
    /// If the room takes more than `isize::MAX` bytes, as [`Vec::reserve`]. An allocation that
    /// fails aborts the process.
    pub fn reserve(&mut self, objects: usize) {
        self.data.objects.reserve(objects);
        self.data.fat.reserve(objects);
        self.reserve_tree(objects);
    }

    /// Makes room for as many nodes and blocks as so many objects mostly take.
    fn reserve_tree(&mut self, objects: usize) {
        self.data.blocks.reserve(objects / OBJECTS_PER_BLOCK + 1);
        self.data.nodes.reserve(objects / OBJECTS_PER_NODE + 1);
    }

    /// Prefetches the room that so many objects mostly take.
    #[inline(always)]
    fn prefetch_room(&mut self, objects: usize) {
        self.data.blocks.arena.prefetch_room(objects / OBJECTS_PER_BLOCK);
        self.data.nodes.prefetch_room(objects / OBJECTS_PER_NODE);
    }

    /// Frees memory that is not in use, working memory included.
    ///
    /// *Cost:* at most a copy of everything. Freed nodes and blocks stay on their free lists.
    pub fn shrink_to_fit(&mut self) {
        self.data.objects.shrink_to_fit();
        self.data.blocks.shrink_to_fit();
        self.data.nodes.shrink_to_fit();
        self.data.journal.shrink_to_fit();
        self.data.fat.shrink_to_fit();
        self.misplaced.shrink_to_fit();
        self.packing = PackScratch::default();
        self.bump_scratch = BumpScratch::default();
        self.build_scratch = BuildScratch::default();
        self.converted = Vec::new();
    }

    /// Bytes allocated.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        MemoryUse {
            nodes: self.data.nodes.memory(),
            blocks: self.data.blocks.memory(),
            objects: self.data.objects.memory()
                + self.data.journal.memory()
                + self.data.fat.memory()
                + self.misplaced.capacity() * size_of::<Row>(),
            scratch: self.bump_scratch.memory()
                + self.packing.bytes()
                + self.converted.capacity() * size_of::<Object>()
                + self.build_scratch.bytes(),
        }
    }

    /// Counts of the work done so far, and of nodes and blocks in use.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        self.data.count_arenas(&mut counters);
        counters
    }

    /// Checks every invariant of the tree, whether or not it is up to date.
    ///
    /// *Cost:* visits everything; for tests.
    ///
    /// # Errors
    /// The first broken invariant found. It never fails unless this crate has a bug.
    pub fn validate(&self) -> Result<(), BrokenInvariant> {
        ensure(self.misplaced.is_empty(), "no object is misplaced between views", 0)?;
        self.data.validate()
    }

    /// The row of a handle.
    #[inline]
    fn row(&self, handle: Handle) -> Result<Row, Error> {
        self.data.objects.row(handle).ok_or(Error::StaleHandle { handle })
    }
}
