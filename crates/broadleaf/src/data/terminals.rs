//! The terminals that every question shares: `for_each`, `try_for_each`,
//! `collect_into`, `any` and `count`, named and behaving as in [`Iterator`].
//!
//! A question describes what to do with its answers by a [`Sink`] and runs in
//! one function that is compiled in this crate. Only the closure of a visitor
//! is compiled in the crate of the caller.

use alloc::vec::Vec;
use core::ops::ControlFlow;

/// What a visitor of `try_for_each` returns: go on, or stop with a value or an error.
///
/// Implemented by [`ControlFlow<B>`](ControlFlow) and by `Result<(), E>`.
#[diagnostic::on_unimplemented(
    message = "a visitor of `try_for_each` returns a `ControlFlow` or a `Result<(), E>`",
    note = "use `for_each` for a visitor that never stops"
)]
pub trait Flow: Sized {
    /// The value that goes on.
    #[doc(hidden)]
    const CONTINUE: Self;
    /// Whether this value stops.
    #[doc(hidden)]
    fn stops(&self) -> bool;
}

impl<B> Flow for ControlFlow<B> {
    const CONTINUE: Self = ControlFlow::Continue(());

    #[inline]
    fn stops(&self) -> bool {
        self.is_break()
    }
}

impl<E> Flow for Result<(), E> {
    const CONTINUE: Self = Ok(());

    #[inline]
    fn stops(&self) -> bool {
        self.is_err()
    }
}

/// What is done with the answers to a question.
pub(crate) enum Sink<'s, T> {
    /// Clears a list and fills it.
    List(&'s mut Vec<T>),
    /// Adds them to a list.
    Append(&'s mut Vec<T>),
    /// Counts them.
    Count(&'s mut usize),
    /// Keeps the first and stops.
    Any(&'s mut Option<T>),
    /// Hands each to a visitor until it breaks.
    Visit(&'s mut dyn FnMut(T) -> ControlFlow<()>),
}

impl<T> Sink<'_, T> {
    /// Prepares for the answers to a new question: clears the list.
    #[inline]
    pub(crate) fn start(&mut self) {
        if let Self::List(found) = self {
            found.clear();
        }
    }

    /// Whether all answers are wanted for certain.
    #[inline]
    pub(crate) fn wants_all(&self) -> bool {
        matches!(self, Self::List(_) | Self::Append(_) | Self::Count(_))
    }

    /// Runs a question that takes a visitor.
    pub(crate) fn drive(mut self, run: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>)) {
        self.start();
        run(&mut |answer| self.take(answer));
    }
}

/// Takes answers one by one, until it breaks.
pub(crate) trait Take<T> {
    /// Whether it breaks at the first answer.
    const ENDS_AT_FIRST: bool = false;
    /// Takes an answer.
    fn take(&mut self, answer: T) -> ControlFlow<()>;
    /// Takes answers one after the other, and adds to `taken` how many it has taken.
    #[inline]
    fn take_all(&mut self, mut answers: impl Iterator<Item = T>, taken: &mut u64) -> ControlFlow<()> {
        answers.try_for_each(|answer| {
            *taken += 1;
            self.take(answer)
        })
    }
}

impl<T> Take<T> for Sink<'_, T> {
    #[inline]
    fn take(&mut self, answer: T) -> ControlFlow<()> {
        match self {
            Self::List(found) | Self::Append(found) => found.push(answer),
            Self::Count(count) => **count += 1,
            Self::Visit(visit) => return visit(answer),
            Self::Any(any) => {
                **any = Some(answer);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Takes one answer, and breaks.
pub(crate) struct TakeFirst<'a, T>(pub(crate) &'a mut Option<T>);

impl<T> Take<T> for TakeFirst<'_, T> {
    const ENDS_AT_FIRST: bool = true;

    #[inline]
    fn take(&mut self, answer: T) -> ControlFlow<()> {
        *self.0 = Some(answer);
        ControlFlow::Break(())
    }
}

/// Takes each answer as a closure maps it.
pub(crate) struct MapTake<S, F> {
    pub(crate) take: S,
    pub(crate) map: F,
}

impl<A, T, S: Take<T>, F: FnMut(A) -> T> Take<A> for MapTake<S, F> {
    const ENDS_AT_FIRST: bool = S::ENDS_AT_FIRST;

    #[inline]
    fn take(&mut self, answer: A) -> ControlFlow<()> {
        self.take.take((self.map)(answer))
    }
}

impl<T> Take<T> for &mut Vec<T> {
    #[inline]
    fn take(&mut self, answer: T) -> ControlFlow<()> {
        self.push(answer);
        ControlFlow::Continue(())
    }

    #[inline]
    fn take_all(&mut self, answers: impl Iterator<Item = T>, taken: &mut u64) -> ControlFlow<()> {
        let len = self.len();
        self.extend(answers);
        *taken += (self.len() - len) as u64;
        ControlFlow::Continue(())
    }
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Take<T> for F {
    #[inline]
    fn take(&mut self, answer: T) -> ControlFlow<()> {
        self(answer)
    }
}

/// The five terminals of a question that has `fn run<'s>(&'s mut self, sink: Sink<'s, Item>)`. A doc comment before the
/// item says what is found before `try_for_each` hands out the first answer, if that is much.
macro_rules! terminals {
    ($(#[$cost:meta])* $item:ty) => {
        /// Visits every answer.
        #[inline]
        pub fn for_each(mut self, mut visit: impl FnMut($item)) {
            self.run($crate::data::terminals::Sink::Visit(&mut |answer| {
                visit(answer);
                core::ops::ControlFlow::Continue(())
            }));
        }

        /// Visits answers until the visitor stops, and returns what it returned
        /// last: a [`ControlFlow`](core::ops::ControlFlow) or a `Result<(), E>`.
        ///
        $(#[$cost])*
        #[inline]
        pub fn try_for_each<Returned: $crate::query::Flow>(
            mut self,
            mut visit: impl FnMut($item) -> Returned,
        ) -> Returned {
            let mut last = Returned::CONTINUE;
            self.run($crate::data::terminals::Sink::Visit(&mut |answer| {
                last = visit(answer);
                if last.stops() { core::ops::ControlFlow::Break(()) } else { core::ops::ControlFlow::Continue(()) }
            }));
            last
        }

        /// Clears `found` and fills it with every answer.
        #[inline]
        pub fn collect_into(mut self, found: &mut alloc::vec::Vec<$item>) {
            self.run($crate::data::terminals::Sink::List(found));
        }

        /// One answer, whichever comes first; of a question in order, the first.
        #[must_use]
        #[inline]
        pub fn any(mut self) -> Option<$item> {
            let mut any = None;
            self.run($crate::data::terminals::Sink::Any(&mut any));
            any
        }

        /// The number of answers.
        #[must_use]
        #[inline]
        pub fn count(mut self) -> usize {
            let mut count = 0;
            self.run($crate::data::terminals::Sink::Count(&mut count));
            count
        }
    };
}
pub(crate) use terminals;
