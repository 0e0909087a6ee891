//! Every frame of a trace against brute force, with all kinds of questions.

use crate::check::{Verdict, by_containment};
use crate::replay::{Stage, progress_bar};
use crate::snapshot::Snapshot;
use crate::source::Source;
use anyhow::{Context as _, Result};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{Aabb, Capsule, ConvexRegion, Handle, Layers, Obb, Plane, Sphere, Sweep, View};
use workloads::{Oracle, Random};

/// Points, boxes and spheres asked in each frame, so many of each.
const REGIONS: usize = 16;
/// The nearest objects asked for around each point.
const NEIGHBORS: usize = 8;

/// Compares every frame with brute force.
pub(crate) fn audit(source: &mut Source, threads: u16, progress: bool) -> Result<Verdict> {
    let mut verdict = Verdict::new(source.frames());
    let mut stage = Stage::new(threads)?;
    let bar = progress_bar("frame", source.frames(), progress);
    for frame in 0..source.frames() {
        stage.frame(source, frame)?;
        let snapshot = stage.snapshot(frame);
        let oracle = verdict.compare(&snapshot);
        compare_regions(&mut verdict, &mut stage, &snapshot, &oracle)?;
        if let Err(broken) = stage.world().tree().validate() {
            verdict.differ(format!("frame {frame}: {broken}"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(verdict)
}

fn compare_regions(verdict: &mut Verdict, stage: &mut Stage, snapshot: &Snapshot, oracle: &Oracle) -> Result<()> {
    let frame = snapshot.frame;
    let view = stage.world().view();
    let mut random = Random::new(u64::try_from(frame).unwrap_or(0));
    let mut found = Vec::new();
    for (handle, object) in pick(snapshot, &mut random) {
        let aabb = object.clamped_to_finite();
        let (center, reach) = (aabb.center(), aabb.half_extents().min(Vec3::splat(1e6)) * 2.0);
        let point = center + random.signed() * reach * 0.4;
        if point.is_finite() {
            view.at_point_into(point, Layers::ALL, &mut found).context("point query")?;
            verdict.expect_equal(frame, "point", found.clone(), oracle.at_point(point, Layers::ALL));
            let query = Aabb::from_center_half_extents(point, reach);
            view.in_aabb_into(&query, Layers::ALL, &mut found).context("box query")?;
            verdict.expect_equal(frame, "box", found.clone(), oracle.in_aabb(&query, Layers::ALL));
            let query = Sphere::new(point, reach.max_element());
            view.in_sphere_into(&query, Layers::ALL, &mut found).context("sphere query")?;
            verdict.expect_equal(frame, "sphere", found.clone(), oracle.in_sphere(&query, Layers::ALL));
        }
        if point.is_finite() && reach.max_element() > 0.0 {
            compare_distances(verdict, frame, view, oracle, (point, reach))?;
        }
        view.pairs_of_into(handle, &mut found).context("partners")?;
        let expected = oracle.pairs_of(handle).unwrap_or_default();
        verdict.expect_equal(frame, "partners of an object", found.clone(), expected);
    }
    if let Some(camera) = &snapshot.questions.frustum {
        let mut seen = Vec::new();
        let _ = view.in_frustum(camera, Layers::ALL, |handle, containment| {
            seen.push((handle, containment));
            std::ops::ControlFlow::Continue(())
        });
        let expected = by_containment(snapshot.visible.clone());
        verdict.expect_equal(frame, "visited frustum", by_containment(seen), expected);
    }
    Ok(())
}

/// Sweeps, k nearest and volumes around a point.
fn compare_distances(
    verdict: &mut Verdict,
    frame: usize,
    view: View<'_>,
    oracle: &Oracle,
    (point, reach): (Vec3, Vec3),
) -> Result<()> {
    let (mut found, mut lying, mut met, mut near) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let size = reach.max_element();
    let at = |(handle, distance): (Handle, f32)| (handle, distance.to_bits());
    let sweep = Sweep::sphere(Sphere::new(point, size * 0.25), reach * 4.0).context("sweep")?;
    view.swept_in_order_into(&sweep, Layers::ALL, &mut met);
    let times = met.iter().map(|hit| at((hit.handle, hit.time))).collect();
    let expected = oracle.swept(&sweep, Layers::ALL).into_iter().map(at).collect();
    verdict.expect_equal(frame, "sweep", times, expected);
    let from = Aabb::new(point, point);
    view.nearest_into(point, NEIGHBORS, f32::INFINITY, Layers::ALL, &mut near).context("neighbours")?;
    let distances = near.iter().map(|near| at((near.handle, near.distance))).collect();
    let expected = oracle.nearest(&from, f32::INFINITY, Layers::ALL).into_iter().take(NEIGHBORS).map(at).collect();
    verdict.expect_equal(frame, "nearest objects", distances, expected);
    let obb = Obb::new(point, reach, Quat::from_rotation_y(0.5)).context("oriented box")?;
    view.in_obb_into(&obb, Layers::ALL, &mut found);
    verdict.expect_equal(frame, "oriented box", found.clone(), oracle.in_obb(&obb, Layers::ALL));
    let capsule = Capsule::new(point, point + reach, size * 0.5).context("capsule")?;
    view.in_capsule_into(&capsule, Layers::ALL, &mut found);
    verdict.expect_equal(frame, "capsule", found, oracle.in_capsule(&capsule, Layers::ALL));
    let planes = [Vec3::X, Vec3::Y].map(|normal| Plane { normal, offset: -normal.dot(point) });
    let region = ConvexRegion::new(&planes).context("convex region")?;
    view.in_convex_into(&region, Layers::ALL, &mut lying);
    let expected = by_containment(oracle.in_planes(region.planes(), Layers::ALL));
    verdict.expect_equal(frame, "convex region", by_containment(lying), expected);
    Ok(())
}

/// Some of the objects, with their boxes.
fn pick(snapshot: &Snapshot, random: &mut Random) -> Vec<(broadleaf::Handle, Aabb)> {
    let Ok(count @ 1..) = u32::try_from(snapshot.objects.len()) else { return Vec::new() };
    let indices = (0..REGIONS).filter_map(|_| usize::try_from(random.below(count)).ok());
    indices.map(|index| snapshot.objects[index]).map(|(handle, object)| (handle, object.shape.aabb())).collect()
}

#[cfg(test)]
mod tests {
    use super::audit;
    use crate::args::Arguments;
    use crate::source::Source;
    use clap::CommandFactory as _;

    #[test]
    fn regression_help_names_all_that_is_compared() {
        let mut source = Source::scene("churn", 60, 1, 2).expect("a scene");
        let verdict = audit(&mut source, 1, false).expect("a legal scene");
        assert!(verdict.is_equal(), "{verdict}");
        let mut command = Arguments::command();
        let help = command.find_subcommand_mut("check").expect("a command").render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(verdict.kinds().count() >= 16, "{:?}", verdict.kinds().collect::<Vec<_>>());
        for kind in verdict.kinds() {
            assert!(help.contains(kind), "{kind:?} in {help}");
        }
    }
}
