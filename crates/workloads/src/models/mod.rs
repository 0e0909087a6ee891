//! Seeded triangle models: the same on every platform.

mod bracket;
mod circle;
mod closed;
mod open;
pub mod rays;
mod surface;
#[cfg(test)]
mod tests;

pub use bracket::Bracket;

use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, shape::Triangle};
use surface::Surface;

/// A named surface of triangles, as positions and three indices a triangle.
///
/// ```
/// use workloads::Model;
///
/// let torus = Model::by_name("torus", 1_000, 1).unwrap();
/// assert_eq!(torus.len(), 1_000);
/// assert!(torus.is_closed());
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    name: &'static str,
    surface: Surface,
}

/// A name, whether each edge is shared by two triangles, and how it is made.
type Recipe = (&'static str, bool, fn(u32, &mut Random) -> Surface);

const RECIPES: [Recipe; 5] = [
    ("sphere", true, closed::sphere),
    ("torus", true, closed::torus),
    ("terrain", false, open::terrain),
    ("boxes", true, closed::boxes),
    ("slivers", false, open::slivers),
];

impl Model {
    /// The names of all models.
    pub const NAMES: [&'static str; RECIPES.len()] = {
        let mut names = [""; RECIPES.len()];
        let mut index = 0;
        while index < RECIPES.len() {
            names[index] = RECIPES[index].0;
            index += 1;
        }
        names
    };

    /// The model of that name with `count` triangles; `None` if there is none.
    ///
    /// All models but the slivers have an even number of triangles, rounded
    /// down, and none has less than its simplest form: 8 triangles of the
    /// sphere, 18 of the torus, 2 of the terrain, 12 of the boxes, 1 sliver.
    #[must_use]
    pub fn by_name(name: &str, count: u32, seed: u64) -> Option<Self> {
        let (name, _, make) = RECIPES.into_iter().find(|recipe| recipe.0 == name)?;
        let mut random = Random::new(seed);
        let mut surface = make(count, &mut random);
        surface.split_up_to(count, &mut random);
        Some(Self { name, surface })
    }

    /// A model made elsewhere; `None` if an index has no position, or a triangle lacks a corner.
    #[must_use]
    pub fn from_parts(name: &'static str, positions: Vec<Vec3>, indices: Vec<u32>) -> Option<Self> {
        let legal = indices.len().is_multiple_of(3) && indices.iter().all(|&index| (index as usize) < positions.len());
        legal.then_some(Self { name, surface: Surface { positions, indices } })
    }

    /// What the model shows, in a line.
    #[must_use]
    pub fn description(&self) -> &'static str {
        match self.name {
            "sphere" => "an octahedron divided evenly and pushed out onto a sphere",
            "torus" => "a ring with a round tube",
            "terrain" => "hills of four sizes over a square",
            "boxes" => "boxes in piles, face on face, every other one turned",
            "slivers" => "long thin triangles anywhere and every way, some without an area",
            _ => "a model made elsewhere",
        }
    }

    /// The model's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.surface.len()
    }

    /// Whether there is no triangle; never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether each edge is shared by two triangles, so that there is an inside.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        RECIPES.into_iter().any(|(name, closed, _)| name == self.name && closed)
    }

    /// The vertices.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.surface.positions
    }

    /// Three indices of vertices a triangle, counter-clockwise seen from the front.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.surface.indices
    }

    /// One triangle.
    ///
    /// # Panics
    /// If the index is not below [`Model::len`].
    #[must_use]
    pub fn triangle(&self, index: u32) -> Triangle {
        let at = 3 * index as usize;
        let [a, b, c] = [0, 1, 2].map(|corner| self.surface.positions[self.surface.indices[at + corner] as usize]);
        Triangle::new(a, b, c)
    }

    /// The smallest box around the model.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.surface.positions.iter().copied())
    }
}
