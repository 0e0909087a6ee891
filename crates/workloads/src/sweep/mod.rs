//! Scenes that no one tunes for: made from [`Parameters`], the same on every platform.
//!
//! [`fixed`] lists 24 of them, [`draws`] draws others from a hash that nobody
//! picks. The scale of the objects follows from the number of pairs that a
//! scene should have; then everything is scaled so that the shortest edge of
//! most objects is about 1.

mod density;
mod extents;
mod lists;
mod octaves;
mod parameters;
mod place;
#[cfg(test)]
mod tests;

pub use lists::{Named, Series, draws, fixed, seed_from_hash};
pub use parameters::{Clustering, Dimension, Giants, Layering, Orientation, Parameters, Sizes};

use crate::random::Random;
use crate::scenes::body::Body;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Layers, Mobility, Object, Ray, Shape};
use extents::Extents;
use place::{Places, WORLD};

/// Objects that a box of [`SweepScene::query_boxes`] meets on average.
const HITS: f32 = 30.0;
/// Steps that a mover gets from its place before it turns round.
const STEPS_AWAY: u32 = 4;

/// A scene of the sweep: objects, of which some move in every step.
///
/// The user data of an object is its index.
///
/// ```
/// use workloads::sweep::{Parameters, SweepScene};
///
/// let mut scene = SweepScene::new(&Parameters::even(500, 1));
/// assert_eq!(scene.objects().len(), 500);
/// assert_eq!(scene.step().len(), scene.movers().len());
/// ```
#[derive(Debug, Clone)]
pub struct SweepScene {
    objects: Vec<Object>,
    bodies: Vec<Body>,
    movers: Vec<u32>,
    giants: Vec<bool>,
    bounds: Aabb,
    /// Since all movers were at their place.
    steps: u32,
}

impl SweepScene {
    /// Makes the scene.
    ///
    /// *Cost:* 40 million looks at two objects, or 300 for each object if that is more.
    ///
    /// # Panics
    /// If there are no objects, no proportions, or no heaps or groups where there should be some.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let mut random = Random::new(parameters.seed);
        let places = Places::new(parameters, &mut random);
        let indices = 0..parameters.count;
        let mut centers: Vec<Vec3> = indices.clone().map(|index| places.draw(index, &mut random)).collect();
        let extents: Vec<Extents> = indices.map(|index| Extents::draw(parameters, index, &mut random)).collect();
        for (center, extents) in centers.iter_mut().zip(&extents) {
            // What is as long as the world lies from one end of it to the other.
            *center = Vec3::select(extents.fixed.cmpge(WORLD.max), Vec3::ZERO, *center);
        }
        let scale = density::scale_for(parameters.pairs, &centers, &extents);
        let mut halves: Vec<Vec3> = extents.iter().map(|extents| extents.at(scale)).collect();
        let unit = 0.5 / median(halves.iter().map(|half| half.min_element()));
        centers.iter_mut().for_each(|center| *center *= unit);
        halves.iter_mut().for_each(|half| *half *= unit);
        let mut scene = Self {
            objects: Vec::with_capacity(centers.len()),
            bodies: Vec::with_capacity(centers.len()),
            movers: Vec::new(),
            giants: extents.iter().map(|extents| extents.giant).collect(),
            bounds: centers.iter().fold(Aabb::EMPTY, |all, &center| all.union(&Aabb::new(center, center))),
            steps: 0,
        };
        for (index, ((&center, &half), extents)) in (0..).zip(centers.iter().zip(&halves).zip(&extents)) {
            scene.add(parameters, index, center, half, extents.sphere, &mut random);
        }
        scene
    }

    fn add(&mut self, parameters: &Parameters, index: u32, at: Vec3, half: Vec3, sphere: bool, random: &mut Random) {
        let length = parameters.step * 2.0 * half.min_element();
        let body = Body { velocity: random.direction() * length, sphere, ..Body::at_rest(at, half) };
        // Drawn for every object, so that the statics of one scene are the movers of another.
        let (is_static, moves) = (random.unit() < parameters.statics, random.unit() < parameters.movers);
        let mobility = if is_static { Mobility::Static } else { Mobility::Moving };
        let layers = match parameters.layering {
            Layering::All => Layers::ALL,
            Layering::Groups(groups) => {
                let group = 1 << random.below(groups.clamp(1, 32));
                Layers::new(group, group)
            }
            Layering::Apart => Layers::new(1, 2),
        };
        let object = Object::new(body.shape()).with_mobility(mobility).with_layers(layers);
        self.objects.push(object.with_user_data(index.into()));
        self.bodies.push(body);
        if moves && !is_static {
            self.movers.push(index);
        }
    }

    /// The objects as they stand.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The indices of the objects that move in every step, in rising order.
    #[must_use]
    pub fn movers(&self) -> &[u32] {
        &self.movers
    }

    /// The box around the centres at first.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Moves all movers by one step, to and fro on a line; their shapes, in the order of [`SweepScene::movers`].
    pub fn step(&mut self) -> Vec<Shape> {
        self.steps = (self.steps + 1) % (2 * STEPS_AWAY);
        let away = self.steps.min(2 * STEPS_AWAY - self.steps);
        #[expect(clippy::cast_precision_loss, reason = "a few steps")]
        let away = away as f32;
        let mut shapes = Vec::with_capacity(self.movers.len());
        for &mover in &self.movers {
            let body = &mut self.bodies[mover as usize];
            body.center = body.home.min + body.velocity * away;
            self.objects[mover as usize].shape = body.shape();
            shapes.push(body.shape());
        }
        shapes
    }

    /// Boxes that meet about 30 objects each on average, giants apart; at most a
    /// tenth of all. Half of them are at objects, half anywhere within the bounds.
    #[must_use]
    pub fn query_boxes(&self, number: usize, seed: u64) -> Vec<Aabb> {
        let mut random = Random::new(seed);
        let places: Vec<Vec3> = (0..number).map(|_| self.place(&mut random)).collect();
        let ordinary = || self.bodies.iter().zip(&self.giants).filter(|(_, giant)| !**giant).map(|(body, _)| body);
        let (centers, halves) = ordinary().map(|body| (body.center, body.half)).unzip::<_, _, Vec<_>, Vec<_>>();
        #[expect(clippy::cast_precision_loss, reason = "more than a few hundred is as good as any")]
        let hits = HITS.min(centers.len() as f32 / 10.0);
        let half = density::half_for(hits, &places, &centers, &halves).unwrap_or(0.5).max(0.5);
        places.into_iter().map(|place| Aabb::from_center_half_extents(place, Vec3::splat(half))).collect()
    }

    /// Rays without end from anywhere within the bounds to anywhere.
    ///
    /// # Panics
    /// Never: what is drawn is finite and directed.
    #[must_use]
    pub fn query_rays(&self, number: usize, seed: u64) -> Vec<Ray> {
        let mut random = Random::new(seed);
        let ray = |_| Ray::new(random.point(&self.bounds), random.direction()).expect("finite and directed");
        (0..number).map(ray).collect()
    }

    fn place(&self, random: &mut Random) -> Vec3 {
        let count = u32::try_from(self.bodies.len()).unwrap_or(u32::MAX);
        if random.one_in(2) {
            random.point(&self.bounds)
        } else {
            self.bodies[random.below(count) as usize].center + random.signed()
        }
    }
}

/// The middle of some numbers, the upper one of two.
fn median(numbers: impl Iterator<Item = f32>) -> f32 {
    let mut numbers: Vec<f32> = numbers.collect();
    let middle = numbers.len() / 2;
    *numbers.select_nth_unstable_by(middle, f32::total_cmp).1
}
