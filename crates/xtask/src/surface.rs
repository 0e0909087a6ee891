//! The step `surface`: how many methods and types a reader of the documentation
//! has to choose from.
//!
//! Counts are taken from the pages that rustdoc writes. Methods are inherent and
//! public; those of one name count once a type. Types that answer questions are
//! those whose name ends in `Query` or `Queries`, found by following signatures.

use crate::run::{cargo, run, target_dir};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Types with a limit on their methods.
const METHODS_MAX: [(&str, usize); 3] = [("View", 18), ("Octree", 34), ("Mesh", 16)];
/// The limit on the methods of `View` and of all that its openings return.
const QUESTIONS_MAX: usize = 120;
/// The limit on the types and traits that the root names.
const ROOT_MAX: usize = 28;

/// Writes the documentation, prints the counts, and fails if one is above its limit.
pub(crate) fn check() -> Result<(), String> {
    run(&mut cargo("doc -p broadleaf --no-deps"))?;
    let root = target_dir("doc").join("broadleaf");
    let mut above = Vec::new();
    let mut print = |what: &str, count: usize, limit: Option<usize>| {
        let of = limit.map_or(String::new(), |limit| format!(" of at most {limit}"));
        println!("{what:40} {count:>4}{of}");
        if limit.is_some_and(|limit| count > limit) {
            above.push(what.to_owned());
        }
    };
    print("types at the root", types(&read(&root.join("index.html"))?), Some(ROOT_MAX));
    for (name, limit) in METHODS_MAX {
        print(name, methods(&read(&page(&root, name))?)?.len(), Some(limit));
    }
    let questions = questions(page(&root, "View"))?;
    for (name, methods) in questions.iter().filter(|(name, _)| *name != "View") {
        print(name, methods.len(), None);
    }
    print("View and all that it returns", questions.values().map(BTreeSet::len).sum(), Some(QUESTIONS_MAX));
    if above.is_empty() { Ok(()) } else { Err(format!("more than planned: {}", above.join(", "))) }
}

fn read(page: &Path) -> Result<String, String> {
    std::fs::read_to_string(page).map_err(|error| format!("{}: {error}", page.display()))
}

fn page(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("struct.{name}.html"))
}

/// The part of a type's page that lists its own methods.
fn own_methods(page: &str) -> Result<&str, String> {
    let from = page.find("id=\"implementations-list\"").ok_or("a page without methods")?;
    let own = &page[from..];
    Ok(own.find("id=\"trait-implementations\"").map_or(own, |to| &own[..to]))
}

/// The names of a type's own methods.
fn methods(page: &str) -> Result<BTreeSet<String>, String> {
    let anchors = own_methods(page)?.split("id=\"method.").skip(1);
    // A name that several blocks have gets a number at its end.
    let name = |rest: &str| rest.split(['"', '-']).next().map(str::to_owned);
    let names: BTreeSet<String> = anchors.filter_map(name).collect();
    if names.is_empty() { Err("a page whose methods could not be read".into()) } else { Ok(names) }
}

/// The methods of a type and of all question types in its signatures.
fn questions(start: PathBuf) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let (mut found, mut waiting) = (BTreeMap::new(), vec![start]);
    while let Some(path) = waiting.pop() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.trim_start_matches("struct.").trim_end_matches(".html").to_owned();
        if found.contains_key(&name) {
            continue;
        }
        let text = read(&path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let signatures = own_methods(&text)?.split("<h4 class=\"code-header\">").skip(1);
        for link in signatures
            .filter_map(|rest| rest.split("</h4>").next())
            .flat_map(|signature| signature.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()))
        {
            if link.ends_with("Query.html") || link.ends_with("Queries.html") {
                waiting.push(folder.join(link));
            }
        }
        found.insert(name, methods(&text)?);
    }
    Ok(found)
}

/// The types and traits that a module's page lists.
fn types(page: &str) -> usize {
    let entries = page.split("<dt").skip(1).filter_map(|rest| rest.split("</dt>").next());
    let is_type = |entry: &&str| {
        ["struct", "enum", "trait", "type", "union"].iter().any(|kind| entry.contains(&format!("<a class=\"{kind}\"")))
    };
    entries.filter(is_type).count()
}
