//! What each setting costs: every setting over its range, in worlds of three kinds.
//!
//! Times are the least of many rounds, which alternate between the settings, so that
//! they hold on a machine that does other work, too. Answers are counted, and must be
//! the same for every value of a setting.

use broadleaf::{Aabb, Config, Margin, Octree, PairTracker, Scratch, Shape, glam::Vec3};
use std::error::Error;
use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;
use workloads::sweep::{SweepScene, fixed};

const OBJECTS: u32 = 20_000;
const QUESTIONS: usize = 300;
const ROUNDS: usize = 30;
/// Scenes of the sweep: equal cubes, sizes over a factor of 30, long thin boxes.
const SCENES: [&str; 3] = ["even", "sizes-30", "sticks"];

/// A setting over its range.
struct Setting {
    name: &'static str,
    values: Vec<f32>,
    apply: fn(f32) -> Config,
}

/// A margin, a world, and the objects tested in a frame for each object of the world.
type Shares = (f32, &'static str, f64);

/// Costs of one value of one setting in one scene, the least of all rounds.
struct Cost {
    config: Config,
    build: f64,
    pairs: f64,
    boxes: f64,
    bytes: usize,
    answers: Option<(usize, usize)>,
}

/// The table: comments, a head, a line for each cost.
pub(crate) fn measure() -> Result<String, Box<dyn Error>> {
    let mut table = header()?;
    let named = fixed(OBJECTS);
    for name in SCENES {
        let chosen = named.iter().find(|scene| scene.name.starts_with(name)).ok_or("no such scene")?;
        let scene = SweepScene::new(&chosen.parameters);
        for setting in settings() {
            println!("measuring {} in {name}", setting.name);
            for (value, cost) in costs(&setting, &scene)? {
                for (what, number) in [("build", cost.build), ("pairs", cost.pairs), ("box", cost.boxes)] {
                    writeln!(table, "{},{value},{name},{what},{number:.1}", setting.name)?;
                }
                let bytes = cost.bytes as f64 / f64::from(OBJECTS);
                writeln!(table, "{},{value},{name},bytes,{bytes:.1}", setting.name)?;
            }
        }
    }
    println!("counting margins");
    for (margin, world, tested) in margins()? {
        writeln!(table, "margin,{margin},{world},tested,{tested:.3}")?;
    }
    Ok(table)
}

fn settings() -> [Setting; 4] {
    let powers = |range: std::ops::RangeInclusive<i16>| range.map(|power| f32::from(power).exp2()).collect();
    [
        Setting {
            name: "looseness",
            values: vec![1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 65.0],
            apply: |looseness| Config { looseness, ..Config::default() },
        },
        Setting {
            name: "smallest_cell",
            values: powers(-10..=8),
            apply: |smallest_cell| Config { smallest_cell, ..Config::default() },
        },
        Setting { name: "leaf_capacity", values: powers(0..=6), apply: leaf_capacity },
        Setting { name: "depth_limit", values: (1_u8..=12).map(f32::from).collect(), apply: depth_limit },
    ]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
fn leaf_capacity(value: f32) -> Config {
    Config { leaf_capacity: value as u32, ..Config::default() }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
fn depth_limit(value: f32) -> Config {
    Config { depth_limit: value as u32, ..Config::default() }
}

fn costs(setting: &Setting, scene: &SweepScene) -> Result<Vec<(f32, Cost)>, Box<dyn Error>> {
    let new = |&value: &f32| (value, Cost::of((setting.apply)(value)));
    let mut costs: Vec<(f32, Cost)> = setting.values.iter().map(new).collect();
    let regions = scene.query_boxes(QUESTIONS, 5);
    for _ in 0..ROUNDS {
        for (_, cost) in &mut costs {
            cost.measure(scene, &regions)?;
        }
    }
    let first = costs[0].1.answers;
    if costs.iter().any(|(_, cost)| cost.answers != first) {
        return Err(format!("answers depend on {}", setting.name).into());
    }
    Ok(costs)
}

impl Cost {
    fn of(config: Config) -> Self {
        let worst = f64::INFINITY;
        Self { config, build: worst, pairs: worst, boxes: worst, bytes: 0, answers: None }
    }

    /// One round: a build, the pairs, the questions.
    #[expect(clippy::cast_precision_loss, reason = "a number of questions")]
    fn measure(&mut self, scene: &SweepScene, regions: &[Aabb]) -> Result<(), Box<dyn Error>> {
        let mut tree = Octree::new(self.config)?;
        let (mut handles, mut scratch, mut pairs, mut found) = (Vec::new(), Scratch::new(), Vec::new(), Vec::new());
        let least = |known: &mut f64, per: f64, work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            *known = known.min(start.elapsed().as_secs_f64() * 1e9 / per);
        };
        let mut refused = None;
        least(&mut self.build, f64::from(OBJECTS), &mut || {
            refused = tree.insert_many(scene.objects(), &mut handles).err();
            tree.view();
        });
        if let Some(refused) = refused {
            return Err(refused.into());
        }
        let view = tree.view();
        // The first pass grows the list and warms the caches; the second is timed.
        view.pairs(&mut scratch).collect_into(&mut pairs);
        least(&mut self.pairs, f64::from(OBJECTS), &mut || view.pairs(&mut scratch).collect_into(&mut pairs));
        let (mut hits, mut refused) = (0, None);
        least(&mut self.boxes, regions.len() as f64, &mut || {
            for region in regions {
                match view.overlap(region) {
                    Ok(question) => question.collect_into(&mut found),
                    Err(error) => refused = Some(error),
                }
                hits += found.len();
            }
        });
        if let Some(refused) = refused {
            return Err(refused.into());
        }
        self.answers = Some((pairs.len(), hits));
        self.bytes = tree.memory().total();
        Ok(())
    }
}

/// Objects that a frame with events tests, for each object of the world, by margin: of a world
/// that shakes, and of one that drifts.
fn margins() -> Result<Vec<Shares>, Box<dyn Error>> {
    const SIDE: u16 = 16;
    const FRAMES: u16 = 40;
    let mut rows = Vec::new();
    for world in ["shakes", "drifts"] {
        for margin in [0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32] {
            let margin = Margin { absolute: margin, relative: 0.0 };
            let mut tree = Octree::new(Config { margin, ..Config::default() })?;
            let mut tracker = PairTracker::new();
            let place = |index: u16| {
                let (x, y, z) = (index % SIDE, index / SIDE % SIDE, index / SIDE / SIDE);
                Vec3::new(f32::from(x), f32::from(y), f32::from(z)) * 1.3
            };
            let shape = |index: u16, frame: u16| -> Shape {
                let turn = if index.is_multiple_of(2) { 1.0 } else { -1.0 };
                let offset = match world {
                    "shakes" => 0.02 * f32::from(frame % 2) * turn,
                    _ => 0.1 * f32::from(frame) * turn,
                };
                let low = place(index) + Vec3::X * offset;
                Aabb::new(low, low + 1.0).into()
            };
            let count = SIDE * SIDE * SIDE;
            let mut handles = Vec::new();
            for index in 0..count {
                handles.push(tree.insert(shape(index, 0))?);
            }
            tracker.update(tree.changes());
            let mut tested = 0;
            for frame in 1..=FRAMES {
                for (index, &handle) in (0..count).zip(&handles) {
                    tree.update(handle, shape(index, frame))?;
                }
                tested += tracker.update(tree.changes()).objects_tested;
            }
            let frames = f64::from(FRAMES) * f64::from(count);
            rows.push((margin.absolute, world, f64::from(u32::try_from(tested)?) / frames));
        }
    }
    Ok(rows)
}

/// Where it was measured.
fn header() -> Result<String, Box<dyn Error>> {
    let says = |program: &str, arguments: &[&str]| -> Result<String, Box<dyn Error>> {
        Ok(String::from_utf8(Command::new(program).args(arguments).output()?.stdout)?.trim().to_owned())
    };
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    let model = model.trim_start_matches([' ', '\t', ':']);
    let compiler = says("rustc", &["--version"])?;
    let commit = says("git", &["rev-parse", "--short", "HEAD"])?;
    let avx2 = if cfg!(target_feature = "avx2") { "AVX2" } else { "the target's default flags" };
    Ok(format!(
        "# cargo xtask pictures --measure\n# {model}, {compiler}, {avx2}, commit {commit}\n\
         # {OBJECTS} objects, one thread, the least of {ROUNDS} rounds; build and pairs: ns an object, box: ns a question\n\
         setting,value,scene,measure,number\n"
    ))
}
