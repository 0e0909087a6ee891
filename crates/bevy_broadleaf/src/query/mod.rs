//! Questions about entities, by family: which *overlap* a region, what a *cast* meets, what is
//! *nearest*; and batches of them.
//!
//! A question is an opening of [`SpatialQuery`], options in any order, and one terminal, as in the
//! library's own [`query`](broadleaf::query); answers name entities in place of handles.
//!
//! | question | opening | answers |
//! |---|---|---|
//! | what overlaps a region, what a camera sees | [`SpatialIndex::overlap`] | [`Entity`] |
//! | what a ray or a moving shape meets | [`SpatialIndex::cast`] | [`Entity`] with [`RayHit`] or [`SweepHit`] |
//! | what is nearest to a point or a box | [`SpatialIndex::nearest`] | [`Entity`] with [`Neighbor`] |
//! | thousands of these | [`SpatialIndex::overlap_many`], [`cast_many`](SpatialIndex::cast_many), [`nearest_many`](SpatialIndex::nearest_many) | an [`EntityBatch`] |
//! | what overlaps one entity | [`SpatialIndex::overlaps_of`] | [`Entity`] |
//!
//! A [`Region`](broadleaf::query::Region) of your own goes to [`SpatialIndex::overlap`] by reference,
//! or in a slice to [`overlap_many`](SpatialIndex::overlap_many). A
//! [`Cast`](broadleaf::query::Cast) of your own goes to [`cast_many`](SpatialIndex::cast_many), or
//! to `index.view().cast`, whose answers [`SpatialIndex::entity`] names.

mod batch;
mod cast;
mod nearest;
mod options;
mod overlap;

pub use batch::{CastBatch, EntityBatch, NearestBatch, OverlapBatch};
pub use cast::CastQuestion;
pub use nearest::NearestQuestion;
pub use options::{EntityFilter, EntityRefine, NoFilter, NoNarrowPhase};
pub use overlap::{OverlapAnswer, OverlapQuestion};

use crate::index::SpatialIndex;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use broadleaf::query::{Neighbor, RayHit, SweepHit, VisibleObject};
use broadleaf::{Containment, Handle};
use core::ops::Deref;

/// Asks the [`SpatialIndex`]. Any number of systems do so at once, without a lock.
///
/// ```
/// use bevy_broadleaf::SpatialQuery;
/// use bevy_ecs::prelude::*;
/// use bevy_math::{Dir3, Vec3};
/// use bevy_shape::{BoundingSphere, Ray3d};
///
/// const ENEMIES: u32 = 1 << 1;
///
/// fn aim(spatial: SpatialQuery) -> Result {
///     let ray = Ray3d::new(Vec3::ZERO, Dir3::NEG_Z);
///     if let Some((target, hit)) = spatial.cast(ray)?.layers(ENEMIES).within(100.0).closest() {
///         println!("{target} is {} away", hit.distance);
///     }
///     let blast = BoundingSphere::new(Vec3::ZERO, 5.0);
///     spatial.overlap(blast)?.for_each(|entity| println!("{entity} is hit"));
///     Ok(())
/// }
/// # bevy_ecs::system::assert_is_system::<(), Result, _>(aim);
/// ```
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    index: Res<'w, SpatialIndex>,
}

impl Deref for SpatialQuery<'_> {
    type Target = SpatialIndex;

    fn deref(&self) -> &SpatialIndex {
        &self.index
    }
}

impl SpatialIndex {
    /// Clears `found` and fills it with the entities whose bounds overlap those of an entity and
    /// that it interacts with by layers and mobility; none if it is not in the index.
    pub fn overlaps_of(&self, entity: Entity, found: &mut Vec<Entity>) {
        found.clear();
        let Some(handle) = self.handle(entity) else { return };
        if let Ok(question) = self.view().pairs_of(handle) {
            question.for_each(|partner| found.push(self.entity(partner)));
        }
    }
}

/// An answer of the library, and what is answered of an entity.
pub trait Answer: Copy {
    /// What is answered.
    type Found;

    /// Names the entity.
    fn found(self, index: &SpatialIndex) -> Self::Found;
}

/// An answer that says where an object was met.
pub trait Hit: Answer<Found = (Entity, Self)> {
    /// The object.
    fn handle(&self) -> Handle;
}

impl Answer for Handle {
    type Found = Entity;

    #[inline]
    fn found(self, index: &SpatialIndex) -> Entity {
        index.entity(self)
    }
}

impl Answer for (Handle, Containment) {
    type Found = (Entity, Containment);

    #[inline]
    fn found(self, index: &SpatialIndex) -> Self::Found {
        (index.entity(self.0), self.1)
    }
}

impl<T: Answer> Answer for Option<T> {
    type Found = Option<T::Found>;

    fn found(self, index: &SpatialIndex) -> Self::Found {
        self.map(|answer| answer.found(index))
    }
}

macro_rules! hits {
    ($($hit:ty),*) => {$(
        impl Answer for $hit {
            type Found = (Entity, Self);

            #[inline]
            fn found(self, index: &SpatialIndex) -> Self::Found {
                (index.entity(self.handle), self)
            }
        }

        impl Hit for $hit {
            #[inline]
            fn handle(&self) -> Handle {
                self.handle
            }
        }
    )*};
}
hits!(RayHit, SweepHit, Neighbor, VisibleObject);

/// The five terminals of a question that has `fn ask(self, visit: &mut dyn FnMut($found) -> ControlFlow<()>)`.
macro_rules! terminals {
    ($found:ty) => {
        /// Visits every answer.
        pub fn for_each(self, mut visit: impl FnMut($found)) {
            self.ask(&mut |found| {
                visit(found);
                ControlFlow::Continue(())
            });
        }

        /// Visits answers until the visitor breaks, and returns what it broke with.
        pub fn try_for_each<B>(self, mut visit: impl FnMut($found) -> ControlFlow<B>) -> ControlFlow<B> {
            let mut last = ControlFlow::Continue(());
            self.ask(&mut |found| {
                last = visit(found);
                if last.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            last
        }

        /// Clears `list` and fills it with every answer.
        pub fn collect_into(self, list: &mut Vec<$found>) {
            list.clear();
            self.for_each(|found| list.push(found));
        }

        /// One answer, whichever comes first; of a question in order, the first.
        #[must_use]
        pub fn any(self) -> Option<$found> {
            let mut any = None;
            self.ask(&mut |found| {
                any = Some(found);
                ControlFlow::Break(())
            });
            any
        }

        /// The number of answers.
        #[must_use]
        pub fn count(self) -> usize {
            let mut count = 0;
            self.for_each(|_| count += 1);
            count
        }
    };
}
use terminals;
