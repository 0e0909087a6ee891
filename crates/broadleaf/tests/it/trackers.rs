//! Several trackers on one tree: each gets the events since its own last
//! update, at the cost of what changed since then, whatever the others do.

use crate::support::cube;
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Config, Handle, Layers, Margin, Mobility, Object, Octree, Pair, PairTracker, QueryStats, Sphere,
};
use std::collections::BTreeSet;
use workloads::{Oracle, Random, Scene};

/// All pairs by brute force, of the shapes as the tree keeps them.
fn expected_pairs(tree: &mut Octree) -> BTreeSet<Pair> {
    let objects: Vec<(Handle, Object)> = tree.iter().collect();
    let (view, mut oracle) = (tree.view(), Oracle::new());
    for (handle, object) in objects {
        oracle.insert(handle, Object { shape: view.fat_shape(handle).unwrap(), ..object });
    }
    oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect()
}

/// A tracker, and the pairs that were there when it was last updated.
#[derive(Clone, Default)]
struct Watcher {
    tracker: PairTracker,
    known: BTreeSet<Pair>,
}

impl Watcher {
    /// Updates the tracker and compares its events with the pairs found by brute force.
    #[track_caller]
    fn update(&mut self, tree: &mut Octree, case: &str) -> QueryStats {
        let pairs = expected_pairs(tree);
        let stats = self.tracker.update(tree.changes());
        tree.validate().unwrap();
        let set = |pairs: &[Pair]| {
            let set: BTreeSet<Pair> = pairs.iter().copied().collect();
            assert_eq!(set.len(), pairs.len(), "{case}: a pair is listed twice");
            set
        };
        assert!(set(self.tracker.pairs()) == pairs, "{case}: pairs");
        assert!(set(self.tracker.begun()) == &pairs - &self.known, "{case}: begun");
        assert!(set(self.tracker.ended()) == &self.known - &pairs, "{case}: ended");
        let persisting: Vec<Pair> = self.tracker.persisting().collect();
        assert!(set(&persisting) == &pairs & &self.known, "{case}: persisting");
        self.known = pairs;
        stats
    }

    fn events(&self) -> usize {
        self.tracker.begun().len() + self.tracker.ended().len()
    }
}

fn restored(tree: &Octree) -> Octree {
    let mut bytes = Vec::new();
    tree.snapshot_into(&mut bytes);
    let restored = Octree::from_snapshot(&bytes).expect("a sound tree");
    assert_eq!(restored.state_hash(), tree.state_hash());
    restored
}

fn restored_tracker(tracker: &PairTracker) -> PairTracker {
    let mut bytes = Vec::new();
    tracker.snapshot_into(&mut bytes);
    let restored = PairTracker::from_snapshot(&bytes).expect("a sound tracker");
    assert_eq!(restored.state_hash(), tracker.state_hash());
    restored
}

/// A world of many objects, and one of them that moves to another one in each frame.
struct Herd {
    tree: Octree,
    handles: Vec<Handle>,
    frame: usize,
}

impl Herd {
    fn new(count: u32) -> Self {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        let scene = Scene::by_name("uniform", count, 3).expect("a scene");
        tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
        Self { tree, handles, frame: 0 }
    }

    fn step(&mut self) {
        self.frame += 1;
        let place = self.tree.get(self.handles[self.frame * 37 % self.handles.len()]).expect("it lives").shape.aabb();
        self.tree.update(self.handles[0], place.translated(Vec3::splat(0.1))).unwrap();
    }
}

/// The second one found the changes taken already, and compared everything.
#[test]
fn regression_a_second_tracker_asks_for_what_changed_alone() {
    let mut herd = Herd::new(50_000);
    let [mut alone, mut physics, mut triggers, mut seldom] = [(); 4].map(|()| PairTracker::new());
    let mut tree = herd.tree.clone();
    let all = alone.update(tree.changes()).objects_tested;
    assert!(all > 50_000);
    for tracker in [&mut physics, &mut triggers, &mut seldom] {
        tracker.update(herd.tree.changes());
    }
    let mut events = 0;
    for frame in 1..=60 {
        herd.step();
        let mut only = herd.tree.clone();
        tree.update(herd.handles[0], herd.tree.get(herd.handles[0]).unwrap().shape).unwrap();
        let one = alone.update(tree.changes());
        assert!(one.objects_tested < 2_000, "{one:?}");
        assert_eq!(physics.update(herd.tree.changes()), one, "frame {frame}");
        assert_eq!(triggers.update(herd.tree.changes()), one, "frame {frame}");
        assert_eq!((physics.begun(), physics.ended()), (alone.begun(), alone.ended()));
        assert_eq!((triggers.begun(), triggers.ended()), (alone.begun(), alone.ended()));
        events += alone.begun().len() + alone.ended().len();
        // The one that skips frames asks as little: one object has changed since.
        if frame % 7 == 0 {
            assert_eq!(seldom.clone().update(only.changes()), one, "frame {frame}");
            assert_eq!(seldom.update(herd.tree.changes()), one, "frame {frame}");
        }
    }
    assert!(events > 30, "{events} events");
}

#[test]
fn trackers_of_different_rates_do_not_lose_each_other_s_changes() {
    let mut herd = Herd::new(1_500);
    let mut watchers = [1, 4, 30, 7].map(|period| (period, Watcher::default(), 0));
    let mut tested = [0; 4];
    for frame in 0..240 {
        for (index, (period, watcher, events)) in watchers.iter_mut().enumerate() {
            if frame % *period == 0 {
                let stats = watcher.update(&mut herd.tree, &format!("frame {frame}, each {period}"));
                tested[index] += if frame == 0 { 0 } else { stats.objects_tested };
                *events += watcher.events();
            }
        }
        herd.step();
    }
    assert!(watchers.iter().all(|(_, _, events)| *events > 20));
    let most = tested[0];
    assert!(tested.iter().all(|&tested| tested <= most) && most < 240 * 500, "{tested:?}");
}

/// What a random program works on: a tree, its trackers, and a copy of both from an earlier time.
struct Program {
    random: Random,
    tree: Octree,
    handles: Vec<Handle>,
    watchers: Vec<Watcher>,
    earlier: Option<(Octree, Vec<Handle>, Vec<Watcher>)>,
}

impl Program {
    fn new(seed: u64, margin: f32) -> Self {
        let config = Config { margin: Margin { absolute: margin, relative: 0.0 }, ..Config::default() };
        let watchers = vec![Watcher::default(); 2 + usize::from(seed.is_multiple_of(2))];
        let mut random = Random::new(seed);
        let mut tree = Octree::new(config).unwrap();
        let handles = (0..150).map(|_| tree.insert(object(&mut random)).unwrap()).collect();
        Self { random, tree, handles, watchers, earlier: None }
    }

    fn any(&mut self) -> usize {
        self.random.below(u32::try_from(self.handles.len()).unwrap()) as usize
    }

    fn change(&mut self) {
        let index = self.any();
        let handle = self.handles[index];
        let shape = object(&mut self.random).shape;
        match self.random.below(12) {
            0..4 => self.tree.update(handle, shape).unwrap(),
            4 | 5 => {
                let nearby = self.tree.get(handle).unwrap().shape.aabb().translated(self.random.signed() * 0.3);
                self.tree.update(handle, nearby).unwrap();
            }
            6 => self.tree.set_mobility(handle, Mobility::Static).unwrap(),
            7 => self.tree.set_mobility(handle, Mobility::Moving).unwrap(),
            8 => {
                let memberships = 1 << self.random.below(3);
                self.tree.set_layers(handle, Layers { memberships, filters: 5 }).unwrap();
            }
            9 => self.tree.set_layers(handle, Layers::ALL).unwrap(),
            10 => {
                // Its slot is used again at once.
                self.tree.remove(handle).unwrap();
                self.handles[index] = self.tree.insert(object(&mut self.random)).unwrap();
                assert_eq!(self.handles[index].slot(), handle.slot());
            }
            _ => {
                let outsized = Aabb::new(Vec3::splat(f32::NEG_INFINITY), shape.aabb().min);
                self.tree.update(handle, if self.random.one_in(6) { outsized.into() } else { shape }).unwrap();
            }
        }
    }

    /// What happens to the whole world, now and then.
    fn turn(&mut self) {
        match self.random.below(40) {
            0 => self.tree.rebuild(),
            1 => self.tree.shift_origin(self.random.signed() * 3.7).unwrap(),
            2 => _ = self.tree.view(),
            3 => _ = self.tree.changes(),
            4 => self.earlier = Some((self.tree.clone(), self.handles.clone(), self.watchers.clone())),
            5 => {
                // Back to an earlier tree: with the trackers of then, or with newer ones.
                let Some((tree, handles, watchers)) = &self.earlier else { return };
                self.tree.clone_from(tree);
                self.handles.clone_from(handles);
                if self.random.one_in(2) {
                    self.watchers.clone_from(watchers);
                }
            }
            6 => self.tree = restored(&self.tree),
            7 => self.watchers.iter_mut().for_each(|watcher| watcher.tracker = restored_tracker(&watcher.tracker)),
            8 => {
                let first = self.random.below(u32::try_from(self.watchers.len()).unwrap()) as usize;
                self.watchers[first] =
                    if self.random.one_in(2) { Watcher::default() } else { self.watchers[0].clone() };
            }
            9 if self.random.one_in(6) => {
                self.tree.clear();
                self.handles.clear();
                (0..150).for_each(|_| self.handles.push(self.tree.insert(object(&mut self.random)).unwrap()));
            }
            10 => (0..40).for_each(|_| self.change()),
            11 => {
                let handle = self.handles.swap_remove(0);
                self.tree.remove(handle).unwrap();
                self.handles.push(self.tree.insert(object(&mut self.random)).unwrap());
            }
            _ => (),
        }
    }
}

fn object(random: &mut Random) -> Object {
    let center = random.signed() * 8.0;
    let shape = if random.one_in(3) {
        Sphere::new(center, 0.8).into()
    } else {
        Aabb::from_center_half_extents(center, Vec3::splat(random.between(0.2, 1.0))).into()
    };
    let mobility = if random.one_in(4) { Mobility::Static } else { Mobility::Moving };
    Object { shape, mobility, ..Object::new(Sphere::new(center, 1.0)) }
}

#[test]
fn random_programs_give_each_tracker_the_events_of_a_comparison() {
    for seed in 0..12 {
        let mut program = Program::new(seed, if seed % 3 == 2 { 0.4 } else { 0.0 });
        let (mut events, mut asked, mut looked) = (0, 0, 0);
        for step in 0..350 {
            for _ in 0..program.random.below(4) {
                program.change();
            }
            program.turn();
            for index in 0..program.watchers.len() {
                // The first in most frames, the others less and less often.
                if program.random.one_in(u32::try_from(3 * index + 1).unwrap()) {
                    let case = format!("seed {seed}, step {step}, tracker {index}");
                    let stats = program.watchers[index].update(&mut program.tree, &case);
                    events += program.watchers[index].events();
                    asked += usize::from(stats.objects_tested > 0);
                    looked += usize::from(stats.objects_tested == 0);
                }
            }
        }
        assert!(events > 1_000 && asked > 200 && looked > 10, "seed {seed}: {events}, {asked}, {looked}");
    }
}

#[test]
fn a_tree_restored_beside_a_newer_tracker_has_the_events_of_a_comparison() {
    let mut herd = Herd::new(400);
    let mut watcher = Watcher::default();
    watcher.update(&mut herd.tree, "first");
    let (a, b, c) = (herd.handles[1], herd.handles[2], herd.handles[3]);
    let earlier = herd.tree.clone();
    let shape_of = |tree: &Octree, handle| tree.get(handle).unwrap().shape;
    herd.tree.update(a, shape_of(&earlier, b)).unwrap();
    watcher.update(&mut herd.tree, "a at b");
    assert!(watcher.known.contains(&Pair::new(a, b)));
    // Back, and then the same object moves elsewhere.
    for (target, other) in [(b, c), (c, b)] {
        let (mut tree, mut watcher) = (earlier.clone(), watcher.clone());
        tree.update(a, shape_of(&earlier, target)).unwrap();
        watcher.update(&mut tree, "a elsewhere");
        assert!(watcher.known.contains(&Pair::new(a, target)) && !watcher.known.contains(&Pair::new(a, other)));
    }
    // Back, and nothing more: what had begun ends.
    let mut tree = earlier.clone();
    watcher.update(&mut tree, "back");
    assert!(watcher.tracker.ended().contains(&Pair::new(a, b)));
    // Another object under the handle that one had in a time that is no more.
    let (mut one, mut other) = (earlier.clone(), earlier);
    let first = one.insert(shape_of(&one, b)).unwrap();
    let second = other.insert(shape_of(&other, c)).unwrap();
    assert_eq!(first, second);
    watcher.update(&mut one, "one");
    watcher.update(&mut other, "other");
    assert!(watcher.tracker.begun().contains(&Pair::new(c, second)));
}

#[test]
fn a_tracker_that_is_dropped_or_never_updated_again_costs_no_more_memory() {
    let mut herd = Herd::new(3_000);
    let (mut late, mut often) = (Watcher::default(), PairTracker::new());
    late.update(&mut herd.tree, "first");
    often.update(herd.tree.changes());
    herd.step();
    let guest = herd.tree.insert(cube(1.0, 2.0, 3.0, 0.5)).unwrap();
    often.update(herd.tree.changes());
    herd.tree.remove(guest).unwrap();
    let memory = herd.tree.memory();
    let mut events = 0;
    for _ in 0..3_000 {
        herd.step();
        // One that comes and goes in each frame, beside the one that moves.
        let guest = herd.tree.insert(cube(1.0, 2.0, 3.0, 0.5)).unwrap();
        herd.tree.view();
        herd.tree.remove(guest).unwrap();
        often.update(herd.tree.changes());
        events += often.begun().len();
    }
    assert!(events > 1_000, "{events}");
    let grown = herd.tree.memory();
    assert_eq!(grown.objects, memory.objects, "the log has had its room from the start");
    late.update(&mut herd.tree, "after long");
    assert_eq!(late.tracker.pairs().len(), often.pairs().len());
    // Without any tracker, too.
    drop((late, often));
    for _ in 0..20_000 {
        let guest = herd.tree.insert(cube(1.0, 2.0, 3.0, 0.5)).unwrap();
        herd.tree.remove(guest).unwrap();
    }
    assert_eq!(herd.tree.memory(), grown);
    Watcher::default().update(&mut herd.tree, "a new one");
}

/// Each view added what it fitted to a count that was part of the hash, and
/// on targets of 32 bits overflowed.
#[test]
fn regression_the_hash_does_not_tell_how_often_a_tree_was_viewed() {
    let hashes = [1, 2, 300].map(|rounds| {
        let mut herd = Herd::new(500);
        herd.tree.view();
        let at = herd.tree.get(herd.handles[9]).unwrap().shape;
        for _ in 0..rounds {
            herd.tree.update(herd.handles[9], at).unwrap();
            herd.tree.view();
        }
        herd.tree.state_hash()
    });
    assert_eq!((hashes[0], hashes[0]), (hashes[1], hashes[2]));
    // Nor how often one was moved whose pairs stay, beside a tracker.
    let hashes = [1, 2, 300].map(|rounds| {
        let (mut herd, mut tracker) = (Herd::new(500), PairTracker::new());
        tracker.update(herd.tree.changes());
        let at = herd.tree.get(herd.handles[9]).unwrap().shape;
        for _ in 0..rounds {
            herd.tree.update(herd.handles[9], at).unwrap();
            tracker.update(herd.tree.changes());
        }
        [herd.tree.state_hash(), tracker.state_hash()]
    });
    assert_eq!((hashes[0], hashes[0]), (hashes[1], hashes[2]));
}

/// Each view added to the count of what had changed, so that after some of
/// them a tracker looked at everything.
#[test]
fn regression_views_between_updates_do_not_make_a_tracker_look_at_everything() {
    let (mut herd, mut tracker) = (Herd::new(3_000), PairTracker::new());
    let all = tracker.update(herd.tree.changes()).objects_tested;
    for _ in 0..3_000 {
        let at = herd.tree.get(herd.handles[9]).unwrap().shape;
        herd.tree.update(herd.handles[9], at).unwrap();
        herd.tree.view();
    }
    let one = tracker.update(herd.tree.changes()).objects_tested;
    assert!(one > 0 && one * 10 < all, "{one} of {all}");
}
