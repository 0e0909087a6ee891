//! The page itself.

use super::goals;
use super::plots;
use super::ratios::{Against, Case, OWN, Ratios, cases, is_peer};
use super::records::{Entry, Record, Records};
use crate::chart::short;
use crate::subjects::PLAIN_TREE;
use crate::sweep::Measure;
use std::collections::BTreeSet;
use workloads::sweep::Series;

/// How the figures of every page were measured.
const HEAD: &str = "\
All subjects run in one process, in interleaved rounds; figures are medians of processor time.
Every answer is verified before it is timed. A ratio is the other's cost over broadleaf's: **above 1
broadleaf is quicker or smaller, below 1 it loses**. Tables begin with the worst row. *Warm*: the same
question was asked once before; *cold*: other memory was written before each block.
Peers know boxes alone and no layers, so questions about spheres are not compared with them.
The rows `broadleaf, all pairs` list the pairs of the same frames as the events, and find no events.
Scenes named `draw-NN` are random worlds, made from the seed in the command of the record. `compare sweep --list` prints
all scenes of the sweep with their parameters; `broadleaf scenes` lists the scenes, recordings and models of the others.
How to measure on your machine, and on a trace of your own: the section Measuring of `CONTRIBUTING.md`.
";

/// The page of the machine whose figures are quoted; `others` have pages of their own.
pub(super) fn page(records: &Records, machine: &str, others: &[String]) -> String {
    let mut text = head("Performance", "..");
    if !others.is_empty() {
        let links: Vec<String> = others.iter().map(|other| format!("[{other}](performance/{other}.md)")).collect();
        text += &format!("Figures of other machines: {}.\n", links.join(", "));
    }
    text + &body(records, machine, true)
}

/// The page of another machine, one folder deeper.
pub(super) fn page_of_other(records: &Records, machine: &str) -> String {
    head(&format!("Performance on {machine}"), "../..") + &body(records, machine, false)
}

/// The title and what holds for every page; `root` is the way to the root of the workspace.
fn head(title: &str, root: &str) -> String {
    format!(
        "# {title}\n\nThis page is written by `cargo xtask performance` from the records in\n\
         [`benches/record`]({root}/benches/record); do not edit it. `cargo xtask performance --record`\n\
         measures everything again, some hours on a machine that does nothing else.\n\n{HEAD}"
    )
}

/// The tables; the plots are those of the machine whose figures are quoted.
fn body(records: &Records, machine: &str, has_plots: bool) -> String {
    let mut text = String::from("\n## Records\n\n");
    text += &format!("Of each kind, the newest in `benches/record/{machine}`:\n\n{}", runs(records));
    text += "\n## What must be reached\n\n";
    text += "The worst row counts, over scenes that nobody tuned for, warm and cold. Rows are ratios to the best peer, \
             unless the name says otherwise. In rows marked (a cost) lower is better: the worst is the highest, and one \
             case in ten is as high as the tenth percentile, or higher. (Heap allocations in steady state, none, and the \
             cost of adversarial input are counts, so tests hold them, not this page.)\n\n";
    text += &goals::table(records);
    let series: Vec<&Record> = records.records.iter().filter(|record| record.is_series()).collect();
    if has_plots && !series.is_empty() {
        text += "\n## Over number, size, shape and density\n\n";
        text += &plots_text(records);
    }
    text += "\n## The sweep beside every peer\n\n";
    text +=
        &format!("The plain tree is the library's layout in its plainest form, no peer.\n\n{}", sweep_summary(records));
    text += "\n## The sweep, every scene\n\n";
    let sweep: Vec<&Record> = records.records.iter().filter(|record| record.is_sweep()).collect();
    text += &tables(&cases(sweep), "###");
    for record in records.records.iter().filter(|record| !record.is_sweep() && !record.is_series()) {
        text += &format!("\n## {}, {}\n\n{}", record.kind, record.date, tables(&cases([record]), "###"));
    }
    if !series.is_empty() {
        let title = if has_plots { "What the plots show" } else { "One parameter varied" };
        text += &format!("\n## {title}\n\n{}", tables(&cases(series), "###"));
    }
    text
}

/// Where the records come from.
fn runs(records: &Records) -> String {
    let mut text = String::from("| record | day | processor | compiler and target | commit | rounds | command |\n");
    text.push_str("|---|---|---|---|---|---:|---|\n");
    for Record { kind, date, entries } in &records.records {
        let Some(entry) = entries.first() else { continue };
        let Entry { processor, commit, command, .. } = entry;
        // What is no time needs one round.
        let rounds = entries.iter().map(|entry| entry.rounds).max().unwrap_or_default();
        text += &format!("| {kind} | {date} | {processor} | {} | {commit} | {rounds} | `{command}` |\n", entry.build());
    }
    text
}

fn plots_text(records: &Records) -> String {
    let mut text = String::from(
        "Cubes of one size, one pair each, evenly in a cube, of which one parameter varies; warm. Both axes are logarithmic.\n",
    );
    let has = |series: Series| {
        let entries = records.records.iter().filter(|record| record.is_series()).flat_map(|record| &record.entries);
        entries.map(|entry| Series::of_scene(&entry.scene)).any(|found| found.is_some_and(|(of, _)| of == series))
    };
    for series in Series::ALL.into_iter().filter(|&series| has(series)) {
        let (name, title) = (series.name(), plots::title(series));
        text +=
            &format!("\n**Over the {title}**\n\n![Cost of each operation over the {title}](performance/{name}.svg)\n");
    }
    text
}

/// Whom the library meets in some cases: the best peer, then each by name.
fn opponents(cases: &[&Case]) -> Vec<String> {
    let names: BTreeSet<&str> =
        cases.iter().flat_map(|case| &case.others).map(|other| other.subject.as_str()).collect();
    let peers = names.into_iter().filter(|name| is_peer(name) || *name == PLAIN_TREE);
    peers.map(str::to_owned).collect()
}

/// For each operation of the sweep and each peer: worst, tenth percentile, median, best.
pub(super) fn sweep_summary(records: &Records) -> String {
    let all = cases(records.records.iter().filter(|record| record.is_sweep()));
    let mut text = String::from("| operation | caches | against | rows | worst | 10 % | median | best | worst at |\n");
    text.push_str("|---|---|---|---:|---:|---:|---:|---:|---|\n");
    for measure in Measure::ALL {
        for caches in ["warm", "cold", ""] {
            let is_of = |case: &&Case| case.own.operation == measure.name() && case.own.caches == caches;
            let chosen: Vec<&Case> = all.iter().filter(is_of).collect();
            let named = opponents(&chosen);
            let against = std::iter::once(("best peer", Against::Best));
            for (name, against) in against.chain(named.iter().map(|name| (name.as_str(), Against::Named(name)))) {
                let ratios = Ratios::new(chosen.iter().copied(), against);
                let (Some(worst), Some(best)) = (ratios.worst(), ratios.best()) else { continue };
                let percent = |percent| ratios.percentile(percent).unwrap_or(f64::NAN);
                text += &format!(
                    "| {} | {caches} | {name} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {} |\n",
                    measure.name(),
                    ratios.0.len(),
                    worst.ratio,
                    percent(10),
                    percent(50),
                    best.ratio,
                    worst.place
                );
            }
        }
    }
    text
}

/// A table for each operation and state of the caches, with a column for each subject.
fn tables(cases: &[Case], heading: &str) -> String {
    let mut keys: Vec<(&str, &str, &str)> = Vec::new();
    for case in cases {
        let key = (case.own.operation.as_str(), case.own.caches.as_str(), case.own.unit.as_str());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut text = String::new();
    for (operation, caches, unit) in keys {
        let is_of = |case: &&Case| (case.own.operation.as_str(), case.own.caches.as_str()) == (operation, caches);
        let mut chosen: Vec<&Case> = cases.iter().filter(is_of).collect();
        let ratio = |case: &Case| case.other(Against::Best).map(|other| case.ratio(other));
        chosen.sort_by(|a, b| ratio(a).unwrap_or(f64::MAX).total_cmp(&ratio(b).unwrap_or(f64::MAX)));
        let subjects: BTreeSet<&str> =
            chosen.iter().flat_map(|case| &case.others).map(|other| other.subject.as_str()).collect();
        let state = if caches.is_empty() { String::new() } else { format!(", {caches}") };
        text +=
            &format!("{heading} {operation}{state}, {unit}\n\n| ratio to the best peer | scene | objects | {OWN} |");
        subjects.iter().for_each(|subject| text += &format!(" {subject} |"));
        text += "\n|---:|---|---:|---:|";
        text += &"---:|".repeat(subjects.len());
        text.push('\n');
        for case in chosen {
            let shown = ratio(case).map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
            let Entry { scene, count, value, .. } = case.own;
            text += &format!("| {shown} | {scene} | {} | {value:.1} |", short(*count as f64));
            for subject in &subjects {
                let other = case.others.iter().find(|other| other.subject == *subject);
                text += &other.map_or_else(|| " – |".to_owned(), |other| format!(" {:.1} |", other.value));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text
}
