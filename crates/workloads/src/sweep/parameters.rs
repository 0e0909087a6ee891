//! What a scene of the sweep is made of.

/// Everything that a scene of the sweep depends on. Equal parameters give the
/// same scene on every platform.
///
/// Lengths are shares of the edge of the world, whose centres lie in a cube
/// unless [`Clustering`] puts some outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The number of objects.
    pub count: u32,
    /// The longest object's size over the shortest one's, from 1 to 10^4; giants apart.
    pub size_ratio: f32,
    /// How sizes lie between the two.
    pub sizes: Sizes,
    /// The edges of an object relative to its size, on x, y and z. The size is
    /// the shortest edge if the least proportion is 1.
    pub proportions: [f32; 3],
    /// The axes on which objects are as long as the world, before [`Orientation`].
    pub spans: [bool; 3],
    /// How proportions and spans are turned.
    pub orientation: Orientation,
    /// Overlapping pairs of boxes per object, giants apart, whatever layers and mobility say of them.
    pub pairs: f32,
    /// What the centres lie on.
    pub dimension: Dimension,
    /// The thickness of a line, a plane or a shell.
    pub thickness: f32,
    /// The share of objects that are anywhere in the cube, not on the line, plane or shell.
    pub off: f32,
    /// How the centres gather.
    pub clustering: Clustering,
    /// Cubes of another kind among the objects.
    pub giants: Giants,
    /// The share of the objects that are static.
    pub statics: f32,
    /// The share of the others that move in every frame.
    pub movers: f32,
    /// How far a mover gets in a frame, in its own shortest edges.
    pub step: f32,
    /// The share of the objects that are spheres; their diameter is the shortest edge.
    pub spheres: f32,
    /// Who may interact with whom.
    pub layering: Layering,
    /// What everything random is drawn from.
    pub seed: u64,
}

/// The distribution of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// As many in each interval of equal length.
    Even,
    /// As many in each octave.
    Octaves,
    /// The number above a size falls with its square.
    Power,
    /// The smallest, and one in so many the largest.
    Two(u32),
}

/// How an object's edges lie to the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// As given.
    Aligned,
    /// Each object's edges in another order.
    Shuffled,
    /// Each object turned anyhow; its box is the box around it.
    Turned,
}

/// What the centres lie on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Around one point, as many in each of eight octaves of distance.
    Point,
    /// Along the x axis.
    Line,
    /// On a plane across the y axis.
    Plane,
    /// On a sphere.
    Shell,
    /// Anywhere in a cube.
    Volume,
}

/// How the centres gather.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clustering {
    /// They do not.
    Even,
    /// In so many bell-shaped heaps.
    Gaussian(u32),
    /// In four of eight octants, in four of eight octants of each of these, and so on.
    Fractal,
    /// In worlds of their own.
    FarGroups {
        /// How many.
        groups: u32,
        /// Their distance, in edges of one of these worlds.
        apart: f32,
    },
    /// One object is this many edges of the world away from all others.
    Stray(f32),
}

/// Cubes that are large whatever the others are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Giants {
    /// How many of the objects.
    pub number: u32,
    /// Their edge.
    pub edge: f32,
}

/// Who may interact with whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layering {
    /// Everyone with everyone.
    All,
    /// Each object with those of its own of so many groups, at most 32.
    Groups(u32),
    /// Nobody with anybody.
    Apart,
}

impl Parameters {
    /// Cubes of one size that all move by a twentieth of their edge, one pair each, evenly in a cube.
    #[must_use]
    pub fn even(count: u32, seed: u64) -> Self {
        Self {
            count,
            size_ratio: 1.0,
            sizes: Sizes::Octaves,
            proportions: [1.0; 3],
            spans: [false; 3],
            orientation: Orientation::Aligned,
            pairs: 1.0,
            dimension: Dimension::Volume,
            thickness: 0.0,
            off: 0.0,
            clustering: Clustering::Even,
            giants: Giants { number: 0, edge: 0.0 },
            statics: 0.0,
            movers: 1.0,
            step: 0.05,
            spheres: 0.0,
            layering: Layering::All,
            seed,
        }
    }
}
