//! Seeded scenes: the same objects and the same motion on every platform.

pub(crate) mod body;
mod layout;
mod queries;
#[cfg(test)]
mod tests;

use crate::frame::Frame;
use crate::random::Random;
use body::Body;
use broadleaf::{Aabb, Mobility, Object};
use layout::{BULLET_LIFE, Layout};
use std::ops::Range;

/// What happens in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behavior {
    /// Everything that is not static drifts.
    Drift,
    /// Bullets fly, and start again at the muzzle when their time is up.
    Bullets,
    /// One object in ten jumps anywhere; the rest stay.
    Teleport,
    /// One object in twenty vanishes and comes back elsewhere; the rest drift.
    Churn,
}

/// A named world of objects that changes step by step.
///
/// Objects are known by their scene id, from 0 to the number of objects. The
/// population is constant: whatever vanishes in a step is back, under the same
/// id, within that step. The user data of an object is its id.
///
/// ```
/// use workloads::Scene;
///
/// let mut scene = Scene::by_name("uniform", 100, 1).unwrap();
/// assert_eq!(scene.objects().len(), 100);
/// assert_eq!(scene.step().moved.len(), 100);
/// ```
#[derive(Debug, Clone)]
pub struct Scene {
    name: &'static str,
    behavior: Behavior,
    bounds: Aabb,
    objects: Vec<Object>,
    bodies: Vec<Body>,
    random: Random,
    steps: u32,
    frame: Frame,
}

type Recipe = (&'static str, Behavior, fn(u32, &mut Random) -> Layout);

const RECIPES: [Recipe; 11] = [
    ("uniform", Behavior::Drift, layout::uniform),
    ("clustered", Behavior::Drift, layout::clustered),
    ("mixed", Behavior::Drift, layout::mixed),
    ("pile", Behavior::Drift, layout::pile),
    ("city", Behavior::Drift, layout::city),
    ("bullets", Behavior::Bullets, layout::bullets),
    ("moving", Behavior::Drift, layout::moving),
    ("teleport", Behavior::Teleport, layout::still),
    ("churn", Behavior::Churn, layout::uniform),
    ("spheres", Behavior::Drift, layout::spheres),
    ("shapes", Behavior::Drift, layout::shapes),
];

impl Scene {
    /// The names of all scenes.
    pub const NAMES: [&'static str; RECIPES.len()] = {
        let mut names = [""; RECIPES.len()];
        let mut index = 0;
        while index < RECIPES.len() {
            names[index] = RECIPES[index].0;
            index += 1;
        }
        names
    };

    /// The scene of that name with `count` objects; `None` if there is none.
    #[must_use]
    pub fn by_name(name: &str, count: u32, seed: u64) -> Option<Self> {
        let (name, behavior, make) = RECIPES.into_iter().find(|recipe| recipe.0 == name)?;
        let mut random = Random::new(seed);
        let layout = make(count, &mut random);
        let mut objects = Vec::with_capacity(layout.bodies.len());
        for (index, body) in layout.bodies.iter().enumerate() {
            let object = Object::new(body.shape()).with_mobility(layout.mobility(index));
            objects.push(object.with_user_data(index as u64));
        }
        let Layout { bodies, bounds, .. } = layout;
        let respawns = bodies.len() / 20 + 1;
        let frame = Frame {
            removed: Vec::with_capacity(respawns),
            spawned: Vec::with_capacity(respawns),
            moved: Vec::with_capacity(bodies.len()),
        };
        Some(Self { name, behavior, bounds, objects, bodies, random, steps: 0, frame })
    }

    /// What the scene shows, in a line.
    #[must_use]
    pub fn description(&self) -> &'static str {
        match self.name {
            "uniform" => "unit boxes spread evenly, all drifting; about one pair each",
            "clustered" => "heaps of a thousand unit boxes in an empty world, all drifting",
            "mixed" => "cubes with edges from 0.5 to 32, many small and few large",
            "pile" => "unit boxes stacked face to face; about 3.35 pairs each",
            "city" => "static buildings on a grid, and one mover for nine of them",
            "bullets" => "bullets that appear, fly and vanish through the same places",
            "moving" => "the uniform scene ten times as fast",
            "teleport" => "unit boxes, of which a tenth jumps anywhere in each step",
            "churn" => "unit boxes, of which a twentieth vanishes and appears in each step",
            "spheres" => "unit spheres spread evenly, all drifting",
            _ => "unit boxes and unit spheres in turn, all drifting",
        }
    }

    /// The scene's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The objects as they stand, by scene id: before the first step, the initial state.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The box that the objects' centres stay in (bullets may leave it).
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Moves the scene on by one step, and says what changed.
    ///
    /// *Cost:* the number of changes; no heap allocation.
    pub fn step(&mut self) -> &Frame {
        self.frame.clear();
        match self.behavior {
            Behavior::Drift => self.drift(0..0),
            Behavior::Bullets => self.fly(),
            Behavior::Teleport => {
                for id in self.turn(10) {
                    self.bodies[id].center = self.random.point(&self.bounds);
                    self.write(id);
                }
            }
            Behavior::Churn => {
                let turn = self.turn(20);
                for id in turn.clone() {
                    self.bodies[id].center = self.random.point(&self.bounds);
                    self.respawn(id);
                }
                self.drift(turn);
            }
        }
        self.steps = self.steps.wrapping_add(1);
        &self.frame
    }

    /// The ids whose turn it is when each gets one in `turns` steps.
    fn turn(&self, turns: usize) -> Range<usize> {
        let (turn, count) = (self.steps as usize % turns, self.bodies.len());
        count * turn / turns..count * (turn + 1) / turns
    }

    /// Moves everything that is not static, except the ids in `but`.
    fn drift(&mut self, but: Range<usize>) {
        for id in 0..self.bodies.len() {
            if self.objects[id].mobility == Mobility::Moving && !but.contains(&id) {
                self.bodies[id].drift();
                self.write(id);
            }
        }
    }

    fn fly(&mut self) {
        let life = BULLET_LIFE as usize;
        for id in 0..self.bodies.len() {
            let body = &mut self.bodies[id];
            if (id + self.steps as usize + 1).is_multiple_of(life) {
                body.center = body.home.min;
                self.respawn(id);
            } else {
                body.center += body.velocity;
                self.write(id);
            }
        }
    }

    fn write(&mut self, id: usize) {
        let shape = self.bodies[id].shape();
        self.objects[id].shape = shape;
        self.frame.moved.push((scene_id(id), shape));
    }

    fn respawn(&mut self, id: usize) {
        self.objects[id].shape = self.bodies[id].shape();
        self.frame.removed.push(scene_id(id));
        self.frame.spawned.push((scene_id(id), self.objects[id]));
    }
}

fn scene_id(index: usize) -> u32 {
    u32::try_from(index).expect("a scene is made with a u32 count")
}
