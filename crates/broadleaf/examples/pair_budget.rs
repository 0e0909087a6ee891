//! A budget of pairs: smoke gives way to players. A grenade fills the place
//! with smoke, far more pairs than a frame can serve; the players' pairs are
//! served at once, the scenery's soon, the smoke's in turn.
//!
//! `cargo run --release --example pair_budget`

use broadleaf::glam::Vec3;
use broadleaf::pairs::PairBudget;
use broadleaf::{Aabb, Mobility, Object, Octree, Pair, Scratch, Sphere, View};

const PLAYER: u8 = 0;
const CRATE: u8 = 1;
const SMOKE: u8 = 2;
const NAMES: [&str; 3] = ["players", "crates", "smoke"];
/// Pairs that the narrow phase can serve in a frame.
const PAIRS_MAX: usize = 600;

/// The class of an object is in its user data.
fn class_of(view: View<'_>, handle: broadleaf::Handle) -> u8 {
    view.user_data(handle).and_then(|class| u8::try_from(class).ok()).unwrap_or(SMOKE)
}

fn class_of_pair(view: View<'_>, pair: Pair) -> usize {
    class_of(view, pair.a()).min(class_of(view, pair.b())).into()
}

fn main() -> Result<(), broadleaf::Error> {
    let mut tree = Octree::default();
    let floor = Aabb::new(Vec3::new(-50.0, -1.0, -50.0), Vec3::new(50.0, 0.0, 50.0));
    tree.insert(Object::new(floor).with_mobility(Mobility::Static).with_user_data(SMOKE.into()))?;
    for index in 0..8_u8 {
        let at = Vec3::new(f32::from(index) * 2.0 - 7.0, 0.9, 0.0);
        tree.insert(Object::new(Sphere::new(at, 0.9)).with_user_data(PLAYER.into()))?;
    }
    for index in 0..100_u8 {
        let low = Vec3::new(f32::from(index % 10) * 1.5 - 7.0, 0.0, f32::from(index / 10) * 1.5 - 7.0);
        tree.insert(Object::new(Aabb::new(low, low + 1.5)).with_user_data(CRATE.into()))?;
    }
    let mut smoke = Vec::new();

    let mut budget = PairBudget::new(CRATE).with_patience(8);
    let (mut scratch, mut pairs, mut served) = (Scratch::new(), Vec::new(), Vec::new());
    println!("frame   pairs  served: {}, {}, {}  deferred  dropped  longest wait", NAMES[0], NAMES[1], NAMES[2]);
    for frame in 0..24_u16 {
        // The grenade goes off in frame 4; the smoke spreads, and is gone from frame 16 on.
        if frame == 4 {
            for index in 0..1500_u16 {
                let ball = Sphere::new(Vec3::new(0.0, 1.0, f32::from(index) * 1e-3), 0.3);
                smoke.push(tree.insert(Object::new(ball).with_user_data(SMOKE.into()))?);
            }
        }
        if frame >= 16 {
            smoke.drain(..smoke.len().min(200)).for_each(|puff| _ = tree.remove(puff));
        }
        for (index, &puff) in (0_u16..).zip(&smoke) {
            let (turn, reach) = (f32::from(index) * 2.4, f32::from(frame - 3) * f32::from(index).sqrt() * 0.02);
            let at = Vec3::new(turn.cos() * reach, 1.0 + reach * 0.3, turn.sin() * reach);
            tree.update(puff, Sphere::new(at, 0.3))?;
        }
        let view = tree.view();
        view.pairs(&mut scratch).collect_into(&mut pairs);
        let report = budget.serve(view, &pairs, PAIRS_MAX, |handle| class_of(view, handle), &mut served);
        let mut counts = [0; 3];
        served.iter().for_each(|pair| counts[class_of_pair(view, *pair)] += 1);
        println!(
            "{frame:>5} {:>7}  {:>15} {:>7} {:>6}  {:>8} {:>8}  {:>4} frames",
            pairs.len(),
            counts[0],
            counts[1],
            counts[2],
            report.deferred,
            report.dropped,
            report.waited_max
        );
        // No pair of a player ever waits.
        assert!(budget.deferred().all(|pair| class_of_pair(view, pair) > usize::from(PLAYER)));
    }
    Ok(())
}
