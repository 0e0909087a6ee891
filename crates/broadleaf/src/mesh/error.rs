//! Why triangles were refused.

/// Why a mesh could not be built.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A coordinate is not a number, or infinite.
    #[error("coordinate {axis} of position {position} must be finite, but is {value}")]
    NotFinite {
        /// Which position; of a mesh without indices, three times the triangle plus the corner.
        position: usize,
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// The value given.
        value: f32,
    },
    /// A coordinate is so far out that products of three would overflow.
    #[error("coordinate {axis} of position {position} must be at most {limit} from zero, but is {value}")]
    TooFar {
        /// Which position; of a mesh without indices, three times the triangle plus the corner.
        position: usize,
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// The value given.
        value: f32,
        /// The largest distance from zero accepted.
        limit: f32,
    },
    /// An index names no position.
    #[error("index {at} is {index}, but there are {positions} positions")]
    IndexOutOfRange {
        /// Where among the indices.
        at: usize,
        /// The index given.
        index: u32,
        /// How many positions there are.
        positions: usize,
    },
    /// The number of indices is not a multiple of three.
    #[error("{indices} indices do not make whole triangles")]
    IncompleteTriangle {
        /// How many indices there are.
        indices: usize,
    },
    /// More triangles than a mesh can number.
    #[error("{triangles} triangles are more than the limit of {limit}")]
    TooManyTriangles {
        /// How many triangles were given.
        triangles: usize,
        /// The largest number accepted.
        limit: usize,
    },
}
