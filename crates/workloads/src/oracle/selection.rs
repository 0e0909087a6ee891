//! The options that say which objects a question is about.

use broadleaf::{Handle, Mobility, Object};

/// Which objects a question is about: those that pass every option that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selection {
    /// Members of one of these layers.
    pub layers: Option<u32>,
    /// Static objects, or moving ones.
    pub only: Option<Mobility>,
    /// All but this one.
    pub exclude: Option<Handle>,
    /// A closure of the caller's: one that accepts every other slot.
    pub odd: bool,
}

impl Selection {
    /// All objects.
    pub const ALL: Self = Self { layers: None, only: None, exclude: None, odd: false };

    /// The members of some layers.
    #[must_use]
    pub const fn of_layers(layers: u32) -> Self {
        Self { layers: Some(layers), ..Self::ALL }
    }

    /// What the closure says of an object.
    #[must_use]
    pub fn accepts(self, handle: Handle) -> bool {
        !self.odd || handle.slot() % 2 == 1
    }

    /// Whether an object passes every option.
    #[must_use]
    pub fn includes(self, handle: Handle, object: &Object) -> bool {
        self.layers.is_none_or(|layers| object.layers.memberships & layers != 0)
            && self.only.is_none_or(|only| object.mobility == only)
            && self.exclude != Some(handle)
            && self.accepts(handle)
    }
}

/// A query with the options of a selection but its closure.
#[macro_export]
macro_rules! with_options {
    ($query:expr, $among:expr) => {{
        let (mut query, among): (_, $crate::oracle::Selection) = ($query, $among);
        if let Some(layers) = among.layers {
            query = query.layers(layers);
        }
        if let Some(only) = among.only {
            query = query.only(only);
        }
        if let Some(handle) = among.exclude {
            query = query.exclude(handle);
        }
        query
    }};
}
