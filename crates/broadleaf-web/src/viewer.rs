//! What each command does.

use crate::buffers::{Buffer, Buffers};
use crate::clock::timed;
use crate::draw::{Painter, add_pairs, selected};
use crate::feed::Feed;
use crate::model::Model;
use crate::protocol::{Catalog, Command, FrameCommand, Opened, Report, Selection, Settings, Source, bytes};
use crate::questions::{Answers, ray};
use crate::selection;
use crate::world::World;
use anyhow::{Context as _, Result, bail};
use broadleaf::Handle;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Objects of a scene, at most.
const OBJECTS_MAX: u32 = 200_000;

/// The page's viewer: what is open, the files, the buffers.
#[derive(Default)]
pub struct Viewer {
    files: BTreeMap<String, Vec<u8>>,
    /// Files that are kept if the next source opens: a broken one replaces none.
    on_trial: BTreeMap<String, Vec<u8>>,
    /// The name of the file that comes next, and whether it is on trial.
    coming: Option<(String, bool)>,
    open: Option<Open>,
    /// The name of what is open, for messages.
    name: String,
    picked: Option<Handle>,
    answers: Answers,
    painter: Painter,
    buffers: Buffers,
}

enum Open {
    World(Box<World>),
    Model(Box<Model>),
}

/// An answer of the viewer, or what is wrong.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Outcome<T> {
    Answer(T),
    Error(String),
}

impl Viewer {
    /// Runs a command, as JSON; the answer, as JSON.
    pub fn run(&mut self, command: &[u8]) -> String {
        let outcome = serde_json::from_slice(command).context("the command").and_then(|command| self.dispatch(command));
        // What cannot be written as JSON would be a fault of the viewer's.
        outcome.unwrap_or_else(|error| json(&Outcome::<()>::Error(format!("{error:#}"))))
    }

    /// The buffers as of the last command.
    #[must_use]
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Keeps a file of the name that the last command said.
    pub fn receive_file(&mut self, bytes: Vec<u8>) {
        if let Some((name, on_trial)) = self.coming.take() {
            let files = if on_trial { &mut self.on_trial } else { &mut self.files };
            files.insert(name, bytes);
        }
    }

    fn dispatch(&mut self, command: Command) -> Result<String> {
        Ok(match command {
            Command::Catalog => answer(&Catalog::new()),
            Command::File { name, on_trial } => {
                self.coming = Some((name, on_trial));
                answer(&())
            }
            Command::Open { source, settings } => answer(&self.open(&source, settings)?),
            Command::Frame(command) => answer(&self.frame(&command)?),
            Command::Layers { mask } => {
                self.world()?.set_layers(mask)?;
                answer(&())
            }
            Command::Pick { ray: input } => answer(&self.pick(&input)?),
            Command::PickSlot { slot } => {
                self.picked = selection::pick_slot(self.world()?, slot);
                answer(&self.selected())
            }
            Command::Selected => answer(&self.selected()),
            Command::StateHash => answer(&format!("{:016x}", self.world()?.tree().state_hash())),
        })
    }

    /// Opens a source. If it is broken, what is open stays, and so do the files of before.
    fn open(&mut self, source: &Source, settings: Settings) -> Result<Opened> {
        let outcome = self.open_with_trial(source, settings);
        let on_trial = std::mem::take(&mut self.on_trial);
        if outcome.is_ok() {
            self.files.extend(on_trial);
        }
        outcome
    }

    fn open_with_trial(&mut self, source: &Source, settings: Settings) -> Result<Opened> {
        let mut open = match source {
            Source::Scene { name, objects, seed } => {
                let objects = (*objects).clamp(1, OBJECTS_MAX);
                let feed = Feed::scene(name, objects, *seed).with_context(|| format!("there is no scene {name:?}"))?;
                Open::World(Box::new(World::new(feed, settings)?))
            }
            Source::File { name } => self.read(name, settings)?,
        };
        let name = source.short_name();
        if let Open::World(world) = &mut open {
            world.seek(0).with_context(|| name.clone())?;
        }
        self.name = name;
        self.picked = None;
        self.buffers.clear();
        self.answers = Answers::default();
        Ok(match self.open.insert(open) {
            Open::World(world) => {
                let focus = world.focus();
                self.painter.set_focus(focus);
                Opened { frames: world.frames(), focus, triangles: 0 }
            }
            Open::Model(model) => {
                model.fill(&mut self.buffers);
                Opened { frames: 0, focus: model.focus(), triangles: model.len() }
            }
        })
    }

    fn read(&self, name: &str, settings: Settings) -> Result<Open> {
        let bytes = self.file(name).with_context(|| format!("there is no file {name:?}"))?;
        if readers::is_model(name) {
            let mut beside = |path: &Path, length: u64| {
                // Files within a page have paths; files that are dropped have only names.
                let in_page = self.file(&path.display().to_string());
                let file = in_page.or_else(|| self.file(&path.file_name()?.to_string_lossy()));
                let file = file.with_context(|| format!("drop {} together with {name}", path.display()))?;
                let length = usize::try_from(length).unwrap_or(usize::MAX).min(file.len());
                Ok(file[..length].to_vec())
            };
            return Ok(Open::Model(Box::new(Model::new(name, readers::model(name, bytes, &mut beside)?)?)));
        }
        Ok(Open::World(Box::new(World::new(Feed::trace(readers::trace(name, bytes)?), settings)?)))
    }

    fn file(&self, name: &str) -> Option<&Vec<u8>> {
        self.on_trial.get(name).or_else(|| self.files.get(name))
    }

    fn world(&mut self) -> Result<&mut World> {
        match &mut self.open {
            Some(Open::World(world)) => Ok(world),
            Some(Open::Model(_)) => bail!("a model has no objects"),
            None => bail!("nothing is open"),
        }
    }

    fn frame(&mut self, command: &FrameCommand) -> Result<Report> {
        let world = match self.open.as_mut().context("nothing is open")? {
            Open::Model(model) => return model.frame(command, &mut self.buffers),
            Open::World(world) => world,
        };
        let mut report = Report::default();
        let moved = match command.seek {
            Some(frame) => world.seek(frame),
            None => world.advance(command.steps),
        };
        moved.with_context(|| self.name.clone())?;
        report.ms = world.times();
        let answers = &mut self.answers;
        answers.clear();
        timed(&mut report.ms.questions, || {
            report.probe = command.probe.as_ref().map(|probe| answers.probe(world, probe)).transpose()?;
            report.culling = command.culling.as_ref().map(|matrix| answers.cull(world, matrix)).transpose()?;
            match command.budget {
                Some(pairs) => report.budget = Some(answers.serve(world, pairs)),
                None => answers.serve_all(world),
            }
            anyhow::Ok(())
        })?;
        let (painter, buffers) = (&mut self.painter, &mut self.buffers);
        timed(&mut report.ms.buffers, || report.undrawn = fill(painter, buffers, world, answers, command, self.picked));
        (report.frame, report.at_end) = (world.frame(), world.at_end());
        (report.objects, report.pairs) = (world.tree().len(), world.pairs().len());
        (report.begun, report.ended) = (world.tracker().begun().len(), world.tracker().ended().len());
        (report.memory, report.counters) = (bytes(world.tree().memory()), world.tree().counters().into());
        Ok(report)
    }

    fn pick(&mut self, input: &crate::protocol::RayInput) -> Result<Option<Selection>> {
        let ray = ray(input)?;
        match self.open.as_mut().context("nothing is open")? {
            Open::Model(model) => Ok(model.pick(&ray, &mut self.buffers)),
            Open::World(world) => {
                self.picked = selection::pick(world, &ray);
                Ok(self.selected())
            }
        }
    }

    /// What there is to say of the picked object; `None` if there is none, or it lives no more.
    fn selected(&mut self) -> Option<Selection> {
        match &mut self.open {
            Some(Open::World(world)) => selection::describe(world, self.picked?),
            _ => None,
        }
    }
}

/// Fills all buffers of a world; how many objects cannot be drawn.
fn fill(
    painter: &mut Painter,
    buffers: &mut Buffers,
    world: &mut World,
    answers: &Answers,
    command: &FrameCommand,
    picked: Option<Handle>,
) -> usize {
    // The painter writes the solids over those of the last frame; flashes stay until they are taken.
    for (_, buffer) in Buffer::ALL {
        if !matches!(
            buffer,
            Buffer::BoxMatrices
                | Buffer::BoxColors
                | Buffer::SphereMatrices
                | Buffer::SphereColors
                | Buffer::Begun
                | Buffer::Ended
                | Buffer::Triangles
        ) {
            buffers.of(buffer).clear();
        }
    }
    let undrawn = painter.objects(buffers, world, answers, command.ease);
    painter.nodes(buffers, &world.nodes, command.show);
    painter.probe(buffers, world, answers);
    if command.show.pairs {
        add_pairs(buffers.of(Buffer::Pairs), &world.centers, world.pairs());
    }
    add_pairs(buffers.of(Buffer::Deferred), &world.centers, &answers.deferred);
    if command.flashes {
        for (pairs, buffer) in [(&mut world.begun, Buffer::Begun), (&mut world.ended, Buffer::Ended)] {
            let lines = buffers.of(buffer);
            lines.clear();
            add_pairs(lines, &world.centers, pairs.iter());
            pairs.clear();
        }
    }
    if let Some(handle) = picked {
        selected(buffers, world, handle);
    }
    undrawn
}

fn answer<T: Serialize>(answer: &T) -> String {
    json(&Outcome::Answer(answer))
}

fn json<T: Serialize>(outcome: &Outcome<T>) -> String {
    serde_json::to_string(outcome).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}
