//! Where frames come from: a recording, a file, or a synthetic scene.

use crate::file;
use anyhow::{Context as _, Result, bail};
use readers::limits::FILE_BYTES_MAX;
use std::path::Path;
use workloads::{Frame, Scene, Trace, recordings};

/// A run of frames with a name.
pub(crate) struct Source {
    name: String,
    frames: usize,
    feed: Feed,
}

enum Feed {
    Trace(Trace),
    Scene { scene: Box<Scene>, first: Frame },
}

impl Source {
    /// The recording of that name.
    pub(crate) fn recording(name: &str) -> Result<Self> {
        let trace = recordings::by_name(name).with_context(|| format!("there is no recording {name:?}"))?;
        Ok(Self::trace(name.to_owned(), trace))
    }

    /// The trace in a file; if there is no such file, the recording of that name.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if !path.exists() && recordings::file(&name).is_some() {
            return Self::recording(&name);
        }
        let bytes = file::read(path, FILE_BYTES_MAX)?;
        let trace = readers::trace(&name, &bytes)?;
        let stem = path.file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned());
        Ok(Self::trace(stem, trace))
    }

    fn trace(name: String, trace: Trace) -> Self {
        Self { name, frames: trace.frames.len(), feed: Feed::Trace(trace) }
    }

    /// A synthetic scene: the first frame brings its objects, each other one is a step.
    pub(crate) fn scene(name: &str, objects: u32, seed: u64, frames: usize) -> Result<Self> {
        let Some(scene) = Scene::by_name(name, objects, seed) else {
            bail!("there is no scene {name:?}; the scenes are {}", Scene::NAMES.join(", "))
        };
        let spawned = (0..).zip(scene.objects().iter().copied()).collect();
        let first = Frame { spawned, ..Frame::default() };
        Ok(Self { name: name.to_owned(), frames, feed: Feed::Scene { scene: Box::new(scene), first } })
    }

    /// All frames of a trace; `None` of a scene.
    #[cfg(feature = "compare")]
    pub(crate) fn trace_frames(&self) -> Option<&[Frame]> {
        match &self.feed {
            Feed::Trace(trace) => Some(&trace.frames),
            Feed::Scene { .. } => None,
        }
    }

    /// The name to print.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.frames
    }

    /// Whether the frames are of a trace, which may be of anyone's making.
    pub(crate) fn is_trace(&self) -> bool {
        matches!(self.feed, Feed::Trace(_))
    }

    /// A frame. Frames must be asked for in order, each once.
    pub(crate) fn frame(&mut self, index: usize) -> &Frame {
        match &mut self.feed {
            Feed::Trace(trace) => &trace.frames[index],
            Feed::Scene { first, .. } if index == 0 => first,
            Feed::Scene { scene, .. } => scene.step(),
        }
    }
}
