//! Plays the steps that a test of the page made, natively and by the library
//! alone, and prints what the page should say.
//!
//! `native SCENE OBJECTS SEED LOOSENESS MARGIN FRAME [SLOT]` prints JSON: pairs, state hash and,
//! of the object of that slot, the handle and the neighbours.

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
    let pairs = tree.view().pairs(&mut Scratch::new()).count();
    ensure!(pairs == tracker.pairs().len(), "{pairs} pairs by the pass, {} by the tracker", tracker.pairs().len());
    let picked = match picked {
        Some(slot) => {
            let slot: u32 = slot.parse().ok().with_context(|| format!("SLOT cannot be {slot:?}"))?;
            let picked = tree.iter().map(|(handle, _)| handle).find(|handle| handle.slot() == slot);
            Some(picked.with_context(|| format!("no object has slot {slot}"))?)
        }
        None => None,
    };
    let neighbours = picked.map(|picked| neighbours(tree.view(), picked)).transpose()?;
    let hash = format!("{:016x}", tree.state_hash());
    println!(
        "{}",
        json!({ "pairs": pairs, "hash": hash, "handle": picked.map(handle_text), "neighbours": neighbours })
    );
    Ok(())
}

fn next<T: FromStr>(arguments: &mut impl Iterator<Item = String>, what: &'static str) -> Result<T> {
    let text = arguments.next().with_context(|| format!("{what} is missing"))?;
    text.parse().ok().with_context(|| format!("{what} cannot be {text:?}"))
}

/// A handle as the page tells it.
fn handle_text(handle: Handle) -> String {
    format!("{}:{}", handle.slot(), handle.generation())
}

/// The handles of the objects that an object overlaps, sorted.
fn neighbours(view: broadleaf::View<'_>, handle: Handle) -> Result<Vec<String>> {
    let mut found = Vec::new();
    view.pairs_of(handle)?.collect_into(&mut found);
    found.sort_unstable();
    Ok(found.into_iter().map(handle_text).collect())
}
