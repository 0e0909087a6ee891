//! The brute-force oracle: every object is asked every question.
//!
//! Objects are kept sorted by handle, so that all results are sorted too.

mod distance;
mod exact;
pub mod mesh;
mod selection;
pub mod sweep;
#[cfg(test)]
mod tests;

pub use selection::Selection;

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Containment, Frustum, Handle, Layers, Mobility, Object, Ray, Shape, Sphere, Sweep,
    query::{StartInside, VisibleObject},
    shape::{Capsule, Obb, Plane},
};

/// What a tree should answer, found the slow way.
///
/// Changes are taken as given: the caller offers only what the tree accepted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Oracle {
    live: Vec<(Handle, Object)>,
}

impl Oracle {
    /// An oracle of no objects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// All objects, sorted by handle.
    #[must_use]
    pub fn objects(&self) -> &[(Handle, Object)] {
        &self.live
    }

    fn find(&self, handle: Handle) -> Result<usize, usize> {
        self.live.binary_search_by_key(&handle, |live| live.0)
    }

    fn object(&mut self, handle: Handle) -> Option<&mut Object> {
        let index = self.find(handle).ok()?;
        Some(&mut self.live[index].1)
    }

    /// Adds an object under the handle that the tree gave.
    ///
    /// # Panics
    /// If the handle, or another of the same slot, is in use.
    pub fn insert(&mut self, handle: Handle, object: Object) {
        let index = self.find(handle).expect_err("a new handle");
        let same_slot = |live: Option<&(Handle, Object)>| live.is_some_and(|(other, _)| other.slot() == handle.slot());
        let before = index.checked_sub(1).and_then(|i| self.live.get(i));
        assert!(!same_slot(before) && !same_slot(self.live.get(index)), "slot in use: {handle:?}");
        self.live.insert(index, (handle, object));
    }

    /// Takes an object out; `None` if the handle is stale.
    pub fn remove(&mut self, handle: Handle) -> Option<Object> {
        let index = self.find(handle).ok()?;
        Some(self.live.remove(index).1)
    }

    /// Takes all objects out.
    pub fn clear(&mut self) {
        self.live.clear();
    }

    /// Gives an object another shape; false if the handle is stale.
    pub fn update(&mut self, handle: Handle, shape: Shape) -> bool {
        self.object(handle).map(|object| object.shape = shape).is_some()
    }

    /// Moves every shape by the opposite of `shift`; false if that takes a
    /// finite coordinate to infinity.
    pub fn shift_origin(&mut self, shift: Vec3) -> bool {
        self.live.iter_mut().all(|(_, object)| exact::shift(&mut object.shape, shift))
    }

    /// Puts an object on other layers; false if the handle is stale.
    pub fn set_layers(&mut self, handle: Handle, layers: Layers) -> bool {
        self.object(handle).map(|object| object.layers = layers).is_some()
    }

    /// Gives an object another mobility; false if the handle is stale.
    pub fn set_mobility(&mut self, handle: Handle, mobility: Mobility) -> bool {
        self.object(handle).map(|object| object.mobility = mobility).is_some()
    }

    /// Gives an object other user data; false if the handle is stale.
    pub fn set_user_data(&mut self, handle: Handle, user_data: u64) -> bool {
        self.object(handle).map(|object| object.user_data = user_data).is_some()
    }

    /// The object of a handle; `None` if it is stale.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<Object> {
        self.find(handle).ok().map(|index| self.live[index].1)
    }

    /// All pairs, the lower handle first, sorted.
    #[must_use]
    pub fn pairs(&self) -> Vec<(Handle, Handle)> {
        let mut pairs = Vec::new();
        for (index, (a, object)) in self.live.iter().enumerate() {
            for (b, other) in &self.live[index + 1..] {
                if exact::are_pair(object, other) {
                    pairs.push((*a, *b));
                }
            }
        }
        pairs
    }

    /// The partners of one object, sorted; `None` if the handle is stale.
    #[must_use]
    pub fn pairs_of(&self, handle: Handle) -> Option<Vec<Handle>> {
        let object = self.get(handle)?;
        let partners = self.live.iter().filter(|(other, _)| *other != handle);
        Some(partners.filter(|(_, o)| exact::are_pair(&object, o)).map(|(h, _)| *h).collect())
    }

    /// What `test` says of each object that is asked about, sorted by handle.
    fn ask<T>(&self, among: Selection, test: impl Fn(&Shape) -> Option<T>) -> Vec<(Handle, T)> {
        let wanted = self.live.iter().filter(|(handle, object)| among.includes(*handle, object));
        wanted.filter_map(|(handle, object)| Some((*handle, test(&object.shape)?))).collect()
    }

    fn meet(&self, among: Selection, test: impl Fn(&Shape) -> bool) -> Vec<Handle> {
        let found = self.ask(among, |shape| test(shape).then_some(()));
        found.into_iter().map(|(handle, ())| handle).collect()
    }

    /// The objects that contain a point, sorted.
    #[must_use]
    pub fn at_point(&self, point: Vec3, among: Selection) -> Vec<Handle> {
        self.meet(among, |shape| exact::shape_has_point(shape, point))
    }

    /// The objects that meet a box, sorted.
    #[must_use]
    pub fn in_aabb(&self, aabb: &Aabb, among: Selection) -> Vec<Handle> {
        self.meet(among, |shape| exact::shape_meets_box(shape, aabb))
    }

    /// The objects that meet a sphere, sorted.
    #[must_use]
    pub fn in_sphere(&self, sphere: &Sphere, among: Selection) -> Vec<Handle> {
        self.meet(among, |shape| exact::shape_meets_ball(shape, sphere))
    }

    /// The objects that meet a frustum, and how, sorted.
    #[must_use]
    pub fn in_frustum(&self, frustum: &Frustum, among: Selection) -> Vec<(Handle, Containment)> {
        self.ask(among, |shape| exact::shape_in_frustum(shape, frustum))
    }

    /// The objects that meet an oriented box, sorted.
    #[must_use]
    pub fn in_obb(&self, obb: &Obb, among: Selection) -> Vec<Handle> {
        self.meet(among, |shape| distance::shape_meets_obb(shape, obb))
    }

    /// The objects that meet a capsule, sorted.
    #[must_use]
    pub fn in_capsule(&self, capsule: &Capsule, among: Selection) -> Vec<Handle> {
        self.meet(among, |shape| distance::shape_meets_capsule(shape, capsule))
    }

    /// The objects that are behind none of some planes, and how they lie, sorted.
    #[must_use]
    pub fn in_planes(&self, planes: &[Plane], among: Selection) -> Vec<(Handle, Containment)> {
        self.ask(among, |shape| exact::shape_in_planes(shape, planes))
    }

    /// The objects that a ray hits, and at which distance, sorted by handle.
    #[must_use]
    pub fn hits(&self, ray: &Ray, among: Selection) -> Vec<(Handle, f32)> {
        self.ask(among, |shape| exact::ray_enters_shape(ray, shape))
    }

    /// The object that a ray hits first; of several at one distance, that of the lowest slot.
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, among: Selection) -> Option<(Handle, f32)> {
        self.hits(ray, among).into_iter().reduce(|best, hit| if hit.1 < best.1 { hit } else { best })
    }

    /// The objects that meet a frustum and look large enough from a point, how
    /// they lie, and how far they are; nearest first, then the lowest handle.
    #[must_use]
    pub fn seen(&self, frustum: &Frustum, eye: Vec3, size_min: f32, among: Selection) -> Vec<VisibleObject> {
        let seen = |shape: &Shape| {
            let containment = exact::shape_in_frustum(shape, frustum)?;
            let distance = distance::shape_from_box(shape, &Aabb::new(eye, eye));
            distance::shape_looks_large(shape, eye, size_min).then_some((containment, distance))
        };
        let found = self.ask(among, seen).into_iter();
        let mut found: Vec<VisibleObject> =
            found.map(|(handle, (containment, distance))| VisibleObject { handle, containment, distance }).collect();
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        found
    }

    /// The objects that a ray hits, and at which distance, nearest first, then the lowest handle.
    #[must_use]
    pub fn cast(&self, ray: &Ray, inside: StartInside, among: Selection) -> Vec<(Handle, f32)> {
        nearest_first(self.ask(among, |shape| distance::cast_at_shape(ray, shape, inside)))
    }

    /// The objects that a moving shape meets, and when, first to last, then the lowest handle.
    #[must_use]
    pub fn swept(&self, sweep: &Sweep, among: Selection) -> Vec<(Handle, f32)> {
        nearest_first(self.ask(among, |shape| distance::sweep_meets_shape(sweep, shape)))
    }

    /// The objects within a distance of a box, and how far they are, nearest
    /// first, then the lowest handle. A point is a box without extent.
    #[must_use]
    pub fn nearest(&self, from: &Aabb, distance_max: f32, among: Selection) -> Vec<(Handle, f32)> {
        let within = |shape: &Shape| Some(distance::shape_from_box(shape, from)).filter(|d| *d <= distance_max);
        nearest_first(self.ask(among, within))
    }
}

fn nearest_first(mut found: Vec<(Handle, f32)>) -> Vec<(Handle, f32)> {
    // The sort is stable, and the handles are sorted already.
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found
}
