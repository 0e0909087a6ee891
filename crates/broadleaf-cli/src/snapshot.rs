//! Everything about one frame that is checked or drawn after it.

use crate::camera::Questions;
use crate::question::Asked;
use broadleaf::{Containment, Handle, Object, Pair, RayHit, inspect::NodeInfo};

/// The objects of a frame, the tree's cells, and the tree's answers.
#[derive(Default)]
pub(crate) struct Snapshot {
    /// Index of the frame.
    pub(crate) frame: usize,
    /// All objects, in slot order.
    pub(crate) objects: Vec<(Handle, Object)>,
    /// The nodes of the tree.
    pub(crate) cells: Vec<NodeInfo>,
    /// What was asked.
    pub(crate) questions: Questions,
    /// All overlapping pairs.
    pub(crate) pairs: Vec<Pair>,
    /// The pairs that the tracker knows.
    pub(crate) tracked: Vec<Pair>,
    /// Those that began with this frame.
    pub(crate) begun: Vec<Pair>,
    /// Those that ended with this frame.
    pub(crate) ended: Vec<Pair>,
    /// The objects in the camera's frustum.
    pub(crate) visible: Vec<(Handle, Containment)>,
    /// The closest hit of each ray.
    pub(crate) hits: Vec<Option<RayHit>>,
    /// A question that the picture shows.
    pub(crate) asked: Option<Asked>,
}

impl Snapshot {
    /// How many others each object overlaps, in the order of the objects.
    pub(crate) fn partners(&self) -> Vec<u32> {
        let slots = self.objects.last().map_or(0, |(handle, _)| index(*handle) + 1);
        let mut by_slot = vec![0_u32; slots];
        for pair in &self.pairs {
            by_slot[index(pair.a())] += 1;
            by_slot[index(pair.b())] += 1;
        }
        self.objects.iter().map(|(handle, _)| by_slot[index(*handle)]).collect()
    }
}

fn index(handle: Handle) -> usize {
    usize::try_from(handle.slot()).unwrap_or(usize::MAX)
}
