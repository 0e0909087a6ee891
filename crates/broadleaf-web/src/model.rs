//! A model of triangles: its leaves, and what a ray meets.

use crate::buffers::{Buffer, Buffers};
use crate::edges::{add_box, add_colored_box, add_line};
use crate::palette::Palette;
use crate::protocol::{FrameCommand, ProbeReport, Report, Selection};
use crate::questions::ray;
use anyhow::{Context as _, Result};
use broadleaf::{Aabb, Mesh, QueryStats, Ray};
use readers::Triangles;
use std::ops::ControlFlow;

/// Leaves that are drawn, at most.
const LEAVES_MAX: usize = 20_000;

/// A mesh, and where its triangles are.
pub(crate) struct Model {
    mesh: Mesh,
    triangles: Triangles,
    palette: Palette,
}

impl Model {
    /// Builds the mesh.
    ///
    /// # Errors
    /// There is no triangle with an area, or too many.
    pub(crate) fn new(name: &str, triangles: Triangles) -> Result<Self> {
        let mesh = Mesh::from_indexed(&triangles.positions, &triangles.indices);
        let mesh = mesh.with_context(|| format!("{name} is not a model"))?;
        Ok(Self { mesh, triangles, palette: Palette::default() })
    }

    pub(crate) fn len(&self) -> usize {
        self.mesh.len()
    }

    /// The box around the model.
    pub(crate) fn focus(&self) -> [[f32; 3]; 2] {
        let bounds = self.mesh.bounds().unwrap_or(Aabb::from_center_half_extents([0.0; 3], [1.0; 3]));
        [bounds.min.to_array(), bounds.max.to_array()]
    }

    /// Fills the buffer of triangles.
    pub(crate) fn fill(&self, buffers: &mut Buffers) {
        let corners = buffers.of(Buffer::Triangles);
        corners.clear();
        for index in &self.triangles.indices {
            corners.extend(self.triangles.positions[*index as usize].to_array());
        }
    }

    /// Answers the questions of a frame.
    ///
    /// # Errors
    /// A ray without a direction.
    pub(crate) fn frame(&self, command: &FrameCommand, buffers: &mut Buffers) -> Result<Report> {
        for buffer in [Buffer::Buckets, Buffer::BucketColors, Buffer::Visited, Buffer::Hit, Buffer::Probe] {
            buffers.of(buffer).clear();
        }
        if command.show.buckets || command.show.cells {
            let (mut lines, mut left) = (buffers.two(Buffer::Buckets, Buffer::BucketColors), LEAVES_MAX);
            self.mesh.leaves(|leaf| {
                add_colored_box(&mut lines, &leaf.bounds, self.palette.depth(leaf.depth, command.show.light));
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        let mut report = Report { memory: [self.mesh.memory(), 0, 0], objects: self.mesh.len(), ..Report::default() };
        if let Some(probe) = &command.probe {
            let ray = ray(&probe.ray)?;
            let mut stats = QueryStats::default();
            let hit = self.mesh.cast(&ray).stats(&mut stats).closest();
            let length = hit.as_ref().map_or(probe.distance * 4.0, |hit| hit.distance);
            add_line(buffers.of(Buffer::Probe), ray.origin(), ray.at(length));
            if let Some(hit) = &hit {
                self.add_triangle(buffers.of(Buffer::Hit), hit.triangle);
            }
            let first = hit.map(|hit| (format!("triangle {}", hit.triangle), hit.distance));
            report.probe = Some(ProbeReport { all: stats.into(), closest: Some(stats.into()), first });
        }
        Ok(report)
    }

    fn add_triangle(&self, lines: &mut Vec<f32>, triangle: u32) {
        if let Some(triangle) = self.mesh.triangle(triangle) {
            let corners = [triangle.a, triangle.b, triangle.c];
            (0..3).for_each(|corner| add_line(lines, corners[corner], corners[(corner + 1) % 3]));
        }
    }

    /// The triangle that a ray meets first, in words.
    pub(crate) fn pick(&self, ray: &Ray, buffers: &mut Buffers) -> Option<Selection> {
        let lines = buffers.of(Buffer::Selected);
        lines.clear();
        let hit = self.mesh.cast(ray).closest()?;
        let [x, y, z] = hit.position.to_array();
        let [a, b, c] = hit.normal.to_array();
        let text = format!(
            "triangle {} at ({x:.3}, {y:.3}, {z:.3}), normal ({a:.2}, {b:.2}, {c:.2}), distance {:.3}",
            hit.triangle, hit.distance
        );
        self.add_triangle(lines, hit.triangle);
        add_box(lines, &self.mesh.triangle(hit.triangle)?.aabb());
        let (handle, center) = (hit.triangle.to_string(), hit.position.to_array());
        let (neighbours, neighbour_slots) = (Vec::new(), Vec::new());
        Some(Selection { handle, slot: hit.triangle, text, center, neighbours, neighbour_slots })
    }
}
