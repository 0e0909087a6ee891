//! Matches: objects that overlap a box, as masks, and the loops that hand out their pairs.
//!
//! Many worlds hold boxes alone, all on all layers: plain boxes. Then each match is a pair, and the loops do nothing
//! but make pairs: with the calls for other tests in them, they would have too few registers.

use super::blocks::{OBJECTS, TestBlocks};
use super::sink::{Sink, aabb, interact, layers_interact};
use crate::Handle;
use crate::data::{BlockId, Data, Location, ObjectWord, Take};
use crate::geometry::lanes::{LaneMask, SphereQuery, set_bits, set_bits_counted};
use crate::pairs::pair::Pair;
use core::hint::select_unpredictable;
use core::ops::ControlFlow;

/// A match with at least so many pairs is large, before the tests of layers and spheres.
const LARGE_MIN: u32 = 8;

/// What was found: filled without a branch on whether there is anything.
pub(super) struct Matches {
    /// By blocks (`BY_BLOCKS`), two blocks: eight times the first, plus the second; else an object, by its bit.
    numbers: [u8; OBJECTS],
    /// By blocks, the partners of each object of the first block in the second, eight bits an object; else the
    /// object's partners.
    masks: [u64; OBJECTS],
    len: usize,
}

impl Matches {
    /// No matches. `unused` fills the masks and is not read: any number that the compiler does not know, for of zeros it
    /// would make a call of `memset`, whose code no cache may hold.
    #[inline(always)]
    pub(super) fn new(unused: u64) -> Self {
        Self { numbers: [0; OBJECTS], masks: [unused; OBJECTS], len: 0 }
    }

    /// Adds what was found, if `mask` is not empty. No more is found than fits.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "below 64")]
    pub(super) fn push(&mut self, number: usize, mask: u64) {
        self.numbers[self.len % OBJECTS] = number as u8;
        self.masks[self.len % OBJECTS] = mask;
        self.len += usize::from(mask != 0);
    }

    /// Whether they have many pairs each. Only the first is looked at: matches of one list mostly have about as many.
    #[inline(always)]
    pub(super) fn are_large(&self) -> bool {
        self.len > 0 && self.masks[0].count_ones() >= LARGE_MIN
    }

    /// The objects of all pairs, which are taken out.
    #[inline(always)]
    fn drain<const BY_BLOCKS: bool>(&mut self) -> impl Iterator<Item = (usize, usize)> {
        let (mut index, mut mask) = (0, if self.len > 0 { self.masks[0] } else { 0 });
        // The end of the list; of a full one it is the first, which has been read.
        self.masks[core::mem::take(&mut self.len) % OBJECTS] = 0;
        let Self { numbers, masks, .. } = &*self;
        // One loop over all pairs: a loop for each match would end at an unpredictable place each time. What it changes
        // is moved into it, and stays in registers.
        core::iter::from_fn(move || {
            if mask == 0 {
                return None;
            }
            let objects = objects_of::<BY_BLOCKS>(numbers[index % OBJECTS], mask.trailing_zeros() as usize);
            // Read before it is known whether this mask is done, so that no pair waits for the read.
            let next = masks[(index + 1) % OBJECTS];
            mask &= mask - 1;
            index = select_unpredictable(mask == 0, index + 1, index);
            mask = select_unpredictable(mask == 0, next, mask);
            Some(objects)
        })
    }
}

/// The two objects of a bit of a match.
#[inline(always)]
fn objects_of<const BY_BLOCKS: bool>(number: u8, bit: usize) -> (usize, usize) {
    let number = usize::from(number);
    if BY_BLOCKS { (number / 8 * 8 + bit / 8, number % 8 * 8 + bit % 8) } else { (number, bit) }
}

/// The pair of two plain boxes that overlap.
#[inline(always)]
fn plain_pair((a_word, a): (ObjectWord, Handle), (b_word, b): (ObjectWord, Handle)) -> Pair {
    debug_assert_eq!((a_word.0 | b_word.0) & (ObjectWord::SPHERE | ObjectWord::LAYERED), 0, "they are plain boxes");
    Pair::of_living(a, b)
}

/// The pair of two objects whose boxes overlap, if they pass the tests of layers and of spheres.
#[inline(always)]
fn tested_pair(data: &Data, (own, a): (&TestBlocks<'_>, usize), (side, b): (&TestBlocks<'_>, usize)) -> Option<Pair> {
    let ((a_word, a_handle), (b_word, b_handle)) = (own.object(a), side.object(b));
    let is_pair = (a_word.0 | b_word.0) & (ObjectWord::SPHERE | ObjectWord::LAYERED) == 0
        || interact(data, (a_word, own.location(a)), (b_word, side.location(b)));
    is_pair.then(|| Pair::of_living(a_handle, b_handle))
}

/// The pair of two objects whose shapes overlap, if they pass the test of layers.
#[inline(always)]
fn layered_pair(data: &Data, (own, a): (&TestBlocks<'_>, usize), (side, b): (&TestBlocks<'_>, usize)) -> Option<Pair> {
    let ((a_word, a_handle), (b_word, b_handle)) = (own.object(a), side.object(b));
    let is_pair = layers_interact(data, (a_word, own.location(a)), (b_word, side.location(b)));
    is_pair.then(|| Pair::of_living(a_handle, b_handle))
}

/// Of the objects in some lanes of a block, whose boxes overlap that of an object, those whose shape overlaps its own.
#[inline(always)]
fn overlapping_shapes(data: &Data, (word, at): (ObjectWord, Location), id: BlockId, lanes: LaneMask) -> LaneMask {
    let block = &data.blocks[id];
    // Empty lanes count as spheres; the column of spheres may end before a block that has none.
    let spheres = block.sphere_lanes() & lanes;
    if word.has(ObjectWord::SPHERE) {
        let query = SphereQuery::new(&data.blocks.sphere(at));
        let boxes = query.overlaps_boxes(&block.boxes) & lanes & !spheres;
        if spheres == 0 { boxes } else { boxes | data.blocks.spheres_of(id).overlaps_sphere(&query) & spheres }
    } else if spheres == 0 {
        lanes
    } else {
        lanes & !spheres | data.blocks.spheres_of(id).overlaps_box(&aabb(data, at)) & spheres
    }
}

impl<T: Take<Pair>> Sink<'_, T> {
    /// Takes out of the matches most pairs that the layers exclude, eight at a time; if `tests_shapes`, also all whose
    /// shapes do not overlap.
    #[inline(never)]
    fn drop_excluded<const BY_BLOCKS: bool, const WITHIN: bool>(&mut self, tests_shapes: bool) {
        let Self { view, side, own, matches, .. } = self;
        let (own, data) = (if WITHIN { &*side } else { &*own }, view.data);
        for index in 0..core::mem::take(&mut matches.len) {
            let (number, mut mask) = (usize::from(matches.numbers[index % OBJECTS]), matches.masks[index % OBJECTS]);
            let mut kept = 0;
            while mask != 0 {
                let shift = mask.trailing_zeros() / 8 * 8;
                let lane = shift as usize / 8;
                let (object, block) = if BY_BLOCKS { (number / 8 * 8 + lane, number % 8) } else { (number, lane) };
                let (at, id) = (own.location(object), side.ids[block % 8]);
                #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
                let mut lanes = (mask >> shift) as LaneMask & data.lanes_that_may_interact(at, id);
                if tests_shapes {
                    lanes = overlapping_shapes(data, (own.object(object).0, at), id, lanes);
                }
                kept |= u64::from(lanes) << shift;
                mask &= !(0xFF << shift);
            }
            matches.push(number, kept);
        }
    }

    /// Hands out the pairs that were matched, object by object or by two blocks: of objects of `own`, or within a
    /// bucket of the side itself.
    #[inline(always)]
    pub(super) fn take_matches<const BY_BLOCKS: bool, const WITHIN: bool>(&mut self) -> ControlFlow<()> {
        if self.matches.len == 0 {
            return ControlFlow::Continue(());
        }
        if !self.view.data.are_plain_boxes() {
            return self.take_tested_matches::<BY_BLOCKS, WITHIN>();
        }
        let Self { take, stats, side, own, matches, .. } = self;
        let (own, side) = (if WITHIN { &*side } else { &*own }, &*side);
        // One by one: `take_all` would be a call of a function whose code is not prefetched.
        for (a, b) in matches.drain::<BY_BLOCKS>() {
            stats.hits += 1;
            take.take(plain_pair(own.object(a), side.object(b)))?;
        }
        ControlFlow::Continue(())
    }

    /// The same where objects need tests beside that of their boxes.
    #[inline(never)]
    fn take_tested_matches<const BY_BLOCKS: bool, const WITHIN: bool>(&mut self) -> ControlFlow<()> {
        if self.view.data.blocks.any_memberships() {
            self.drop_excluded::<BY_BLOCKS, WITHIN>(false);
        }
        let Self { view, take, stats, side, own, matches } = self;
        let (own, side) = (if WITHIN { &*side } else { &*own }, &*side);
        for (a, b) in matches.drain::<BY_BLOCKS>() {
            if let Some(pair) = tested_pair(view.data, (own, a), (side, b)) {
                stats.hits += 1;
                take.take(pair)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Hands out the matches by the loop that suits the first of them.
    // Not inlined: in the middle of the pass the loops have too few registers.
    #[inline(never)]
    pub(super) fn take_matches_of_pass<const BY_BLOCKS: bool, const WITHIN: bool>(&mut self) -> ControlFlow<()> {
        if self.matches.are_large() {
            if self.view.data.are_plain_boxes() {
                self.take_large_matches::<BY_BLOCKS, WITHIN>()
            } else {
                self.take_large_tested_matches::<BY_BLOCKS, WITHIN>()
            }
        } else {
            self.take_matches::<BY_BLOCKS, WITHIN>()
        }
    }

    /// Like [`Sink::take_matches`], with a loop for each match, for objects that need no other tests: the handles of all
    /// objects are made first (with AVX2 eight at a time), for each is handed out many times.
    #[inline(never)]
    pub(super) fn take_large_matches<const BY_BLOCKS: bool, const WITHIN: bool>(&mut self) -> ControlFlow<()> {
        let Self { view, take, stats, side, own, matches } = self;
        debug_assert!(!view.data.any_layers(), "no test of layers is left");
        let own = if WITHIN { &*side } else { &*own };
        let any = side.object(0).1;
        let (mut handles_b, mut of_own) = ([any; OBJECTS], [any; OBJECTS]);
        side.write_handles(&mut handles_b);
        // By objects, the handle of a match's object is made with the match.
        let handles_a = if BY_BLOCKS && !WITHIN {
            own.write_handles(&mut of_own);
            &of_own
        } else {
            &handles_b
        };
        let len = core::mem::take(&mut matches.len);
        for (&number, &mask) in matches.numbers.iter().zip(&matches.masks).take(len) {
            let object = own.object(number.into()).1;
            let pairs = set_bits_counted(mask).map(|bit| {
                let (a, b) = objects_of::<BY_BLOCKS>(number, bit);
                Pair::of_living(if BY_BLOCKS { handles_a[a % OBJECTS] } else { object }, handles_b[b % OBJECTS])
            });
            take.take_all(pairs, &mut stats.hits)?;
        }
        ControlFlow::Continue(())
    }

    /// The same where objects need tests beside that of their boxes: shapes are tested eight at a time. If any object is
    /// not on all layers, the layers of each pair are tested one by one, for which both objects are read.
    #[inline(never)]
    fn take_large_tested_matches<const BY_BLOCKS: bool, const WITHIN: bool>(&mut self) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        if blocks.any_memberships() || blocks.any_spheres() {
            self.drop_excluded::<BY_BLOCKS, WITHIN>(blocks.any_spheres());
        }
        if !self.view.data.any_layers() {
            return self.take_large_matches::<BY_BLOCKS, WITHIN>();
        }
        let Self { view, take: sink, stats, side, own, matches } = self;
        let (data, own, side) = (view.data, if WITHIN { &*side } else { &*own }, &*side);
        let len = core::mem::take(&mut matches.len);
        // In a register: a count in memory would be stored for each pair.
        let mut hits = 0;
        let mut take_pairs = || {
            for (&number, &mask) in matches.numbers.iter().zip(&matches.masks).take(len) {
                for bit in set_bits(mask) {
                    let (a, b) = objects_of::<BY_BLOCKS>(number, bit);
                    if let Some(pair) = layered_pair(data, (own, a), (side, b)) {
                        hits += 1;
                        sink.take(pair)?;
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let taken = take_pairs();
        stats.hits += hits;
        taken
    }
}
