//! The tree under the frames of a recording or a scene.

use crate::allocations::{Cost, measure};
use anyhow::{Context as _, Result};
use broadleaf::{Config, Octree, View};
use workloads::{Frame, Player};

/// A tree, and the player that turns ids of frames into its handles.
pub(crate) struct World {
    tree: Octree,
    player: Player,
}

impl World {
    /// An empty world with default settings.
    pub(crate) fn new() -> Result<Self> {
        let tree = Octree::new(Config::default()).context("cannot make a tree")?;
        Ok(Self { tree, player: Player::new() })
    }

    /// The tree.
    pub(crate) fn tree(&self) -> &Octree {
        &self.tree
    }

    /// The tree, to take events from.
    pub(crate) fn tree_mut(&mut self) -> &mut Octree {
        &mut self.tree
    }

    /// The tree brought up to date.
    pub(crate) fn view(&mut self) -> View<'_> {
        self.tree.view()
    }

    /// Applies a frame and brings the tree up to date. The cost is that of the
    /// library's calls alone; turning ids into handles is not in it.
    pub(crate) fn apply(&mut self, frame: &Frame) -> Result<Cost> {
        self.player.check(frame)?;
        self.player.prepare(frame);
        let (outcome, changed) = measure(|| self.player.apply(&mut self.tree));
        outcome.context("cannot apply a frame")?;
        self.player.finish(frame);
        let (_, viewed) = measure(|| self.tree.view().len());
        Ok(Cost { time: changed.time + viewed.time, allocations: changed.allocations + viewed.allocations })
    }
}
