//! Frustum culling by the index, in place of Bevy's loop over all entities.
//!
//! ```text
//! for each active camera
//!     entities that the index does not cover: Bevy's test, one by one
//!     ask the index for what overlaps the frustum, grown by what rounding may amount to:
//!         wholly inside         visible
//!         across the border     Bevy's test of the turned box
//! ```
//!
//! What Bevy finds visible is visible: the index keeps the box around the turned box, and the
//! frustum is grown, so that it finds no less. What it does not place wholly inside is tested as
//! Bevy does. So the result is Bevy's, but for boxes that are smaller than the rounding by which the
//! frustum was grown and just outside it: they are visible here.
//!
//! Where much is visible, looking entities up one by one costs more than a scan of Bevy's tables: then
//! the answers are written into a table by entity, which a full scan on Bevy's threads reads.

use crate::components::{SpatialBounds, SpatialIndexed};
use crate::convert;
use crate::index::SpatialIndex;
use crate::plugin::BroadleafPlugin;
use crate::trace::span;
use bevy_app::{App, Plugin, PostUpdate};
use bevy_camera::Camera;
use bevy_camera::primitives::{Aabb, Frustum, Sphere};
use bevy_camera::visibility::{
    InheritedVisibility, NoCpuCulling, NoFrustumCulling, RenderLayers, SetViewVisibility, ViewVisibility,
    VisibilityClass, VisibilityRange, VisibilitySystems, VisibleEntities, VisibleEntityRanges,
    check_visibility_cpu_culling, check_visibility_ranges,
};
use bevy_ecs::prelude::*;
use bevy_ecs::query::{ArchetypeFilter, QueryData};
use bevy_ecs::schedule::ScheduleCleanupPolicy;
use bevy_transform::components::GlobalTransform;
use bevy_utils::Parallel;
use broadleaf::shape::Plane;
use broadleaf::{Containment, Handle};
use core::any::TypeId;
use core::time::Duration;
use std::time::Instant;

/// One entity in so many must be visible for a full scan of all of them to be less work than
/// looking up each that is.
const SCAN_SHARE: usize = 16;

/// From so many entities on that are tested one by one, the test is spread over Bevy's threads; for
/// fewer, to wake the threads costs more.
const PARALLEL_FROM: usize = 1000;

/// What rounding may amount to where the distance of a box from a plane is computed, as a share of
/// the coordinates: each of its at most ten operations rounds by half of `f32::EPSILON`, in the index
/// and in Bevy.
const ROUNDING: f32 = 16.0 * f32::EPSILON;

/// Replaces Bevy's frustum culling ([`check_visibility_cpu_culling`]) by one that asks the index.
///
/// It covers entities with [`SpatialIndexed`] whose bounds are their [`Aabb`]. All others, and
/// cameras with [`NoCpuCulling`], are treated as Bevy treats them: [`RenderLayers`],
/// [`VisibilityRange`], [`NoFrustumCulling`] mean what they mean there. The shadows of lights
/// stay with Bevy.
///
/// It takes effect when the app finishes its plugins, as `App::run` does first. Where the index
/// follows in another schedule than [`PostUpdate`], it is not as new as the frame, and without
/// [`BroadleafPlugin`] there is none: the culling stays Bevy's. An entity whose bounds the index
/// refused is culled by its former bounds; one whose bounds were never legal is not shown.
///
/// It runs after Bevy's check of ranges, in [`VisibilitySystems::CheckVisibility`]. Systems that are
/// ordered after Bevy's system by its name run after this one; order those that must run before it
/// before the set.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpatialCullingPlugin;

impl Plugin for SpatialCullingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CullingReport>();
    }

    fn finish(&self, app: &mut App) {
        let policy = ScheduleCleanupPolicy::RemoveSystemsOnly;
        let is_new = app.get_added_plugins::<BroadleafPlugin>().iter().any(|plugin| plugin.is_in(PostUpdate));
        // Without Bevy's system there is nothing to replace: the app draws nothing.
        if is_new && app.remove_systems_in_set(PostUpdate, check_visibility_cpu_culling, policy).is_ok() {
            // Bevy orders its check of ranges before the system that is no longer there. The name of
            // that system stays in the schedule as a set without systems, which others may follow.
            let replacement = check_visibility.after(check_visibility_ranges).before(check_visibility_cpu_culling);
            app.add_systems(PostUpdate, replacement.in_set(VisibilitySystems::CheckVisibility));
        }
    }
}

/// The work of the culling in the last frame.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CullingReport {
    /// Entities that cameras see, those seen by two counted twice.
    pub visible: usize,
    /// Entities that were tested one by one.
    pub tested: usize,
    /// Cameras that see so much that all entities were scanned, in place of looking up those that
    /// the index found.
    pub full_scans: usize,
    /// The time that all cameras took.
    pub time: Duration,
}

/// What is read of an entity to know whether a camera sees it.
#[derive(QueryData)]
#[query_data(mutable)]
struct Drawable {
    entity: Entity,
    inherited: &'static InheritedVisibility,
    visibility: &'static mut ViewVisibility,
    class: Option<&'static VisibilityClass>,
    layers: Option<&'static RenderLayers>,
    aabb: Option<&'static Aabb>,
    sphere: Option<&'static Sphere>,
    transform: &'static GlobalTransform,
    is_unculled: Has<NoFrustumCulling>,
    has_range: Has<VisibilityRange>,
    is_indexed: Has<SpatialIndexed>,
    has_bounds: Has<SpatialBounds>,
}

/// The entities that the index does not cover.
type Uncovered = Or<(Without<SpatialIndexed>, With<SpatialBounds>, Without<Aabb>, With<NoFrustumCulling>)>;

type Drawables<'w, 's> = Query<'w, 's, Drawable, Without<NoCpuCulling>>;
type UncoveredDrawables<'w, 's> = Query<'w, 's, Drawable, (Without<NoCpuCulling>, Uncovered)>;

/// A camera, and what it sees.
#[derive(QueryData)]
#[query_data(mutable)]
struct Eye {
    entity: Entity,
    visible: &'static mut VisibleEntities,
    frustum: &'static Frustum,
    layers: Option<&'static RenderLayers>,
    camera: &'static Camera,
    is_unculled: Has<NoCpuCulling>,
}

/// What is asked of an entity beside its place.
struct Gaze<'a> {
    entity: Entity,
    frustum: Option<&'a Frustum>,
    layers: &'a RenderLayers,
    ranges: Option<&'a VisibleEntityRanges>,
}

/// Visible entities, by class; there are few classes.
type Classes = Vec<(TypeId, Vec<Entity>)>;

/// Lists of one frame, kept for the next.
#[derive(Default)]
struct Work {
    found: Vec<(Handle, Containment)>,
    /// What was found, by entity.
    entities: Vec<(Entity, Containment)>,
    /// By the index of the entity: nothing, inside, or across the border.
    table: Vec<Option<Containment>>,
    /// What the calling thread has found.
    queue: Queue,
    /// What Bevy's threads have found.
    queues: Parallel<Queue>,
}

/// What a thread has found for a camera.
#[derive(Default)]
struct Queue {
    classes: Classes,
    /// Entities that were tested one by one.
    tested: usize,
}

fn check_visibility(
    index: Res<SpatialIndex>,
    ranges: Option<Res<VisibleEntityRanges>>,
    mut eyes: Query<Eye>,
    mut drawables: ParamSet<(Drawables, UncoveredDrawables)>,
    mut work: Local<Work>,
    mut report: ResMut<CullingReport>,
) {
    let start = Instant::now();
    let _span = span!("broadleaf: culling");
    let work = &mut *work;
    *report = CullingReport::default();
    for mut eye in eyes.iter_mut().filter(|eye| eye.camera.is_active) {
        let layers = eye.layers.unwrap_or_default();
        let frustum = if eye.is_unculled { None } else { Some(eye.frustum) };
        let gaze = Gaze { entity: eye.entity, frustum, layers, ranges: ranges.as_deref() };
        eye.visible.clear_all();
        match frustum.and_then(|frustum| grown(frustum, &index)) {
            Some(frustum) => {
                work.test_all(&gaze, &mut drawables.p1());
                if let Ok(question) = index.view().overlap(&frustum) {
                    question.with_containment().collect_into(&mut work.found);
                    if work.found.len() * SCAN_SHARE < index.len() {
                        work.look_up(&index, &gaze, &mut drawables.p0());
                    } else {
                        report.full_scans += 1;
                        work.scan(&index, &gaze, &mut drawables.p0());
                    }
                }
            }
            None => work.test_all(&gaze, &mut drawables.p0()),
        }
        work.hand_over(&mut eye.visible, &mut report);
    }
    report.time = start.elapsed();
}

/// The frustum of a camera without its far end, grown by what rounding may amount to; `None` if no
/// plane bounds anything.
fn grown(frustum: &Frustum, index: &SpatialIndex) -> Option<broadleaf::Frustum> {
    let frustum = convert::frustum(frustum, false).ok()?;
    let reach = index.view().bounds().map_or(0.0, |all| all.min.abs().max(all.max.abs()).element_sum());
    let grow = |plane: &Plane| Plane { offset: plane.offset + ROUNDING * (reach + plane.offset.abs()), ..*plane };
    broadleaf::Frustum::from_planes(core::array::from_fn(|at| grow(&frustum.planes()[at]))).ok()
}

impl Gaze<'_> {
    /// Bevy's test of an entity.
    fn sees(&self, drawable: &DrawableItem) -> bool {
        self.may_see(drawable) && (drawable.is_unculled || self.meets(drawable))
    }

    /// Whether all but the frustum lets the camera see the entity.
    fn may_see(&self, drawable: &DrawableItem) -> bool {
        let in_range = |ranges: &VisibleEntityRanges| ranges.entity_is_in_range_of_view(drawable.entity, self.entity);
        drawable.inherited.get()
            && self.layers.intersects(drawable.layers.unwrap_or_default())
            && !(drawable.has_range && self.ranges.is_some_and(|ranges| !in_range(ranges)))
    }

    /// Whether the entity's bounds are in the frustum; Bevy leaves out the far end.
    fn meets(&self, drawable: &DrawableItem) -> bool {
        let Some(frustum) = self.frustum else { return true };
        match (drawable.aabb, drawable.sphere) {
            (Some(aabb), _) => {
                let world_from_local = drawable.transform.affine();
                let sphere = Sphere {
                    center: world_from_local.transform_point3a(aabb.center),
                    radius: drawable.transform.radius_vec3a(aabb.half_extents),
                };
                frustum.intersects_sphere(&sphere, false)
                    && frustum.intersects_obb(aabb, &world_from_local, true, false)
            }
            (None, Some(sphere)) => frustum.intersects_sphere(sphere, false),
            (None, None) => true,
        }
    }

    /// Whether the camera sees an entity that the index has found.
    fn sees_found(&self, drawable: &DrawableItem, containment: Containment) -> bool {
        drawable.is_covered() && self.may_see(drawable) && (containment == Containment::Inside || self.meets(drawable))
    }
}

impl DrawableItem<'_, '_> {
    fn is_covered(&self) -> bool {
        self.is_indexed && !self.has_bounds && self.aabb.is_some() && !self.is_unculled
    }

    /// Marks the entity as visible and lists it by its classes.
    fn show(&mut self, classes: &mut Classes) {
        self.visibility.set_visible();
        for &class in self.class.into_iter().flat_map(|class| class.iter()) {
            match classes.iter_mut().find(|(known, _)| *known == class) {
                Some((_, entities)) => entities.push(self.entity),
                None => classes.push((class, vec![self.entity])),
            }
        }
    }
}

impl Work {
    /// Tests entities one by one; many of them on Bevy's threads.
    fn test_all<F: ArchetypeFilter>(&mut self, gaze: &Gaze, drawables: &mut Query<Drawable, F>) {
        let test = |queue: &mut Queue, mut drawable: DrawableItem| {
            queue.tested += 1;
            if gaze.sees(&drawable) {
                drawable.show(&mut queue.classes);
            }
        };
        if drawables.iter().len() < PARALLEL_FROM {
            drawables.iter_mut().for_each(|drawable| test(&mut self.queue, drawable));
        } else {
            let queues = &self.queues;
            drawables
                .par_iter_mut()
                .for_each_init(|| queues.borrow_local_mut(), |queue, drawable| test(queue, drawable));
        }
    }

    /// Looks up each entity that was found, in order, so that reads follow Bevy's tables.
    fn look_up(&mut self, index: &SpatialIndex, gaze: &Gaze, drawables: &mut Drawables) {
        let view = index.view();
        self.entities.clear();
        self.entities.extend(self.found.iter().filter_map(|&(handle, containment)| {
            Some((view.user_data(handle).and_then(Entity::try_from_bits)?, containment))
        }));
        self.entities.sort_unstable_by_key(|found| found.0);
        for &(entity, containment) in &self.entities {
            self.queue.tested += usize::from(containment == Containment::Intersecting);
            let Ok(mut drawable) = drawables.get_mut(entity) else { continue };
            if gaze.sees_found(&drawable, containment) {
                drawable.show(&mut self.queue.classes);
            }
        }
    }

    /// Scans all entities on Bevy's threads, with the answers in a table.
    fn scan(&mut self, index: &SpatialIndex, gaze: &Gaze, drawables: &mut Drawables) {
        let view = index.view();
        self.table.clear();
        self.table.resize(index.entity_slots(), None);
        for &(handle, containment) in &self.found {
            self.queue.tested += usize::from(containment == Containment::Intersecting);
            if let Some(entity) = view.user_data(handle).and_then(Entity::try_from_bits) {
                self.table[entity.index_u32() as usize] = Some(containment);
            }
        }
        let (table, queues) = (&self.table, &self.queues);
        drawables.par_iter_mut().for_each_init(
            || queues.borrow_local_mut(),
            |queue, mut drawable| {
                let found = table.get(drawable.entity.index_u32() as usize).copied().flatten();
                if found.is_some_and(|containment| gaze.sees_found(&drawable, containment)) {
                    drawable.show(&mut queue.classes);
                }
            },
        );
    }

    /// Gives the lists to a camera, ordered by entity as Bevy needs them.
    fn hand_over(&mut self, visible: &mut VisibleEntities, report: &mut CullingReport) {
        for queue in core::iter::once(&mut self.queue).chain(self.queues.iter_mut()) {
            report.tested += core::mem::take(&mut queue.tested);
            for (class, entities) in &mut queue.classes {
                report.visible += entities.len();
                visible.get_mut(*class).append(entities);
            }
        }
        visible.entities.values_mut().for_each(|entities| entities.sort_unstable());
    }
}
