//! The minimum Rust: what each package that the library needs declares, against
//! what the library promises.
//!
//! The compiler of that version is not run, for only the newest is at hand. So
//! the promise rests on this check, on clippy's `incompatible_msrv` for the
//! standard library's items, and on a reader's eye for syntax.

use crate::run::metadata;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The published package.
const LIBRARY: &str = "broadleaf";

/// Packages that declare no minimum. Each is of edition 2018 or 2021; a new one
/// is looked at before it is added.
const UNDECLARED: [&str; 8] =
    ["bytemuck", "cobs", "embedded-io", "mint", "postcard", "prefetch-index", "sync_wrapper", "xxhash-rust"];

/// A version of Rust: major, minor, patch.
type Version = [u32; 3];

/// What was found: packages that the library needs with all its features.
struct Findings {
    promised: Version,
    declared: usize,
    highest: Version,
    undeclared: BTreeSet<String>,
    faults: Vec<String>,
}

/// Checks every package that the library needs to build, with all features.
pub(crate) fn check() -> Result<(), String> {
    let metadata = metadata(
        "--locked --filter-platform x86_64-unknown-linux-gnu --features broadleaf/snapshot,broadleaf/mint,broadleaf/parallel",
    )?;
    let findings = examine(&metadata, &UNDECLARED)?;
    let [promised, highest] = [findings.promised, findings.highest].map(shown);
    println!("    promised {promised}; {} packages declare a minimum, the highest is {highest}", findings.declared);
    println!("    without one: {}", findings.undeclared.iter().cloned().collect::<Vec<_>>().join(", "));
    if findings.faults.is_empty() { Ok(()) } else { Err(findings.faults.join("; ")) }
}

/// Walks the packages that the library needs: its dependencies, theirs, and what these build with.
fn examine(metadata: &Value, undeclared: &[&str]) -> Result<Findings, String> {
    let packages: BTreeMap<&str, &Value> = by_id(&metadata["packages"]);
    let nodes: BTreeMap<&str, &Value> = by_id(&metadata["resolve"]["nodes"]);
    let is_library = |package: &&&Value| package["name"] == LIBRARY && package["source"].is_null();
    let library = packages.values().find(is_library).ok_or("cargo metadata: the library is missing")?;
    let promised = version(&library["rust_version"]).ok_or("the library promises no minimum Rust")?;
    let mut findings =
        Findings { promised, declared: 0, highest: [0; 3], undeclared: BTreeSet::new(), faults: Vec::new() };
    let mut stack: Vec<&str> = library["id"].as_str().into_iter().collect();
    let mut met = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if !met.insert(id) {
            continue;
        }
        let node = nodes.get(id).ok_or_else(|| format!("cargo metadata: {id} is not resolved"))?;
        stack.extend(needed(node));
        let package = packages.get(id).ok_or_else(|| format!("cargo metadata: {id} is not described"))?;
        findings.judge(package, undeclared);
    }
    let unknown = undeclared.iter().filter(|name| !findings.undeclared.contains(**name));
    let unknown: Vec<String> = unknown.map(|name| format!("{name} is listed as undeclared, but is not")).collect();
    findings.faults.extend(unknown);
    Ok(findings)
}

impl Findings {
    fn judge(&mut self, package: &Value, undeclared: &[&str]) {
        let name = package["name"].as_str().unwrap_or_default();
        let named = format!("{name} {}", package["version"].as_str().unwrap_or_default());
        match version(&package["rust_version"]) {
            Some(needs) => {
                self.declared += 1;
                self.highest = self.highest.max(if name == LIBRARY { [0; 3] } else { needs });
                if needs > self.promised {
                    let (needs, promised) = (shown(needs), shown(self.promised));
                    self.faults.push(format!("{named} needs Rust {needs}, {promised} is promised"));
                }
            }
            None => {
                self.undeclared.insert(name.to_owned());
                if !undeclared.contains(&name) {
                    self.faults.push(format!("{named} declares no minimum Rust"));
                }
            }
        }
    }
}

fn by_id(list: &Value) -> BTreeMap<&str, &Value> {
    list.as_array().into_iter().flatten().filter_map(|item| Some((item["id"].as_str()?, item))).collect()
}

/// The packages that one needs to build; those of its tests are left out.
fn needed(node: &Value) -> impl Iterator<Item = &str> {
    let builds = |kind: &Value| kind["kind"].is_null() || kind["kind"] == "build";
    let is_needed = move |dependency: &&Value| dependency["dep_kinds"].as_array().into_iter().flatten().any(builds);
    node["deps"].as_array().into_iter().flatten().filter(is_needed).filter_map(|dependency| dependency["pkg"].as_str())
}

/// A version; what is missing at its end is zero.
fn version(value: &Value) -> Option<Version> {
    let mut version = [0; 3];
    let mut parts = value.as_str()?.split('.');
    for (number, part) in version.iter_mut().zip(&mut parts) {
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(version)
}

fn shown([major, minor, patch]: Version) -> String {
    if patch == 0 { format!("{major}.{minor}") } else { format!("{major}.{minor}.{patch}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The library with a dependency `direct`, which has `deep`; a tool for tests needs a newer Rust.
    fn metadata(deep: Value) -> Value {
        let package =
            |name: &str, rust: Value| json!({"id": name, "name": name, "version": "1.0.0", "rust_version": rust});
        let node = |id: &str, deps: Value| json!({"id": id, "deps": deps});
        let on = |id: &str, kind: Value| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        json!({
            "packages": [
                package(LIBRARY, json!("1.90")), package("direct", json!("1.89.1")), package("deep", deep),
                package("tests", json!("1.99")),
            ],
            "resolve": {"nodes": [
                node(LIBRARY, json!([on("direct", Value::Null), on("tests", json!("dev"))])),
                node("direct", json!([on("deep", json!("build"))])), node("deep", json!([])), node("tests", json!([])),
            ]},
        })
    }

    fn faults(deep: Value, undeclared: &[&str]) -> Vec<String> {
        examine(&metadata(deep), undeclared).expect("complete").faults
    }

    #[test]
    fn packages_are_held_against_the_promise() {
        assert_eq!(faults(json!("1.90"), &[]), [""; 0]);
        assert_eq!(faults(json!("1.90.1"), &[]), ["deep 1.0.0 needs Rust 1.90.1, 1.90 is promised"]);
        assert_eq!(faults(json!("1.100"), &[]), ["deep 1.0.0 needs Rust 1.100, 1.90 is promised"]);
        assert_eq!(faults(Value::Null, &[]), ["deep 1.0.0 declares no minimum Rust"]);
        assert_eq!(faults(Value::Null, &["deep"]), [""; 0]);
        assert_eq!(faults(json!("1.2"), &["deep"]), ["deep is listed as undeclared, but is not"]);
        let findings = examine(&metadata(json!("1.9")), &[]).expect("complete");
        assert_eq!((findings.declared, findings.highest), (3, [1, 89, 1]));
    }
}
