//! The options that families of questions share.

use crate::index::SpatialIndex;
use bevy_ecs::prelude::*;
use broadleaf::{Handle, Mobility};

/// Which entities a question is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub(crate) layers: Option<u32>,
    pub(crate) only: Option<Mobility>,
    pub(crate) exclude: Option<Handle>,
    pub(crate) skips_sensors: bool,
}

impl Wanted {
    /// Whether a closure has to look at candidates.
    pub(crate) fn filters<F: EntityFilter>(&self) -> bool {
        F::FILTERS || self.skips_sensors
    }

    /// Whether an object is wanted.
    pub(crate) fn accepts(&self, index: &SpatialIndex, handle: Handle, accept: &mut impl EntityFilter) -> bool {
        !(self.skips_sensors && index.is_sensor(handle)) && accept.accepts(index, handle)
    }
}

/// A filter of entities: a closure, or none.
pub trait EntityFilter {
    /// Whether it looks at entities at all.
    const FILTERS: bool;

    /// Whether an entity is wanted.
    #[doc(hidden)]
    fn accepts(&mut self, index: &SpatialIndex, handle: Handle) -> bool;
}

/// No filter: every entity is wanted.
#[derive(Debug, Clone, Copy)]
pub struct NoFilter;

impl EntityFilter for NoFilter {
    const FILTERS: bool = false;

    fn accepts(&mut self, _: &SpatialIndex, _: Handle) -> bool {
        true
    }
}

impl<F: FnMut(Entity) -> bool> EntityFilter for F {
    const FILTERS: bool = true;

    fn accepts(&mut self, index: &SpatialIndex, handle: Handle) -> bool {
        self(index.entity(handle))
    }
}

/// A narrow phase: a closure that says how far an entity's exact shape is, or none.
pub trait EntityRefine<H> {
    /// Whether there is a closure.
    const REFINES: bool;

    /// How far the exact shape is; `None` if it is not met.
    #[doc(hidden)]
    fn distance(&mut self, entity: Entity, hit: &H) -> Option<f32>;
}

/// No narrow phase: bounds are exact.
#[derive(Debug, Clone, Copy)]
pub struct NoNarrowPhase;

impl<H> EntityRefine<H> for NoNarrowPhase {
    const REFINES: bool = false;

    fn distance(&mut self, _: Entity, _: &H) -> Option<f32> {
        None
    }
}

impl<H, F: FnMut(Entity, &H) -> Option<f32>> EntityRefine<H> for F {
    const REFINES: bool = true;

    fn distance(&mut self, entity: Entity, hit: &H) -> Option<f32> {
        self(entity, hit)
    }
}

/// The options of a question that has `index`, `wanted` and `stats`.
macro_rules! entity_options {
    () => {
        /// Only entities on one of these layers.
        pub fn layers(mut self, layers: u32) -> Self {
            self.wanted.layers = Some(layers);
            self
        }

        /// Only static or only moving entities.
        pub fn only(mut self, mobility: broadleaf::Mobility) -> Self {
            self.wanted.only = Some(mobility);
            self
        }

        /// All entities but this one, such as who asks.
        pub fn exclude(mut self, entity: Entity) -> Self {
            self.wanted.exclude = self.index.object(entity);
            self
        }

        /// No entities that are a [`Sensor`](crate::Sensor).
        pub fn without_sensors(mut self) -> Self {
            self.wanted.skips_sensors = true;
            self
        }

        /// Adds the work to a count.
        pub fn stats(mut self, stats: &'a mut broadleaf::QueryStats) -> Self {
            self.stats = Some(stats);
            self
        }
    };
}
pub(super) use entity_options;

/// Hands the options of [`Wanted`] to a question of the library.
macro_rules! apply {
    ($question:ident, $wanted:expr, $stats:expr) => {
        if let Some(layers) = $wanted.layers {
            $question = $question.layers(layers);
        }
        if let Some(only) = $wanted.only {
            $question = $question.only(only);
        }
        if let Some(exclude) = $wanted.exclude {
            $question = $question.exclude(exclude);
        }
        if let Some(stats) = $stats {
            $question = $question.stats(stats);
        }
    };
}
pub(super) use apply;
