//! Questions about the objects of a tree, by family: which objects *overlap* a
//! region, what a *cast* meets, what is *nearest*.
//!
//! A question is an opening of [`View`](crate::View), options, and one terminal. Options come in any order, but
//! `front_to_back` after `seen_from`, and `meshes` last, with its `culling`. Nothing happens before the terminal.
//!
//! ```
//! use broadleaf::{Aabb, Octree, Ray, Scratch, Sphere, glam::Vec3};
//!
//! let mut tree = Octree::default();
//! let block = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
//! let ball = tree.insert(Sphere::new(Vec3::X * 5.0, 1.0))?;
//! let (view, mut scratch, mut found) = (tree.view(), Scratch::new(), Vec::new());
//!
//! let room = Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0));
//! view.overlap(&room)?.exclude(ball).for_each(|handle| assert_eq!(handle, block));
//! let hit = view.cast(&Ray::new(Vec3::new(-2.0, 0.5, 0.5), Vec3::X)?).within(4.0).closest();
//! assert_eq!(hit.map(|hit| (hit.handle, hit.distance)), Some((block, 2.0)));
//! view.nearest(Vec3::X * 3.0)?.in_order(&mut scratch).collect_into(&mut found);
//! assert_eq!(found.iter().map(|near| near.handle).collect::<Vec<_>>(), [ball, block]);
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! | which question? | opening | answers |
//! |---|---|---|
//! | what overlaps a point, box, sphere, frustum, oriented box, capsule, planes, a [`Region`] of yours | [`View::overlap`](crate::View::overlap) | [`Handle`](crate::Handle) |
//! | the same, and what lies wholly inside | [`OverlapQuery::with_containment`] | `(Handle, Containment)` |
//! | what a camera sees, front to back, without what looks too small | [`OverlapQuery::seen_from`] | [`VisibleObject`] |
//! | what a ray or a moving shape meets, or a [`Cast`] of yours | [`View::cast`](crate::View::cast) | [`RayHit`], [`SweepHit`], [`Cast::Hit`] |
//! | what is nearest to a point or a box | [`View::nearest`](crate::View::nearest) | [`Neighbor`] |
//! | thousands of these at once, also on threads | [`View::overlap_many`](crate::View::overlap_many), [`cast_many`](crate::View::cast_many), [`nearest_many`](crate::View::nearest_many) | a [`Batch`] |
//!
//! | terminal | does |
//! |---|---|
//! | `for_each` | visits every answer |
//! | `try_for_each` | visits answers until the visitor returns `Break` or `Err` |
//! | `collect_into` | clears a list and fills it |
//! | `any` | one answer, whichever comes first |
//! | `count` | the number of answers |
//! | `closest`, `k_into` | the closest answer, the `k` nearest |
//!
//! | option | families | what it says |
//! |---|---|---|
//! | `layers`, `only`, `exclude`, `filter` | all families; of [`PairQuery`](crate::pairs::PairQuery) `filter` alone, of pairs | which objects are looked for |
//! | `stats` | all | where the work is counted |
//! | `threads` | batches, pairs | who does the work |
//! | `within` | casts, nearest, and batches of them | no farther than this |
//! | `refine` | casts, nearest | a narrow phase of the caller's |
//! | `in_order` | casts, nearest | answers come nearest first |
//! | `inside` | casts of a ray | what a start inside an object counts as |
//! | `with_containment` | overlap, and batches of it | whether objects lie wholly inside |
//! | `seen_from`, then `front_to_back` | overlap | leaves out what looks too small; nearest first |
//! | `meshes`, then `culling` | overlap, casts, nearest | the triangles of meshes, in place of the objects |
//!
//! What `meshes` returns has the terminals, `closest` and `culling`: other options come
//! before it. `inside` and `in_order` concern objects, not triangles: before `meshes` they
//! change nothing.
//!
//! *Errors:* what can be illegal is checked by the opening. After it nothing
//! fails. A bound (`within`) may be any number: nothing is within a NaN.
//!
//! *Order* is that of the traversal, the same for the same sequence of calls on
//! the tree, unless `in_order` or `front_to_back` is said.
//!
//! *Speed of unoptimised callers:* `for_each` and `try_for_each` of an overlap
//! question are compiled in the caller's crate, together with the visitor. All
//! other terminals run in functions of this crate. A [`Region`] or [`Cast`] of your
//! own is compiled with the traversals that ask it, in your crate: without
//! optimisation there, these are many times slower.

mod batch;
mod cast;
#[expect(private_interfaces, reason = "hidden parameters that nobody outside can name")]
mod distance;
pub(crate) mod draw;
mod filter;
mod nearest;
mod nodes;
#[expect(private_interfaces, reason = "hidden parameters that nobody outside can name")]
mod overlap;
pub(crate) mod record;
mod refine;
#[expect(private_interfaces, reason = "hidden parameters that nobody outside can name")]
mod region;
pub(crate) mod walk;

pub use crate::data::terminals::Flow;
pub use crate::data::view::QueryStats;
pub use batch::{AcceptShared, Batch};
pub use cast::{Cast, CastHit, CastQueries, CastQuery, RayHit, StartInside, SweepHit};
pub use filter::{Accept, NoFilter};
pub use nearest::{NearestQueries, NearestQuery, Neighbor, Place};
pub use overlap::{Answer, BatchAnswer, OverlapQueries, OverlapQuery, SlotSet, Viewpoint, VisibleObject};
pub use refine::{NoNarrowPhase, Refine};
pub use region::Region;

pub(crate) use cast::ask::CastAsk;
pub(crate) use distance::DistanceOutput;
pub(crate) use filter::{Filter, Objects, object_options};
pub(crate) use nearest::ask::{NearestAsk, NearestOutput};
pub(crate) use overlap::ask::{Answers, OverlapAsk};
pub(crate) use refine::NarrowPhase;
pub(crate) use walk::best_first::OrderScratch;
