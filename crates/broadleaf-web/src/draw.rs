//! Fills the buffers from a world and the answers of a frame.

use crate::buffers::{Buffer, Buffers};
use crate::edges::{FLOATS_OF_BOX, add_box, add_colored_box, add_line, is_drawable};
use crate::palette::{Color, Palette, mixed, shaded};
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
/// How much light is left of an object that the question under the pointer does not test.
const UNTESTED: f32 = 0.3;
/// The least edge that is drawn: a plate of none has no normal.
const EDGE_MIN: f32 = 1e-4;

/// What drawing keeps from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    palette: Palette,
    /// Of each slot, how many others it overlaps.
    partners: Vec<u32>,
    /// Of each slot, what the question under the pointer did with it.
    marks: Vec<Mark>,
    /// Of each slot, the colour that is shown; not a number before the first.
    shown: Vec<Color>,
    /// The longest edge of a solid object.
    solid_max: f32,
}

/// What the question under the pointer did with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Untested,
    Tested,
    Hit,
}

impl Painter {
    /// Sets what the camera shows, of a world that is new.
    pub(crate) fn set_focus(&mut self, [min, max]: [[f32; 3]; 2]) {
        self.shown.clear();
        self.solid_max = (Vec3::from(max) - Vec3::from(min)).max_element() * BACKDROP;
    }

    /// Fills the buffers of objects; how many objects cannot be drawn. Their colours go so far towards new ones.
    pub(crate) fn objects(&mut self, buffers: &mut Buffers, world: &mut World, answers: &Answers, ease: f32) -> usize {
        self.count_partners(world.pairs());
        self.mark(answers);
        let mut outlines = std::mem::take(buffers.of(Buffer::Outlines));
        let mut boxes = Solids::take(buffers, Buffer::BoxMatrices, Buffer::BoxColors);
        let mut spheres = Solids::take(buffers, Buffer::SphereMatrices, Buffer::SphereColors);
        let (mut undrawn, mut centers) = (0, std::mem::take(&mut world.centers));
        for (handle, object) in world.tree().iter() {
            let (slot, aabb) = (handle.slot() as usize, object.shape.aabb());
            let (center, extents) = (aabb.center(), aabb.extents());
            if centers.len() <= slot {
                centers.resize(slot + 1, Vec3::NAN);
            }
            centers[slot] = center;
            if !is_drawable(&aabb) {
                undrawn += 1;
                continue;
            }
            let is_seen =
                world.is_on(handle.slot()) && answers.seen.as_ref().is_none_or(|seen| seen.contains(handle.slot()));
            if extents.max_element() > self.solid_max {
                if is_seen {
                    add_box(&mut outlines, &aabb);
                }
                continue;
            }
            let color = self.color(slot, object.mobility, answers.asked.is_some());
            let color = if is_seen { color } else { shaded(color, UNSEEN) };
            let color = self.eased(slot, color, ease);
            match object.shape {
                Shape::Sphere(_) => spheres.add(center, extents, color),
                _ => boxes.add(center, extents, color),
            }
        }
        world.centers = centers;
        *buffers.of(Buffer::Outlines) = outlines;
        boxes.give(buffers, Buffer::BoxMatrices, Buffer::BoxColors);
        spheres.give(buffers, Buffer::SphereMatrices, Buffer::SphereColors);
        undrawn
    }

    fn count_partners(&mut self, pairs: &[Pair]) {
        self.partners.clear();
        for slot in pairs.iter().flat_map(|pair| [pair.a(), pair.b()]).map(|handle| handle.slot() as usize) {
            if self.partners.len() <= slot {
                self.partners.resize(slot + 1, 0);
            }
            self.partners[slot] += 1;
        }
    }

    /// Marks what the question under the pointer tested and hit.
    fn mark(&mut self, answers: &Answers) {
        self.marks.clear();
        for (handles, mark) in [(&answers.tested, Mark::Tested), (&answers.hits, Mark::Hit)] {
            for slot in handles.iter().map(|handle| handle.slot() as usize) {
                if self.marks.len() <= slot {
                    self.marks.resize(slot + 1, Mark::Untested);
                }
                self.marks[slot] = mark;
            }
        }
    }

    /// The colour of an object: by the question under the pointer if it met it, else by what it overlaps.
    fn color(&self, slot: usize, mobility: Mobility, is_asked: bool) -> Color {
        let own = match mobility {
            Mobility::Static => self.palette.fixed,
            _ => self.palette.of_partners(self.partners.get(slot).copied().unwrap_or(0)),
        };
        match self.marks.get(slot) {
            Some(Mark::Tested) => self.palette.tested,
            Some(Mark::Hit) => self.palette.hit,
            _ if is_asked => shaded(own, UNTESTED),
            _ => own,
        }
    }

    /// The colour to show of an object that is to have this one.
    fn eased(&mut self, slot: usize, color: Color, ease: f32) -> Color {
        if self.shown.len() <= slot {
            self.shown.resize(slot + 1, [f32::NAN; 3]);
        }
        let shown = &mut self.shown[slot];
        *shown = if shown[0].is_nan() || ease >= 1.0 { color } else { mixed(*shown, color, ease) };
        *shown
    }

    /// Fills the buffers of cells, fitted bounds, buckets and what has changed.
    pub(crate) fn nodes(&self, buffers: &mut Buffers, nodes: &[NodeInfo], show: Show) {
        let (drawn, palette) = (|| nodes.iter().take(NODES_MAX), &self.palette);
        if show.cells {
            let mut lines = buffers.two(Buffer::Cells, Buffer::CellColors);
            drawn().for_each(|node| add_colored_box(&mut lines, &node.cell, palette.depth(node.depth, show.light)));
        }
        if show.bounds {
            let mut lines = buffers.two(Buffer::Bounds, Buffer::BoundColors);
            drawn()
                .filter(|node| !node.leaf)
                .for_each(|node| add_colored_box(&mut lines, &node.bounds, palette.depth(node.depth, show.light)));
        }
        if show.buckets {
            let mut lines = buffers.two(Buffer::Buckets, Buffer::BucketColors);
            for node in drawn().filter(|node| node.leaf && node.objects > 0) {
                add_colored_box(&mut lines, &node.bounds, palette.bucket(fullness(node), show.light));
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

/// Floats of a matrix, and of a colour.
const MATRIX: usize = 16;
const COLOR: usize = 3;

/// Matrices and colours of one kind of solid.
///
/// Room is made for many at a time, and each float is stored by itself: in WebAssembly, to
/// append a short array calls a copy of memory, which costs more than the floats.
struct Solids {
    matrices: Vec<f32>,
    colors: Vec<f32>,
    count: usize,
}

impl Solids {
    /// Takes the buffers, with the solids of the last frame as room.
    fn take(buffers: &mut Buffers, matrices: Buffer, colors: Buffer) -> Self {
        let [matrices, colors] = buffers.two(matrices, colors).map(std::mem::take);
        Self { matrices, colors, count: 0 }
    }

    fn grow(&mut self) {
        let count = (2 * self.count).max(64);
        self.matrices.resize(count * MATRIX, 0.0);
        self.colors.resize(count * COLOR, 0.0);
    }

    /// Gives back the buffers, as long as they are filled.
    fn give(self, buffers: &mut Buffers, matrices: Buffer, colors: Buffer) {
        let targets = buffers.two(matrices, colors);
        for (target, (mut floats, size)) in targets.into_iter().zip([(self.matrices, MATRIX), (self.colors, COLOR)]) {
            floats.truncate(self.count * size);
            *target = floats;
        }
    }

    fn add(&mut self, center: Vec3, extents: Vec3, color: Color) {
        let extents = extents.max(Vec3::splat(EDGE_MIN));
        if (self.count + 1) * MATRIX > self.matrices.len() || (self.count + 1) * COLOR > self.colors.len() {
            self.grow();
        }
        let (matrices, _) = self.matrices.as_chunks_mut::<MATRIX>();
        let (colors, _) = self.colors.as_chunks_mut::<COLOR>();
        let (Some(matrix), Some(place)) = (matrices.get_mut(self.count), colors.get_mut(self.count)) else { return };
        // The other floats of a matrix stay 0.
        for axis in 0..3 {
            matrix[5 * axis] = extents[axis];
            matrix[12 + axis] = center[axis];
            place[axis] = color[axis];
        }
        matrix[15] = 1.0;
        self.count += 1;
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
