//! Batches of questions about the objects of a program.

use super::asked::describe;
use super::compare::{Complaint, same};
use crate::oracle::Oracle;
use broadleaf::query::{Neighbor, RayHit, SweepHit};
use broadleaf::{Aabb, Batch, Ray, Sweep, Threads, View};

/// Enough for the batch to be sorted.
const COUNT: usize = 300;

/// Boxes, rays, sweeps and places around all objects and between them, in batches and one by one.
pub(super) fn compare_batches(view: View<'_>, oracle: &Oracle) -> Result<(), Complaint> {
    let boxes = oracle.objects().iter().map(|(_, object)| object.shape.aabb());
    let boxes: Vec<Aabb> = boxes.cycle().take(COUNT).collect();
    let ends = || boxes.iter().zip(boxes.iter().skip(1)).map(|(a, b)| [a, b].map(Aabb::clamped_to_finite));
    let rays: Vec<Ray> = ends().filter_map(|[a, b]| Ray::segment(a.min, b.max).ok()).collect();
    let sweeps: Vec<Sweep> = ends().filter_map(|[a, b]| Sweep::aabb(a, b.min * 0.5 - a.min * 0.5).ok()).collect();
    let (mut found, mut hits, mut swept) = (Batch::new(), Batch::new(), Batch::new());
    let (mut near, mut expected, mut neighbors) = (Batch::new(), Vec::new(), Vec::new());
    for threads in [Threads::One, Threads::Pool] {
        let batch = view.overlap_many(&boxes).map_err(|error| error.to_string())?;
        batch.threads(threads).collect_into(&mut found);
        for (aabb, found) in boxes.iter().zip(found.iter()) {
            view.overlap(aabb).map_err(describe)?.collect_into(&mut expected);
            same("boxes in a batch", &found, &expected.as_slice())?;
        }
        let bits = |hit: Option<RayHit>| hit.map(|hit| (hit.handle, hit.distance.to_bits()));
        view.cast_many(&rays).threads(threads).closest_into(&mut hits);
        for (ray, hit) in rays.iter().zip(hits.answers()) {
            same("rays in a batch", &bits(*hit), &bits(view.cast(ray).closest()))?;
        }
        let bits = |hit: Option<SweepHit>| hit.map(|hit| (hit.handle, hit.time.to_bits()));
        view.cast_many(&sweeps).threads(threads).closest_into(&mut swept);
        for (sweep, hit) in sweeps.iter().zip(swept.answers()) {
            same("sweeps in a batch", &bits(*hit), &bits(view.cast(sweep).closest()))?;
        }
        let bits = |near: &Neighbor| (near.handle, near.distance.to_bits());
        let batch = view.nearest_many(&boxes).map_err(|error| error.to_string())?;
        batch.threads(threads).k_into(3, &mut near);
        for (aabb, near) in boxes.iter().zip(near.iter()) {
            view.nearest(*aabb).map_err(describe)?.k_into(3, &mut neighbors);
            let (near, expected): (Vec<_>, Vec<_>) =
                (near.iter().map(bits).collect(), neighbors.iter().map(bits).collect());
            same("neighbours in a batch", &near, &expected)?;
        }
        same(
            "answers of the batches",
            &[found.len(), hits.len(), swept.len(), near.len()],
            &[boxes.len(), rays.len(), sweeps.len(), boxes.len()],
        )?;
    }
    Ok(())
}
