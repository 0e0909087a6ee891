//! Dispatch by type: what happens when two objects meet depends on what they
//! are. A hero collects a bonus, is hurt by a rocket and heals in a zone; a
//! rocket flies through bonuses and zones; two rockets destroy each other.
//!
//! The tree keeps the type in the user data. Layers leave out the pairs of types
//! that never matter, so that they cost nothing; the rest is one `match` on the
//! two types in order.
//!
//! `cargo run --release -p broadleaf --example dispatch_by_type`

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Error, Handle, Layers, Mobility, Object, Octree, Pair, PairTracker, Sphere};

/// What an object is. The order is that of the arms of `match`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Hero,
    Rocket,
    Bonus,
    Zone,
}

const KINDS: [Kind; 4] = [Kind::Hero, Kind::Rocket, Kind::Bonus, Kind::Zone];

impl Kind {
    const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// On the layer of its type, and looking for the types that it reacts to.
    fn layers(self) -> Layers {
        let reacts_to = match self {
            Self::Hero => Self::Rocket.bit() | Self::Bonus.bit() | Self::Zone.bit(),
            Self::Rocket => Self::Hero.bit() | Self::Rocket.bit(),
            Self::Bonus | Self::Zone => Self::Hero.bit(),
        };
        Layers::new(self.bit(), reacts_to)
    }
}

/// An object as the dispatch sees it: `index` is its place among those of its type.
#[derive(Debug, Clone, Copy)]
struct Thing {
    handle: Handle,
    kind: Kind,
    index: usize,
}

struct Hero {
    handle: Handle,
    center: Vec3,
    health: i32,
    bonuses: u32,
    zones: u32,
}

struct Rocket {
    handle: Handle,
    center: Vec3,
    velocity: Vec3,
}

#[derive(Default)]
struct Game {
    tree: Octree,
    heroes: Vec<Hero>,
    rockets: Vec<Rocket>,
    hits: u32,
    rockets_met: u32,
    zone_entries: u32,
    zone_exits: u32,
}

const FRAMES: u32 = 120;
/// Lanes along x, in which a hero runs and bonuses lie.
const LANES: [f32; 3] = [0.0, 10.0, 20.0];
const BONUSES_PER_LANE: u32 = 6;
const DAMAGE: i32 = 30;
const HEALTH_MAX: i32 = 100;

fn main() -> Result<(), Error> {
    let mut game = Game::new()?;
    let mut tracker = PairTracker::new();
    for frame in 0..FRAMES {
        game.fire(frame)?;
        game.advance()?;
        // Only what began or ended is dispatched: a hero that stays in a zone is told once.
        tracker.update(game.tree.changes());
        tracker.begun().iter().for_each(|&pair| game.begin(pair));
        tracker.ended().iter().for_each(|&pair| game.end(pair));
        for hero in game.heroes.iter_mut().filter(|hero| hero.zones > 0) {
            hero.health = (hero.health + 1).min(HEALTH_MAX);
        }
    }

    for (index, hero) in game.heroes.iter().enumerate() {
        println!("hero {index}: health {}, {} bonuses", hero.health, hero.bonuses);
    }
    println!("{} hits, {} rockets destroyed by rockets", game.hits, game.rockets_met);
    println!("zones were entered {} times and left {} times", game.zone_entries, game.zone_exits);
    // Every hero has run past every bonus of the lane: no rocket took one on its way.
    assert!(game.heroes.iter().all(|hero| hero.bonuses == BONUSES_PER_LANE));
    assert_eq!((game.hits, game.rockets_met), (6, 2));
    // Only the first lane has a zone, and its hero has passed it.
    assert_eq!((game.zone_entries, game.zone_exits), (1, 1));
    let damage = DAMAGE * i32::try_from(game.hits).expect("few");
    let health: i32 = game.heroes.iter().map(|hero| hero.health).sum();
    assert!(health > 3 * HEALTH_MAX - damage && health < 3 * HEALTH_MAX, "one was hurt, and one has healed");
    // Left: three heroes, the zone, and the rockets that still fly.
    assert_eq!(game.tree.len(), 4 + game.rockets.len());
    Ok(())
}

impl Game {
    fn new() -> Result<Self, Error> {
        let mut game = Self::default();
        for (index, z) in LANES.into_iter().enumerate() {
            let center = Vec3::new(0.0, 0.0, z);
            let handle = game.add(Kind::Hero, index, Sphere::new(center, 0.5))?;
            game.heroes.push(Hero { handle, center, health: HEALTH_MAX, bonuses: 0, zones: 0 });
            for bonus in 0..BONUSES_PER_LANE {
                let at = Vec3::new(4.0 + 8.0 * bonus as f32, 0.0, z);
                game.add(Kind::Bonus, 0, Sphere::new(at, 0.25))?;
            }
        }
        game.add(Kind::Zone, 0, Aabb::new([20.0, -2.0, -2.0], [30.0, 2.0, 2.0]))?;
        Ok(game)
    }

    fn add(&mut self, kind: Kind, index: usize, shape: impl Into<broadleaf::Shape>) -> Result<Handle, Error> {
        let mobility = if kind <= Kind::Rocket { Mobility::Moving } else { Mobility::Static };
        let user_data = kind as u64 | (index as u64) << 8;
        self.tree
            .insert(Object::new(shape).with_layers(kind.layers()).with_mobility(mobility).with_user_data(user_data))
    }

    /// A living object; `None` once it has been removed.
    fn thing(&self, handle: Handle) -> Option<Thing> {
        let user_data = self.tree.get(handle)?.user_data;
        let kind = KINDS[usize::try_from(user_data & 0xff).ok()?];
        Some(Thing { handle, kind, index: usize::try_from(user_data >> 8).ok()? })
    }

    /// The two objects of a pair, in the order of their types, so that two types need one arm.
    fn things(&self, pair: Pair) -> Option<(Thing, Thing)> {
        let (a, b) = (self.thing(pair.a())?, self.thing(pair.b())?);
        Some(if a.kind <= b.kind { (a, b) } else { (b, a) })
    }

    /// Two objects have met in this frame.
    fn begin(&mut self, pair: Pair) {
        // An earlier pair of the same frame may have removed one of the two.
        let Some((a, b)) = self.things(pair) else { return };
        match (a.kind, b.kind) {
            (Kind::Hero, Kind::Rocket) => {
                self.heroes[a.index].health -= DAMAGE;
                self.hits += 1;
                self.explode(b.handle);
            }
            (Kind::Hero, Kind::Bonus) => {
                self.heroes[a.index].bonuses += 1;
                self.tree.remove(b.handle);
            }
            (Kind::Hero, Kind::Zone) => {
                self.heroes[a.index].zones += 1;
                self.zone_entries += 1;
            }
            (Kind::Rocket, Kind::Rocket) => {
                self.rockets_met += 2;
                self.explode(a.handle);
                self.explode(b.handle);
            }
            other => unreachable!("layers leave out {other:?}"),
        }
    }

    /// Two objects no longer touch. Of one that was removed the handle is stale
    /// and nothing is to be done here; where something is, keep types by handle.
    fn end(&mut self, pair: Pair) {
        let Some((a, b)) = self.things(pair) else { return };
        if (a.kind, b.kind) == (Kind::Hero, Kind::Zone) {
            self.heroes[a.index].zones -= 1;
            self.zone_exits += 1;
        }
    }

    fn explode(&mut self, rocket: Handle) {
        self.tree.remove(rocket);
        self.rockets.retain(|other| other.handle != rocket);
    }

    /// New rockets: at heroes, at each other, and one along a line of bonuses.
    fn fire(&mut self, frame: u32) -> Result<(), Error> {
        // The middle of the heroes in ten frames, when the rocket is in their lane.
        let ahead = (frame + 10) as f32 * 0.5;
        if frame.is_multiple_of(20) && frame < 60 {
            self.launch([ahead, 0.0, 30.0], Vec3::NEG_Z)?;
            self.launch([ahead, 0.0, -10.0], Vec3::Z)?;
        }
        if frame == 5 {
            self.launch([-5.0, 0.0, 0.0], Vec3::Z)?;
            self.launch([-5.0, 0.0, 20.0], Vec3::NEG_Z)?;
            self.launch([44.0, 0.0, -10.0], Vec3::Z)?;
        }
        Ok(())
    }

    fn launch(&mut self, from: [f32; 3], velocity: Vec3) -> Result<(), Error> {
        // A rocket's index is not needed: it is found by its handle.
        let handle = self.add(Kind::Rocket, 0, Sphere::new(from, 0.3))?;
        self.rockets.push(Rocket { handle, center: from.into(), velocity });
        Ok(())
    }

    fn advance(&mut self) -> Result<(), Error> {
        for hero in &mut self.heroes {
            hero.center.x += 0.5;
            self.tree.update(hero.handle, Sphere::new(hero.center, 0.5))?;
        }
        for rocket in &mut self.rockets {
            rocket.center += rocket.velocity;
            self.tree.update(rocket.handle, Sphere::new(rocket.center, 0.3))?;
        }
        // What flies out of the world is gone.
        let tree = &mut self.tree;
        self.rockets.retain(|rocket| rocket.center.z.abs() < 60.0 || tree.remove(rocket.handle).is_none());
        Ok(())
    }
}
