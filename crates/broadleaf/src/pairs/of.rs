//! The pairs of one object, and whether two are a pair.

use super::sink::{interact, word};
use crate::data::ids::{ObjectWord, Row};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, Spheres};
use crate::query::walk::{Found, Question, walk};
use crate::{Error, Handle, Pair};
use alloc::vec::Vec;
use core::ops::ControlFlow;

struct PairsOf<'a, F> {
    view: View<'a>,
    word: ObjectWord,
    query: BoxQuery,
    visit: F,
}

impl<F: FnMut(Handle) -> ControlFlow<()>> Question for PairsOf<'_, F> {
    type Carry = ();
    type Lanes = ();
    const GATHERED: bool = true;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (boxes.overlaps(&self.query), ())
    }

    fn carry(&self, (): &(), _: usize) {}

    fn refine(&self, _: &Spheres, which: LaneMask, (): &mut ()) -> LaneMask {
        // The exact test of a hit covers every kind of partner.
        which
    }

    fn hit(&mut self, object: Found<'_, ()>) -> ControlFlow<()> {
        let both_static = self.word.has(ObjectWord::STATIC) && object.word.has(ObjectWord::STATIC);
        if object.word.row() != self.word.row() && !both_static && interact(self.view.data, self.word, object.word) {
            (self.visit)(object.handle())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl View<'_> {
    /// Whether two objects are a pair: whether [`View::pairs`] reports them.
    /// Not so if a handle is stale.
    ///
    /// *Cost:* constant.
    #[must_use]
    pub fn is_pair(self, pair: Pair) -> bool {
        let data = self.data;
        let (Some(a), Some(b)) = (data.objects.row(pair.a()), data.objects.row(pair.b())) else {
            return false;
        };
        let aabb = |row| data.kept(row).aabb();
        let (word_a, word_b) = (word(data, a), word(data, b));
        let both_static = word_a.has(ObjectWord::STATIC) && word_b.has(ObjectWord::STATIC);
        a != b && !both_static && aabb(a).overlaps(&aabb(b)) && interact(data, word_a, word_b)
    }

    /// Visits the partners of one object: the other sides of its pairs in
    /// [`View::pairs`]. Touching counts.
    ///
    /// *Cost:* that of [`View::in_aabb`] with the object's box.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn pairs_of(self, handle: Handle, visit: impl FnMut(Handle) -> ControlFlow<()>) -> Result<QueryStats, Error> {
        let row = self.data.objects.row(handle).ok_or(Error::StaleHandle { handle })?;
        Ok(self.partners(row, visit))
    }

    /// Visits the partners of a living object.
    pub(super) fn partners(self, row: Row, mut visit: impl FnMut(Handle) -> ControlFlow<()>) -> QueryStats {
        let at = self.data.objects.location(row);
        let word = word(self.data, row);
        let aabb: Aabb = self.data.blocks[at.block()].boxes.get(at.lane());
        let layers: Layers = self.data.layers(word, at);
        let mut hits = 0;
        let counted = |partner| {
            hits += 1;
            visit(partner)
        };
        let mut question = PairsOf { view: self, word, query: BoxQuery::new(&aabb), visit: counted };
        let mut stats = walk(self, layers, &mut question);
        stats.hits = hits;
        stats
    }

    /// Fills `found` with the partners of one object, in the order of [`View::pairs_of`], at its cost.
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; `found` is then unchanged.
    pub fn pairs_of_into(self, handle: Handle, found: &mut Vec<Handle>) -> Result<QueryStats, Error> {
        self.data.objects.row(handle).ok_or(Error::StaleHandle { handle })?;
        found.clear();
        self.pairs_of(handle, |partner| {
            found.push(partner);
            ControlFlow::Continue(())
        })
    }
}
