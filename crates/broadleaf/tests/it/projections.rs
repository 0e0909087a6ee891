//! Matrices of projection, in either convention of depth.

use broadleaf::ClipDepth::{self, NegativeOneToOne, ZeroToOne};
use broadleaf::glam::Mat4;
use broadleaf::glam::camera::rh::proj::{directx, opengl, vulkan};

pub(crate) const NEAR: f32 = 0.5;
pub(crate) const FAR: f32 = 60.0;

/// The matrices that are in use: three conventions, reversed and infinite ones, and none of perspective.
pub(crate) fn projections() -> Vec<(&'static str, Mat4, ClipDepth)> {
    vec![
        ("directx", directx::perspective(1.2, 1.5, NEAR, FAR), ZeroToOne),
        ("directx reversed", directx::perspective(1.2, 1.5, FAR, NEAR), ZeroToOne),
        ("directx infinite", directx::perspective_infinite(0.8, 0.7, NEAR), ZeroToOne),
        ("directx infinite reversed", directx::perspective_infinite_reverse(0.8, 0.7, NEAR), ZeroToOne),
        ("directx orthographic", directx::orthographic(-9.0, 7.0, -5.0, 8.0, NEAR, FAR), ZeroToOne),
        ("vulkan", vulkan::perspective(1.2, 1.5, NEAR, FAR), ZeroToOne),
        ("vulkan infinite reversed", vulkan::perspective_infinite_reverse(1.0, 1.0, NEAR), ZeroToOne),
        ("opengl", opengl::perspective(1.2, 1.5, NEAR, FAR), NegativeOneToOne),
        ("opengl frustum", opengl::frustum(-0.2, 0.3, -0.1, 0.4, NEAR, FAR), NegativeOneToOne),
        ("opengl orthographic", opengl::orthographic(-9.0, 7.0, -5.0, 8.0, NEAR, FAR), NegativeOneToOne),
    ]
}
