//! Every frame of a trace against brute force, with all kinds of questions.

use crate::check::Verdict;
use crate::replay::{Stage, progress_bar};
use crate::snapshot::Snapshot;
use crate::source::Source;
use anyhow::Result;
use broadleaf::{Handle, Object};
use workloads::oracle::Selection;
use workloads::programs::{Question, compare_partners};
use workloads::{Oracle, Random};

/// Objects in each frame around which questions are asked.
const OBJECTS: usize = 16;

/// Compares every frame with brute force.
pub(crate) fn audit(source: &mut Source, threads: u16, progress: bool) -> Result<Verdict> {
    let mut verdict = Verdict::new(source.frames());
    let mut stage = Stage::new(threads)?;
    let bar = progress_bar("frame", source.frames(), progress);
    for frame in 0..source.frames() {
        stage.frame(source, frame)?;
        let snapshot = stage.snapshot(frame);
        let oracle = verdict.compare(&snapshot);
        compare_questions(&mut verdict, &mut stage, &snapshot, &oracle);
        if let Err(broken) = stage.world().tree().validate() {
            verdict.differ(format!("frame {frame}: {broken}"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(verdict)
}

/// Asks every kind of question around some of the objects, by every terminal.
fn compare_questions(verdict: &mut Verdict, stage: &mut Stage, snapshot: &Snapshot, oracle: &Oracle) {
    let frame = snapshot.frame;
    let view = stage.world().view();
    let mut random = Random::new(u64::try_from(frame).unwrap_or(0));
    for ((handle, object), (_, other)) in pick(snapshot, &mut random) {
        for question in Question::about(handle, &object, &other) {
            verdict.expect_ok(frame, question.name(), question.compare(view, oracle));
        }
        verdict.expect_ok(frame, "partners of an object", compare_partners(view, handle, oracle));
    }
    if let Some(camera) = &snapshot.questions.frustum {
        let visited = Question::Frustum(*camera, Selection::ALL).compare(view, oracle);
        verdict.expect_ok(frame, "visited frustum", visited);
    }
}

/// Some of the objects, each with another one.
fn pick(snapshot: &Snapshot, random: &mut Random) -> Vec<((Handle, Object), (Handle, Object))> {
    let Ok(count @ 1..) = u32::try_from(snapshot.objects.len()) else { return Vec::new() };
    let mut one = || snapshot.objects[usize::try_from(random.below(count)).unwrap_or(0)];
    (0..OBJECTS).map(|_| (one(), one())).collect()
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
