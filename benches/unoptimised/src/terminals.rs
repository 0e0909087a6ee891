//! Every terminal of every family, each a function that asks all questions of a kind.

use crate::room::Room;
use crate::scan::Answers;
use broadleaf::query::{Neighbor, RayHit, SweepHit};

/// Neighbours that are asked for.
pub(crate) const NEIGHBORS: usize = 8;
/// How near a neighbour must be where there is a bound.
pub(crate) const REACH: f32 = 1.5;

/// Asks all questions of a kind; the number of answers.
pub(crate) type Ask = fn(&mut Room) -> usize;

/// A terminal that is measured.
pub(crate) struct Terminal {
    /// As it is written.
    pub(crate) name: &'static str,
    /// What it answers.
    pub(crate) answers: Answers,
    /// Asks.
    pub(crate) ask: Ask,
    pub(crate) asked: fn(&Room) -> usize,
    /// Counts the answers where that is the caller's work; not measured.
    pub(crate) read: Option<fn(&Room) -> usize>,
}

impl Terminal {
    /// How often it is asked.
    pub(crate) fn questions(&self, room: &Room) -> usize {
        (self.asked)(room)
    }

    /// The number of answers, if asking has returned `returned`.
    pub(crate) fn read(&self, room: &Room, returned: usize) -> usize {
        self.read.map_or(returned, |read| read(room))
    }
}

/// One line for each terminal: its name, what it answers, its questions, and
/// what is asked; the last expression is the number of answers.
macro_rules! terminals {
    ($($name:literal, $answers:ident, $questions:ident, |$view:ident, $asked:pat, $room:ident| $body:expr;)*) => {
        pub(crate) const TERMINALS: &[Terminal] = &[$(Terminal {
            name: $name,
            answers: Answers::$answers,
            asked: |room| room.$questions.len(),
            ask: |$room| {
                let ($view, mut answers) = ($room.tree.view(), 0);
                for $asked in &$room.$questions {
                    answers += $body;
                }
                answers
            },
            read: None,
        }),*];
    };
}

#[expect(clippy::unnecessary_wraps, reason = "a narrow phase may refuse")]
fn exact_ray(hit: &RayHit) -> Option<f32> {
    Some(hit.distance)
}

#[expect(clippy::unnecessary_wraps, reason = "a narrow phase may refuse")]
fn exact_sweep(hit: &SweepHit) -> Option<f32> {
    Some(hit.time)
}

#[expect(clippy::unnecessary_wraps, reason = "a narrow phase may refuse")]
fn exact_neighbor(near: &Neighbor) -> Option<f32> {
    Some(near.distance)
}

/// Fills a list; its length.
macro_rules! listed {
    ($list:expr, $query:expr) => {{
        $query.collect_into(&mut $list);
        $list.len()
    }};
}

/// One answer or none, as a number.
macro_rules! one {
    ($query:expr) => {
        usize::from($query.is_some())
    };
}

terminals! {
    "overlap(point).collect_into", Point, points, |view, asked, room|
        listed!(room.found, view.overlap(asked).expect("legal"));
    "overlap(box).collect_into", Box, boxes, |view, asked, room|
        listed!(room.found, view.overlap(asked).expect("legal"));
    "overlap(sphere).collect_into", Sphere, spheres, |view, asked, room|
        listed!(room.found, view.overlap(asked).expect("legal"));
    "overlap(frustum).collect_into", Frustum, frusta, |view, asked, room|
        listed!(room.found, view.overlap(asked).expect("legal"));
    "overlap(box).count", Box, boxes, |view, asked, room| view.overlap(asked).expect("legal").count();
    "overlap(box).any", BoxAny, boxes, |view, asked, room| one!(view.overlap(asked).expect("legal").any());
    "overlap(box).slots_into", Box, boxes, |view, asked, room|
        { view.overlap(asked).expect("legal").slots_into(&mut room.slots); room.slots.len() };
    "overlap(box).filter.count", Box, boxes, |view, asked, room|
        view.overlap(asked).expect("legal").filter(|_| true).count();
    "overlap(frustum).with_containment.collect_into", Frustum, frusta, |view, asked, room|
        listed!(room.contained, view.overlap(asked).expect("legal").with_containment());
    "overlap(frustum).with_containment.count", Frustum, frusta, |view, asked, room|
        view.overlap(asked).expect("legal").with_containment().count();
    "overlap(frustum).seen_from.collect_into", Frustum, frusta, |view, asked, room|
        listed!(room.seen, view.overlap(asked).expect("legal").seen_from(&room.viewpoint));
    "overlap(frustum).seen_from.front_to_back.collect_into", Frustum, frusta, |view, asked, room|
        listed!(
            room.seen,
            view.overlap(asked).expect("legal").seen_from(&room.viewpoint).front_to_back(&mut room.scratch)
        );
    "cast(ray).closest", RayAny, rays, |view, asked, room| one!(view.cast(asked).closest());
    "cast(ray).any", RayAny, rays, |view, asked, room| one!(view.cast(asked).any());
    "cast(ray).count", Ray, rays, |view, asked, room| view.cast(asked).count();
    "cast(ray).collect_into", Ray, rays, |view, asked, room| listed!(room.ray_hits, view.cast(asked));
    "cast(ray).refine.closest", RayAny, rays, |view, asked, room| one!(view.cast(asked).refine(exact_ray).closest());
    "cast(ray).refine.any", RayAny, rays, |view, asked, room| one!(view.cast(asked).refine(exact_ray).any());
    "cast(ray).in_order.collect_into", Ray, rays, |view, asked, room|
        listed!(room.ray_hits, view.cast(asked).in_order(&mut room.scratch));
    "cast(ray).in_order.any", RayAny, rays, |view, asked, room|
        one!(view.cast(asked).in_order(&mut room.scratch).any());
    "cast(sweep).closest", SweepAny, sweeps, |view, asked, room| one!(view.cast(asked).closest());
    "cast(sweep).any", SweepAny, sweeps, |view, asked, room| one!(view.cast(asked).any());
    "cast(sweep).count", Sweep, sweeps, |view, asked, room| view.cast(asked).count();
    "cast(sweep).collect_into", Sweep, sweeps, |view, asked, room| listed!(room.sweep_hits, view.cast(asked));
    "cast(sweep).refine.closest", SweepAny, sweeps, |view, asked, room|
        one!(view.cast(asked).refine(exact_sweep).closest());
    "cast(sweep).refine.any", SweepAny, sweeps, |view, asked, room| one!(view.cast(asked).refine(exact_sweep).any());
    "cast(sweep).in_order.collect_into", Sweep, sweeps, |view, asked, room|
        listed!(room.sweep_hits, view.cast(asked).in_order(&mut room.scratch));
    "cast(sweep).in_order.any", SweepAny, sweeps, |view, asked, room|
        one!(view.cast(asked).in_order(&mut room.scratch).any());
    "nearest.closest", Neighbor, points, |view, asked, room| one!(view.nearest(*asked).expect("finite").closest());
    "nearest.k_into", Neighbors, points, |view, asked, room|
        { view.nearest(*asked).expect("finite").k_into(NEIGHBORS, &mut room.near); room.near.len() };
    "nearest.refine.closest", Neighbor, points, |view, asked, room|
        one!(view.nearest(*asked).expect("finite").refine(exact_neighbor).closest());
    "nearest.refine.k_into", Neighbors, points, |view, asked, room| {
        view.nearest(*asked).expect("finite").refine(exact_neighbor).k_into(NEIGHBORS, &mut room.near);
        room.near.len()
    };
    "nearest.within.collect_into", Near, points, |view, asked, room|
        listed!(room.near, view.nearest(*asked).expect("finite").within(REACH));
    "nearest.within.count", Near, points, |view, asked, room|
        view.nearest(*asked).expect("finite").within(REACH).count();
    "nearest.within.any", NearAny, points, |view, asked, room|
        one!(view.nearest(*asked).expect("finite").within(REACH).any());
    "nearest.within.in_order.collect_into", Near, points, |view, asked, room|
        listed!(room.near, view.nearest(*asked).expect("finite").within(REACH).in_order(&mut room.scratch));
    "pairs.collect_into", Pairs, times, |view, _, room| listed!(room.pairs, view.pairs(&mut room.scratch));
    "pairs.count", Pairs, times, |view, _, room| view.pairs(&mut room.scratch).count();
    "pairs.any", Pair, times, |view, _, room| one!(view.pairs(&mut room.scratch).any());
    "pairs_of.collect_into", Partners, handles, |view, asked, room|
        listed!(room.found, view.pairs_of(*asked).expect("a living object"));
    "pairs_of.count", Partners, handles, |view, asked, room| view.pairs_of(*asked).expect("a living object").count();
    "pairs_of.any", PartnersAny, handles, |view, asked, room|
        one!(view.pairs_of(*asked).expect("a living object").any());
}

/// One line for each terminal of a batch, which asks all questions at once;
/// the last expression counts the answers.
macro_rules! batches {
    ($($name:literal, $answers:ident, $questions:ident, |$room:ident, $view:ident| $ask:expr, $read:expr;)*) => {
        pub(crate) const BATCHES: &[Terminal] = &[$(Terminal {
            name: $name,
            answers: Answers::$answers,
            asked: |room| room.$questions.len(),
            ask: |$room| {
                let $view = $room.tree.view();
                $ask;
                0
            },
            read: Some(|$room| $read),
        }),*];
    };
}

batches! {
    "overlap_many.collect_into", Box, boxes,
        |room, view| view.overlap_many(&room.boxes).expect("legal").collect_into(&mut room.lists),
        room.lists.answers().len();
    "overlap_many.with_containment.collect_into", Box, boxes,
        |room, view| {
            view.overlap_many(&room.boxes).expect("legal").with_containment().collect_into(&mut room.contained_lists);
        },
        room.contained_lists.answers().len();
    "cast_many.closest_into", RayAny, rays,
        |room, view| view.cast_many(&room.rays).closest_into(&mut room.closest),
        room.closest.answers().iter().flatten().count();
    "cast_many.any_into", RayAny, rays,
        |room, view| view.cast_many(&room.rays).any_into(&mut room.closest),
        room.closest.answers().iter().flatten().count();
    "cast_many.collect_into", Ray, rays,
        |room, view| view.cast_many(&room.rays).collect_into(&mut room.hit_lists),
        room.hit_lists.answers().len();
    "nearest_many.closest_into", Neighbor, points,
        |room, view| view.nearest_many(&room.points).expect("finite").closest_into(&mut room.nearest),
        room.nearest.answers().iter().flatten().count();
    "nearest_many.k_into", Neighbors, points,
        |room, view| view.nearest_many(&room.points).expect("finite").k_into(NEIGHBORS, &mut room.near_lists),
        room.near_lists.answers().len();
}
