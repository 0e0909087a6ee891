//! broadleaf itself, as its documentation shows it.

use super::{Bodies, NEIGHBORS, Operation, Subject, Tally, World};
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Batch, Config, Frustum, Handle, Neighbor, Octree, Pair, QueryStats, Ray, RayHit, Scratch, Sphere, Sweep,
    Threads,
    query::{Region, SweepHit},
};

/// A question with the option `stats`, if the subject counts its work.
macro_rules! counting {
    ($subject:ident, $question:expr) => {{
        let question = $question;
        if $subject.counts_work { question.stats(&mut $subject.work) } else { question }
    }};
}

/// The octree and the buffers that a caller keeps.
pub struct Broadleaf {
    tree: Octree,
    scratch: Scratch,
    handles: Vec<Handle>,
    movers: Vec<Handle>,
    /// Index of the object in each slot.
    index: Vec<u32>,
    pairs: Vec<Pair>,
    found: Vec<Handle>,
    seen: Vec<(Handle, broadleaf::Containment)>,
    near: Vec<Neighbor>,
    lists: Batch<Handle>,
    closest: Batch<Option<RayHit>>,
    counts_work: bool,
    work: QueryStats,
}

impl Default for Broadleaf {
    fn default() -> Self {
        Self::with_config(Config::default())
    }
}

impl Broadleaf {
    /// A subject with these settings.
    ///
    /// # Panics
    /// If a setting is out of range.
    #[must_use]
    pub fn with_config(config: Config) -> Self {
        Self {
            tree: Octree::new(config).expect("settings in range"),
            scratch: Scratch::new(),
            handles: Vec::new(),
            movers: Vec::new(),
            index: Vec::new(),
            pairs: Vec::new(),
            found: Vec::new(),
            seen: Vec::new(),
            near: Vec::new(),
            lists: Batch::new(),
            closest: Batch::new(),
            counts_work: false,
            work: QueryStats::default(),
        }
    }

    /// Says whether questions count their work; they do not unless told to.
    pub fn count_work(&mut self, counts: bool) {
        self.counts_work = counts;
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Octree {
        &self.tree
    }

    /// Heap bytes of the buffers that a caller keeps.
    #[must_use]
    pub fn outside_bytes(&self) -> usize {
        self.handles.capacity() * size_of::<Handle>()
    }

    /// Has bulk builds made on the threads of the current pool.
    pub fn build_in_pool(&mut self) {
        self.tree.set_threads(Threads::Pool);
    }

    /// Moves all movers without bringing the tree up to date.
    ///
    /// # Panics
    /// If the bodies are not one for each mover.
    pub fn move_only(&mut self, bodies: &Bodies) {
        match bodies {
            Bodies::Boxes(boxes) => self.tree.update_many(&self.movers, boxes),
            Bodies::Spheres(spheres, _) => self.tree.update_many(&self.movers, spheres),
            Bodies::Mixed(shapes, _) => self.tree.update_many(&self.movers, shapes),
        }
        .expect("one body for each mover");
    }

    /// Brings the tree up to date: relocates, refits, prunes.
    pub fn refit(&mut self) -> usize {
        self.tree.view().len()
    }

    /// Rebuilds the tree from sorted keys.
    pub fn rebuild(&mut self) -> usize {
        self.tree.rebuild();
        self.tree.view().len()
    }

    /// Lists all pairs on the threads of the current pool.
    pub fn pairs_parallel(&mut self) -> usize {
        counting!(self, self.tree.view().pairs(&mut self.scratch).threads(Threads::Pool)).collect_into(&mut self.pairs);
        self.pairs.len()
    }

    fn world_index(&self, handle: Handle) -> u32 {
        self.index[handle.slot() as usize]
    }
}

/// Adds one question's answers, if a tally is wanted.
fn tally_handles(tally: &mut Option<&mut Tally>, question: usize, found: &[Handle], index: &[u32]) {
    if let Some(tally) = tally {
        for handle in found {
            tally.add_found(question, index[handle.slot() as usize]);
        }
    }
}

impl Subject for Broadleaf {
    fn name(&self) -> &'static str {
        "broadleaf"
    }

    fn can(&self, _operation: Operation, _count: usize) -> bool {
        true
    }

    fn build(&mut self, world: &World) {
        self.tree.clear();
        if world.wants_all() {
            self.tree.insert_many(world.bodies.boxes(), &mut self.handles).expect("finite boxes");
        } else {
            self.tree.insert_many(&world.objects, &mut self.handles).expect("finite bodies");
        }
        self.tree.view();
    }

    fn remember(&mut self, world: &World) {
        self.movers.clear();
        self.movers.extend(world.stepping.iter().map(|&index| self.handles[index as usize]));
    }

    fn finish_build(&mut self) {
        let slots = self.handles.iter().map(|handle| handle.slot() as usize + 1).max().unwrap_or(0);
        self.index.clear();
        self.index.resize(slots, u32::MAX);
        for (index, &handle) in (0..).zip(&self.handles) {
            self.index[handle.slot() as usize] = index;
        }
    }

    fn update(&mut self, bodies: &Bodies) {
        self.move_only(bodies);
        self.tree.view();
    }

    fn pairs(&mut self) -> usize {
        counting!(self, self.tree.view().pairs(&mut self.scratch)).collect_into(&mut self.pairs);
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        let mut tally = Tally::default();
        for pair in &self.pairs {
            tally.add_pair(self.world_index(pair.a()), self.world_index(pair.b()));
        }
        tally
    }

    fn in_boxes(&mut self, boxes: &[Aabb], tally: Option<&mut Tally>) -> usize {
        self.in_regions(boxes, tally)
    }

    fn in_spheres(&mut self, spheres: &[Sphere], tally: Option<&mut Tally>) -> usize {
        self.in_regions(spheres, tally)
    }

    fn in_frustums(&mut self, frustums: &[Frustum], mut tally: Option<&mut Tally>) -> usize {
        let (mut total, view) = (0, self.tree.view());
        for (question, frustum) in frustums.iter().enumerate() {
            let asked = view.overlap(frustum).expect("a legal frustum").with_containment();
            counting!(self, asked).collect_into(&mut self.seen);
            total += self.seen.len();
            if let Some(tally) = &mut tally {
                for (handle, _) in &self.seen {
                    tally.add_found(question, self.index[handle.slot() as usize]);
                }
            }
        }
        total
    }

    fn nearest(&mut self, points: &[Vec3], distances: &mut Vec<f32>) {
        distances.clear();
        let view = self.tree.view();
        for &point in points {
            let asked = view.nearest(point).expect("a finite point");
            counting!(self, asked).k_into(NEIGHBORS, &mut self.near);
            distances.extend(self.near.iter().map(|near| near.distance));
        }
    }

    fn sweeps(&mut self, sweeps: &[Sweep], distances: &mut Vec<f32>) {
        distances.clear();
        let view = self.tree.view();
        let distance = |hit: Option<SweepHit>| hit.map_or(f32::INFINITY, |hit| hit.distance);
        distances.extend(sweeps.iter().map(|sweep| distance(counting!(self, view.cast(sweep)).closest())));
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let view = self.tree.view();
        let distance = |hit: Option<RayHit>| hit.map_or(f32::INFINITY, |hit| hit.distance);
        distances.extend(rays.iter().map(|ray| distance(counting!(self, view.cast(ray)).closest())));
    }
}

/// Batches, for what they gain over single calls.
impl Broadleaf {
    /// Number of objects in each box, in all: in one call.
    ///
    /// # Panics
    /// If a box is not legal.
    pub fn in_boxes_batch(&mut self, boxes: &[Aabb], threads: Threads) -> usize {
        let asked = self.tree.view().overlap_many(boxes).expect("finite boxes").threads(threads);
        counting!(self, asked).collect_into(&mut self.lists);
        self.lists.answers().len()
    }

    /// Number of rays that hit anything: in one call.
    pub fn rays_batch(&mut self, rays: &[Ray], threads: Threads) -> usize {
        counting!(self, self.tree.view().cast_many(rays).threads(threads)).closest_into(&mut self.closest);
        self.closest.answers().iter().flatten().count()
    }
}

/// Questions that no peer is asked.
impl Broadleaf {
    /// Number of objects in each region, in all; the tally tells them apart.
    ///
    /// # Panics
    /// If a region is not legal.
    pub fn in_regions<R: Region>(&mut self, regions: &[R], mut tally: Option<&mut Tally>) -> usize {
        let (mut total, view) = (0, self.tree.view());
        for (question, region) in regions.iter().enumerate() {
            let asked = view.overlap(region).expect("a legal region");
            counting!(self, asked).collect_into(&mut self.found);
            total += self.found.len();
            tally_handles(&mut tally, question, &self.found, &self.index);
        }
        total
    }

    /// Number of objects along each ray, in all.
    pub fn all_hits(&mut self, rays: &[Ray]) -> usize {
        let (mut total, view) = (0, self.tree.view());
        for ray in rays {
            counting!(self, view.cast(ray)).for_each(|_| total += 1);
        }
        total
    }

    /// Number of rays that hit anything.
    pub fn any_hits(&mut self, rays: &[Ray]) -> usize {
        let view = self.tree.view();
        rays.iter().filter(|ray| counting!(self, view.cast(*ray)).any().is_some()).count()
    }
}
