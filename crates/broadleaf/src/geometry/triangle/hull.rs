//! Boxes of any orientation, at rest and moving, against triangles, by
//! separating axes in 64 bits.
//!
//! Two convex shapes without curved sides are apart if and only if their
//! shadows on one of thirteen axes are: the triangle's normal, the normals of
//! the box's three faces, and the cross products of its three edges with those
//! of the triangle. While the box moves straight on, its shadow on each axis
//! overlaps the triangle's for one stretch of time; the shapes overlap where all
//! stretches do, and first touch at the latest of their starts:
//!
//! ```text
//! enter, exit = 0, limit
//! for axis in axes:
//!     near, far = low of the triangle - radius, high of the triangle + radius   # seen from the box
//!     enter = max(enter, (near or far) / speed along the axis)
//!     exit  = min(exit,  (far or near) / speed along the axis)
//!     if enter > exit: apart
//! ```
//!
//! An axis of length zero, of parallel edges, separates nothing and costs
//! nothing. Shadows are those of the shapes on whatever axis there is, so no
//! rounding of an axis can separate what overlaps.
//!
//! *Source:* S. Gottschalk, M. Lin, D. Manocha, `OBBTree`, 1996 (the axes);
//! C. Ericson, Real-Time Collision Detection, 2005, 5.5.8 (moving shapes).

use super::overlap::cut;
use super::point::closest_point_f64;
use crate::geometry::{Aabb, Containment, Obb};
use arrayvec::ArrayVec;
use glam::DVec3;

/// A box around its middle: all points `center + x * edges[0] + y * edges[1] +
/// z * edges[2]`, with x, y and z from -1 to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hull {
    pub(crate) center: DVec3,
    /// Half the edges.
    pub(crate) edges: [DVec3; 3],
    /// Directions of the edges, which may have no length themselves.
    pub(crate) axes: [DVec3; 3],
}

/// The points that a triangle and a box share are looked for in the box grown
/// by so much of the coordinates: more than 64 bits round off.
const GROWTH: f64 = 1e-10;

impl Hull {
    /// A finite box of the world's axes.
    pub(crate) fn of_aabb(aabb: &Aabb) -> Self {
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let half = (max - min) * 0.5;
        let edges = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        Self { center: (min + max) * 0.5, edges, axes: DVec3::AXES }
    }

    /// An oriented box.
    pub(crate) fn of_obb(obb: &Obb) -> Self {
        let (axes, half) = (obb.axes().map(|axis| axis.as_dvec3()), obb.half_extents().as_dvec3());
        let edges = [axes[0] * half.x, axes[1] * half.y, axes[2] * half.z];
        Self { center: obb.center().as_dvec3(), edges, axes }
    }

    /// The box moved by an offset.
    pub(crate) fn moved(&self, offset: DVec3) -> Self {
        Self { center: self.center + offset, ..*self }
    }

    /// The normals of the faces, not of length one where rounding bent the axes.
    fn normals(&self) -> [DVec3; 3] {
        let [x, y, z] = self.axes;
        [y.cross(z), z.cross(x), x.cross(y)]
    }

    /// How far the box reaches from its middle along an axis.
    fn radius(&self, axis: DVec3) -> f64 {
        let [x, y, z] = self.edges.map(|edge| edge.dot(axis).abs());
        x + y + z
    }

    /// Whether a point lies in the box, its faces included.
    pub(crate) fn contains(&self, point: DVec3) -> bool {
        let offset = point - self.center;
        self.normals().into_iter().all(|normal| normal.dot(offset).abs() <= self.radius(normal))
    }

    /// The axes that may separate the box from a triangle: its normal first.
    fn separators(&self, corners: &[DVec3; 3]) -> [DVec3; 13] {
        let [a, b, c] = *corners;
        let sides = [b - a, c - b, a - c];
        let mut axes = [sides[0].cross(sides[1]); 13];
        axes[1..4].copy_from_slice(&self.normals());
        for (i, axis) in self.axes.into_iter().enumerate() {
            for (j, side) in sides.into_iter().enumerate() {
                axes[4 + 3 * i + j] = axis.cross(side);
            }
        }
        axes
    }

    /// Between which offsets of the box along an axis it meets a triangle on that axis.
    fn stretch(&self, axis: DVec3, corners: &[DVec3; 3]) -> (f64, f64) {
        let [a, b, c] = corners.map(|corner| axis.dot(corner - self.center));
        let radius = self.radius(axis);
        (a.min(b).min(c) - radius, a.max(b).max(c) + radius)
    }

    /// The first time from 0 to `time_max` at which the box, moving by
    /// `motion` in a time of one, touches a triangle; zero if it does at the start.
    pub(crate) fn touches(&self, motion: DVec3, corners: &[DVec3; 3], time_max: f64) -> Option<f64> {
        let (mut enter, mut exit) = (0.0_f64, time_max);
        for axis in self.separators(corners) {
            let ((near, far), speed) = (self.stretch(axis, corners), axis.dot(motion));
            if speed == 0.0 {
                if near > 0.0 || far < 0.0 {
                    return None;
                }
                continue;
            }
            let (first, last) = if speed > 0.0 { (near, far) } else { (far, near) };
            enter = enter.max(first / speed);
            exit = exit.min(last / speed);
            if enter > exit {
                return None;
            }
        }
        Some(enter)
    }

    /// Whether the box and a triangle share a point.
    pub(crate) fn overlaps(&self, corners: &[DVec3; 3]) -> bool {
        self.touches(DVec3::ZERO, corners, 0.0).is_some()
    }

    /// How a triangle lies to the box: `None` if they share no point.
    pub(crate) fn classify(&self, corners: &[DVec3; 3]) -> Option<Containment> {
        if corners.iter().all(|&corner| self.contains(corner)) {
            return Some(Containment::Inside);
        }
        self.overlaps(corners).then_some(Containment::Intersecting)
    }

    /// The direction in which a triangle holds a moving box up, of length one,
    /// where it first touches it: that of the axis on which they meet last, of
    /// equals the first. Where they meet from the start on, the direction in
    /// which the box must go the shortest way to be free.
    pub(crate) fn normal(&self, motion: DVec3, corners: &[DVec3; 3], time: f64) -> DVec3 {
        let (mut best, mut normal) = (f64::NEG_INFINITY, DVec3::ZERO);
        for axis in self.separators(corners) {
            let length = axis.length();
            if length == 0.0 {
                continue;
            }
            let ((near, far), speed) = (self.stretch(axis, corners), axis.dot(motion));
            let (rank, towards) = if time == 0.0 {
                // How much of the way out is missing, and out on which side.
                if far < -near { (-far / length, axis) } else { (near / length, -axis) }
            } else if speed > 0.0 {
                (near / speed, -axis)
            } else if speed == 0.0 {
                // They meet on this axis all the time.
                continue;
            } else {
                (far / speed, axis)
            };
            if rank > best {
                (best, normal) = (rank, towards / length);
            }
        }
        normal
    }

    /// A point of a triangle that the box touches: the mean of the corners of
    /// what they share.
    ///
    /// *Source:* I. Sutherland and G. Hodgman, Reentrant Polygon Clipping, 1974.
    pub(crate) fn contact(&self, corners: &[DVec3; 3]) -> DVec3 {
        let far = corners.map(|corner| (corner - self.center).abs().max_element()).into_iter().fold(0.0, f64::max);
        // Each plane adds one corner at most.
        let mut polygon: ArrayVec<DVec3, 9> = corners.iter().copied().collect();
        for normal in self.normals() {
            for normal in [normal, -normal] {
                let reach = self.radius(normal) + GROWTH * far * normal.length();
                polygon = cut(&polygon, |point| reach - normal.dot(point - self.center));
            }
        }
        if polygon.is_empty() {
            // Rounding alone parts them.
            return closest_point_f64(corners, self.center).0;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most nine")]
        let count = polygon.len() as f64;
        polygon.iter().sum::<DVec3>() / count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    const CORNERS: [DVec3; 3] = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];

    fn unit_at(center: Vec3) -> Hull {
        Hull::of_aabb(&Aabb::from_center_half_extents(center, Vec3::ONE))
    }

    #[test]
    fn a_box_falls_onto_the_face_an_edge_and_a_corner() {
        let down = |x: f32, y: f32| {
            let hull = unit_at(Vec3::new(x, y, 5.0));
            let motion = DVec3::NEG_Z * 8.0;
            hull.touches(motion, &CORNERS, 1.0).map(|time| (time, hull.normal(motion, &CORNERS, time)))
        };
        assert_eq!(down(1.0, 1.0), Some((0.5, DVec3::Z)), "the face");
        assert_eq!(down(1.0, -1.0), Some((0.5, DVec3::Z)), "the edge of both");
        assert_eq!(down(1.0, -1.01), None);
        assert_eq!(down(5.0, 0.0), Some((0.5, DVec3::Z)), "a corner");
        assert_eq!(down(3.2, 3.2), None, "beside the slanted edge");
        assert!(down(2.9, 2.9).is_some());
    }

    #[test]
    fn an_oriented_box_touches_with_its_edge() {
        let turned = Obb::new(Vec3::new(1.0, 1.0, 3.0), Vec3::ONE, Quat::from_rotation_x(0.25 * core::f32::consts::PI));
        let hull = Hull::of_obb(&turned.unwrap());
        let time = hull.touches(DVec3::NEG_Z * 4.0, &CORNERS, 1.0).unwrap();
        assert!((time - (3.0 - 2_f64.sqrt()) / 4.0).abs() < 1e-6, "{time}");
        let contact = hull.moved(DVec3::NEG_Z * 4.0 * time).contact(&CORNERS);
        assert!((contact - DVec3::new(1.0, 1.0, 0.0)).abs().max_element() < 1e-5, "{contact}");
    }

    #[test]
    fn a_box_that_starts_in_overlap_is_pushed_out_the_shortest_way() {
        let hull = unit_at(Vec3::new(1.0, 1.0, 0.75));
        assert_eq!(hull.touches(DVec3::X, &CORNERS, 1.0), Some(0.0));
        assert_eq!(hull.normal(DVec3::X, &CORNERS, 0.0), DVec3::Z);
        let below = unit_at(Vec3::new(1.0, 1.0, -0.75));
        assert_eq!(below.normal(DVec3::X, &CORNERS, 0.0), DVec3::NEG_Z);
    }

    #[test]
    fn what_has_no_extent_is_a_box_too() {
        let at = |x: f32, y: f32, z: f32| Hull::of_aabb(&Aabb::new(Vec3::new(x, y, z), Vec3::new(x, y, z)));
        assert!(at(1.0, 1.0, 0.0).overlaps(&CORNERS) && at(2.0, 2.0, 0.0).overlaps(&CORNERS));
        assert!(!at(2.1, 2.1, 0.0).overlaps(&CORNERS) && !at(1.0, 1.0, 0.1).overlaps(&CORNERS));
        assert_eq!(at(1.0, 1.0, 2.0).touches(DVec3::NEG_Z * 4.0, &CORNERS, 1.0), Some(0.5));
    }
}
