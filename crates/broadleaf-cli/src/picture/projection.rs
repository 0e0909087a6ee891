//! From world units to pixels, by a perspective camera that frames a box.

use super::{Size, legend};
use broadleaf::{
    Aabb,
    glam::{
        Mat4, Vec2, Vec3,
        camera::rh::{proj::directx::perspective, view::look_at_mat4},
    },
};

/// Vertical field of view in radians.
const FIELD_OF_VIEW: f32 = 0.6;
/// Share of the room beside the legend that the framed box may fill.
const FILL: f32 = 0.9;

/// A camera and the size of its picture.
pub(super) struct Projection {
    eye: Vec3,
    /// From what is looked at to the eye; of length one.
    towards: Vec3,
    view_projection: Mat4,
    half_size: Vec2,
    /// Pixels per world unit at distance 1.
    scale: f32,
    near: f32,
    /// Distance from the eye to the middle of the framed box.
    distance: f32,
}

impl Projection {
    /// A camera looking down on the box from a corner, so that it just fits.
    #[expect(clippy::cast_precision_loss, reason = "picture edges are small")]
    pub(super) fn framing(focus: &Aabb, size: Size) -> Self {
        let half_size = Vec2::new(size.width as f32, size.height as f32) * 0.5;
        // In a wide picture the legend has the left edge to itself.
        let legend = if size.width >= 3 * legend::WIDTH { legend::WIDTH as f32 / size.width as f32 } else { 0.0 };
        let (middle, room) = (Vec2::new(legend, 0.0), Vec2::new(1.0 - legend, 1.0) * FILL);
        let towards = Vec3::new(0.58, 0.42, 0.86).normalize();
        let right = up(towards).cross(towards).normalize();
        let upward = towards.cross(right);
        let radius = focus.half_extents().length().max(1e-3);
        let (mut target, mut distance) = (focus.center(), radius * 4.0);
        let mut camera = Self::looking_at(target, towards, distance, radius, half_size);
        for _ in 0..12 {
            let (low, high) = camera.extent(focus);
            let shift = ((low + high) * 0.5 - middle) * half_size * distance / camera.scale;
            target += right * shift.x + upward * shift.y;
            distance *= ((high - low) * 0.5 / room).max_element();
            distance = distance.max(radius * 1.05);
            camera = Self::looking_at(target, towards, distance, radius, half_size);
        }
        camera
    }

    /// A camera at a place, looking at another; `radius` is that of what is to be seen.
    #[expect(clippy::cast_precision_loss, reason = "picture edges are small")]
    pub(super) fn from_eye(eye: Vec3, target: Vec3, radius: f32, size: Size) -> Self {
        let half_size = Vec2::new(size.width as f32, size.height as f32) * 0.5;
        let distance = eye.distance(target);
        let towards = (eye - target).try_normalize().unwrap_or(Vec3::Z);
        Self::looking_at(target, towards, distance, radius, half_size)
    }

    fn looking_at(target: Vec3, towards: Vec3, distance: f32, radius: f32, half_size: Vec2) -> Self {
        let eye = target + towards * distance;
        let near = radius * 0.05;
        let projection = perspective(FIELD_OF_VIEW, half_size.x / half_size.y, near, distance + radius * 100.0);
        let scale = half_size.y / (FIELD_OF_VIEW * 0.5).tan();
        let view_projection = projection * look_at_mat4(eye, target, up(towards));
        Self { eye, towards, view_projection, half_size, scale, near, distance }
    }

    /// The box's rectangle on the picture, -1 to 1 from edge to edge.
    fn extent(&self, aabb: &Aabb) -> (Vec2, Vec2) {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for corner in corners(aabb) {
            let clip = self.view_projection * corner.extend(1.0);
            let at = clip.truncate().truncate() / clip.w.max(self.near);
            low = low.min(at);
            high = high.max(at);
        }
        (low, high)
    }

    /// The way from the eye through a place on the picture, in pixels.
    pub(super) fn direction(&self, pixel: Vec2) -> Vec3 {
        let (right, up) = self.axes();
        let at = (pixel - self.half_size) / self.scale;
        (right * at.x - up * at.y - self.towards).normalize_or(-self.towards)
    }

    /// The middle of the picture, in pixels.
    pub(super) fn middle(&self) -> Vec2 {
        self.half_size
    }

    /// What is right and what is up on the picture.
    pub(super) fn axes(&self) -> (Vec3, Vec3) {
        let right = up(self.towards).cross(self.towards).normalize();
        (right, self.towards.cross(right))
    }

    /// The size of a pixel at distance 1.
    pub(super) fn pixel_size(&self) -> f32 {
        1.0 / self.scale
    }

    /// Where the camera stands.
    pub(super) fn eye(&self) -> Vec3 {
        self.eye
    }

    /// The distance from the eye to the middle of the framed box.
    pub(super) fn distance(&self) -> f32 {
        self.distance
    }

    /// How far a point is behind the middle of the framed box, in distances of that middle.
    pub(super) fn depth(&self, point: Vec3) -> f32 {
        self.eye.distance(point) / self.distance
    }

    /// The pixel of a point, unless the point is behind the camera.
    pub(super) fn point(&self, point: Vec3) -> Option<Vec2> {
        let clip = self.view_projection * point.extend(1.0);
        (clip.w >= self.near).then(|| self.pixel(clip.truncate().truncate() / clip.w))
    }

    /// The radius in pixels of a sphere, unless it reaches behind the camera.
    pub(super) fn radius(&self, center: Vec3, radius: f32) -> Option<f32> {
        let w = (self.view_projection * center.extend(1.0)).w;
        (w - radius >= self.near).then(|| radius * self.scale / w)
    }

    /// The part of a line in front of the camera, in pixels.
    pub(super) fn line(&self, from: Vec3, to: Vec3) -> Option<(Vec2, Vec2)> {
        let (mut a, mut b) = (self.view_projection * from.extend(1.0), self.view_projection * to.extend(1.0));
        if a.w < self.near && b.w < self.near {
            return None;
        }
        if a.w < self.near {
            a = b + (a - b) * ((b.w - self.near) / (b.w - a.w));
        } else if b.w < self.near {
            b = a + (b - a) * ((a.w - self.near) / (a.w - b.w));
        }
        let ends = (self.pixel(a.truncate().truncate() / a.w), self.pixel(b.truncate().truncate() / b.w));
        self.crosses_picture(ends).then_some(ends)
    }

    fn pixel(&self, at: Vec2) -> Vec2 {
        Vec2::new(self.half_size.x * (1.0 + at.x), self.half_size.y * (1.0 - at.y))
    }

    fn crosses_picture(&self, (a, b): (Vec2, Vec2)) -> bool {
        let margin = Vec2::splat(4.0);
        a.min(b).cmple(self.half_size * 2.0 + margin).all() && a.max(b).cmpge(-margin).all()
    }
}

/// What is up for a camera: the y axis, unless it looks along it.
fn up(towards: Vec3) -> Vec3 {
    if towards.y.abs() < 0.999 { Vec3::Y } else { Vec3::NEG_Z }
}

/// The eight corners of a box; bit 0 of the index is x, bit 1 y, bit 2 z.
pub(super) fn corners(aabb: &Aabb) -> [Vec3; 8] {
    std::array::from_fn(|index| {
        let pick = |axis: usize| if index >> axis & 1 == 1 { aabb.max[axis] } else { aabb.min[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    })
}
