//! What the library must reach, beside what the newest records say.

use super::ratios::{Against, Case, EMBREE, Met, Ratios, cases};
use super::records::Records;
use crate::events::ALL_PAIRS;

/// What is compared, and in which rows.
enum Of {
    /// The library beside others in an operation of the sweep.
    Sweep(&'static str, Against<'static>),
    /// The same in any record, on scenes whose name begins in one of these ways, with at least so many objects.
    Scenes(&'static [&'static str], &'static [&'static str], usize, Against<'static>),
    /// The library's events over the row of that name: a cost, so the worst is the highest.
    EventsOver(&'static str),
    /// The row of that name over the library's events: a cost too.
    OverEvents(&'static str),
    /// The value itself, in operation and scene.
    Value(&'static str, &'static str, usize),
    /// The value at so many objects or more over that at 100,000 of the same scene.
    Growth(&'static [&'static str], usize),
}

/// A goal; `None` where none is set.
struct Goal {
    name: &'static str,
    of: Of,
    worst: Option<f64>,
    tenth: Option<f64>,
    median: Option<f64>,
}

fn goal(name: &'static str, of: Of, worst: Option<f64>, tenth: Option<f64>, median: Option<f64>) -> Goal {
    Goal { name, of, worst, tenth, median }
}

fn goals() -> Vec<Goal> {
    use Against::{Best, BestInRust, Named};
    let sweep = |operation| Of::Sweep(operation, Best);
    let all_scenes: &[&str] = &[""];
    let meshes: &[&str] = &["mesh_coherent", "mesh_incoherent"];
    let mesh = |against| Of::Scenes(meshes, all_scenes, 0, against);
    let events: &[&str] = &["events"];
    vec![
        goal("frame, every object moving", sweep("frame"), Some(1.2), Some(1.7), Some(2.5)),
        goal("all pairs alone", sweep("pairs"), Some(1.0), Some(1.5), Some(2.2)),
        goal(
            "frame with events over the same frame with all pairs (a cost)",
            Of::EventsOver(ALL_PAIRS),
            Some(1.25),
            None,
            Some(1.1),
        ),
        goal(
            "events with a margin over events without (a cost)",
            Of::OverEvents("broadleaf, margin"),
            Some(1.3),
            None,
            None,
        ),
        goal("recorded physics, events", Of::Scenes(events, &["recorded-"], 0, Best), Some(1.5), None, Some(3.0)),
        goal("bulk build", sweep("build"), Some(1.0), Some(1.3), Some(1.7)),
        goal("boxes in a box", sweep("box"), Some(1.5), Some(2.0), Some(2.7)),
        goal(
            "spheres and frusta",
            Of::Scenes(&["sphere", "frustum"], all_scenes, 0, Best),
            Some(1.5),
            Some(2.0),
            Some(2.7),
        ),
        goal("nearest hit of a ray: best in Rust", Of::Sweep("ray", BestInRust), Some(1.0), Some(1.3), Some(1.8)),
        goal("nearest hit of a ray: Embree", Of::Sweep("ray", Named(EMBREE)), Some(0.8), Some(0.9), Some(1.1)),
        goal("rays through meshes: best in Rust", mesh(BestInRust), Some(1.8), None, None),
        goal("rays through meshes: tinybvh", mesh(Named("tinybvh")), Some(1.1), None, None),
        goal("rays through meshes: Embree", mesh(Named(EMBREE)), Some(0.85), None, None),
        // Of both, nine in ten objects are static.
        goal("a tenth moves, events", Of::Scenes(events, &["city", "statics"], 0, Best), Some(2.0), None, Some(4.0)),
        goal(
            "1M objects at rest, microseconds a frame (a cost)",
            Of::Value("events", "rest", 1_000_000),
            Some(2.0),
            None,
            None,
        ),
        goal(
            "cost per object at 1M and more over that at 100k (a cost)",
            Of::Growth(&["frame", "pairs", "build"], 1_000_000),
            Some(1.3),
            None,
            None,
        ),
        goal(
            "two threads: pairs and second build of 100k",
            Of::Scenes(&["threads", "threads-build"], all_scenes, 100_000, Named("serial")),
            Some(1.6),
            None,
            Some(1.75),
        ),
        // The goal is 60 with the handle of 8 bytes in the caller's list, which the records leave out.
        goal("bytes an object, its handle left out (a cost)", Of::Value("memory", "", 0), Some(52.0), None, None),
    ]
}

impl Goal {
    /// Ratios or values, the worst first.
    fn met(&self, records: &Records) -> Ratios {
        let all = cases(&records.records);
        match &self.of {
            Of::Sweep(operation, against) => {
                let is_of = |case: &&Case| case.record.is_sweep() && case.own.operation == *operation;
                Ratios::new(all.iter().filter(is_of), *against)
            }
            Of::Scenes(operations, scenes, count, against) => {
                let is_of = |case: &&Case| {
                    let (own, record) = (case.own, case.record);
                    operations.contains(&own.operation.as_str())
                        && scenes.iter().any(|scene| own.scene.starts_with(scene))
                        && own.count >= *count
                        && !record.kind.ends_with("default")
                };
                Ratios::new(all.iter().filter(is_of), *against)
            }
            Of::EventsOver(name) | Of::OverEvents(name) => {
                let is_of = |case: &&Case| case.record.is_sweep() && case.own.operation == "events";
                let cost = |case: &Case| {
                    let ratio = case.ratio(case.other(Against::Named(name))?);
                    Some(met(case, if matches!(self.of, Of::EventsOver(_)) { 1.0 / ratio } else { ratio }))
                };
                costs(all.iter().filter(is_of).filter_map(cost).collect())
            }
            Of::Value(operation, scene, count) => {
                let is_of = |case: &&Case| {
                    let own = case.own;
                    own.operation == *operation && own.scene.starts_with(scene) && own.count >= *count.max(&20_000)
                };
                costs(all.iter().filter(is_of).map(|case| met(case, case.own.value)).collect())
            }
            Of::Growth(operations, count) => {
                let is_of =
                    |case: &&Case| operations.contains(&case.own.operation.as_str()) && case.own.count >= *count;
                let growth = |case: &Case| {
                    let is_small = |small: &&Case| {
                        let (own, large) = (small.own, case.own);
                        own.count == 100_000
                            && (&own.operation, &own.scene, &own.caches)
                                == (&large.operation, &large.scene, &large.caches)
                            && own.build() == large.build()
                    };
                    let small = all.iter().find(is_small)?;
                    Some(met(case, case.own.value / small.own.value))
                };
                costs(all.iter().filter(is_of).filter_map(growth).collect())
            }
        }
    }
}

fn met(case: &Case, ratio: f64) -> Met {
    let operation = &case.own.operation;
    Met { ratio, place: format!("{operation}, {}, {}", case.own.scene, case.own.count) }
}

/// Of costs the highest is the worst.
fn costs(met: Vec<Met>) -> Ratios {
    let mut costs = Ratios::of(met);
    costs.0.reverse();
    costs
}

/// Goals beside what was reached.
pub(super) fn table(records: &Records) -> String {
    let mut text = String::from(
        "| operation | worst: goal | reached | where | tenth percentile: goal | reached | median: goal | reached | rows |\n\
         |---|---:|---:|---|---:|---:|---:|---:|---:|\n",
    );
    for goal in goals() {
        let reached = goal.met(records);
        let wanted = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value}"));
        let number =
            |value: Option<f64>| value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.2}"));
        let place = reached.worst().map_or("", |met| &met.place);
        text += &format!(
            "| {} | {} | {} | {place} | {} | {} | {} | {} | {} |\n",
            goal.name,
            wanted(goal.worst),
            number(reached.worst().map(|met| met.ratio)),
            wanted(goal.tenth),
            number(reached.percentile(10)),
            wanted(goal.median),
            number(reached.percentile(50)),
            reached.0.len(),
        );
    }
    text
}
