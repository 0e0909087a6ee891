//! Fills the buffers from a world and the answers of a frame.

use crate::buffers::{Buffer, Buffers};
use crate::edges::{FLOATS_OF_BOX, add_box, add_colored_box, add_line, is_drawable};
use crate::palette::{Color, Palette, shaded};
use crate::protocol::Show;
use crate::questions::{Answers, Asked};
use crate::selection::neighbours;
use crate::world::World;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Mobility, Pair, Shape, inspect::NodeInfo};

/// Boxes of nodes that are drawn of each kind, at most.
const NODES_MAX: usize = 20_000;
/// Pairs that are drawn, at most.
const PAIRS_MAX: usize = 100_000;
/// An object is too large to be drawn solid if it is longer than this part of what the camera shows.
const BACKDROP: f32 = 0.45;
/// How much light is left of an object that the second camera does not see, or whose layer is off.
const UNSEEN: f32 = 0.12;
/// The least edge that is drawn: a plate of none has no normal.
const EDGE_MIN: f32 = 1e-4;

/// What drawing keeps from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    palette: Palette,
    /// Of each slot, how many others it overlaps.
    partners: Vec<u32>,
    /// The longest edge of a solid object.
    solid_max: f32,
}

impl Painter {
    /// Sets what the camera shows.
    pub(crate) fn set_focus(&mut self, [min, max]: [[f32; 3]; 2]) {
        self.solid_max = (Vec3::from(max) - Vec3::from(min)).max_element() * BACKDROP;
    }

    /// Fills the buffers of objects; how many objects cannot be drawn.
    pub(crate) fn objects(&mut self, buffers: &mut Buffers, world: &mut World, answers: &Answers) -> usize {
        self.count_partners(world);
        let (mut undrawn, mut boxes, mut spheres) = (0, Solids::default(), Solids::default());
        let mut outlines = std::mem::take(buffers.of(Buffer::Outlines));
        outlines.clear();
        [boxes.matrices, boxes.colors] = buffers.two(Buffer::BoxMatrices, Buffer::BoxColors).map(std::mem::take);
        [spheres.matrices, spheres.colors] =
            buffers.two(Buffer::SphereMatrices, Buffer::SphereColors).map(std::mem::take);
        [&mut boxes, &mut spheres].into_iter().for_each(Solids::clear);
        let mut centers = std::mem::take(&mut world.centers);
        for (handle, object) in world.tree().iter() {
            let (slot, aabb) = (handle.slot() as usize, object.shape.aabb());
            let center = aabb.center();
            if centers.len() <= slot {
                centers.resize(slot + 1, Vec3::NAN);
            }
            centers[slot] = center;
            if !is_drawable(&aabb) {
                undrawn += 1;
                continue;
            }
            let extents = aabb.extents();
            let is_seen =
                world.is_on(handle.slot()) && answers.seen.as_ref().is_none_or(|seen| seen.contains(handle.slot()));
            if extents.max_element() > self.solid_max {
                if is_seen {
                    add_box(&mut outlines, &aabb);
                }
                continue;
            }
            let color = match object.mobility {
                Mobility::Static => self.palette.fixed,
                _ => self.palette.of_partners(self.partners[slot]),
            };
            let color = if is_seen { color } else { shaded(color, UNSEEN) };
            match object.shape {
                Shape::Sphere(_) => spheres.add(center, extents, color),
                _ => boxes.add(center, extents, color),
            }
        }
        world.centers = centers;
        *buffers.of(Buffer::Outlines) = outlines;
        let [matrices, colors] = buffers.two(Buffer::BoxMatrices, Buffer::BoxColors);
        (*matrices, *colors) = (boxes.matrices, boxes.colors);
        let [matrices, colors] = buffers.two(Buffer::SphereMatrices, Buffer::SphereColors);
        (*matrices, *colors) = (spheres.matrices, spheres.colors);
        undrawn
    }

    fn count_partners(&mut self, world: &World) {
        let slots = world.tree().iter().map(|(handle, _)| handle.slot() as usize + 1).max().unwrap_or(0);
        self.partners.clear();
        self.partners.resize(slots, 0);
        for pair in &world.pairs {
            for handle in [pair.a(), pair.b()] {
                if let Some(partners) = self.partners.get_mut(handle.slot() as usize) {
                    *partners += 1;
                }
            }
        }
    }

    /// Fills the buffers of cells, fitted bounds, buckets and what has changed.
    pub(crate) fn nodes(&self, buffers: &mut Buffers, nodes: &[NodeInfo], show: Show) {
        let drawn = || nodes.iter().take(NODES_MAX);
        if show.cells {
            let mut lines = buffers.two(Buffer::Cells, Buffer::CellColors);
            drawn().for_each(|node| add_colored_box(&mut lines, &node.cell, self.palette.depth(node.depth)));
        }
        if show.bounds {
            let mut lines = buffers.two(Buffer::Bounds, Buffer::BoundColors);
            drawn()
                .filter(|node| !node.leaf)
                .for_each(|node| add_colored_box(&mut lines, &node.bounds, self.palette.depth(node.depth)));
        }
        if show.buckets {
            let mut lines = buffers.two(Buffer::Buckets, Buffer::BucketColors);
            for node in drawn().filter(|node| node.leaf && node.objects > 0) {
                add_colored_box(&mut lines, &node.bounds, shaded([1.0; 3], 0.1 + 0.9 * fullness(node)));
            }
        }
        if show.changed {
            let lines = buffers.of(Buffer::Changed);
            drawn().filter(|node| node.leaf && node.changed).for_each(|node| _ = add_box(lines, &node.bounds));
        }
    }

    /// Fills the buffers of the question under the mouse.
    pub(crate) fn probe(&self, buffers: &mut Buffers, world: &World, answers: &Answers) {
        let Some(asked) = answers.asked else { return };
        match asked {
            Asked::Ray { ray, length } => {
                let end = ray.at(length.min(ray.distance_max()));
                add_line(buffers.of(Buffer::Probe), ray.origin(), end);
            }
            Asked::Box(aabb) => _ = add_box(buffers.of(Buffer::Probe), &aabb),
        }
        let (visited, lines) = (answers.visited(), buffers.of(Buffer::Visited));
        for (index, node) in world.nodes.iter().enumerate() {
            // The root comes first.
            if index == 0 || visited(&node.bounds) {
                add_box(lines, &node.cell);
            }
        }
        for (handles, buffer) in [(&answers.tested, Buffer::Tested), (&answers.hits, Buffer::Hit)] {
            let lines = buffers.of(buffer);
            for handle in handles.iter().take(NODES_MAX) {
                if let Some(object) = world.tree().get(*handle) {
                    add_box(lines, &object.shape.aabb());
                }
            }
        }
    }
}

/// How many of the lanes of a node's blocks hold an object, from 0 to 1.
fn fullness(node: &NodeInfo) -> f32 {
    let lanes = 8 * node.blocks.max(1);
    #[expect(clippy::cast_precision_loss, reason = "a bucket has few objects")]
    let share = node.objects as f32 / lanes as f32;
    share.min(1.0)
}

/// Matrices and colours of one kind of solid.
#[derive(Default)]
struct Solids {
    matrices: Vec<f32>,
    colors: Vec<f32>,
}

impl Solids {
    fn clear(&mut self) {
        self.matrices.clear();
        self.colors.clear();
    }

    fn add(&mut self, center: Vec3, extents: Vec3, color: Color) {
        let [x, y, z] = center.to_array();
        let [a, b, c] = extents.max(Vec3::splat(EDGE_MIN)).to_array();
        self.matrices.extend([a, 0.0, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, 0.0, c, 0.0, x, y, z, 1.0]);
        self.colors.extend(color);
    }
}

/// Adds a line between the middles of each pair.
pub(crate) fn add_pairs<'a>(lines: &mut Vec<f32>, centers: &[Vec3], pairs: impl IntoIterator<Item = &'a Pair>) {
    let center = |handle: Handle| centers.get(handle.slot() as usize).copied().unwrap_or(Vec3::NAN);
    for pair in pairs.into_iter().take(PAIRS_MAX) {
        add_line(lines, center(pair.a()), center(pair.b()));
    }
}

/// Fills the buffer of the picked object: its box and those of its neighbours, and lines to them.
pub(crate) fn selected(buffers: &mut Buffers, world: &mut World, handle: Handle) {
    let lines = buffers.of(Buffer::Selected);
    let Some(object) = world.tree().get(handle) else { return };
    let aabb = object.shape.aabb();
    // A little larger than the object, so that the two do not lie in one plane.
    let around = |aabb: &Aabb| Aabb::from_center_half_extents(aabb.center(), aabb.half_extents() * 1.04);
    add_box(lines, &around(&aabb));
    for other in neighbours(world, handle) {
        if let Some(object) = world.tree().get(other) {
            add_box(lines, &around(&object.shape.aabb()));
            add_line(lines, aabb.center(), object.shape.aabb().center());
        }
    }
    debug_assert!(lines.len() >= FLOATS_OF_BOX || !is_drawable(&aabb));
}
