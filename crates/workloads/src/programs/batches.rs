//! Batches of questions about the objects of a program.

use super::compare::{Complaint, same};
use super::question::describe;
use crate::oracle::Oracle;
use broadleaf::{Aabb, Batch, Layers, Ray, Sweep, Threads, View};

/// Enough for the batch to be sorted.
const COUNT: usize = 300;

/// Boxes, rays and sweeps around all objects and between them, in batches and one by one.
pub(super) fn compare_batches(view: View<'_>, oracle: &Oracle) -> Result<(), Complaint> {
    let boxes = oracle.objects().iter().map(|(_, object)| object.shape.aabb());
    let boxes: Vec<Aabb> = boxes.cycle().take(COUNT).collect();
    let ends = || boxes.iter().zip(boxes.iter().skip(1)).map(|(a, b)| [a, b].map(Aabb::clamped_to_finite));
    let rays: Vec<Ray> = ends().filter_map(|[a, b]| Ray::segment(a.min, b.max).ok()).collect();
    let sweeps: Vec<Sweep> = ends().filter_map(|[a, b]| Sweep::aabb(a, b.min * 0.5 - a.min * 0.5).ok()).collect();
    let (mut found, mut hits) = (Batch::new(), Batch::new());
    let (mut swept, mut expected) = (Batch::new(), Vec::new());
    for threads in [Threads::One, Threads::Pool] {
        view.in_aabb_batch_into(&boxes, Layers::ALL, threads, &mut found).map_err(|error| error.to_string())?;
        for (aabb, found) in boxes.iter().zip(found.iter()) {
            view.in_aabb_into(aabb, Layers::ALL, &mut expected).map_err(describe)?;
            same("boxes in a batch", &found, &expected.as_slice())?;
        }
        let bits = |hit: &Option<broadleaf::RayHit>| hit.map(|hit| (hit.handle, hit.distance.to_bits()));
        view.closest_hit_batch_into(&rays, Layers::ALL, threads, &mut hits);
        for (ray, hit) in rays.iter().zip(hits.answers()) {
            same("rays in a batch", &bits(hit), &bits(&view.closest_hit(ray, Layers::ALL).0))?;
        }
        let bits = |hit: &Option<broadleaf::SweepHit>| hit.map(|hit| (hit.handle, hit.time.to_bits()));
        view.first_swept_batch_into(&sweeps, Layers::ALL, threads, &mut swept);
        for (sweep, hit) in sweeps.iter().zip(swept.answers()) {
            same("sweeps in a batch", &bits(hit), &bits(&view.first_swept(sweep, Layers::ALL).0))?;
        }
        same(
            "answers of the batches",
            &[found.len(), hits.len(), swept.len()],
            &[boxes.len(), rays.len(), sweeps.len()],
        )?;
    }
    Ok(())
}
