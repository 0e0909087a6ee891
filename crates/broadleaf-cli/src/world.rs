//! The tree under the frames of a recording or a scene: ids become handles.

use crate::allocations::{Cost, measure};
use anyhow::{Context as _, Result, bail};
use broadleaf::{Config, Handle, Object, Octree, Shape, View};
use std::collections::HashMap;
use workloads::Frame;

/// A tree, and the handle of every id alive.
pub(crate) struct World {
    tree: Octree,
    handles: HashMap<u32, Handle>,
    removed: Vec<Handle>,
    spawned: Vec<Object>,
    spawned_handles: Vec<Handle>,
    moved_handles: Vec<Handle>,
    moved_shapes: Vec<Shape>,
}

impl World {
    /// An empty world with default settings.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            tree: Octree::new(Config::default()).context("cannot make a tree")?,
            handles: HashMap::new(),
            removed: Vec::new(),
            spawned: Vec::new(),
            spawned_handles: Vec::new(),
            moved_handles: Vec::new(),
            moved_shapes: Vec::new(),
        })
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
        self.resolve_removed(frame)?;
        self.spawned.clear();
        for (id, object) in &frame.spawned {
            object.shape.check().with_context(|| format!("object {id}"))?;
            self.spawned.push(*object);
        }
        let (outcome, changed) = measure(|| {
            for handle in &self.removed {
                self.tree.remove(*handle);
            }
            self.tree.insert_many(&self.spawned, &mut self.spawned_handles)
        });
        outcome.context("cannot insert")?;
        for ((id, _), handle) in frame.spawned.iter().zip(&self.spawned_handles) {
            if self.handles.insert(*id, *handle).is_some() {
                bail!("object {id} appears twice");
            }
        }
        self.resolve_moved(frame)?;
        let (outcome, moved) = measure(|| self.tree.update_many(&self.moved_handles, &self.moved_shapes));
        outcome.context("cannot move")?;
        let (_, viewed) = measure(|| self.tree.view().len());
        Ok(Cost {
            time: changed.time + moved.time + viewed.time,
            allocations: changed.allocations + moved.allocations + viewed.allocations,
        })
    }

    fn resolve_removed(&mut self, frame: &Frame) -> Result<()> {
        self.removed.clear();
        for id in &frame.removed {
            let Some(handle) = self.handles.remove(id) else { bail!("object {id} vanishes, but is not there") };
            self.removed.push(handle);
        }
        Ok(())
    }

    fn resolve_moved(&mut self, frame: &Frame) -> Result<()> {
        self.moved_handles.clear();
        self.moved_shapes.clear();
        for (id, shape) in &frame.moved {
            let Some(handle) = self.handles.get(id) else { bail!("object {id} moves, but is not there") };
            shape.check().with_context(|| format!("object {id}"))?;
            self.moved_handles.push(*handle);
            self.moved_shapes.push(*shape);
        }
        Ok(())
    }
}
