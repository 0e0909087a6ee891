//! The listing of the library's public interface, `crates/broadleaf/api.txt`.
//!
//! It is taken from the pages that rustdoc writes, with every feature: what each item
//! declares, its methods, and the traits that it implements, automatic ones
//! too. A line that is gone is a change that may break callers; so the listing of any revision
//! tells whether the version covers what has changed since, without a build of that revision.

use crate::run::{cargo, output, root, run, target_dir};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const LISTING: &str = "crates/broadleaf/api.txt";

/// Writes the listing.
pub(crate) fn write() -> Result<(), String> {
    let text = text(&listing()?);
    std::fs::write(root().join(LISTING), text).map_err(|error| format!("{LISTING}: {error}"))
}

/// Fails if the listing is not that of the library, or the version does not cover
/// what has changed since the last release.
pub(crate) fn check() -> Result<(), String> {
    let current = listing()?;
    let kept = std::fs::read_to_string(root().join(LISTING)).map_err(|error| format!("{LISTING}: {error}"))?;
    if kept != text(&current) {
        let _ = print_changes(&lines(&kept), &current);
        return Err(format!("{LISTING} is not what the library is: run `cargo xtask api` and commit what has changed"));
    }
    match output(Command::new("git").args(["tag", "--list", "v*", "--sort=-version:refname"]).current_dir(root())) {
        Ok(tags) if !tags.trim().is_empty() => compare(tags.lines().next().unwrap_or_default(), &current),
        _ => {
            println!("no release to compare with");
            Ok(())
        }
    }
}

/// Compares the library with the listing of a revision.
pub(crate) fn against(revision: &str) -> Result<(), String> {
    compare(revision, &listing()?)
}

fn compare(revision: &str, current: &BTreeSet<String>) -> Result<(), String> {
    let show =
        |file: &str| output(Command::new("git").args(["show", &format!("{revision}:{file}")]).current_dir(root()));
    let (before, manifest) = (lines(&show(LISTING)?), show("Cargo.toml")?);
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = ")).unwrap_or_default();
    let (gone, new) = print_changes(&before, current);
    let (old, own) = (version.trim_matches('"').to_owned(), env!("CARGO_PKG_VERSION"));
    println!("since {revision} (version {old}): {gone} lines are gone, {new} are new; the version is {own}");
    match allowed(&old, own) {
        Change::Breaking => Ok(()),
        Change::Addition if gone == 0 => Ok(()),
        Change::None if gone + new == 0 => Ok(()),
        _ if gone > 0 => Err(format!("what is gone may break callers: {own} must be a breaking version after {old}")),
        _ => Err(format!("{own} must be a later version than {old}")),
    }
}

/// What a version may bring.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    None,
    Addition,
    Breaking,
}

/// What may change from one version to another, as Cargo understands them: before 1.0.0
/// the second number counts as the first does later.
fn allowed(old: &str, new: &str) -> Change {
    let numbers = |version: &str| -> Vec<u64> { version.split('.').filter_map(|number| number.parse().ok()).collect() };
    let (old, new) = (numbers(old), numbers(new));
    let leading = |numbers: &[u64]| numbers.iter().position(|&number| number > 0).unwrap_or(2).min(2);
    if new <= old {
        Change::None
    } else if old[..=leading(&old).min(old.len().saturating_sub(1))]
        == new[..=leading(&old).min(new.len().saturating_sub(1))]
    {
        Change::Addition
    } else {
        Change::Breaking
    }
}

/// Prints what is gone and what is new; how many lines each.
fn print_changes(before: &BTreeSet<String>, after: &BTreeSet<String>) -> (usize, usize) {
    let (gone, new): (Vec<_>, Vec<_>) = (before.difference(after).collect(), after.difference(before).collect());
    gone.iter().for_each(|line| println!("- {line}"));
    new.iter().for_each(|line| println!("+ {line}"));
    (gone.len(), new.len())
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}

fn text(listing: &BTreeSet<String>) -> String {
    listing.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of the listing.
fn listing() -> Result<BTreeSet<String>, String> {
    let target = target_dir("api");
    run(cargo("doc -p broadleaf --no-deps --all-features").env("CARGO_TARGET_DIR", &target))?;
    let folder = target.join("doc/broadleaf");
    let all = read(&folder.join("all.html"))?;
    // Items are listed after the page's navigation, by links that have no other attribute.
    let pages: BTreeSet<&str> = all
        .split("<li><a href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|link| link.ends_with(".html") && !link.starts_with(['#', '.']))
        .collect();
    let mut listing = BTreeSet::new();
    for page in pages {
        let html = read(&folder.join(page))?;
        let name = page.trim_end_matches(".html").replace('/', "::").replace('.', " ");
        let own = before(&html, "id=\"blanket-implementations");
        let declared = between(own, "<pre class=\"rust item-decl\">", "</pre>").into_iter().flat_map(parts);
        let headers = between(own, "class=\"code-header\">", "</h").into_iter().map(|header| plain(&header));
        let lines = declared.chain(headers).filter(|line| !line.is_empty());
        listing.extend(lines.map(|line| format!("{name}: {line}")));
    }
    if listing.len() < 100 { Err("pages whose items could not be read".into()) } else { Ok(listing) }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The text up to where something begins.
fn before<'a>(text: &'a str, what: &str) -> &'a str {
    text.find(what).map_or(text, |end| &text[..end])
}

/// Every text between a beginning and the next end.
fn between(text: &str, begin: &str, end: &str) -> Vec<String> {
    text.split(begin).skip(1).filter_map(|rest| rest.split(end).next()).map(str::to_owned).collect()
}

/// A declaration: fields, variants and methods of a trait each on a line of their own.
fn parts(declaration: String) -> Vec<String> {
    let whole = unmarked(&declaration);
    let Some((head, body)) = whole.split_once('{') else { return vec![plain(&declaration)] };
    let inner = body.rsplit_once('}').map_or(body, |(inner, _)| inner);
    let is_line = |line: &&str| !line.starts_with("//") && !matches!(*line, "" | "}" | "{ ... }");
    let inner = inner.lines().map(str::trim).filter(is_line).map(|line| format!("{{ {line}"));
    std::iter::once(one_line(head)).chain(inner.map(|line| one_line(&line))).collect()
}

/// Text without tags, in one line.
fn plain(html: &str) -> String {
    one_line(&unmarked(html))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text without tags and entities.
fn unmarked(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("§", ""), ("&amp;", "&")]
        .into_iter()
        .fold(text, |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_allow_what_cargo_takes_them_to_allow() {
        for (old, new, change) in [
            ("0.1.0", "0.1.0", Change::None),
            ("0.1.0", "0.1.1", Change::Addition),
            ("0.1.1", "0.2.0", Change::Breaking),
            ("1.2.0", "1.3.0", Change::Addition),
            ("1.2.0", "2.0.0", Change::Breaking),
            ("0.9.0", "1.0.0", Change::Breaking),
            ("0.0.1", "0.0.2", Change::Breaking),
            ("1.2.0", "1.1.9", Change::None),
        ] {
            assert_eq!(allowed(old, new), change, "{old} to {new}");
        }
    }

    #[test]
    fn declarations_are_read_without_their_marks() {
        let html = "<code>pub struct <a href=\"x\">Pair</a>&lt;T&gt; {\n    pub a: <span>u32</span>,\n    <span>// some fields omitted</span>\n}</code>";
        assert_eq!(parts(html.to_owned()), ["pub struct Pair<T>", "{ pub a: u32,"]);
        assert_eq!(plain("pub fn <a>f</a>(\n  self,\n) -&gt; &amp;str"), "pub fn f( self, ) -> &str");
    }
}
