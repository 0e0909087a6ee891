//! Worlds of boxes, frame by frame, for pair events.

use crate::cases::Case;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Layers, Mobility, Object};
use std::collections::HashMap;
use workloads::{Frame, Random, recordings};

/// The seed of what is made here.
const SEED: u64 = 77;
/// The name of a recording's case begins so.
const RECORDED: &str = "recorded-";
/// The name of a case with so many movers among objects at rest begins so.
const MOVERS: &str = "movers-";
/// World units that a leaping box moves in a frame: three times its edge.
const LEAP: f32 = 3.0;

/// What changes in a frame. To be applied in the order of the fields.
#[derive(Clone, Debug, Default)]
pub struct EventFrame {
    /// Indices of objects that vanish.
    pub removed: Vec<u32>,
    /// Objects that appear, under the next free indices.
    pub spawned: Vec<Object>,
    /// Indices of objects that move.
    pub moved: Vec<u32>,
    /// Their new boxes.
    pub boxes: Vec<Aabb>,
}

/// A world and its frames.
pub struct EventCase {
    /// The name of the case.
    pub scene: String,
    /// Objects at the start.
    pub count: usize,
    /// The objects at the start.
    pub start: Vec<Object>,
    /// What happens.
    pub frames: Vec<EventFrame>,
    /// Whether the frames are played once from the start, and not forth and back.
    pub once: bool,
}

impl EventCase {
    /// The case of that name; `None` if there is none. Recordings have a size of their own.
    #[must_use]
    pub fn new(name: &str, count: usize) -> Option<Self> {
        if let Some(recording) = name.strip_prefix(RECORDED) {
            return Self::of_trace(name, &recordings::by_name(recording)?.frames);
        }
        if let Some(movers) = name.strip_prefix(MOVERS) {
            return Self::mostly_at_rest(name, count, movers.parse().ok()?);
        }
        if name == "leap" {
            return Self::leap(count);
        }
        let source = if name == "rest" { "uniform" } else { name };
        let mut case = Case::new(source, count, if name == "rest" { 1 } else { 12 })?;
        let mut start: Vec<Object> = case.world.objects.iter().map(boxed).collect();
        if name == "rest" {
            start.iter_mut().for_each(|object| object.mobility = Mobility::Static);
            return Some(Self::of(name, start, vec![EventFrame::default()]));
        }
        let movers = &case.world.movers;
        let frame = |bodies: crate::subjects::Bodies| moves(movers.clone(), bodies.boxes().to_vec());
        let frames = case.frames.drain(..).map(frame).collect();
        start.iter().for_each(|object| assert_eq!(object.layers, Layers::ALL, "peers are given no layers"));
        Some(Self::of(name, start, frames))
    }

    /// The same objects and frames as another case's, as boxes.
    #[must_use]
    pub fn of_case(case: &Case) -> Self {
        let start = case.world.objects.iter().map(boxed).collect();
        let frame = |bodies: &crate::subjects::Bodies| moves(case.world.stepping.clone(), bodies.boxes().to_vec());
        Self::of(&case.scene, start, case.frames.iter().map(frame).collect())
    }

    /// Whether a name is one of a case of events alone.
    #[must_use]
    pub fn is_special(name: &str) -> bool {
        name == "rest" || name == "leap" || name.starts_with(RECORDED) || name.starts_with(MOVERS)
    }

    /// Whether a name is that of a recording, which has its own number of objects.
    #[must_use]
    pub fn is_recorded(name: &str) -> bool {
        name.starts_with(RECORDED)
    }

    fn of(name: &str, start: Vec<Object>, frames: Vec<EventFrame>) -> Self {
        Self { scene: name.to_owned(), count: start.len(), start, frames, once: false }
    }

    /// Every object moves by three times its size in every frame.
    fn leap(count: usize) -> Option<Self> {
        let world = Case::new("uniform", count, 1)?.world;
        let mut random = Random::new(SEED);
        let bounds = crate::naive::bounds(world.bodies.boxes());
        let mut boxes = world.bodies.boxes().to_vec();
        let mut frames = Vec::new();
        for _ in 0..12 {
            for aabb in &mut boxes {
                *aabb = leapt(aabb, &bounds, &mut random);
            }
            frames.push(moves((0..).take(count).collect(), boxes.clone()));
        }
        Some(Self::of("leap", world.objects, frames))
    }

    /// Moving objects, of which `movers` move and all others rest.
    fn mostly_at_rest(name: &str, count: usize, movers: usize) -> Option<Self> {
        let world = Case::new("uniform", count, 1)?.world;
        let mut random = Random::new(SEED);
        let chosen: Vec<u32> = (0..movers.min(count)).filter_map(|i| u32::try_from(i * count / movers).ok()).collect();
        let mut boxes: Vec<Aabb> = chosen.iter().map(|&index| world.bodies.boxes()[index as usize]).collect();
        let velocities: Vec<Vec3> = chosen.iter().map(|_| random.signed() * 0.02).collect();
        let mut frames = Vec::new();
        for _ in 0..12 {
            for (aabb, velocity) in boxes.iter_mut().zip(&velocities) {
                *aabb = aabb.translated(*velocity);
            }
            frames.push(moves(chosen.clone(), boxes.clone()));
        }
        Some(Self::of(name, world.objects, frames))
    }

    /// A recording from its start to its end, its ids replaced by indices; `None` if it has fewer than two frames.
    ///
    /// # Panics
    /// If an object moves that is not there.
    #[must_use]
    pub fn of_trace(name: &str, recording: &[Frame]) -> Option<Self> {
        let mut indices: HashMap<u32, u32> = HashMap::new();
        let mut next = 0..;
        let mut frames = recording.iter().map(|frame| {
            let removed = frame.removed.iter().filter_map(|id| indices.remove(id)).collect();
            indices.extend(frame.spawned.iter().map(|(id, _)| *id).zip(&mut next));
            let (moved, boxes) = frame.moved.iter().map(|(id, shape)| (indices[id], shape.aabb())).unzip();
            EventFrame {
                removed,
                spawned: frame.spawned.iter().map(|(_, object)| boxed(object)).collect(),
                moved,
                boxes,
            }
        });
        let start = frames.next()?.spawned;
        let frames: Vec<EventFrame> = frames.collect();
        if frames.is_empty() {
            return None;
        }
        Some(Self { once: true, ..Self::of(name, start, frames) })
    }

    /// The frame at a point in time; frames that are not played once go forth and back.
    #[must_use]
    pub fn frame(&self, time: usize) -> &EventFrame {
        let last = self.frames.len() - 1;
        let turn = match (self.once, last) {
            (_, 0) => 0,
            (true, _) => time.min(last),
            (false, _) => (time % (2 * last)).min(2 * last - time % (2 * last)),
        };
        &self.frames[turn]
    }
}

fn moves(moved: Vec<u32>, boxes: Vec<Aabb>) -> EventFrame {
    EventFrame { moved, boxes, ..EventFrame::default() }
}

/// The object as a box, which every peer knows.
fn boxed(object: &Object) -> Object {
    Object { shape: object.shape.aabb().into(), ..*object }
}

/// A box moved by [`LEAP`] in a direction that keeps it in the bounds.
fn leapt(aabb: &Aabb, bounds: &Aabb, random: &mut Random) -> Aabb {
    loop {
        let moved = aabb.translated(random.direction() * LEAP);
        if bounds.contains(&moved) {
            return moved;
        }
    }
}
