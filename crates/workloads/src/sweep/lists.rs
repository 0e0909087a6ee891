//! The fixed scenes, and those that are drawn.

use super::octaves;
use super::parameters::{Clustering, Dimension, Giants, Layering, Orientation, Parameters, Sizes};
use crate::random::Random;

/// The seed of the fixed scenes.
const SEED: u64 = 16;

/// A scene's name and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The parameters.
    pub parameters: Parameters,
}

/// The 24 scenes that are always the same, with this many objects each.
#[must_use]
pub fn fixed(count: u32) -> Vec<Named> {
    let even = Parameters::even(count, SEED);
    let shuffled = Parameters { orientation: Orientation::Shuffled, ..even.clone() };
    let giants = Giants { number: count / 100, edge: 0.25 };
    let plane = Parameters { dimension: Dimension::Plane, ..even.clone() };
    let (sizes, clustering) = (Sizes::Octaves, |clustering| Parameters { clustering, ..even.clone() });
    let scenes = [
        ("even", even.clone()),
        ("sparse", Parameters { pairs: 0.01, ..even.clone() }),
        ("dense", Parameters { pairs: 8.0, ..even.clone() }),
        ("sizes-30", Parameters { size_ratio: 30.0, sizes, ..even.clone() }),
        ("sizes-1000", Parameters { size_ratio: 1000.0, sizes, ..even.clone() }),
        ("planks", Parameters { proportions: [1.0, 4.0, 24.0], ..shuffled.clone() }),
        ("sticks", Parameters { spans: [true, false, false], ..shuffled.clone() }),
        ("plates", Parameters { spans: [true, false, true], ..even.clone() }),
        ("walls-and-floors", Parameters { proportions: [1.0, 30.0, 30.0], statics: 0.5, ..shuffled }),
        ("turned-rods", Parameters { proportions: [1.0, 1.0, 50.0], orientation: Orientation::Turned, ..even.clone() }),
        ("islands", clustering(Clustering::FarGroups { groups: 2, apart: 500.0 })),
        ("stray", clustering(Clustering::Stray(1000.0))),
        ("road", Parameters { dimension: Dimension::Line, thickness: 0.002, ..even.clone() }),
        ("shell", Parameters { dimension: Dimension::Shell, thickness: 0.002, ..even.clone() }),
        ("aircraft", Parameters { thickness: 0.002, off: 0.02, ..plane }),
        ("point", Parameters { dimension: Dimension::Point, ..even.clone() }),
        ("giants", Parameters { giants, ..even.clone() }),
        ("clusters", clustering(Clustering::Gaussian(20))),
        ("fractal", clustering(Clustering::Fractal)),
        ("layers-apart", Parameters { pairs: 4.0, layering: Layering::Apart, ..even.clone() }),
        ("statics", Parameters { statics: 0.9, ..even.clone() }),
        ("few-movers", Parameters { movers: 0.01, ..even.clone() }),
        ("spheres", Parameters { spheres: 1.0, ..even.clone() }),
        ("leaping", Parameters { step: 3.0, ..even }),
    ];
    scenes.map(|(name, parameters)| Named { name: name.to_owned(), parameters }).into()
}

/// What one parameter of the scene `even` is varied over, all others alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// The number of objects.
    Number,
    /// The longest object's size over the shortest one's.
    SizeRatio,
    /// The longest edge of each object over its others.
    AspectRatio,
    /// Overlapping pairs per object.
    Density,
}

impl Series {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Number, Self::SizeRatio, Self::AspectRatio, Self::Density];

    /// The name, with which those of its scenes begin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::SizeRatio => "size-ratio",
            Self::AspectRatio => "aspect-ratio",
            Self::Density => "density",
        }
    }

    /// The series of a scene, and the value of the parameter there; `None` if it is of no series.
    #[must_use]
    pub fn of_scene(name: &str) -> Option<(Self, f64)> {
        let (series, value) = name.rsplit_once('-')?;
        let series = Self::ALL.into_iter().find(|one| one.name() == series)?;
        Some((series, value.parse().ok()?))
    }

    /// The scenes, in the order of the value that ends their name; with `count`
    /// objects, unless that is what varies.
    #[must_use]
    pub fn scenes(self, count: u32) -> Vec<Named> {
        let even = Parameters::even(count, SEED);
        let named = |(value, parameters)| Named { name: format!("{}-{value}", self.name()), parameters };
        let scenes: Vec<(String, Parameters)> = match self {
            Self::Number => [100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000]
                .map(|count: u32| (count.to_string(), Parameters { count, ..even.clone() }))
                .into(),
            Self::SizeRatio => [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]
                .map(|size_ratio: f32| (size_ratio.to_string(), Parameters { size_ratio, ..even.clone() }))
                .into(),
            Self::AspectRatio => [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
                .map(|ratio: f32| {
                    let (proportions, orientation) = ([1.0, 1.0, ratio], Orientation::Shuffled);
                    (ratio.to_string(), Parameters { proportions, orientation, ..even.clone() })
                })
                .into(),
            Self::Density => [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
                .map(|pairs: f32| (pairs.to_string(), Parameters { pairs, ..even.clone() }))
                .into(),
        };
        scenes.into_iter().map(named).collect()
    }
}

/// The seed that a commit's hash stands for: its first 64 bits; `None` if it has fewer or other digits.
#[must_use]
pub fn seed_from_hash(hash: &str) -> Option<u64> {
    let digits = hash.get(..16)?;
    let hexadecimal = hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)
}

/// So many scenes with 1,000 to `count_max` objects, every parameter drawn. A
/// longer list of the same seed begins like a shorter one.
#[must_use]
pub fn draws(number: u32, seed: u64, count_max: u32) -> Vec<Named> {
    let mut random = Random::new(seed);
    let named = |index| Named { name: format!("draw-{index:02}"), parameters: draw(&mut random, count_max) };
    (0..number).map(named).collect()
}

fn draw(random: &mut Random, count_max: u32) -> Parameters {
    #[expect(clippy::cast_precision_loss, reason = "a bound is good enough")]
    let count = log(random, 1000.0, count_max.max(1000) as f32);
    Parameters {
        count: whole(count),
        size_ratio: if random.one_in(4) { 1.0 } else { log(random, 1.0, 1e4) },
        sizes: match random.below(4) {
            0 => Sizes::Even,
            1 => Sizes::Octaves,
            2 => Sizes::Power,
            _ => Sizes::Two(2 + random.below(200)),
        },
        proportions: proportions(random),
        spans: [false; 3],
        orientation: one_of(random, [Orientation::Aligned, Orientation::Shuffled, Orientation::Turned]),
        pairs: log(random, 0.01, 30.0),
        dimension: one_of(
            random,
            [Dimension::Point, Dimension::Line, Dimension::Plane, Dimension::Shell, Dimension::Volume],
        ),
        thickness: log(random, 1e-4, 0.1),
        off: if random.one_in(4) { random.unit() * 0.1 } else { 0.0 },
        clustering: match random.below(5) {
            0 => Clustering::Even,
            1 => Clustering::Gaussian(1 + random.below(50)),
            2 => Clustering::Fractal,
            3 => Clustering::FarGroups { groups: 2 + random.below(10), apart: log(random, 3.0, 300.0) },
            _ => Clustering::Stray(log(random, 3.0, 1000.0)),
        },
        giants: if random.one_in(4) {
            Giants { number: whole(log(random, 1.0, 100.0)), edge: random.between(0.05, 0.25) }
        } else {
            Giants { number: 0, edge: 0.0 }
        },
        statics: if random.one_in(2) { 0.0 } else { random.unit() },
        movers: if random.one_in(2) { 1.0 } else { log(random, 0.01, 1.0) },
        step: log(random, 0.01, 3.0),
        spheres: if random.one_in(4) { random.unit() } else { 0.0 },
        layering: match random.below(4) {
            0 => Layering::Groups(2 + random.below(31)),
            _ => Layering::All,
        },
        seed: random.bits_64(),
    }
}

fn log(random: &mut Random, low: f32, high: f32) -> f32 {
    octaves::between(low, high, random.unit())
}

fn one_of<T: Copy, const N: usize>(random: &mut Random, choices: [T; N]) -> T {
    choices[random.below(u32::try_from(N).expect("a few choices")) as usize]
}

/// Cubes, rods, plates or planks.
fn proportions(random: &mut Random) -> [f32; 3] {
    let aspect = log(random, 1.0, 50.0);
    match random.below(4) {
        0 => [1.0; 3],
        1 => [1.0, 1.0, aspect],
        2 => [1.0, aspect, aspect],
        _ => [1.0, aspect.sqrt(), aspect],
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number that is not negative")]
fn whole(number: f32) -> u32 {
    number.round() as u32
}
