//! The pairs of one object, and whether two are a pair.

use super::pass::sink::{interact, word};
use crate::data::terminals::terminals;
use crate::data::{Location, ObjectWord, QueryStats, Row, Sink, Take, TakeFirst, View};
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, Spheres};
use crate::query::walk::{FoundObject, Question, walk};
use crate::query::{Accept, Filter, NoFilter, Objects, object_options};
use crate::{Error, Handle, Pair};
use core::ops::ControlFlow;

struct PairsOf<'a, S> {
    view: View<'a>,
    word: ObjectWord,
    at: Location,
    query: BoxQuery,
    hits: u64,
    take: S,
}

impl<S: Take<Handle>> Question for PairsOf<'_, S> {
    type Carry = ();
    type Lanes = ();
    const ENDS_AT_FIRST: bool = S::ENDS_AT_FIRST;

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

    fn hit(&mut self, object: FoundObject<'_, ()>) -> ControlFlow<()> {
        let both_static = self.word.has(ObjectWord::STATIC) && object.word.has(ObjectWord::STATIC);
        if object.at != self.at
            && !both_static
            && interact(self.view.data, (self.word, self.at), (object.word, object.at))
        {
            self.hits += 1;
            self.take.take(object.handle())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<'a> View<'a> {
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
        let aabb = |row| data.stored_shape(row).aabb();
        let (word_a, word_b) = (word(data, a), word(data, b));
        let both_static = word_a.0.has(ObjectWord::STATIC) && word_b.0.has(ObjectWord::STATIC);
        a != b && !both_static && aabb(a).overlaps(&aabb(b)) && interact(data, word_a, word_b)
    }

    /// Asks for the partners of one object: the other sides of its pairs in
    /// [`View::pairs`]. Touching counts.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let (a, b) = (tree.insert(unit)?, tree.insert(unit.translated(Vec3::X))?);
    /// assert_eq!(tree.view().pairs_of(a)?.any(), Some(b));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::overlap`] with the object's box.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    #[inline]
    pub fn pairs_of(self, handle: Handle) -> Result<PartnerQuery<'a>, Error> {
        let row = self.data.objects.row(handle).ok_or(Error::StaleHandle { handle })?;
        Ok(PartnerQuery { view: self, row, objects: Objects::ALL, stats: None })
    }

    /// Hands out the partners of a living object.
    fn partners(self, row: Row, mut filter: Filter<'_>, take: impl Take<Handle>) -> QueryStats {
        let (word, at) = word(self.data, row);
        let aabb: Aabb = self.data.blocks[at.block()].boxes.get(at.lane());
        // Subtrees without a layer that the object looks for hold no partner.
        let looks_for = self.data.layers(word, at).filters;
        if filter.layers.is_none() && looks_for != u32::MAX {
            filter.layers = Some(looks_for);
        }
        let mut question = PairsOf { view: self, word, at, query: BoxQuery::new(&aabb), hits: 0, take };
        let stats = walk(self, &mut filter, &mut question);
        QueryStats { hits: question.hits, ..stats }
    }
}

/// The partners of one object; made by [`View::pairs_of`].
///
/// `F` is the closure of `filter`.
#[must_use = "a question is asked by its terminal, such as `for_each`"]
#[derive(Debug)]
pub struct PartnerQuery<'a, F = NoFilter> {
    view: View<'a>,
    row: Row,
    objects: Objects<F>,
    stats: Option<&'a mut QueryStats>,
}

impl<'a, F: Accept> PartnerQuery<'a, F> {
    object_options!();

    /// Only partners that the closure accepts. It is asked about candidates,
    /// some of which may turn out to be no partners.
    #[inline]
    pub fn filter<G: FnMut(Handle) -> bool>(self, accept: G) -> PartnerQuery<'a, G> {
        let Self { view, row, objects, stats } = self;
        PartnerQuery { view, row, objects: objects.with_accept(accept), stats }
    }

    #[inline]
    fn run(&mut self, sink: Sink<'_, Handle>) {
        let work = run(self.view, self.row, self.objects.filter(), sink);
        work.add_to(self.stats.as_deref_mut());
    }

    terminals!(
        /// *Cost:* up to 64 blocks of eight objects are found before the first answer; for one answer, `any` costs
        /// less.
        Handle
    );
}

fn run(view: View<'_>, row: Row, filter: Filter<'_>, mut sink: Sink<'_, Handle>) -> QueryStats {
    sink.start();
    match sink {
        Sink::Any(any) => view.partners(row, filter, TakeFirst(any)),
        sink => view.partners(row, filter, sink),
    }
}
