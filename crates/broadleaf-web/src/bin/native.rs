//! Plays the steps that a test of the page made, natively and by the library
//! alone, and prints what the page should say.
//!
//! `native SCENE OBJECTS SEED LOOSENESS MARGIN FRAME [SLOT:GENERATION]` prints JSON: pairs, state
//! hash and, of that object, the neighbours.

use anyhow::{Context as _, Result, ensure};
use broadleaf::{Config, Handle, Margin, Octree, PairTracker, Scratch};
use serde_json::json;
use std::str::FromStr;
use workloads::{Player, Scene};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name: String = next(&mut arguments, "SCENE")?;
    let (objects, seed) = (next(&mut arguments, "OBJECTS")?, next(&mut arguments, "SEED")?);
    let (looseness, absolute) = (next(&mut arguments, "LOOSENESS")?, next(&mut arguments, "MARGIN")?);
    let frame: usize = next(&mut arguments, "FRAME")?;
    let picked = arguments.next();

    let mut scene = Scene::by_name(&name, objects, seed).with_context(|| format!("there is no scene {name:?}"))?;
    let margin = Margin { absolute, relative: 0.0 };
    let mut tree = Octree::new(Config { looseness, margin, ..Config::default() })?;
    let (mut player, mut tracker) = (Player::new(), PairTracker::new());
    player.load(&mut tree, scene.objects())?;
    tracker.update(tree.changes());
    for _ in 0..frame {
        player.play(&mut tree, scene.step())?;
        tracker.update(tree.changes());
    }
    let (view, mut scratch) = (tree.view(), Scratch::new());
    let pairs = view.pairs(&mut scratch).count();
    ensure!(pairs == tracker.pairs().len(), "{pairs} pairs by the pass, {} by the tracker", tracker.pairs().len());
    let neighbours = picked.map(|picked| neighbours(view, &picked)).transpose()?;
    println!("{}", json!({ "pairs": pairs, "hash": format!("{:016x}", tree.state_hash()), "neighbours": neighbours }));
    Ok(())
}

fn next<T: FromStr>(arguments: &mut impl Iterator<Item = String>, what: &'static str) -> Result<T> {
    let text = arguments.next().with_context(|| format!("{what} is missing"))?;
    text.parse().ok().with_context(|| format!("{what} cannot be {text:?}"))
}

/// The handles of the objects that an object overlaps, sorted.
fn neighbours(view: broadleaf::View<'_>, handle: &str) -> Result<Vec<String>> {
    let parts =
        handle.split_once(':').and_then(|(slot, generation)| Some((slot.parse().ok()?, generation.parse().ok()?)));
    let (slot, generation): (u32, u32) = parts.with_context(|| format!("{handle:?} is not SLOT:GENERATION"))?;
    let handle = Handle::from_bits(u64::from(slot) << 32 | u64::from(generation)).context("there is no such handle")?;
    ensure!((handle.slot(), handle.generation()) == (slot, generation), "the bits of a handle are others");
    let mut found = Vec::new();
    view.pairs_of(handle)?.collect_into(&mut found);
    found.sort_unstable();
    Ok(found.iter().map(|handle| format!("{}:{}", handle.slot(), handle.generation())).collect())
}
