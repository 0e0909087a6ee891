//! Links: of every Markdown file in the repository, of the crate's documentation, of the guide as a book.
//!
//! Nothing is asked of the network: links to other hosts are not followed. A link is good if
//! the file is there and, where the link names a heading, the heading too.

use crate::run::{cargo, output, root, run, target_dir};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The links of Markdown files, and of the library's documentation, which it builds.
pub(crate) fn check() -> Result<(), String> {
    let files = output(Command::new("git").current_dir(root()).args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.md",
    ]))?;
    let mut known = BTreeMap::new();
    let (mut links, mut broken) = (0, Vec::new());
    for file in files.lines().map(|file| root().join(file)).filter(|file| file.exists()) {
        links += check_markdown(&file, &mut known, &mut broken)?;
    }
    println!("    {links} links in {} Markdown files", files.lines().count());
    report(broken)?;
    run(cargo("doc -p broadleaf --no-deps").env("RUSTDOCFLAGS", "-D warnings"))?;
    check_html(&documentation())
}

/// Where rustdoc writes the pages of the library.
fn documentation() -> PathBuf {
    target_dir("doc").join("broadleaf")
}

/// Checks the links of every page in a folder of HTML.
pub(crate) fn check_html(folder: &Path) -> Result<(), String> {
    let mut pages = Vec::new();
    find_pages(folder, &mut pages)?;
    let (mut links, mut broken, mut known) = (0, Vec::new(), BTreeMap::new());
    for page in &pages {
        for link in attributes(&read(page)?) {
            links += 1;
            let (path, fragment) = split(&link);
            let target = resolve(page, path);
            if !target.exists() {
                broken.push(format!("{}: {link}", page.display()));
            } else if let Some(id) = fragment.filter(|id| is_checked(&target, id)) {
                let ids = known.entry(target.clone()).or_insert_with(|| ids(&target));
                if !ids.contains(id) {
                    broken.push(format!("{}: {link}: no such place", page.display()));
                }
            }
        }
    }
    println!("    {links} links in {} pages of {}", pages.len(), folder.display());
    if pages.is_empty() {
        return Err(format!("{} has no pages", folder.display()));
    }
    report(broken)
}

fn report(broken: Vec<String>) -> Result<(), String> {
    if broken.is_empty() {
        return Ok(());
    }
    let number = broken.len();
    broken.into_iter().for_each(|link| println!("    {link}"));
    Err(format!("{number} broken links"))
}

/// Checks the links of a Markdown file and returns how many it has.
fn check_markdown(
    file: &Path,
    known: &mut BTreeMap<PathBuf, BTreeSet<String>>,
    broken: &mut Vec<String>,
) -> Result<usize, String> {
    let text = read(file)?;
    let mut number = 0;
    for event in Parser::new_ext(&text, Options::all()) {
        let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) = event else {
            continue;
        };
        if is_elsewhere(&dest_url) {
            continue;
        }
        number += 1;
        let (path, fragment) = split(&dest_url);
        let target = resolve(file, path);
        let shown = || format!("{}: {dest_url}", file.strip_prefix(root()).unwrap_or(file).display());
        if !target.exists() {
            broken.push(shown());
        } else if let Some(heading) = fragment.filter(|_| target.extension().is_some_and(|it| it == "md")) {
            if !known.contains_key(&target) {
                known.insert(target.clone(), headings(&read(&target)?));
            }
            if !known[&target].contains(heading) {
                broken.push(format!("{}: no such heading", shown()));
            }
        }
    }
    Ok(number)
}

/// The anchors of a file's headings, as forges and mdBook name them.
fn headings(text: &str) -> BTreeSet<String> {
    let (mut anchors, mut heading) = (BTreeSet::new(), None);
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let numbered = (1..).map(|number| format!("{anchor}-{number}"));
                let free = std::iter::once(anchor.clone()).chain(numbered).find(|name| !anchors.contains(name));
                anchors.extend(free);
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_');
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Whether a link leads to another host, or is no link to a file.
fn is_elsewhere(link: &str) -> bool {
    ["http:", "https:", "mailto:", "data:", "javascript:"].iter().any(|scheme| link.starts_with(scheme))
}

fn split(link: &str) -> (&str, Option<&str>) {
    let (path, fragment) = link.split_once('#').map_or((link, None), |(path, fragment)| (path, Some(fragment)));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    (path, fragment.filter(|fragment| !fragment.is_empty()))
}

/// The file that a link in another one names.
fn resolve(from: &Path, link: &str) -> PathBuf {
    if link.is_empty() {
        return from.to_owned();
    }
    let mut path = from.parent().unwrap_or(from).to_owned();
    for part in Path::new(&link.replace("%20", " ")).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// The values of `href` and `src` in a page that name files.
fn attributes(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in [" href=\"", " src=\""] {
        for rest in page.split(name).skip(1) {
            let value = rest.split('"').next().unwrap_or_default();
            if !is_elsewhere(value) && value != "#" && !value.is_empty() {
                found.push(decoded(value));
            }
        }
    }
    found
}

/// Whether a place in a page can be checked: lines of sources are made by a script.
fn is_checked(page: &Path, id: &str) -> bool {
    page.extension().is_some_and(|it| it == "html")
        && !page.components().any(|part| part.as_os_str() == "src")
        && !id.contains('=')
}

/// The places that a page names.
fn ids(page: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    let parts = text.split(" id=\"").skip(1);
    parts.filter_map(|rest| rest.split('"').next()).map(decoded).collect()
}

/// An attribute's value without the escapes of pages and of links.
fn decoded(value: &str) -> String {
    let escapes =
        [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("%3C", "<"), ("%3E", ">"), ("%5B", "["), ("%5D", "]")];
    escapes.iter().fold(value.to_owned(), |value, (escape, plain)| value.replace(escape, plain))
}

fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.is_dir() {
            find_pages(&path, pages)?;
        } else if path.extension().is_some_and(|it| it == "html") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{attributes, headings, resolve, split};
    use std::path::{Path, PathBuf};

    #[test]
    fn anchors_are_those_of_forges() {
        let anchors = headings("# The `View` type: what, and why?\n\n## Twice\n\n## Twice\n");
        let expected = ["the-view-type-what-and-why", "twice", "twice-1"];
        assert_eq!(anchors.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn links_are_resolved_from_the_folder_of_their_file() {
        assert_eq!(resolve(Path::new("/a/b/c.md"), "../d.md"), PathBuf::from("/a/d.md"));
        assert_eq!(split("../d.md#part"), ("../d.md", Some("part")));
        assert_eq!(split("#part"), ("", Some("part")));
    }

    #[test]
    fn only_links_to_files_are_checked() {
        let page = r#"<a href="x.html#y">x</a> <a href="https://example.com">e</a> <img src="p.svg">"#;
        assert_eq!(attributes(page), ["x.html#y", "p.svg"]);
    }
}
