//! Narrow phases of the caller's.

/// A narrow phase as the traversals call it.
pub(crate) type NarrowPhase<'a, H> = &'a mut dyn FnMut(&H) -> Option<f32>;

/// A closure that returns the exact distance of a candidate `H`, or [`NoNarrowPhase`].
///
/// Closures are called through a pointer, so that what uses them is compiled once, in this crate.
pub trait Refine<H> {
    /// The closure; `None` leaves candidates as they are.
    #[doc(hidden)]
    fn as_dyn(&mut self) -> Option<NarrowPhase<'_, H>>;
}

/// Leaves every candidate as it is: the type of a question that has no `refine`.
#[derive(Debug, Clone, Copy)]
pub struct NoNarrowPhase;

impl<H> Refine<H> for NoNarrowPhase {
    #[inline]
    fn as_dyn(&mut self) -> Option<NarrowPhase<'_, H>> {
        None
    }
}

impl<H, F: FnMut(&H) -> Option<f32>> Refine<H> for F {
    #[inline]
    fn as_dyn(&mut self) -> Option<NarrowPhase<'_, H>> {
        Some(self)
    }
}
