//! Which layers interact: by this the pair pass skips subtrees whose objects cannot
//! form pairs.
//!
//! For each layer, the filters of all objects that are members of it are OR-ed.
//! Layers i and j may have pairs if each is among the other's filters. Objects on
//! all layers are left out: they would connect everything. A subtree that holds
//! one has memberships of all layers, and is never left out.
//!
//! ```text
//! particles    member of 0, filters 1     filters[0] = {1}     partners[0] = {}
//! walls        member of 1, filters 1     filters[1] = {1}     partners[1] = {1}
//! ```
//!
//! What has been added stays until the tree is cleared: that costs time alone.

use super::state::hash::WordHash;
use crate::data::Layers;
use crate::geometry::lanes::{LaneMask, WIDTH, any_bit, unequal};

/// Of each layer, the filters of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Interactions {
    filters: [u32; 32],
    /// The layers that a layer may have pairs with.
    #[cfg_attr(feature = "serde", serde(skip))]
    partners: [u32; 32],
}

impl Interactions {
    pub(crate) const NONE: Self = Self { filters: [0; 32], partners: [0; 32] };

    /// Adds the layers of an object.
    #[inline]
    pub(crate) fn add(&mut self, layers: Layers) {
        // Mostly objects of the same layers have been added before.
        if layers != Layers::ALL && bits(layers.memberships).any(|layer| layers.filters & !self.filters[layer] != 0) {
            self.add_layered(layers);
        }
    }

    // Not inlined: few objects add anything.
    #[inline(never)]
    fn add_layered(&mut self, layers: Layers) {
        bits(layers.memberships).for_each(|layer| self.filters[layer] |= layers.filters);
        self.derive();
    }

    /// Works out which layers have pairs with which.
    pub(crate) fn derive(&mut self) {
        for (layer, partners) in self.partners.iter_mut().enumerate() {
            let accepts = |other: &usize| self.filters[*other] >> layer & 1 == 1;
            *partners = bits(self.filters[layer]).filter(accepts).fold(0, |all, other| all | 1 << other);
        }
    }

    /// The layers whose members may have pairs with members of one of these.
    #[inline]
    pub(crate) fn partners(&self, memberships: u32) -> u32 {
        if memberships == u32::MAX {
            return u32::MAX;
        }
        bits(memberships).fold(0, |all, layer| all | self.partners[layer])
    }

    /// Of eight sets of layers, those whose members may have pairs with members of `layers`.
    #[inline]
    pub(crate) fn meeting(&self, layers: u32, others: &[u32; WIDTH]) -> LaneMask {
        any_bit(others, self.partners(layers)) | !unequal(others, u32::MAX)
    }

    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_all(self.filters);
    }
}

fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        (mask != 0).then(|| mask &= mask - 1).map(|()| bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_meet_where_each_is_among_the_others_filters() {
        let mut interactions = Interactions::NONE;
        interactions.add(Layers::new(0b001, 0b010));
        interactions.add(Layers::new(0b010, 0b011));
        interactions.add(Layers::new(0b100, 0b001));
        interactions.add(Layers::ALL);
        let meet = |a: u32, b: u32| interactions.meeting(a, &[b; WIDTH]) == LaneMask::MAX;
        assert!(meet(0b001, 0b010) && meet(0b010, 0b001));
        assert!(meet(0b010, 0b010));
        assert!(!meet(0b001, 0b001));
        assert!(!meet(0b100, 0b001), "one of them does not want the other");
        assert!(meet(0b100, u32::MAX) && meet(u32::MAX, 0b100));
        assert_eq!(interactions.partners(0), 0);
    }

    #[test]
    fn each_layer_collects_the_filters_of_its_members() {
        let mut interactions = Interactions::NONE;
        // All is new, nothing, a part; then on two layers, for the first and for the second alone.
        for (memberships, filters) in [(0b001, 0b010), (0b001, 0b010), (0b001, 0b110), (0b011, 0b001), (0b101, 0b001)] {
            interactions.add(Layers::new(memberships, filters));
        }
        assert_eq!(interactions.filters[..4], [0b111, 0b001, 0b001, 0]);
        assert_eq!(interactions.partners[..4], [0b111, 0b001, 0b001, 0]);
    }
}
