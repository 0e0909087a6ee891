//! The picture of a model: a ray for each quarter of a pixel, and one towards
//! the light from where it hits.

use super::canvas::Canvas;
use super::palette::{self, Ink};
use super::projection::Projection;
use super::{Size, legend};
use crate::effort;
use crate::limits::RAY_TESTS_MAX;
use anyhow::{Context as _, Result};
use broadleaf::glam::{Vec2, Vec3};
use broadleaf::{Aabb, Culling, Layers, Mesh, MeshHit, MeshLeaf, Object, Octree, Ray, Side, View};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::ops::ControlFlow;
use std::path::Path;

/// Where in a pixel its rays pass.
const SAMPLES: [Vec2; 4] =
    [Vec2::new(0.125, 0.375), Vec2::new(0.375, 0.875), Vec2::new(0.625, 0.125), Vec2::new(0.875, 0.625)];
/// Rows that are held at once.
const BAND: u32 = 64;
/// How much light there is in the shade.
const AMBIENT: f32 = 0.34;
/// Half the width of a leaf's outline in pixels.
const OUTLINE: f32 = 0.9;
/// The largest edge of the blocks of pixels that are drawn alike; a band is a whole number of them.
const BLOCK_MAX: u32 = BAND;

/// Where a camera stands, and what it looks at: the middle of the model, if that is not told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewpoint {
    eye: Vec3,
    target: Option<Vec3>,
}

impl std::str::FromStr for Viewpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f32> = text.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        let is_whole = numbers.len() == text.split(',').count() && numbers.iter().all(|number| number.is_finite());
        let (eye, target) = match (is_whole, &numbers[..]) {
            (true, [x, y, z]) => (Vec3::new(*x, *y, *z), None),
            (true, [x, y, z, tx, ty, tz]) => (Vec3::new(*x, *y, *z), Some(Vec3::new(*tx, *ty, *tz))),
            _ => return Err(String::from("expected X,Y,Z or X,Y,Z,TX,TY,TZ, all finite")),
        };
        if target == Some(eye) { Err(String::from("the camera looks at itself")) } else { Ok(Self { eye, target }) }
    }
}

/// What is drawn.
pub(crate) struct ModelPicture<'a> {
    pub(crate) mesh: &'a Mesh,
    /// Where the camera stands; so that all is seen, if that is not told.
    pub(crate) viewpoint: Option<Viewpoint>,
    /// Whether the octree's leaves are drawn over the model.
    pub(crate) cells: bool,
    /// The first line of the legend, and what follows it.
    pub(crate) title: &'a str,
    pub(crate) notes: &'a [String],
}

impl ModelPicture<'_> {
    /// Casts the rays and writes a PNG file. The bar advances once a row. Returns the edge of the blocks
    /// of pixels that are drawn alike: 1, unless a ray meets very many triangles.
    pub(crate) fn write(&self, size: Size, pool: Option<&ThreadPool>, bar: &ProgressBar, path: &Path) -> Result<u32> {
        let mut canvas = Canvas::new(size)?;
        let bounds = self.mesh.bounds().unwrap_or(Aabb::new(Vec3::splat(-1.0), Vec3::ONE));
        let radius = bounds.half_extents().length().max(f32::MIN_POSITIVE);
        let projection = match self.viewpoint {
            Some(Viewpoint { eye, target }) => {
                Projection::from_eye(eye, target.unwrap_or(bounds.center()), radius, size)
            }
            None => Projection::framing(&bounds, size),
        };
        let leaves = if self.cells { leaves(self.mesh) } else { Vec::new() };
        let mut tree = tree_of(&leaves)?;
        let (right, up) = projection.axes();
        let towards = -projection.direction(projection.middle());
        let light = (up * 0.9 + right * 0.5 + towards * 0.7).normalize();
        let studio =
            Studio { mesh: self.mesh, leaves: tree.view(), projection: &projection, light, offset: radius * 1e-4 };
        let block = studio.block(size);
        let row = |line: u32| {
            let y = line * block;
            let row: Vec<Ink> = (0..size.width.div_ceil(block)).map(|x| studio.pixel(x * block, y)).collect();
            bar.inc(u64::from(block.min(size.height - y)));
            row
        };
        for top in (0..size.height).step_by(BAND as usize) {
            let bottom = (top + BAND).min(size.height);
            let lines = top / block..bottom.div_ceil(block);
            let rows: Vec<Vec<Ink>> = match pool {
                Some(pool) => pool.install(|| lines.into_par_iter().map(row).collect()),
                None => lines.map(row).collect(),
            };
            for y in top..bottom {
                let row = &rows[((y - top) / block) as usize];
                (0..size.width).for_each(|x| canvas.dot(x, y, row[(x / block) as usize]));
            }
        }
        legend::draw(&mut canvas, legend::of_model(self.title, self.notes, &leaves));
        super::save(&canvas, path)?;
        Ok(block)
    }
}

fn leaves(mesh: &Mesh) -> Vec<MeshLeaf> {
    let mut leaves = Vec::new();
    mesh.leaves(|leaf| {
        leaves.push(leaf);
        ControlFlow::Continue(())
    });
    leaves
}

/// The leaves' boxes as objects, so that rays find the nearest; their user data is the depth.
fn tree_of(leaves: &[MeshLeaf]) -> Result<Octree> {
    let mut tree = Octree::default();
    for leaf in leaves {
        tree.insert(Object::new(leaf.bounds).with_user_data(u64::from(leaf.depth))).context("a leaf")?;
    }
    Ok(tree)
}

/// A model under a light, before a camera.
struct Studio<'a> {
    mesh: &'a Mesh,
    leaves: View<'a>,
    projection: &'a Projection,
    /// The way to the light.
    light: Vec3,
    /// How far from the surface a ray to the light starts.
    offset: f32,
}

impl Studio<'_> {
    /// The edge of the blocks that keep the picture within its limit of tests: the
    /// least power of two, as a sample of the pixels tells.
    fn block(&self, size: Size) -> u32 {
        let at = |part: u32, whole: u32| (part * 2 + 1) * whole / 16;
        let pixels: Vec<(u32, u32)> =
            (0..64).map(|index| (at(index % 8, size.width), at(index / 8, size.height))).collect();
        let rays = |width: u32, height: u32| u64::from(width) * u64::from(height) * 2 * SAMPLES.len() as u64;
        let tests_max = rays(size.width, size.height) * RAY_TESTS_MAX;
        let cost = effort::cost(&pixels, tests_max / 16, |&(x, y)| self.tests(x, y));
        let fits = |block: &u32| cost.of(rays(size.width.div_ceil(*block), size.height.div_ceil(*block))) <= tests_max;
        (0..=BLOCK_MAX.ilog2()).map(|power| 1 << power).find(fits).unwrap_or(BLOCK_MAX)
    }

    /// How many tests a ray through a pixel makes; those towards the light make about as many.
    #[expect(clippy::cast_precision_loss, reason = "picture edges are small")]
    fn tests(&self, x: u32, y: u32) -> u64 {
        let direction = self.projection.direction(Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
        Ray::new(self.projection.eye(), direction).map_or(0, |ray| {
            let stats = self.mesh.closest_hit(&ray, Culling::None).1;
            stats.nodes_visited + stats.objects_tested
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "picture edges are small")]
    fn pixel(&self, x: u32, y: u32) -> Ink {
        let corner = Vec2::new(x as f32, y as f32);
        Ink::mean(&SAMPLES.map(|sample| self.sample(corner + sample)))
    }

    /// What is seen through a place on the picture.
    fn sample(&self, pixel: Vec2) -> Option<Ink> {
        let ray = Ray::new(self.projection.eye(), self.projection.direction(pixel)).ok()?;
        let model = self.mesh.closest_hit(&ray, Culling::None).0.map(|hit| self.shade(&hit));
        let Some((leaf, is_outline)) = self.leaf(&ray) else { return model };
        match (is_outline, model) {
            (true, _) => Some(leaf),
            (false, Some(model)) => Some(leaf.mixed(model, 0.22)),
            (false, None) => Some(leaf.with_alpha(0.16)),
        }
    }

    fn shade(&self, hit: &MeshHit) -> Ink {
        let (normal, ink) = match hit.side {
            Side::Front => (hit.normal, palette::FRONT),
            Side::Back => (-hit.normal, palette::BACK),
        };
        let direct = normal.dot(self.light).max(0.0);
        let lit = direct > 0.0
            && Ray::new(hit.position + normal * self.offset, self.light)
                .is_ok_and(|ray| self.mesh.any_hit(&ray, Culling::None).0.is_none());
        let sky = 0.12 * (normal.y * 0.5 + 0.5);
        ink.shaded(AMBIENT + sky + if lit { 0.66 * direct } else { 0.0 })
    }

    /// The colour of the nearest leaf, and whether the ray meets its outline.
    fn leaf(&self, ray: &Ray) -> Option<(Ink, bool)> {
        let hit = self.leaves.closest_hit(ray, Layers::ALL).0?;
        let object = self.leaves.get(hit.handle)?;
        let depth = u32::try_from(object.user_data).unwrap_or(u32::MAX);
        let aabb = object.shape.aabb();
        // Of leaves no larger than a pixel the faces must be seen, too.
        let width = (hit.distance * self.projection.pixel_size() * OUTLINE).min(aabb.extents().max_element() * 0.06);
        let to_faces = (hit.position - aabb.min).min(aabb.max - hit.position).abs();
        // A point on an edge is near the faces of two axes.
        let near = to_faces.cmple(Vec3::splat(width)).bitmask().count_ones();
        Some((palette::depth(depth), near >= 2))
    }
}
