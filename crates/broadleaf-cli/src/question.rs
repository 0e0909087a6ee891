//! A question that a picture shows: what it visited, tested and hit.

use anyhow::{Context as _, Result};
use broadleaf::inspect::{DrawKind, Drawing, Recorder};
use broadleaf::{Aabb, Frustum, Ray, Sphere, View, glam::Vec3};
use std::str::FromStr;

/// Neighbours that are asked for.
const NEIGHBORS: usize = 8;
/// What a question may be, for the error and for `--help`.
const KINDS: &str =
    "ray[:X,Y,Z,TX,TY,TZ], box[:MINX,MINY,MINZ,MAXX,MAXY,MAXZ], sphere[:X,Y,Z,R], nearest[:X,Y,Z] or frustum";

/// A question as the command line says it; where it says no place, one is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Question {
    /// The closest hit on the way from one point to another.
    Ray(Option<[f32; 6]>),
    /// All objects in a box.
    Box(Option<[f32; 6]>),
    /// All objects in a sphere.
    Sphere(Option<[f32; 4]>),
    /// The nearest objects to a point.
    Nearest(Option<[f32; 3]>),
    /// All objects that the frame's camera sees.
    Frustum,
}

impl FromStr for Question {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, numbers) = text.split_once(':').map_or((text, None), |(kind, numbers)| (kind, Some(numbers)));
        match kind {
            "ray" => Ok(Self::Ray(parse(numbers)?)),
            "box" => Ok(Self::Box(parse(numbers)?)),
            "sphere" => Ok(Self::Sphere(parse(numbers)?)),
            "nearest" => Ok(Self::Nearest(parse(numbers)?)),
            "frustum" if numbers.is_none() => Ok(Self::Frustum),
            _ => Err(format!("expected {KINDS}")),
        }
    }
}

fn parse<const N: usize>(numbers: Option<&str>) -> Result<Option<[f32; N]>, String> {
    let Some(numbers) = numbers else { return Ok(None) };
    let parsed: Result<Vec<f32>, _> = numbers.split(',').map(|number| number.trim().parse()).collect();
    match parsed.map(<[f32; N]>::try_from) {
        Ok(Ok(numbers)) => Ok(Some(numbers)),
        _ => Err(format!("expected {N} numbers between commas instead of `{numbers}`")),
    }
}

/// What was asked about.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// From a point to where the ray ends.
    Segment(Vec3, Vec3),
    /// A box.
    Box(Aabb),
    /// A sphere; a point if it has no radius.
    Sphere(Sphere),
    /// A camera's view, which needs no outline.
    View,
}

/// A question that was asked, with its records.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// One word.
    pub(crate) name: &'static str,
    /// What was asked about.
    pub(crate) shape: Shape,
    /// What was visited, tested and hit, in the order of the work.
    pub(crate) drawings: Vec<Drawing>,
}

impl Asked {
    /// How many boxes are of a kind.
    pub(crate) fn count(&self, kind: DrawKind) -> usize {
        self.drawings.iter().filter(|drawing| drawing.kind == kind).count()
    }
}

impl Question {
    /// Asks, and records the work.
    pub(crate) fn ask(self, view: View<'_>, camera: Option<&Frustum>) -> Result<Asked> {
        let recorder = Recorder::new();
        let bounds = view.bounds().unwrap_or(Aabb::new(Vec3::splat(-1.0), Vec3::ONE));
        let (middle, half) = (bounds.center(), bounds.half_extents());
        let (name, shape) = match self {
            Self::Ray(given) => {
                let default = [middle + half * Vec3::new(-0.9, 0.5, 0.9), middle];
                let [from, to] = given.map_or(default, |n| [Vec3::new(n[0], n[1], n[2]), Vec3::new(n[3], n[4], n[5])]);
                let ray = Ray::new(from, to - from).context("the ray")?;
                let hit = view.cast(&recorder.record(&ray)).closest();
                let end = hit.map_or_else(|| from + ray.direction() * 2.0 * half.length(), |hit| hit.position);
                ("ray", Shape::Segment(from, end))
            }
            Self::Box(given) => {
                let default = Aabb::from_center_half_extents(middle, half * 0.25);
                let asked =
                    given.map_or(default, |[a, b, c, d, e, f]| Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)));
                let _ = view.overlap(&recorder.record(&asked)).context("the box")?.count();
                ("box", Shape::Box(asked))
            }
            Self::Sphere(given) => {
                let asked = given.map_or(Sphere::new(middle, half.max_element() * 0.25), |[x, y, z, radius]| {
                    Sphere::new(Vec3::new(x, y, z), radius)
                });
                let _ = view.overlap(&recorder.record(&asked)).context("the sphere")?.count();
                ("sphere", Shape::Sphere(asked))
            }
            Self::Nearest(given) => {
                let at = given.map_or(middle, Vec3::from_array);
                let mut found = Vec::new();
                view.nearest(recorder.record(&at)).context("the point")?.k_into(NEIGHBORS, &mut found);
                ("nearest", Shape::Sphere(Sphere::new(at, 0.0)))
            }
            Self::Frustum => {
                let camera = camera.context("the frame has no camera")?;
                let _ = view.overlap(&recorder.record(camera)).context("the frustum")?.count();
                ("frustum", Shape::View)
            }
        };
        let mut drawings = Vec::new();
        recorder.draw(|drawing| drawings.push(drawing));
        Ok(Asked { name, shape, drawings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_and_what_is_none_is_refused() {
        let ray = Question::from_str("ray:0,1,2,3,4,-5.5").unwrap();
        assert_eq!(ray, Question::Ray(Some([0.0, 1.0, 2.0, 3.0, 4.0, -5.5])));
        assert_eq!(Question::from_str("nearest").unwrap(), Question::Nearest(None));
        for (text, part) in
            [("rays", "frustum"), ("box:1,2", "6 numbers"), ("sphere:1,2,3,x", "`1,2,3,x`"), ("frustum:1", "ray[")]
        {
            let error = Question::from_str(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
