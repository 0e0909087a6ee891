//! The questions of a frame: ray or box under the mouse, the second camera, the budget.

use crate::protocol::{BudgetReport, Probe, ProbeReport, RayInput, Work};
use crate::traced::{AlongRay, TracedRegion};
use crate::world::{LAYERS, World};
use anyhow::{Result, anyhow};
use broadleaf::glam::Mat4;
use broadleaf::pairs::PairBudget;
use broadleaf::query::{Region, SlotSet};
use broadleaf::{Aabb, ClipDepth, Frustum, Handle, Pair, QueryStats, Ray, View};
use std::cell::RefCell;
use std::collections::HashSet;

/// What the questions of a frame found, to be drawn.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// Boxes of nodes and blocks that the question under the mouse went into.
    reached: RefCell<Vec<Aabb>>,
    /// Slots of the objects that it tested, in the order in which it did.
    pub(crate) tested: Vec<Handle>,
    /// What it hit.
    pub(crate) hits: Vec<Handle>,
    /// The ray or the box, to be drawn.
    pub(crate) asked: Option<Asked>,
    /// Slots in the second camera's frustum.
    pub(crate) seen: Option<SlotSet>,
    served: Vec<Pair>,
    pub(crate) deferred: Vec<Pair>,
    /// The last answer of the budget.
    budget: Option<Served>,
}

/// What a budget answered about a state of the world.
#[derive(Debug)]
struct Served {
    /// The world's number of updates then.
    updates: u64,
    pairs_max: usize,
    report: BudgetReport,
    /// The budget as it was before.
    before: PairBudget,
}

/// The shape of the question under the mouse.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked {
    Ray { ray: Ray, length: f32 },
    Box(Aabb),
}

impl Answers {
    /// Forgets what the last frame found, but for the pairs that the budget deferred.
    pub(crate) fn clear(&mut self) {
        self.reached.get_mut().clear();
        self.tested.clear();
        self.hits.clear();
        (self.asked, self.seen) = (None, None);
    }

    /// Whether the question under the mouse went into a node with such bounds. The root has no
    /// test before it: it is visited if anything is asked.
    pub(crate) fn visited(&self) -> impl Fn(&Aabb) -> bool {
        let reached: HashSet<_> = self.reached.borrow().iter().map(bits).collect();
        move |bounds| reached.contains(&bits(bounds))
    }

    /// Asks the question under the mouse.
    ///
    /// # Errors
    /// A ray without a direction, or a box that is none.
    pub(crate) fn probe(&mut self, world: &mut World, probe: &Probe) -> Result<ProbeReport> {
        let layers = world.layers();
        let view = world.tree_mut().view();
        let ray = ray(&probe.ray)?;
        let mut closest = QueryStats::default();
        let asked = view.cast(&ray).stats(&mut closest);
        let first = match layers {
            Some(layers) => asked.layers(layers).closest(),
            None => asked.closest(),
        };
        let length = first.map_or(probe.distance, |hit| hit.distance);
        let mut report = ProbeReport { first: first.map(|hit| (name(hit.handle), hit.distance)), ..Default::default() };
        if let Some(half) = probe.half {
            let aabb = Aabb::from_center_half_extents(ray.at(length), broadleaf::glam::Vec3::splat(half));
            aabb.check()?;
            self.asked = Some(Asked::Box(aabb));
            report.all = self.ask(view, &aabb, layers)?;
        } else {
            self.asked = Some(Asked::Ray { ray, length: probe.distance * 4.0 });
            report.closest = Some(closest.into());
            report.all = self.ask(view, &AlongRay(ray), layers)?;
        }
        Ok(report)
    }

    /// Asks what overlaps a region, and keeps the way of the question.
    fn ask(&mut self, view: View<'_>, region: &impl Region, layers: Option<u32>) -> Result<Work> {
        let Self { reached, tested, hits, .. } = self;
        let (traced, mut stats) = (TracedRegion::new(region, reached), QueryStats::default());
        // The filter is asked before the region's own test, about each object of a visited block.
        let question = view.overlap(&traced)?.stats(&mut stats);
        let question = match layers {
            Some(layers) => question.layers(layers),
            None => question,
        };
        let question = question.filter(|handle| {
            tested.push(handle);
            true
        });
        question.for_each(|handle| hits.push(handle));
        // The statistics count what the filter and the bounds let through, before the last test.
        Ok(Work { hits: hits.len() as u64, ..stats.into() })
    }

    /// Finds what the second camera sees.
    ///
    /// # Errors
    /// A matrix that is none of a camera.
    pub(crate) fn cull(&mut self, world: &mut World, matrix: &[f32; 16]) -> Result<Work> {
        let frustum = Frustum::from_view_projection(Mat4::from_cols_array(matrix), ClipDepth::NegativeOneToOne)?;
        let (mut seen, mut stats) = (SlotSet::new(), QueryStats::default());
        let view = world.tree_mut().view();
        view.overlap(&frustum)?.stats(&mut stats).slots_into(&mut seen);
        let work = Work { hits: seen.len() as u64, ..stats.into() };
        self.seen = Some(seen);
        Ok(work)
    }

    /// Serves so many of the pairs; the class of an object is its layer. Each state of the world is
    /// served once: a redraw repeats the answer, and another limit takes its place.
    pub(crate) fn serve(&mut self, world: &mut World, pairs_max: usize) -> BudgetReport {
        let updates = world.updates();
        let before = match self.budget.take() {
            Some(last) if last.updates == updates => {
                if last.pairs_max == pairs_max {
                    return self.budget.insert(last).report;
                }
                world.budget = last.before.clone();
                last.before
            }
            _ => world.budget.clone(),
        };
        let class_of = |handle: Handle| u8::try_from(handle.slot() % LAYERS).unwrap_or(u8::MAX);
        let mut budget = std::mem::replace(&mut world.budget, PairBudget::new(0));
        let (view, pairs) = world.view_and_pairs();
        let report = budget.serve(view, pairs, pairs_max, class_of, &mut self.served);
        self.deferred.clear();
        self.deferred.extend(budget.deferred());
        world.budget = budget;
        let (served, deferred, dropped) = (report.served, report.deferred, report.dropped);
        let report = BudgetReport { served, deferred, dropped, waited: report.waited_max };
        self.budget = Some(Served { updates, pairs_max, report, before });
        report
    }

    /// Serves all pairs: there is no budget.
    pub(crate) fn serve_all(&mut self, world: &mut World) {
        if self.budget.take().is_some() {
            world.budget.clear();
            self.deferred.clear();
        }
    }
}

/// A handle as the page tells it: slot and generation.
pub(crate) fn name(handle: Handle) -> String {
    format!("{}:{}", handle.slot(), handle.generation())
}

/// The ray of the page.
pub(crate) fn ray(input: &RayInput) -> Result<Ray> {
    Ray::new(input.origin, input.direction).map_err(|error| anyhow!(error))
}

fn bits(aabb: &Aabb) -> [u32; 6] {
    let [a, b, c] = (aabb.min + 0.0).to_array().map(f32::to_bits);
    let [d, e, f] = (aabb.max + 0.0).to_array().map(f32::to_bits);
    [a, b, c, d, e, f]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::Feed;
    use crate::protocol::Settings;

    fn world(scene: &str) -> World {
        let feed = Feed::scene(scene, 3_000, 5).unwrap();
        let mut world = World::new(feed, Settings { looseness: 3.0, margin: 0.0 }).unwrap();
        world.seek(20).unwrap();
        world
    }

    #[test]
    fn each_state_of_the_world_is_served_once() {
        let (mut world, mut answers) = (world("pile"), Answers::default());
        let half = world.pairs().len() / 2;
        let serve = |answers: &mut Answers, world: &mut World, pairs_max: usize| {
            answers.clear();
            let report = answers.serve(world, pairs_max);
            (report.served, report.deferred, report.waited, answers.deferred.len())
        };
        let first = serve(&mut answers, &mut world, half);
        assert!(first.1 > 0 && first.1 == first.3);
        assert_eq!(serve(&mut answers, &mut world, half), first, "a redraw");
        let less = serve(&mut answers, &mut world, half / 2);
        assert!(less.0 < first.0 && less.2 == first.2, "another limit");
        assert_eq!(serve(&mut answers, &mut world, half), first, "the first limit again");
        world.advance(1).unwrap();
        assert_eq!(serve(&mut answers, &mut world, half).2, first.2 + 1, "a step");
        answers.serve_all(&mut world);
        assert!(answers.deferred.is_empty());
    }

    #[test]
    fn the_traced_question_does_what_the_plain_one_does() {
        for scene in ["uniform", "clustered", "shapes", "city"] {
            let mut world = world(scene);
            let around =
                Aabb::from_center_half_extents(world.tree().iter().nth(7).unwrap().1.shape.aabb().center(), [3.0; 3]);
            let mut answers = Answers::default();
            let view = world.tree_mut().view();
            let traced = answers.ask(view, &around, None).unwrap();
            let (mut stats, mut hits) = (QueryStats::default(), Vec::new());
            view.overlap(&around).unwrap().stats(&mut stats).collect_into(&mut hits);
            assert_eq!(traced, Work::from(stats), "{scene}");
            assert_eq!(answers.hits, hits, "{scene}");
            assert_eq!(answers.tested.len() as u64, stats.objects_tested, "{scene}");
            let visited = answers.visited();
            let inner = world.nodes.iter().skip(1).filter(|node| visited(&node.bounds)).count() as u64;
            // Piles, which stand beside the nodes that are listed, count as visited, too.
            let piles = world.nodes.iter().any(|node| !node.leaf && node.objects > 0);
            assert!(1 + inner == stats.nodes_visited || piles && 1 + inner < stats.nodes_visited, "{scene}");
            assert!(inner > 0 && !hits.is_empty(), "{scene}");
        }
    }
}
