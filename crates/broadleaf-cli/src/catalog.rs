//! What `broadleaf scenes` and `broadleaf draw` print.

use crate::format::{counted, thousands};
use crate::snapshot::Snapshot;
use serde::Serialize;
use std::fmt::{self, Display};
use std::path::Path;
use workloads::{Model, Scene, recordings};

/// All scenes, recordings and models.
#[derive(Debug, Serialize)]
pub(crate) struct Catalog {
    scenes: Vec<Entry>,
    recordings: Vec<Entry>,
    models: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: &'static str,
    description: &'static str,
}

impl Catalog {
    /// Everything there is.
    pub(crate) fn new() -> Self {
        let scenes = Scene::NAMES.into_iter().filter_map(|name| {
            let description = Scene::by_name(name, 1, 1)?.description();
            Some(Entry { name, description })
        });
        let recordings = recordings::NAMES.into_iter().filter_map(|name| {
            let description = recordings::description(name)?;
            Some(Entry { name, description })
        });
        let models = Model::NAMES.into_iter().filter_map(|name| {
            let description = Model::by_name(name, 1, 1)?.description();
            Some(Entry { name, description })
        });
        Self { scenes: scenes.collect(), recordings: recordings.collect(), models: models.collect() }
    }
}

impl Display for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, entries: &[Entry]| {
            entries.iter().try_for_each(|entry| writeln!(f, "  {:<12}{}", entry.name, entry.description))
        };
        writeln!(f, "Scenes, for `broadleaf run --scene NAME` and `broadleaf draw --scene NAME`:")?;
        list(f, &self.scenes)?;
        writeln!(f, "\nRecordings, for `broadleaf replay NAME`, `check NAME` and `draw NAME`:")?;
        list(f, &self.recordings)?;
        writeln!(f, "\nModels, for `broadleaf mesh --model NAME`:")?;
        list(f, &self.models)
    }
}

/// A picture that was written.
#[derive(Debug, Serialize)]
pub(crate) struct Drawn {
    name: String,
    frame: usize,
    objects: usize,
    pairs: usize,
    cells: usize,
    picture: String,
}

impl Drawn {
    /// The picture of a snapshot.
    pub(crate) fn new(name: &str, snapshot: &Snapshot, path: &Path) -> Self {
        Self {
            name: name.to_owned(),
            frame: snapshot.frame,
            objects: snapshot.objects.len(),
            pairs: snapshot.pairs.len(),
            cells: snapshot.cells.len(),
            picture: path.display().to_string(),
        }
    }
}

impl Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = counted(self.objects, "object", "objects");
        let (pairs, cells) = (thousands(self.pairs), counted(self.cells, "cell", "cells"));
        write!(f, "drew frame {} of {} into {}: ", self.frame, self.name, self.picture)?;
        writeln!(f, "{objects}, {pairs} overlapping pairs, {cells}")
    }
}
