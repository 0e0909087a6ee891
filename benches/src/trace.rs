//! A trace of anyone's, measured with broadleaf and its peers.
//!
//! Peers know boxes alone, so every object counts as the box around it. Pair events
//! are measured over the whole trace. For everything else, a few frames are cut out where the
//! most objects live, with those objects that live throughout; questions are drawn from where they are.

use crate::caches::Caches;
use crate::cases::{Case, sweep};
use crate::contest::Contest;
use crate::events::{self, cases::EventCase};
use crate::record::Row;
use crate::subjects::{self, Bodies, Operation, World};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mobility, Object, Ray, Shape};
use std::collections::BTreeMap;
use std::fmt;
use workloads::{Frame, Random};

/// Frames that are cut out.
const WINDOW: usize = 12;
/// Boxes that a box that is asked about should meet.
const MET: usize = 30;
/// Boxes that are tried to find their size.
const TRIED: usize = 60;
/// Coordinates beyond which peers lose their way.
const FAR: f32 = 1e9;
/// The seed of the questions.
const SEED: u64 = 19;

/// What is measured.
pub const OPERATIONS: [Operation; 6] =
    [Operation::Build, Operation::Frame, Operation::Pairs, Operation::Box, Operation::Ray, Operation::Nearest];

/// Why a trace cannot be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// Objects in the busiest frame, of which there should be two.
    TooFew(usize),
    /// A box without an end, or so far away that peers with less range differ.
    TooFar {
        /// The object's id.
        id: u32,
        /// Its frame.
        frame: usize,
        /// Its box.
        aabb: Aabb,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew(count) => write!(f, "no frame has two objects: the busiest has {count}"),
            Self::TooFar { id, frame, aabb } => {
                let Aabb { min, max } = aabb;
                write!(
                    f,
                    "object {id} reaches beyond {FAR:e} in frame {frame}, from {min} to {max}: peers cannot follow"
                )
            }
        }
    }
}

impl std::error::Error for Refused {}

/// A trace made ready for the comparison.
pub struct Traced {
    /// The frames that were cut out, with questions.
    pub case: Case,
    /// The first of these frames.
    pub start: usize,
    /// The whole trace; none if it has one frame.
    pub events: Option<EventCase>,
}

impl Traced {
    /// Cuts a trace, and draws so many questions of each kind.
    ///
    /// # Errors
    /// If too few objects live at once, or one has no end.
    pub fn new(name: &str, frames: &[Frame], questions: usize) -> Result<Self, Refused> {
        check(frames)?;
        let start = busiest(frames);
        let mut alive: BTreeMap<u32, Object> = BTreeMap::new();
        frames[..=start].iter().for_each(|frame| apply(frame, &mut alive));
        if alive.len() < 2 {
            return Err(Refused::TooFew(alive.len()));
        }
        let cut = &frames[start + 1..(start + WINDOW).min(frames.len())];
        for id in cut.iter().flat_map(|frame| &frame.removed) {
            alive.remove(id);
        }
        let case = case(name, &alive, cut, questions);
        Ok(Self { case, start, events: EventCase::of_trace(name, frames) })
    }

    /// Measures everything, answers verified.
    ///
    /// # Panics
    /// If subjects give different answers.
    #[must_use]
    pub fn run(&self, rounds: usize) -> Vec<Row> {
        let mut contest = Contest::new(&self.case, subjects::all(), &OPERATIONS, rounds, Caches::Warm);
        contest.build();
        contest.questions(Operation::Box);
        contest.distances(Operation::Ray);
        contest.distances(Operation::Nearest);
        contest.pairs();
        if !self.case.world.stepping.is_empty() && self.case.frames.len() > 1 {
            contest.frames(Operation::Frame);
        }
        let mut rows = std::mem::take(&mut contest.rows);
        if let Some(events) = &self.events {
            rows.extend(events::contest::run(events, rounds));
        }
        rows
    }
}

fn check(frames: &[Frame]) -> Result<(), Refused> {
    for (index, frame) in frames.iter().enumerate() {
        let spawned = frame.spawned.iter().map(|(id, object)| (*id, object.shape.aabb()));
        let moved = frame.moved.iter().map(|(id, shape)| (*id, shape.aabb()));
        let is_far = |(_, aabb): &(u32, Aabb)| aabb.min.abs().max(aabb.max.abs()).max_element() > FAR;
        if let Some((id, aabb)) = spawned.chain(moved).find(is_far) {
            return Err(Refused::TooFar { id, frame: index, aabb });
        }
    }
    Ok(())
}

fn apply(frame: &Frame, alive: &mut BTreeMap<u32, Object>) {
    frame.removed.iter().for_each(|id| _ = alive.remove(id));
    alive.extend(frame.spawned.iter().copied());
    for (id, shape) in &frame.moved {
        if let Some(object) = alive.get_mut(id) {
            object.shape = *shape;
        }
    }
}

/// The frame with the most objects; the first of equals that leaves room for a window, if one does.
fn busiest(frames: &[Frame]) -> usize {
    let mut count = 0_usize;
    let counts: Vec<usize> = frames
        .iter()
        .map(|frame| {
            count = count + frame.spawned.len() - frame.removed.len().min(count);
            count
        })
        .collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let place = counts.iter().position(|&count| count == most).unwrap_or(0);
    // Near the end there are no frames left to play.
    place.min(frames.len().saturating_sub(WINDOW))
}

fn boxed(object: &Object) -> Object {
    Object { shape: object.shape.aabb().into(), ..*object }
}

fn case(name: &str, alive: &BTreeMap<u32, Object>, cut: &[Frame], questions: usize) -> Case {
    let objects: Vec<Object> = alive.values().map(boxed).collect();
    let index_of: BTreeMap<u32, usize> = alive.keys().copied().zip(0..).collect();
    let mut world = World::new(&objects);
    let mut boxes: Vec<Aabb> = world.bodies.boxes().to_vec();
    let mut moved = vec![false; objects.len()];
    let mut states = vec![boxes.clone()];
    for frame in cut {
        for (id, shape) in &frame.moved {
            if let Some(&index) = index_of.get(id).filter(|&&index| objects[index].mobility == Mobility::Moving) {
                (boxes[index], moved[index]) = (shape.aabb(), true);
            }
        }
        states.push(boxes.clone());
    }
    world.stepping = (0..).zip(&moved).filter_map(|(index, &moved)| moved.then_some(index)).collect();
    let bodies = |state: &Vec<Aabb>| {
        let shapes: Vec<Shape> = world.stepping.iter().map(|&index| state[index as usize].into()).collect();
        Bodies::new(&shapes)
    };
    let frames: Vec<Bodies> = states.iter().map(bodies).collect();
    world.all_step = world.stepping == world.movers
        && frames.windows(2).all(|pair| pair[0].boxes().iter().zip(pair[1].boxes()).all(|(a, b)| a != b));
    let (boxes, rays, points) = draw_questions(world.bodies.boxes(), questions);
    let sweeps = rays.iter().map(sweep).collect();
    let (scene, count) = (name.to_owned(), objects.len());
    let (spheres, frustums) = (Vec::new(), Vec::new());
    let mut case =
        Case { scene, count, world, frames, boxes, spheres, points, frustums, rays, sweeps, small_steps: false };
    case.small_steps = case.has_small_steps();
    case
}

/// Boxes, rays and points around the objects: where there are more objects, more is asked.
fn draw_questions(objects: &[Aabb], questions: usize) -> (Vec<Aabb>, Vec<Ray>, Vec<Vec3>) {
    let mut random = Random::new(SEED);
    let mut any = |random: &mut Random| {
        let aabb = &objects[random.below(u32::try_from(objects.len()).unwrap_or(u32::MAX)) as usize];
        aabb.center() + random.signed() * aabb.half_extents()
    };
    let edge = box_edge(objects, &mut random, &mut any);
    // Where all objects are one point, a ray needs some way to go.
    let around = if edge > 1e-6 { edge } else { 1.0 };
    let half = Vec3::splat(edge / 2.0);
    let boxes = (0..questions).map(|_| Aabb::from_center_half_extents(any(&mut random), half)).collect();
    let points = (0..questions).map(|_| any(&mut random) + random.signed() * around).collect();
    let mut rays = Vec::new();
    while rays.len() < questions {
        let (from, to) = (any(&mut random) + random.signed() * around, any(&mut random));
        // Two equal points have no direction; then the next two serve.
        rays.extend(Ray::new(from, to - from).and_then(|ray| ray.with_distance_max(4.0 * FAR)));
    }
    (boxes, rays, points)
}

/// The edge of boxes that meet about [`MET`] objects, or most of them.
fn box_edge(objects: &[Aabb], random: &mut Random, any: &mut impl FnMut(&mut Random) -> Vec3) -> f32 {
    let mut edges: Vec<f32> = objects.iter().map(|aabb| aabb.extents().max_element()).collect();
    edges.sort_by(f32::total_cmp);
    let places: Vec<Vec3> = (0..TRIED).map(|_| any(random)).collect();
    let wanted = MET.min(objects.len() / 2) * places.len();
    let mut edge = edges[edges.len() / 2].max(f32::MIN_POSITIVE);
    while edge < FAR {
        let half = Vec3::splat(edge / 2.0);
        let asked = places.iter().map(|&place| Aabb::from_center_half_extents(place, half));
        let met: usize = asked.map(|asked| objects.iter().filter(|aabb| aabb.overlaps(&asked)).count()).sum();
        if met >= wanted {
            break;
        }
        edge *= 1.2;
    }
    edge
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::recordings;

    #[test]
    fn a_recording_is_cut_where_the_most_objects_live() {
        let frames = recordings::by_name("pile").unwrap().frames;
        let traced = Traced::new("pile", &frames, 50).unwrap();
        let most = traced.case.count;
        assert!(most > 1000 && traced.start + WINDOW <= frames.len());
        assert_eq!(traced.case.frames.len(), WINDOW);
        assert!(!traced.case.world.stepping.is_empty());
        let met = |asked: &Aabb| traced.case.world.bodies.boxes().iter().filter(|aabb| aabb.overlaps(asked)).count();
        let mean = traced.case.boxes.iter().map(met).sum::<usize>() / traced.case.boxes.len();
        assert!((MET / 3..=MET * 3).contains(&mean), "{mean} objects in a box");
        assert_eq!(traced.events.unwrap().frames.len(), frames.len() - 1);
    }

    #[test]
    fn every_subject_agrees_on_a_recording() {
        let frames = &recordings::by_name("tower").unwrap().frames[..20];
        let rows = Traced::new("tower", frames, 50).unwrap().run(1);
        for operation in ["build", "box", "ray", "nearest", "pairs", "frame", "events"] {
            let row = rows.iter().find(|row| row.operation == operation && row.subject == "broadleaf");
            assert!(row.is_some_and(|row| row.value > 0.0), "{operation}");
        }
    }

    #[test]
    fn what_peers_cannot_follow_is_refused_by_its_id_and_frame() {
        let object = |x: f32| Object::new(Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0)));
        let spawned = vec![(4, object(0.0)), (7, object(1.0))];
        let first = Frame { spawned, ..Frame::default() };
        let far = Frame { moved: vec![(7, object(1e20).shape)], ..Frame::default() };
        let refused = Traced::new("far", &[first.clone(), far], 1).err().unwrap();
        assert!(matches!(refused, Refused::TooFar { id: 7, frame: 1, .. }), "{refused}");
        let alone = Frame { spawned: vec![(4, object(0.0))], ..Frame::default() };
        assert_eq!(Traced::new("alone", &[alone], 1).err(), Some(Refused::TooFew(1)));
        // One frame, and nothing that moves.
        assert!(Traced::new("still", &[first], 5).unwrap().run(1).iter().any(|row| row.operation == "pairs"));
    }
}
