//! A model of triangles: built, measured by four traversals, compared with
//! brute force, and drawn.

mod measure;
mod report;
mod verify;

use crate::args::{Common, MeshArguments};
use crate::file;
use crate::format::{counted, thousands};
use crate::picture::ModelPicture;
use crate::replay::{pool, progress_bar};
use anyhow::{Context as _, Result, bail};
use broadleaf::mesh::BuildQuality;
use broadleaf::{Mesh, Threads};
use classic_octree::{OctantMesh, OctantPlacement};
use measure::Subjects;
use readers::Triangles;
use readers::limits::FILE_BYTES_MAX;
pub(crate) use report::MeshReport;
use std::path::Path;
use std::time::Instant;
use workloads::Model;

/// Loads or makes the model, and does everything that was asked for.
pub(crate) fn run(arguments: &MeshArguments, common: &Common, progress: bool) -> Result<MeshReport> {
    let pool = pool(common.threads)?;
    let (name, triangles) = model(arguments)?;
    let quality = if arguments.high_quality { BuildQuality::High } else { BuildQuality::Fast };
    let make = |threads: Threads| {
        let start = Instant::now();
        let builder = Mesh::builder().threads(threads).quality(quality);
        let mesh = builder.from_indexed(&triangles.positions, &triangles.indices);
        (mesh, start.elapsed())
    };
    let (mesh, build) = match &pool {
        Some(pool) => pool.install(|| make(Threads::Pool)),
        None => make(Threads::One),
    };
    let mesh = mesh.with_context(|| format!("{name} is not a model"))?;
    drop(triangles);
    let start = Instant::now();
    let subjects = Subjects { plain: OctantMesh::new(&mesh, OctantPlacement::Shared), mesh: &mesh };
    let build_plain = start.elapsed();
    let questions = measure::Questions::new(&mesh, arguments.rays);
    let rates = measure::measure(&subjects, &questions, pool.as_ref(), progress);
    let verdict = verify::verify(&subjects, &questions, pool.as_ref(), progress);
    let mut report = MeshReport::new(&name, common.threads, &subjects, build, build_plain, rates, verdict);
    let picture = ModelPicture {
        mesh: &mesh,
        viewpoint: arguments.camera,
        cells: arguments.cells,
        title: &name,
        notes: &[
            counted(mesh.len(), "triangle", "triangles"),
            format!("{} bytes per triangle", thousands(report.bytes_per_triangle())),
        ],
    };
    let bar = progress_bar("row", usize::try_from(arguments.size.height)?, progress);
    let start = Instant::now();
    let block = picture.write(arguments.size, pool.as_ref(), &bar, &arguments.out)?;
    bar.finish_and_clear();
    report.drawn(&arguments.out, block, start.elapsed());
    Ok(report)
}

/// The name and the triangles of what is asked for.
fn model(arguments: &MeshArguments) -> Result<(String, Triangles)> {
    if let Some(file) = &arguments.file {
        let name = file.display().to_string();
        let directory = file.parent().unwrap_or(Path::new(""));
        let bytes = file::read(file, FILE_BYTES_MAX)?;
        let triangles = readers::model(&name, &bytes, &mut |beside, bytes| file::read_start(directory, beside, bytes))?;
        return Ok((name, triangles));
    }
    let Some(model) = Model::by_name(&arguments.model, arguments.triangles, arguments.seed) else {
        bail!("there is no model {:?}; the models are {}", arguments.model, Model::NAMES.join(", "))
    };
    let (positions, indices) = (model.positions().to_vec(), model.indices().to_vec());
    Ok((model.name().to_owned(), Triangles { positions, indices }))
}
