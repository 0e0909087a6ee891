//! Figures that pages quote: what stands between two comments is written anew.
//!
//! `<!-- figures: frame/uniform/100000/parry3d Bvh -->3.3<!-- end -->` is how many
//! times as long that peer takes, in the newest record that has it; a fifth part, `cold`,
//! asks for cold caches, and `value` as the last part for the library's own value with its unit.
//! `<!-- figures: goals -->` and `<!-- figures: sweep -->` are tables, `<!-- figures: machine -->` is a phrase.

use super::ratios::{Against, Case, cases};
use super::records::Records;
use super::{goals, page};

const BEGIN: &str = "<!-- figures: ";
const COMMENT_END: &str = "-->";
const ENDS: [&str; 2] = ["<!-- end -->", "<!-- /figures -->"];

/// A page with every figure as the records have it.
///
/// # Errors
/// A figure that no record has, or whose end is missing.
pub fn rewrite(text: &str, records: &Records) -> Result<String, String> {
    let (mut rest, mut written) = (text, String::new());
    while let Some(begin) = rest.find(BEGIN) {
        let name_start = begin + BEGIN.len();
        let name_len = rest[name_start..].find(COMMENT_END).ok_or("a comment that begins a figure has no end")?;
        let name = rest[name_start..name_start + name_len].trim();
        let body = &rest[name_start + name_len + COMMENT_END.len()..];
        let end = ENDS.iter().filter_map(|end| body.find(end)).min();
        let end = end.ok_or_else(|| format!("figure `{name}` has no end"))?;
        let figure = figure(name, records).ok_or_else(|| format!("no record has the figure `{name}`"))?;
        written.push_str(&rest[..rest.len() - body.len()]);
        // A table keeps to lines of its own.
        let line = if figure.contains('\n') { "\n" } else { "" };
        written += &format!("{line}{}{line}", figure.trim_end());
        rest = &body[end..];
    }
    Ok(written + rest)
}

fn figure(name: &str, records: &Records) -> Option<String> {
    match name {
        "goals" => Some(goals::table(records)),
        "sweep" => Some(page::sweep_summary(records)),
        "machine" => {
            let entry = records.records.first()?.entries.first()?;
            Some(format!("{}, {}", entry.processor, entry.build()))
        }
        _ => ratio(name, records),
    }
}

fn ratio(name: &str, records: &Records) -> Option<String> {
    let mut parts: Vec<&str> = name.split('/').collect();
    let caches = if parts.last() == Some(&"cold") { parts.pop()? } else { "warm" };
    let &[operation, scene, count, subject] = parts.as_slice() else { return None };
    let count: usize = count.parse().ok()?;
    let all = cases(&records.records);
    let is_asked = |case: &&Case| {
        let own = case.own;
        let is_of = own.caches == caches || own.caches.is_empty();
        (own.operation.as_str(), own.scene.as_str(), own.count) == (operation, scene, count) && is_of
    };
    // Of several runs, the one compiled for the newer processors, and the newest.
    let mut asked: Vec<&Case> = all.iter().filter(is_asked).collect();
    asked.sort_by_key(|case| (case.record.kind.ends_with("default"), std::cmp::Reverse(case.record.date.clone())));
    if subject == "value" {
        let own = asked.first()?.own;
        return Some(format!("{:.1} {}", own.value, own.unit));
    }
    let of = |against: Against<'_>| asked.iter().find_map(|case| case.other(against).map(|other| case.ratio(other)));
    let ratio = if subject == "best" { of(Against::Best) } else { of(Against::Named(subject)) }?;
    Some(format!("{ratio:.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn records() -> Records {
        let thread = std::thread::current().id();
        let folder = std::env::temp_dir().join(format!("figures-{}-{thread:?}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let head =
            "operation,scene,count,subject,value,least,unit,rounds,answers,processor,compiler,features,commit,command";
        let line = |subject: &str, value: f64| {
            format!("frame,even,100,{subject},{value},1,ns/object,3,7,P,rustc 1 (x),avx2,abc,compare")
        };
        let write = |name: &str, lines: &[String]| {
            std::fs::write(folder.join(name), format!("{head}\n{}\n", lines.join("\n"))).unwrap();
        };
        write("2026-01-01-v3.csv", &[line("broadleaf", 1.0), line("rstar", 9.0)]);
        write("2026-01-02-v3.csv", &[line("broadleaf", 10.0), line("rstar", 34.0), line("bvh", 20.0)]);
        let records = load(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        records
    }

    fn load(folder: &Path) -> Records {
        Records::load(folder).unwrap()
    }

    #[test]
    fn figures_are_those_of_the_newest_record() {
        let records = records();
        let page = "a <!-- figures: frame/even/100/rstar -->1<!-- end --> b\n\
            <!-- figures: frame/even/100/best --><!-- /figures --> <!-- figures: frame/even/100/value -->x<!-- end -->\n";
        let expected =
            page.replace(">1<", ">3.4<").replace("best --><", "best -->2.0<").replace(">x<", ">10.0 ns/object<");
        let written = rewrite(page, &records).unwrap();
        assert_eq!(written, expected);
        assert_eq!(rewrite(&written, &records).unwrap(), written);
    }

    #[test]
    fn figures_that_no_record_has_are_named() {
        let records = records();
        for name in ["frame/even/100/parry3d", "frame/even/7/rstar", "frame/even/100/rstar/cold", "nothing"] {
            let error = rewrite(&format!("<!-- figures: {name} -->1<!-- end -->"), &records).unwrap_err();
            assert!(error.contains(name), "{error}");
        }
        assert!(rewrite("<!-- figures: frame/even/100/rstar -->", &records).unwrap_err().contains("no end"));
    }
}
