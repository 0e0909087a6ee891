//! Meshes under measurement with verified questions.

use super::{BroadleafMesh, MeshSubject};
use broadleaf::glam::Vec3;
use broadleaf::{Mesh, Ray};
use workloads::Model;
use workloads::models::rays;

/// A built mesh and what it is asked.
pub struct MeshCase {
    /// What it was built from.
    pub model: Model,
    /// The mesh.
    pub subject: BroadleafMesh,
    /// Rays in the order of a picture.
    pub coherent: Vec<Ray>,
    /// Rays without order.
    pub incoherent: Vec<Ray>,
    /// Points around and within.
    pub points: Vec<Vec3>,
}

/// Answers that are compared with those of each triangle by itself, of each kind.
const VERIFIED: usize = 40;

impl MeshCase {
    /// A model of about `count` triangles, with `side` times `side` rays of
    /// each kind and a quarter as many points; some answers are verified.
    ///
    /// # Panics
    /// If there is no such model, or an answer is wrong.
    #[must_use]
    pub fn new(name: &str, count: u32, side: u32) -> Self {
        let model = Model::by_name(name, count, 1).expect("a model of that name");
        let mut subject = BroadleafMesh::default();
        subject.build(&model);
        let bounds = model.bounds();
        let incoherent = rays::incoherent(&bounds, (side * side) as usize, 4);
        let points = incoherent.iter().step_by(4).map(Ray::origin).collect();
        let case = Self { coherent: rays::coherent(&bounds, side, side, 3), incoherent, points, model, subject };
        case.verify();
        case
    }

    fn verify(&self) {
        let count = u32::try_from(self.model.len()).expect("a model fits 32 bits");
        let alone = (0..count).map(|index| Mesh::from_triangles(&[self.model.triangle(index)]).expect("legal"));
        let alone: Vec<BroadleafMesh> = alone.map(|mesh| BroadleafMesh { mesh, ..BroadleafMesh::default() }).collect();
        let expect = |ask: &dyn Fn(&BroadleafMesh, &mut Vec<f32>)| {
            let (mut found, mut nearest, mut one) = (Vec::new(), Vec::new(), Vec::new());
            ask(&self.subject, &mut found);
            nearest.resize(found.len(), f32::INFINITY);
            for mesh in &alone {
                ask(mesh, &mut one);
                nearest.iter_mut().zip(&one).for_each(|(nearest, &one)| *nearest = one.min(*nearest));
            }
            assert_eq!(found, nearest, "the nearest of all triangles");
        };
        for rays in [&self.coherent, &self.incoherent] {
            let some: Vec<Ray> = rays.iter().copied().step_by(rays.len().div_ceil(VERIFIED)).collect();
            expect(&|mesh, distances| mesh.closest_hits(&some, distances));
        }
        let some: Vec<Vec3> = self.points.iter().copied().step_by(self.points.len().div_ceil(VERIFIED)).collect();
        expect(&|mesh, distances| assert!(mesh.closest_points(&some, distances)));
    }
}
