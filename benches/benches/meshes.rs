//! `operation/model/count/variant` of triangle meshes: a fresh mesh, nearest
//! rays in the order of a picture and without order, closest points.

use benches::meshes::MeshSubject;
use benches::meshes::cases::MeshCase;
use benches::ready::short;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn meshes(criterion: &mut Criterion) {
    for (name, count) in [("torus", 10_000), ("torus", 100_000), ("terrain", 100_000), ("boxes", 100_000)] {
        let mut case = MeshCase::new(name, count, 64);
        let place = format!("{name}/{}", short(count as usize));
        let mut group = |operation: &str, elements: usize, run: &mut dyn FnMut()| {
            let mut group = criterion.benchmark_group(format!("{operation}/{place}"));
            group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
            group.throughput(Throughput::Elements(elements as u64));
            group.bench_function("lanes", |bench| bench.iter(&mut *run));
            group.finish();
        };
        group("mesh_build", case.model.len(), &mut || case.subject.build(&case.model));
        let mut distances = Vec::new();
        let (mesh, coherent, incoherent) = (&case.subject, &case.coherent, &case.incoherent);
        group("mesh_coherent", coherent.len(), &mut || mesh.closest_hits(coherent, &mut distances));
        group("mesh_incoherent", incoherent.len(), &mut || mesh.closest_hits(incoherent, &mut distances));
        group("mesh_closest_point", case.points.len(), &mut || {
            assert!(mesh.closest_points(&case.points, &mut distances))
        });
    }
}

criterion_group!(benches, meshes);
criterion_main!(benches);
