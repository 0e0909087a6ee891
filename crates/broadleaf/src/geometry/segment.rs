//! A point that moves along a segment, against boxes: in 64-bit floats, so
//! that squares of any 32-bit coordinates neither overflow nor vanish.

use super::Aabb;
use super::float::sqrt_f64;
use glam::Vec3;

/// The two sides of an axis, seen from where a point starts.
#[derive(Clone, Copy)]
struct Side {
    low: f64,
    high: f64,
    motion: f64,
}

impl Side {
    /// How far the point is outside at a time; zero inside.
    fn outside(self, time: f64) -> f64 {
        let at = self.motion * time;
        (self.low - at).max(at - self.high).max(0.0)
    }

    /// Which side the point is outside of at a time, if any.
    fn plane(self, time: f64) -> Option<f64> {
        let at = self.motion * time;
        if at < self.low {
            Some(self.low)
        } else if at > self.high {
            Some(self.high)
        } else {
            None
        }
    }
}

/// The first time from 0 to 1 at which a point that starts at `start` and
/// moves by `motion` is within `radius` of a finite box.
///
/// The squared distance is convex in time, and quadratic between the times at
/// which the point crosses the plane of a face; the first piece that gets low
/// enough has the answer.
pub(crate) fn first_within(start: Vec3, motion: [f64; 3], aabb: &Aabb, radius: f64) -> Option<f64> {
    let sides = [0, 1, 2].map(|axis| {
        let from = |side: f32| f64::from(side) - f64::from(start[axis]);
        Side { low: from(aabb.min[axis]), high: from(aabb.max[axis]), motion: motion[axis] }
    });
    let reach_sq = radius * radius;
    let distance_sq = |time: f64| sides.iter().map(|side| side.outside(time)).map(|d| d * d).sum::<f64>();
    if distance_sq(0.0) <= reach_sq {
        return Some(0.0);
    }
    let mut before = 0.0;
    for after in crossings(&sides) {
        let (lowest, speed_sq) = lowest(&sides, f64::midpoint(before, after));
        let turn = lowest.clamp(before, after);
        if distance_sq(after) <= reach_sq || distance_sq(turn) <= reach_sq {
            if speed_sq == 0.0 {
                // Within the slabs of all faces: inside the box from the beginning of the piece.
                return Some(before);
            }
            let rest = (reach_sq - residual_sq(&sides, before, after, lowest)) / speed_sq;
            return Some((lowest - sqrt_f64(rest.max(0.0))).clamp(before, after));
        }
        before = after;
    }
    None
}

/// The times between 0 and 1 at which the plane of a face is crossed, in order, and then 1.
fn crossings(sides: &[Side; 3]) -> [f64; 7] {
    let mut times = [1.0; 7];
    for (axis, side) in sides.iter().enumerate() {
        for (place, plane) in [side.low, side.high].into_iter().enumerate() {
            let time = plane / side.motion;
            if time > 0.0 && time < 1.0 {
                times[2 * axis + place] = time;
            }
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// When the quadratic that holds at a time is lowest, and the square of its speed.
fn lowest(sides: &[Side; 3], time: f64) -> (f64, f64) {
    let (mut along, mut speed_sq) = (0.0, 0.0);
    for side in sides {
        if let Some(plane) = side.plane(time) {
            along += side.motion * plane;
            speed_sq += side.motion * side.motion;
        }
    }
    (if speed_sq > 0.0 { along / speed_sq } else { time }, speed_sq)
}

/// What the quadratic that holds between two times is at another.
fn residual_sq(sides: &[Side; 3], before: f64, after: f64, time: f64) -> f64 {
    let middle = f64::midpoint(before, after);
    let offset = |side: &Side| side.plane(middle).map_or(0.0, |plane| side.motion * time - plane);
    sides.iter().map(offset).map(|d| d * d).sum()
}

/// The first time from 0 to 1 at which a box that moves touches a finite box.
pub(crate) fn first_touch(moving: &Aabb, motion: Vec3, aabb: &Aabb) -> Option<f64> {
    let (mut enter, mut exit) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let low = f64::from(aabb.min[axis]) - f64::from(moving.max[axis]);
        let high = f64::from(aabb.max[axis]) - f64::from(moving.min[axis]);
        let speed = f64::from(motion[axis]);
        if speed == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
        } else {
            let (near, far) = if speed > 0.0 { (low, high) } else { (high, low) };
            enter = enter.max(near / speed);
            exit = exit.min(far / speed);
        }
    }
    (enter <= exit).then_some(enter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_point_that_passes_a_corner_enters_where_it_crosses_the_face() {
        let aabb = Aabb::new(Vec3::new(0.875, 17.5, 13.0), Vec3::new(1.25, 19.125, 14.5));
        let start = Vec3::new(1.375, 18.3125, 13.625);
        let motion = Vec3::new(-3.280_786_8, 5.893_644_3, 3.103_08).to_array().map(f64::from);
        // Its y and z lie within those of the box: it enters through the face x = 1.25.
        let enters = (1.25 - 1.375) / motion[0];
        assert_eq!(first_within(start, motion, &aabb, 0.0), Some(enters));
    }
}
