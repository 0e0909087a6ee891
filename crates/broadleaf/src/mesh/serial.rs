//! Meshes as data of serde: the triangles of the input, in their order.
//!
//! The tree is built again when a mesh is read, with the default quality: no data can describe a
//! broken one. It is the same tree, if the mesh was built with that quality.

use super::Mesh;
use crate::geometry::Triangle;
use alloc::vec::Vec;
use glam::Vec3;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeSeq, Serializer};

impl Serialize for Mesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut triangles = serializer.serialize_seq(Some(self.len()))?;
        for index in 0..self.places.len() {
            let triangle = u32::try_from(index).ok().and_then(|index| self.triangle(index));
            let corners = triangle.map(|triangle| [triangle.a, triangle.b, triangle.c].map(|corner| corner.to_array()));
            triangles.serialize_element(&corners.unwrap_or_default())?;
        }
        triangles.end()
    }
}

impl<'de> Deserialize<'de> for Mesh {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let corners = Vec::<[[f32; 3]; 3]>::deserialize(deserializer)?;
        let triangles: Vec<Triangle> =
            corners.into_iter().map(|[a, b, c]| Triangle::new(Vec3::from(a), Vec3::from(b), Vec3::from(c))).collect();
        Self::from_triangles(&triangles).map_err(D::Error::custom)
    }
}
