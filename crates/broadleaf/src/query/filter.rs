//! Selecting the objects of a question: by layers and mobility, without one object, and
//! by a closure of the caller's.

use crate::Handle;
use crate::data::{Block, Mobility};
use crate::geometry::lanes::{LaneMask, WIDTH, any_bit, set_bits};

/// The options that say which objects a question is about, as a query keeps them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Objects<F> {
    pub(crate) layers: Option<u32>,
    pub(crate) only: Option<Mobility>,
    pub(crate) exclude: Option<Handle>,
    pub(crate) accept: F,
}

impl Objects<NoFilter> {
    pub(crate) const ALL: Self = Self { layers: None, only: None, exclude: None, accept: NoFilter };
}

impl<F> Objects<F> {
    /// The same options with another closure.
    #[inline]
    pub(crate) fn with_accept<G>(self, accept: G) -> Objects<G> {
        let Self { layers, only, exclude, .. } = self;
        Objects { layers, only, exclude, accept }
    }
}

impl<F: Accept> Objects<F> {
    /// The options as the traversal reads them.
    #[inline]
    pub(crate) fn filter(&mut self) -> Filter<'_> {
        Filter { layers: self.layers, only: self.only, exclude: self.exclude, accept: self.accept.as_dyn() }
    }

    /// Whether objects are selected by layers alone, if at all.
    #[inline]
    pub(crate) fn is_plain(&mut self) -> bool {
        self.filter().is_plain()
    }
}

/// A closure that accepts handles, or pairs; or [`NoFilter`].
///
/// Closures are called through a pointer, so that what uses them is compiled once, in this crate.
pub trait Accept<T = Handle> {
    /// The closure; `None` accepts everything.
    #[doc(hidden)]
    fn as_dyn(&mut self) -> Option<&mut dyn FnMut(T) -> bool>;
}

/// Accepts everything: the type of a question that has no `filter`.
#[derive(Debug, Clone, Copy)]
pub struct NoFilter;

impl<T> Accept<T> for NoFilter {
    #[inline]
    fn as_dyn(&mut self) -> Option<&mut dyn FnMut(T) -> bool> {
        None
    }
}

impl<T, F: FnMut(T) -> bool> Accept<T> for F {
    #[inline]
    fn as_dyn(&mut self) -> Option<&mut dyn FnMut(T) -> bool> {
        Some(self)
    }
}

/// Which objects a question is about, as the traversal reads it.
pub(crate) struct Filter<'a> {
    /// Objects that are a member of one of these; `None` for all.
    pub(crate) layers: Option<u32>,
    only: Option<Mobility>,
    exclude: Option<Handle>,
    accept: Option<&'a mut dyn FnMut(Handle) -> bool>,
}

impl Filter<'_> {
    /// The objects that are a member of one of these layers; `None` for all.
    pub(crate) const fn of_layers(layers: Option<u32>) -> Filter<'static> {
        Filter { layers, only: None, exclude: None, accept: None }
    }

    /// The same filter for a shorter time.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> Filter<'_> {
        let accept = self.accept.as_mut().map(|accept| &mut **accept as &mut dyn FnMut(Handle) -> bool);
        Filter { layers: self.layers, only: self.only, exclude: self.exclude, accept }
    }

    /// Whether objects are selected by layers alone, if at all.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.only.is_none() && self.exclude.is_none() && self.accept.is_none()
    }

    /// Whether no object can pass.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.layers == Some(0)
    }

    /// The lanes of a node that may hold objects of the layers.
    #[inline(always)]
    pub(crate) fn node_lanes(&self, memberships: &[u32; WIDTH]) -> LaneMask {
        self.layers.map_or(LaneMask::MAX, |layers| any_bit(memberships, layers))
    }

    /// Of some lanes of a block, those whose object passes the options beside the layers.
    #[inline(never)]
    pub(crate) fn narrow(&mut self, block: &Block, mut mask: LaneMask) -> LaneMask {
        if let Some(only) = self.only {
            let moving = block.moving();
            mask &= if only == Mobility::Static { !moving } else { moving };
        }
        for lane in set_bits(u64::from(mask)) {
            let handle = block.handle(lane);
            let passes = self.exclude != Some(handle) && self.accept.as_mut().is_none_or(|accept| accept(handle));
            mask &= !(LaneMask::from(!passes) << lane);
        }
        mask
    }
}

/// The options of every question about objects. The query has the fields
/// `objects: Objects<F>` and `stats`.
macro_rules! object_options {
    () => {
        /// Only objects that are a member of one of these layers: those with
        /// `memberships & layers != 0`. Without this option, all objects. Whom an
        /// object collides with ([`Layers::filters`](crate::Layers)) does not matter here.
        #[inline]
        pub fn layers(mut self, layers: u32) -> Self {
            self.objects.layers = Some(layers);
            self
        }

        /// All objects but this one, such as the one that asks; of a batch, for each question.
        #[inline]
        pub fn exclude(mut self, handle: $crate::Handle) -> Self {
            self.objects.exclude = Some(handle);
            self
        }

        /// Only static objects, or only moving ones.
        #[inline]
        pub fn only(mut self, mobility: $crate::Mobility) -> Self {
            self.objects.only = Some(mobility);
            self
        }

        /// Adds the work of the question to `stats`. Nothing is counted without it.
        #[inline]
        pub fn stats(mut self, stats: &'a mut $crate::QueryStats) -> Self {
            self.stats = Some(stats);
            self
        }
    };
}
pub(crate) use object_options;
