//! Where frames come from: a seeded scene, or a trace.

use broadleaf::Aabb;
use std::collections::HashMap;
use std::rc::Rc;
use workloads::{Frame, Scene, Trace};

/// Frames of a scene. Its steps have no end, and a page that scrubs needs one.
const SCENE_FRAMES: usize = 300;

/// Frames in their order.
#[derive(Clone)]
pub(crate) enum Feed {
    /// A synthetic scene: the first frame brings its objects, each other one is a step.
    Scene {
        scene: Box<Scene>,
        /// What the next frame is.
        next: usize,
        /// The first frame.
        first: Rc<Frame>,
    },
    Trace {
        trace: Rc<Trace>,
        next: usize,
    },
}

impl Feed {
    /// The scene of that name; `None` if there is none.
    pub(crate) fn scene(name: &str, objects: u32, seed: u64) -> Option<Self> {
        let scene = Scene::by_name(name, objects, seed)?;
        let spawned = (0..).zip(scene.objects().iter().copied()).collect();
        let first = Rc::new(Frame { spawned, ..Frame::default() });
        Some(Self::Scene { scene: Box::new(scene), next: 0, first })
    }

    pub(crate) fn trace(trace: Trace) -> Self {
        Self::Trace { trace: Rc::new(trace), next: 0 }
    }

    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        match self {
            Self::Scene { .. } => SCENE_FRAMES,
            Self::Trace { trace, .. } => trace.frames.len(),
        }
    }

    /// The boxes as of the last frame of a trace.
    pub(crate) fn last_boxes(&self) -> Vec<Aabb> {
        let Self::Trace { trace, .. } = self else { return Vec::new() };
        let mut boxes = HashMap::new();
        for frame in &trace.frames {
            frame.removed.iter().for_each(|id| _ = boxes.remove(id));
            boxes.extend(frame.spawned.iter().map(|(id, object)| (*id, object.shape.aabb())));
            boxes.extend(frame.moved.iter().map(|(id, shape)| (*id, shape.aabb())));
        }
        boxes.into_values().collect()
    }

    /// Whether there is a next frame.
    pub(crate) fn has_next(&self) -> bool {
        match self {
            Self::Scene { next, .. } => *next < SCENE_FRAMES,
            Self::Trace { trace, next } => *next < trace.frames.len(),
        }
    }

    /// Calls back with the next frame, if there is one.
    pub(crate) fn next<R>(&mut self, with: impl FnOnce(&Frame) -> R) -> Option<R> {
        match self {
            Self::Scene { next, .. } if *next >= SCENE_FRAMES => None,
            Self::Scene { scene, next, first } => {
                *next += 1;
                Some(with(if *next == 1 { first } else { scene.step() }))
            }
            Self::Trace { trace, next } => {
                let frame = trace.frames.get(*next)?;
                *next += 1;
                Some(with(frame))
            }
        }
    }
}
