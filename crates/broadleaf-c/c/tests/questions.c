/* Questions about objects, against a loop over all of them. */
#include "check.h"

typedef struct {
    const world *made;
    const bl_region *region;
    int asked, limit;
} asking;

static int accept_even(void *context, bl_handle handle) {
    asking *state = context;
    state->asked++;
    return index_of(state->made, handle) % 2 == 0;
}

static int32_t stop_after(void *context, bl_handle handle) {
    asking *state = context;
    CHECK(handle != BL_NO_HANDLE);
    return ++state->asked == state->limit;
}

/* Whether a box is behind no plane: what frusta and convex regions report. */
static int before_planes(const bl_plane *planes, int count, const bl_aabb *aabb) {
    for (int i = 0; i < count; i++) {
        double farthest = planes[i].offset;
        for (int axis = 0; axis < 3; axis++) {
            double normal = planes[i].normal[axis];
            farthest += normal * (normal > 0 ? aabb->max[axis] : aabb->min[axis]);
        }
        if (farthest < 0) return 0;
    }
    return 1;
}

static double distance_to(const bl_aabb *aabb, const float point[3]) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double outside = fmax(fmax((double)aabb->min[axis] - point[axis], (double)point[axis] - aabb->max[axis]), 0);
        sum += outside * outside;
    }
    return sqrt(sum);
}

static int expected(const bl_region *region, const bl_aabb *aabb) {
    bl_plane planes[6];
    bl_aabb point;
    switch (region->kind) {
    case BL_REGION_POINT:
        point = point_aabb(region->of.point[0], region->of.point[1], region->of.point[2]);
        return aabbs_overlap(&point, aabb);
    case BL_REGION_AABB: return aabbs_overlap(&region->of.aabb, aabb);
    case BL_REGION_SPHERE: return distance_to(aabb, region->of.sphere.center) <= region->of.sphere.radius;
    case BL_REGION_CONVEX: return before_planes(region->of.convex.planes, (int)region->of.convex.count, aabb);
    case BL_REGION_CAPSULE: { /* the distance to a box is convex along a segment */
        double low = 0, high = 1, nearest = 1e9;
        for (int step = 0; step < 80; step++) {
            double thirds[2] = {low + (high - low) / 3, high - (high - low) / 3}, distances[2];
            for (int third = 0; third < 2; third++) {
                float at[3];
                for (int axis = 0; axis < 3; axis++) {
                    double from = region->of.capsule.a[axis];
                    at[axis] = (float)(from + (region->of.capsule.b[axis] - from) * thirds[third]);
                }
                distances[third] = distance_to(aabb, at);
                nearest = fmin(nearest, distances[third]);
            }
            if (distances[0] < distances[1]) high = thirds[1];
            else low = thirds[0];
        }
        return nearest <= region->of.capsule.radius;
    }
    case BL_REGION_OBB: /* one that is turned by nothing is a box */
        for (int axis = 0; axis < 3; axis++) {
            float low = region->of.obb.center[axis] - region->of.obb.half_extents[axis];
            float high = region->of.obb.center[axis] + region->of.obb.half_extents[axis];
            if (aabb->min[axis] > high || low > aabb->max[axis]) return 0;
        }
        return 1;
    default:
        OK(bl_region_planes(region, planes));
        return before_planes(planes, 6, aabb);
    }
}

static int own_overlaps_aabb(void *context, const bl_aabb *aabb) {
    return aabbs_overlap(context, aabb);
}

static int own_overlaps_sphere(void *context, const bl_sphere *sphere) {
    (void)context, (void)sphere;
    return 0;
}

static int own_contains_aabb(void *context, const bl_aabb *aabb) {
    const bl_aabb *own = context;
    for (int axis = 0; axis < 3; axis++) {
        if (aabb->min[axis] < own->min[axis] || aabb->max[axis] > own->max[axis]) return 0;
    }
    return 1;
}

static int32_t visit_visible(void *context, const bl_visible *visible) {
    asking *state = context;
    index_of(state->made, visible->handle);
    return ++state->asked == state->limit;
}

static void region_is_right(const world *made, bl_scratch *scratch, const bl_region *region, size_t *answers) {
    bl_handle found[WORLD], any = 0;
    size_t count = 0, wanted = 0, words = 0;
    OK(bl_octree_overlap(made->tree, region, NULL, found, WORLD, &count));
    uint8_t marked[WORLD] = {0};
    for (size_t i = 0; i < count; i++) marked[index_of(made, found[i])]++;
    for (int i = 0; i < WORLD; i++) {
        int overlaps = expected(region, &made->aabbs[i]);
        CHECK(marked[i] == overlaps);
        wanted += (size_t)overlaps;
    }
    CHECK(count == wanted);
    *answers += wanted;

    OK(bl_octree_overlap_any(made->tree, region, NULL, &any));
    CHECK((any != BL_NO_HANDLE) == (wanted > 0));
    asking state = {made, region, 0, 3};
    OK(bl_octree_overlap_each(made->tree, region, NULL, stop_after, &state));
    CHECK(state.asked == (wanted < 3 ? (int)wanted : 3));

    bl_query_stats stats = {0, 0, 0};
    bl_options options = {0};
    options.stats = &stats;
    options.scratch = scratch;
    uint64_t slots[WORLD / 64 + 1];
    OK(bl_octree_overlap_slots(made->tree, region, &options, slots, WORLD / 64 + 1, &words));
    CHECK(words == (WORLD + 63) / 64 && stats.hits == wanted);
    for (int i = 0; i < WORLD; i++) {
        uint32_t slot = bl_handle_slot(made->handles[i]);
        CHECK((slots[slot / 64] >> slot % 64 & 1) == marked[i]);
    }

    /* Layers, mobility, one left out, a filter. */
    asking filter = {made, region, 0, 0};
    options = (bl_options){0};
    options.layers = 2;
    options.only = BL_ONLY_MOVING;
    options.exclude = made->handles[2];
    options.filter = accept_even;
    options.context = &filter;
    OK(bl_octree_overlap(made->tree, region, &options, found, WORLD, &count));
    for (size_t i = 0; i < count; i++) marked[index_of(made, found[i])] += 2;
    for (int i = 0; i < WORLD; i++) {
        int passes = marked[i] % 2 && i % 2 == 0 && i % 5 && i != 2;
        CHECK((marked[i] >= 2) == passes);
    }

    /* The same with containment, near to far from an eye. */
    bl_visible visible[WORLD];
    size_t again = 0;
    OK(bl_octree_visible(made->tree, region, NULL, NULL, visible, WORLD, &again));
    CHECK(again == wanted);
    state.asked = 0;
    OK(bl_octree_visible_each(made->tree, region, NULL, NULL, visit_visible, &state));
    CHECK(state.asked == (wanted < 3 ? (int)wanted : 3));
    bl_viewpoint eye = {{20, 3, 1}, 0};
    options = (bl_options){0};
    options.scratch = scratch;
    options.in_order = 1;
    OK(bl_octree_visible(made->tree, region, &eye, &options, visible, WORLD, &again));
    CHECK(again == wanted);
    for (size_t i = 0; i < again; i++) {
        const bl_aabb *aabb = &made->aabbs[index_of(made, visible[i].handle)];
        CHECK(fabs(distance_to(aabb, eye.eye) - visible[i].distance) < 1e-4);
        CHECK(i == 0 || visible[i - 1].distance <= visible[i].distance);
    }
}

static void regions(const world *made, bl_scratch *scratch) {
    size_t answers = 0;
    uint64_t seed = 9;
    for (int round = 0; round < 12; round++) {
        bl_aabb aabb = random_aabb(&seed, 10, 5);
        bl_plane planes[4] = {{{1, 0, 0}, 3}, {{-1, 0.5f, 0}, 4}, {{0, 1, 0.25f}, 2}, {{0, 0, -2}, 6}};
        bl_plane six[6] = {{{1, 0, 0}, 5}, {{-1, 0, 0}, 5}, {{0, 1, 0}, 4}, {{0, -1, 0}, 4}, {{0, 0, 1}, 3}, {{0, 0.1f, -1}, 3}};
        /* Looks along -z, 90 degrees, near 0.1, far 30; moved along x. */
        bl_camera camera = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.0033f, -1, aabb.min[0], 0, -0.1003f, 0}, BL_DEPTH_ZERO_TO_ONE,
                            {-0.5f, -0.5f}, {0.5f, 0.25f}};
        bl_caller_region own = {aabb, own_overlaps_aabb, own_overlaps_sphere, NULL, own_contains_aabb, &aabb};
        bl_region all[] = {
            {BL_REGION_POINT, {.point = {aabb.min[0], aabb.min[1], aabb.min[2]}}},
            {BL_REGION_AABB, {.aabb = aabb}},
            {BL_REGION_SPHERE, {.sphere = {{aabb.min[0], aabb.min[1], aabb.min[2]}, 4}}},
            {BL_REGION_FRUSTUM, {.camera = camera}},
            {BL_REGION_SCREEN_RECTANGLE, {.camera = camera}},
            {BL_REGION_OBB, {.obb = {{aabb.min[0], aabb.min[1], aabb.min[2]}, {3, 4, 5}, {0, 0, 0, 1}}}},
            {BL_REGION_CAPSULE, {.capsule = {{aabb.min[0], aabb.min[1], aabb.min[2]}, {1, 2, 3}, 1.5f}}},
            {BL_REGION_CONVEX, {.convex = {planes, 4}}},
        };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) region_is_right(made, scratch, &all[i], &answers);
        bl_region planar = {BL_REGION_PLANES, {.point = {0, 0, 0}}};
        memcpy(planar.of.planes, six, sizeof six);
        region_is_right(made, scratch, &planar, &answers);

        /* A region of the caller's own answers as the box that it is. */
        bl_region mine = {BL_REGION_OWN, {.own = &own}};
        bl_handle found[WORLD], same[2 * WORLD];
        size_t count = 0, again = 0;
        OK(bl_octree_overlap(made->tree, &all[1], NULL, found, WORLD, &count));
        OK(bl_octree_overlap(made->tree, &mine, NULL, same, WORLD, &again));
        CHECK(count == again && memcmp(found, same, count * sizeof *found) == 0);
        bl_region own_twice[2] = {mine, mine};
        size_t ends[2];
        bl_options options = {0};
        options.scratch = scratch;
        OK(bl_octree_overlap_many(made->tree, own_twice, 2, &options, ends, same, 2 * WORLD, &again));
        CHECK(ends[0] == count && ends[1] == again && again == 2 * count);
        options.threads = BL_THREADS_POOL;
        REFUSED(BL_STATUS_NULL_POINTER, "callbacks_on_threads",
                bl_octree_overlap_many(made->tree, own_twice, 2, &options, ends, same, 2 * WORLD, &again));
    }
    CHECK(answers > 2000);
}

/* Where a segment first meets a box; beyond 1 if it does not. */
static double slab(const bl_aabb *aabb, const float from[3], const double along[3]) {
    double enter = 0, leave = 1;
    for (int axis = 0; axis < 3; axis++) {
        double low = ((double)aabb->min[axis] - from[axis]) / along[axis], high = ((double)aabb->max[axis] - from[axis]) / along[axis];
        enter = fmax(enter, fmin(low, high));
        leave = fmin(leave, fmax(low, high));
    }
    return enter <= leave ? enter : 2;
}

static float half_way(void *context, const bl_hit *candidate) {
    const world *made = context;
    return index_of(made, candidate->handle) % 3 ? candidate->time : NAN;
}

static float own_meets_aabb(void *context, const bl_aabb *aabb, float limit) {
    const bl_segment *segment = context;
    (void)limit;
    double along[3] = {(double)segment->to[0] - segment->from[0], (double)segment->to[1] - segment->from[1],
                       (double)segment->to[2] - segment->from[2]};
    double met = slab(aabb, segment->from, along);
    return met <= 1 ? (float)met : NAN;
}

static float own_meets_sphere(void *context, const bl_sphere *sphere, float limit) {
    (void)context, (void)sphere, (void)limit;
    return NAN;
}

static int32_t first_two(void *context, const bl_hit *hit) {
    bl_hit *hits = context;
    hits[hits[0].handle == 0 ? 0 : 1] = *hit;
    return hits[1].handle != 0;
}

static void casts(const world *made, bl_scratch *scratch) {
    uint64_t seed = 3;
    size_t hits_total = 0;
    bl_cast segments[40];
    bl_hit closest[40];
    for (int round = 0; round < 40; round++) {
        bl_aabb ends = random_aabb(&seed, 5, 12);
        bl_segment segment = {{ends.min[0], ends.min[1], ends.min[2]}, {ends.max[0], ends.max[1], ends.max[2]}};
        double along[3], length = 0;
        for (int axis = 0; axis < 3; axis++) {
            along[axis] = (double)segment.to[axis] - segment.from[axis];
            length += along[axis] * along[axis];
        }
        length = sqrt(length);
        double nearest = 2;
        size_t wanted = 0;
        for (int i = 0; i < WORLD; i++) {
            double met = slab(&made->aabbs[i], segment.from, along);
            wanted += met <= 1;
            nearest = fmin(nearest, met);
        }
        bl_cast cast = {BL_CAST_SEGMENT, {.segment = segment}};
        segments[round] = cast;
        bl_hit hit, all[WORLD];
        size_t count = 0;
        OK(bl_octree_cast_closest(made->tree, &cast, NULL, &hit));
        CHECK((hit.handle != BL_NO_HANDLE) == (wanted > 0));
        CHECK(wanted == 0 || fabs(hit.distance - nearest * length) < 1e-3);
        closest[round] = hit;
        OK(bl_octree_cast_any(made->tree, &cast, NULL, &hit));
        CHECK((hit.handle != BL_NO_HANDLE) == (wanted > 0));

        bl_options options = {0};
        options.scratch = scratch;
        options.in_order = 1;
        OK(bl_octree_cast_all(made->tree, &cast, &options, all, WORLD, &count));
        CHECK(count == wanted);
        hits_total += count;
        for (size_t i = 1; i < count; i++) CHECK(all[i - 1].distance <= all[i].distance);
        bl_hit two[2] = {{0}};
        OK(bl_octree_cast_each(made->tree, &cast, &options, first_two, two));
        CHECK(count < 2 || (two[0].handle == all[0].handle && two[1].handle == all[1].handle));

        /* A narrow phase that lets a third of the objects through. */
        options = (bl_options){0};
        options.refine = half_way;
        options.context = (void *)made;
        OK(bl_octree_cast_closest(made->tree, &cast, &options, &hit));
        CHECK(hit.handle == BL_NO_HANDLE || index_of(made, hit.handle) % 3 != 0);
        /* Nothing closer than the closest. */
        options = (bl_options){0};
        options.has_within = 1;
        options.within = closest[round].distance * 0.999f;
        OK(bl_octree_cast_closest(made->tree, &cast, &options, &hit));
        CHECK(wanted == 0 || nearest == 0 || hit.handle == BL_NO_HANDLE);
        /* Objects around the start do not count. */
        options = (bl_options){0};
        options.start_inside = BL_START_INSIDE_SKIP;
        OK(bl_octree_cast_closest(made->tree, &cast, &options, &hit));
        CHECK(hit.handle == BL_NO_HANDLE || hit.distance > 0);

        /* A cast of the caller's own, by time, and a swept point. */
        bl_caller_cast own = {1, {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}, own_meets_aabb,
                              own_meets_sphere, &segment};
        cast = (bl_cast){BL_CAST_OWN, {.own = &own}};
        OK(bl_octree_cast_closest(made->tree, &cast, NULL, &hit));
        CHECK(wanted == 0 || fabs(hit.time - nearest) < 1e-5);
        bl_sweep_aabb sweep = {point_aabb(segment.from[0], segment.from[1], segment.from[2]),
                               {segment.to[0] - segment.from[0], segment.to[1] - segment.from[1], segment.to[2] - segment.from[2]}};
        cast = (bl_cast){BL_CAST_SWEEP_AABB, {.sweep_aabb = sweep}};
        OK(bl_octree_cast_closest(made->tree, &cast, NULL, &hit));
        CHECK(wanted == 0 || fabs(hit.time - nearest) < 1e-5);
        /* A ball touches what it hits, and nothing before. */
        bl_sweep_sphere ball = {{{segment.from[0], segment.from[1], segment.from[2]}, 0.25f},
                                {sweep.motion[0], sweep.motion[1], sweep.motion[2]}};
        cast = (bl_cast){BL_CAST_SWEEP_SPHERE, {.sweep_sphere = ball}};
        OK(bl_octree_cast_closest(made->tree, &cast, NULL, &hit));
        double until = hit.handle == BL_NO_HANDLE ? 1.0 : hit.time;
        for (int step = 0; step <= 60; step++) {
            float at[3];
            double time = until * step / 60.0;
            for (int axis = 0; axis < 3; axis++) at[axis] = (float)(segment.from[axis] + time * ball.motion[axis]);
            if (step == 60 && hit.handle != BL_NO_HANDLE) {
                double distance = distance_to(&made->aabbs[index_of(made, hit.handle)], at);
                CHECK(distance < 0.2501 && (hit.time == 0 || distance > 0.2499));
            } else {
                for (int i = 0; i < WORLD && time < until; i++) CHECK(distance_to(&made->aabbs[i], at) > 0.2499);
            }
        }
    }
    CHECK(hits_total > 100);

    /* All at once, on one thread and on the pool. */
    bl_hit many[40], hits[40 * 64];
    size_t ends[40], count = 0, start = 0;
    for (bl_threads threads = BL_THREADS_ONE; threads <= BL_THREADS_POOL; threads++) {
        bl_options options = {0};
        options.scratch = scratch;
        options.threads = threads;
        OK(bl_octree_cast_many_closest(made->tree, segments, 40, &options, many));
        CHECK(memcmp(many, closest, sizeof many) == 0);
        OK(bl_octree_cast_many_any(made->tree, segments, 40, &options, many));
        for (int i = 0; i < 40; i++) CHECK((many[i].handle == 0) == (closest[i].handle == 0));
        OK(bl_octree_cast_many_all(made->tree, segments, 40, &options, ends, hits, 40 * 64, &count));
        CHECK(count == hits_total && ends[39] == count);
        start = 0;
        for (int i = 0; i < 40; i++) {
            bl_hit single[WORLD];
            OK(bl_octree_cast_all(made->tree, &segments[i], NULL, single, WORLD, &count));
            CHECK(count == ends[i] - start && memcmp(single, hits + start, count * sizeof *single) == 0);
            start = ends[i];
        }
    }
}

static void places(const world *made, bl_scratch *scratch) {
    uint64_t seed = 5;
    bl_aabb points[30];
    bl_hit closest[30], many[30], found[WORLD], three[3];
    for (int round = 0; round < 30; round++) {
        float at[3] = {random_between(&seed, -20, 20), random_between(&seed, -20, 20), random_between(&seed, -20, 20)};
        points[round] = point_aabb(at[0], at[1], at[2]);
        double nearest = 1e9;
        size_t within = 0, count = 0;
        for (int i = 0; i < WORLD; i++) {
            double distance = distance_to(&made->aabbs[i], at);
            nearest = fmin(nearest, distance);
            within += distance <= 7.0;
        }
        OK(bl_octree_nearest_closest(made->tree, &points[round], NULL, &closest[round]));
        CHECK(fabs(closest[round].distance - nearest) < 1e-4);
        bl_options options = {0};
        options.scratch = scratch;
        options.has_within = 1;
        options.within = 7.0f;
        options.in_order = 1;
        OK(bl_octree_nearest_all(made->tree, &points[round], &options, found, WORLD, &count));
        CHECK(count == within);
        bl_hit two[2] = {{0}};
        OK(bl_octree_nearest_each(made->tree, &points[round], &options, first_two, two));
        CHECK(count < 2 || two[1].handle == found[1].handle);
        options.has_within = options.in_order = 0;
        OK(bl_octree_nearest_k(made->tree, &points[round], 3, &options, three, 3, &within));
        CHECK(within == 3 && three[0].handle == closest[round].handle && three[1].distance <= three[2].distance);
        CHECK(count < 3 || (three[1].handle == found[1].handle && three[2].handle == found[2].handle));
    }
    bl_options options = {0};
    options.scratch = scratch;
    options.threads = BL_THREADS_POOL;
    OK(bl_octree_nearest_many_closest(made->tree, points, 30, &options, many));
    CHECK(memcmp(many, closest, sizeof many) == 0);
    size_t ends[30], count = 0;
    OK(bl_octree_nearest_many_k(made->tree, points, 30, 3, &options, ends, found, WORLD, &count));
    CHECK(count == 90 && ends[29] == 90 && found[87].handle == closest[29].handle && found[89].handle == three[2].handle);
}

static void batches_of_regions(const world *made, bl_scratch *scratch) {
    uint64_t seed = 8;
    bl_region regions[100];
    for (int i = 0; i < 100; i++) regions[i] = (bl_region){BL_REGION_AABB, {.aabb = random_aabb(&seed, 12, 4)}};
    size_t capacity = 20000, ends[100], count = 0, again = 0;
    bl_handle *found = malloc(capacity * sizeof *found), single[WORLD];
    bl_visible *visible = malloc(capacity * sizeof *visible);
    bl_options options = {0};
    options.scratch = scratch;
    options.threads = BL_THREADS_POOL;
    OK(bl_octree_overlap_many(made->tree, regions, 100, &options, ends, found, capacity, &count));
    CHECK(count == ends[99] && count > 500);
    for (int i = 0; i < 100; i++) {
        size_t start = i ? ends[i - 1] : 0;
        OK(bl_octree_overlap(made->tree, &regions[i], NULL, single, WORLD, &again));
        CHECK(again == ends[i] - start && memcmp(single, found + start, again * sizeof *single) == 0);
    }
    OK(bl_octree_visible_many(made->tree, regions, 100, &options, ends, visible, capacity, &again));
    CHECK(again == count);
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(visible[i].handle == found[i]);
        inside += visible[i].containment == BL_INSIDE;
    }
    CHECK(inside > 0 && inside < count);
    free(found);
    free(visible);
}

int main(void) {
    bl_scratch *scratch;
    OK(bl_scratch_new(&scratch));
    world *made = world_new(2);
    regions(made, scratch);
    casts(made, scratch);
    places(made, scratch);
    batches_of_regions(made, scratch);
    world_free(made);
    bl_scratch_free(scratch);
    return 0;
}
