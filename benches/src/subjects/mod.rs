//! broadleaf and its peers behind one interface.
//!
//! Each subject is used as its own documentation recommends. Answers go into
//! a buffer that the subject owns, as any caller would keep one; a tally over
//! the buffer is taken outside the timed part.

mod brute;
#[cfg(feature = "bullet")]
mod bullet;
#[cfg(feature = "peers")]
mod bvh;
#[cfg(feature = "embree")]
mod embree;
mod grid;
#[cfg(feature = "peers")]
mod obvhs;
mod octree;
#[cfg(feature = "peers")]
mod parry;
mod plain;
#[cfg(feature = "peers")]
mod rstar;
mod sweep;

pub use brute::Brute;
#[cfg(feature = "peers")]
pub use bvh::BvhCrate;
pub use grid::Grid;
#[cfg(feature = "peers")]
pub use obvhs::{Bvh2, CwBvh};
pub use octree::Broadleaf;
#[cfg(feature = "peers")]
pub use parry::Parry;
pub use plain::Plain;
#[cfg(feature = "peers")]
pub use rstar::Rstar;
pub use sweep::Sweep as SortAndSweep;

use crate::cases::Case;
use crate::naive::{shapes_touch, spheres_touch};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Frustum, Layers, Mobility, Object, Ray, Shape, Sphere, Sweep};

/// The name of the baseline, which tables set apart from the peers.
pub const PLAIN_TREE: &str = "plain tree";

/// Neighbours that are asked for.
pub const NEIGHBORS: usize = 10;

/// What is asked of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Build from scratch.
    Build,
    /// Move every mover in place, and bring the structure up to date.
    Update,
    /// List all pairs.
    Pairs,
    /// `Update`, then `Pairs`.
    Frame,
    /// Objects in a box.
    Box,
    /// Objects in a sphere.
    Sphere,
    /// Objects in a view frustum.
    Frustum,
    /// Nearest object along a ray.
    Ray,
    /// Ten nearest objects to a point.
    Nearest,
    /// First object that a moving box meets.
    Sweep,
}

/// A count and an order-independent hash of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many answers.
    pub count: u64,
    /// Sum of the mixed answers.
    pub hash: u64,
}

impl Tally {
    /// Adds one answer.
    #[inline]
    pub fn add(&mut self, answer: u64) {
        self.count += 1;
        let mixed = (answer ^ (answer >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.hash = self.hash.wrapping_add((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9));
    }

    /// Adds an unordered pair of objects.
    #[inline]
    pub fn add_pair(&mut self, a: u32, b: u32) {
        self.add(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
    }

    /// Adds the answer to the question with this number.
    #[inline]
    pub fn add_found(&mut self, question: usize, object: u32) {
        self.add((question as u64) << 32 | u64::from(object));
    }
}

/// Bodies of one kind, as columns.
#[derive(Clone, Debug)]
pub enum Bodies {
    /// Boxes.
    Boxes(Vec<Aabb>),
    /// Spheres, with the boxes that broadleaf would give them.
    Spheres(Vec<Sphere>, Vec<Aabb>),
    /// Some of each, with the boxes of all.
    Mixed(Vec<Shape>, Vec<Aabb>),
}

impl Bodies {
    /// Spheres or boxes if all shapes are.
    #[must_use]
    pub fn new(shapes: &[Shape]) -> Self {
        let boxes = shapes.iter().map(Shape::aabb).collect();
        if shapes.iter().all(|shape| matches!(shape, Shape::Aabb(_))) {
            return Self::Boxes(boxes);
        }
        let spheres: Option<Vec<Sphere>> = shapes
            .iter()
            .map(|shape| match shape {
                Shape::Sphere(sphere) => Some(*sphere),
                _ => None,
            })
            .collect();
        match spheres {
            Some(spheres) => Self::Spheres(spheres, boxes),
            None => Self::Mixed(shapes.to_vec(), boxes),
        }
    }

    /// The boxes.
    #[must_use]
    pub fn boxes(&self) -> &[Aabb] {
        match self {
            Self::Boxes(boxes) | Self::Spheres(_, boxes) | Self::Mixed(_, boxes) => boxes,
        }
    }

    /// The body with this index.
    #[must_use]
    pub fn shape(&self, index: usize) -> Shape {
        match self {
            Self::Boxes(boxes) => boxes[index].into(),
            Self::Spheres(spheres, _) => spheres[index].into(),
            Self::Mixed(shapes, _) => shapes[index],
        }
    }

    /// Whether none of them is a sphere.
    #[must_use]
    pub fn are_boxes(&self) -> bool {
        matches!(self, Self::Boxes(_))
    }
}

/// Objects with what a peer must keep beside its structure.
#[derive(Clone, Debug)]
pub struct World {
    /// As broadleaf takes them, before the first frame.
    pub objects: Vec<Object>,
    /// Their bodies.
    pub bodies: Bodies,
    /// Which of them move; all, if `statics` is false.
    pub moves: Vec<bool>,
    /// Whether some do not move, so that their mutual pairs are not wanted.
    pub statics: bool,
    /// The movers' indices.
    pub movers: Vec<u32>,
    /// The indices of those that a frame moves: all movers, unless said otherwise.
    pub stepping: Vec<u32>,
    /// Whether a frame changes the box of every mover.
    pub all_step: bool,
    /// The layers of each object; none if all interact with all.
    pub layers: Vec<Layers>,
}

impl World {
    /// Splits objects into columns.
    #[must_use]
    pub fn new(objects: &[Object]) -> Self {
        let shapes: Vec<Shape> = objects.iter().map(|object| object.shape).collect();
        let moves: Vec<bool> = objects.iter().map(|object| object.mobility == Mobility::Moving).collect();
        let movers: Vec<u32> = (0..).zip(&moves).filter_map(|(index, &moves)| moves.then_some(index)).collect();
        let mut layers: Vec<Layers> = objects.iter().map(|object| object.layers).collect();
        if layers.iter().all(|&layers| layers == Layers::ALL) {
            layers.clear();
        }
        Self {
            objects: objects.to_vec(),
            bodies: Bodies::new(&shapes),
            statics: movers.len() < moves.len(),
            moves,
            stepping: movers.clone(),
            all_step: true,
            movers,
            layers,
        }
    }

    /// Writes the new bodies of those that a frame moves over the old.
    pub fn store(&mut self, bodies: &Bodies) {
        match (&mut self.bodies, bodies) {
            (Bodies::Spheres(spheres, boxes), Bodies::Spheres(new, new_boxes)) => {
                for ((&mover, sphere), aabb) in self.stepping.iter().zip(new).zip(new_boxes) {
                    spheres[mover as usize] = *sphere;
                    boxes[mover as usize] = *aabb;
                }
            }
            (Bodies::Mixed(shapes, boxes), new) => {
                for (index, (&mover, aabb)) in self.stepping.iter().zip(new.boxes()).enumerate() {
                    shapes[mover as usize] = new.shape(index);
                    boxes[mover as usize] = *aabb;
                }
            }
            (own, new) => {
                let (Bodies::Boxes(boxes) | Bodies::Spheres(_, boxes) | Bodies::Mixed(_, boxes)) = own;
                for (&mover, aabb) in self.stepping.iter().zip(new.boxes()) {
                    boxes[mover as usize] = *aabb;
                }
            }
        }
    }

    /// Whether every two objects whose boxes overlap are a pair.
    #[must_use]
    pub fn wants_all(&self) -> bool {
        !self.statics && self.layers.is_empty() && self.bodies.are_boxes()
    }

    /// Whether two objects whose boxes overlap are a pair.
    #[inline]
    #[must_use]
    pub fn wants(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        if self.statics && !self.moves[a] && !self.moves[b] {
            return false;
        }
        if !self.layers.is_empty() && !self.layers[a].interacts(self.layers[b]) {
            return false;
        }
        match &self.bodies {
            Bodies::Boxes(_) => true,
            Bodies::Spheres(spheres, _) => spheres_touch(&spheres[a], &spheres[b]),
            Bodies::Mixed(shapes, _) => shapes_touch(&shapes[a], &shapes[b]),
        }
    }
}

/// A broad phase under measurement.
pub trait Subject {
    /// Its name in the tables.
    fn name(&self) -> &'static str;

    /// Whether it answers the operation, at this number of objects.
    fn can(&self, operation: Operation, count: usize) -> bool;

    /// Whether it can take part in an operation on a world of this kind, if it [can](Subject::can) at all.
    fn suits(&self, _operation: Operation, _case: &Case) -> bool {
        true
    }

    /// Of so many rays, for how many it may miss the nearest box by rounding.
    fn misses_max(&self, _rays: usize) -> usize {
        0
    }

    /// Builds from scratch; the fastest way it has.
    fn build(&mut self, world: &World);

    /// Keeps what it needs of the world beside its structure; untimed, after `build`.
    fn remember(&mut self, _world: &World) {}

    /// Spends what it likes to become good at frames and questions; untimed.
    fn finish_build(&mut self) {}

    /// Moves all that a frame moves, in the order of [`World::stepping`], and refits.
    fn update(&mut self, bodies: &Bodies);

    /// Lists all pairs; returns how many.
    fn pairs(&mut self) -> usize;

    /// Tally of the pairs last listed.
    fn pairs_tally(&self) -> Tally;

    /// Objects whose boxes touch each box; returns how many in all.
    fn in_boxes(&mut self, boxes: &[Aabb], tally: Option<&mut Tally>) -> usize;

    /// Objects whose boxes touch each sphere; returns how many in all.
    fn in_spheres(&mut self, _spheres: &[Sphere], _tally: Option<&mut Tally>) -> usize {
        panic!("{} answers no spheres", self.name())
    }

    /// Objects whose boxes touch each frustum; returns how many in all.
    fn in_frustums(&mut self, _frustums: &[Frustum], _tally: Option<&mut Tally>) -> usize {
        panic!("{} answers no frustums", self.name())
    }

    /// Distance to the nearest box along each ray, infinite for none.
    fn rays(&mut self, _rays: &[Ray], _distances: &mut Vec<f32>) {
        panic!("{} answers no rays", self.name())
    }

    /// Distances from each point to its [`NEIGHBORS`] nearest boxes, nearest first.
    fn nearest(&mut self, _points: &[Vec3], _distances: &mut Vec<f32>) {
        panic!("{} answers no neighbours", self.name())
    }

    /// How far each moving box gets before it meets another, infinite if it does not.
    fn sweeps(&mut self, _sweeps: &[Sweep], _distances: &mut Vec<f32>) {
        panic!("{} answers no sweeps", self.name())
    }
}

/// Pairs as most peers report them.
pub(crate) fn tally_of(pairs: &[(u32, u32)]) -> Tally {
    let mut tally = Tally::default();
    for &(a, b) in pairs {
        tally.add_pair(a, b);
    }
    tally
}

/// Adds one question's answers, if a tally is wanted.
#[inline]
pub(crate) fn tally_found(tally: &mut Option<&mut Tally>, question: usize, found: &[u32]) {
    if let Some(tally) = tally {
        for &object in found {
            tally.add_found(question, object);
        }
    }
}

/// Everything that can stand in a table, broadleaf first.
#[must_use]
pub fn all() -> Vec<Box<dyn Subject>> {
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "peers are optional"))]
    let mut subjects: Vec<Box<dyn Subject>> = vec![
        Box::new(Broadleaf::default()),
        Box::new(Plain::default()),
        Box::new(SortAndSweep::default()),
        Box::new(Grid::default()),
        Box::new(Brute::default()),
    ];
    #[cfg(feature = "peers")]
    {
        subjects.push(Box::new(Parry::default()));
        subjects.push(Box::new(Bvh2::default()));
        subjects.push(Box::new(CwBvh::default()));
        subjects.push(Box::new(Rstar::default()));
        subjects.push(Box::new(BvhCrate::default()));
        #[cfg(feature = "embree")]
        subjects.push(Box::new(embree::Embree::default()));
        #[cfg(feature = "bullet")]
        subjects.push(Box::new(bullet::Bullet::default()));
    }
    subjects
}
