/* Bugs that were fixed, one function each. */
#include "check.h"

static void regression_objects_are_copied_onto_themselves(void) {
    world *made = world_new(21);
    bl_tracker *tracker;
    uint64_t before, after;
    OK(bl_octree_state_hash(made->tree, &before));
    OK(bl_octree_copy(made->tree, made->tree));
    OK(bl_octree_state_hash(made->tree, &after));
    CHECK(before == after);
    OK(bl_tracker_new(&tracker));
    OK(bl_tracker_update(tracker, made->tree, NULL));
    OK(bl_tracker_state_hash(tracker, &before));
    OK(bl_tracker_copy(tracker, tracker));
    OK(bl_tracker_state_hash(tracker, &after));
    CHECK(before == after);
    REFUSED(BL_STATUS_NULL_POINTER, "source is NULL", bl_octree_copy(NULL, NULL));
    REFUSED(BL_STATUS_NULL_POINTER, "source is NULL", bl_tracker_copy(NULL, NULL));
    bl_tracker_free(tracker);
    world_free(made);
}

typedef struct {
    const world *made;
    bl_options options;
    bl_region region;
    uint64_t asked;
} nested;

static int32_t ask_with_the_same_statistics(void *context, bl_handle handle) {
    nested *state = context;
    bl_handle any;
    (void)handle;
    OK(bl_octree_overlap_any(state->made->tree, &state->region, &state->options, &any));
    CHECK(any != BL_NO_HANDLE);
    state->asked++;
    return 1;
}

static void regression_callbacks_ask_with_the_statistics_of_the_call(void) {
    world *made = world_new(22);
    bl_query_stats stats = {0, 0, 0};
    nested state = {made, {0}, {BL_REGION_AABB, {.aabb = {{-3, -3, -3}, {3, 3, 3}}}}, 0};
    state.options.stats = &stats;
    bl_options options = {0};
    options.stats = &stats;
    options.filter = ask_with_the_same_statistics;
    options.context = &state;
    size_t count = 0;
    OK(bl_octree_overlap(made->tree, &state.region, &options, NULL, 0, &count));
    CHECK(count > 3 && state.asked >= count && stats.hits == count + state.asked);
    world_free(made);
}

static void regression_mobilities_and_the_option_only_agree(void) {
    CHECK(BL_ONLY_STATIC == BL_STATIC && BL_ONLY_ALL == BL_MOVING);
    world *made = world_new(23);
    bl_region all = {BL_REGION_AABB, {.aabb = {{-50, -50, -50}, {50, 50, 50}}}};
    bl_options options = {0};
    size_t count = 0;
    options.only = BL_STATIC;
    OK(bl_octree_overlap(made->tree, &all, &options, NULL, 0, &count));
    CHECK(count == WORLD / 5);
    options.only = BL_ONLY_MOVING;
    OK(bl_octree_overlap(made->tree, &all, &options, NULL, 0, &count));
    CHECK(count == WORLD - WORLD / 5);
    world_free(made);
}

typedef struct {
    const bl_mesh *mesh;
    int calls;
} changing;

/* A legal mesh at first, none later. */
static int32_t legal_at_first(void *context, bl_handle handle, const bl_mesh **mesh, bl_placement *placement) {
    changing *state = context;
    (void)handle;
    *mesh = state->calls++ ? NULL : state->mesh;
    *placement = (bl_placement){{0, 0, 0, 1}, {0, 0, 0}, 1};
    return 1;
}

static void regression_a_refused_list_of_placed_triangles_adds_no_work(void) {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    bl_mesh *mesh;
    OK(bl_mesh_from_triangles(corners, 1, BL_BUILD_FAST, BL_THREADS_ONE, &mesh));
    bl_octree *tree;
    bl_handle handles[2];
    bl_aabb aabbs[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}}, place = point_aabb(0.1f, 0.1f, 0.5f);
    OK(bl_octree_new(NULL, &tree));
    OK(bl_octree_insert_aabbs(tree, aabbs, 2, handles));
    OK(bl_octree_flush(tree));
    bl_query_stats stats = {0, 0, 0};
    bl_options options = {0};
    options.stats = &stats;
    size_t count = 77;
    bl_region region = {BL_REGION_AABB, {.aabb = aabbs[0]}};
    bl_cast cast = {BL_CAST_RAY, {.ray = {{0.1f, 0.1f, 5}, {0, 0, -1}, INFINITY}}};
    bl_mesh_triangle triangles[2];
    bl_mesh_hit hits[2], hit;
    changing state = {mesh, 0};
    REFUSED(BL_STATUS_NULL_POINTER, "mesh is NULL",
            bl_octree_overlap_meshes(tree, &region, legal_at_first, &state, &options, triangles, 2, &count));
    state.calls = 0;
    REFUSED(BL_STATUS_NULL_POINTER, "mesh is NULL",
            bl_octree_cast_meshes_all(tree, &cast, legal_at_first, &state, &options, hits, 2, &count));
    state.calls = 0;
    REFUSED(BL_STATUS_NULL_POINTER, "mesh is NULL",
            bl_octree_nearest_meshes_all(tree, &place, legal_at_first, &state, &options, hits, 2, &count));
    state.calls = 1;
    REFUSED(BL_STATUS_NULL_POINTER, "mesh is NULL",
            bl_octree_cast_meshes_closest(tree, &cast, legal_at_first, &state, &options, &hit));
    CHECK(count == 77 && stats.nodes_visited == 0 && stats.objects_tested == 0 && stats.hits == 0);
    bl_octree_free(tree);
    bl_mesh_free(mesh);
}

static void regression_a_refused_length_is_not_written(void) {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    bl_mesh *mesh;
    OK(bl_mesh_from_triangles(corners, 1, BL_BUILD_FAST, BL_THREADS_ONE, &mesh));
    size_t len = 77, degenerate[2] = {0, 0};
    REFUSED(BL_STATUS_MISALIGNED_POINTER, "degenerate is not aligned",
            bl_mesh_len(mesh, &len, (size_t *)(void *)((char *)degenerate + 1)));
    CHECK(len == 77);
    bl_mesh_free(mesh);
}

static void regression_numbers_that_are_no_handles_are_ignored(void) {
    world *made = world_new(24);
    bl_tracker *tracker;
    OK(bl_tracker_new(&tracker));
    uint64_t before, after;
    OK(bl_tracker_state_hash(tracker, &before));
    OK(bl_tracker_ask_again(tracker, BL_NO_HANDLE));
    OK(bl_tracker_state_hash(tracker, &after));
    CHECK(before == after);
    bl_tracker_free(tracker);
    uint32_t answer = 7;
    bl_pair none = {BL_NO_HANDLE, BL_NO_HANDLE}, half = {BL_NO_HANDLE, made->handles[0]};
    OK(bl_octree_is_pair(made->tree, none, &answer));
    CHECK(answer == 0);
    answer = 7;
    OK(bl_octree_is_pair(made->tree, half, &answer));
    CHECK(answer == 0);
    REFUSED(BL_STATUS_STALE_HANDLE, "pair.a is no handle", bl_octree_touches(made->tree, half, &answer));
    world_free(made);
}

static void regression_batches_leave_one_object_out(bl_scratch *scratch) {
    world *made = world_new(25);
    bl_region regions[2] = {{BL_REGION_AABB, {.aabb = made->aabbs[0]}}, {BL_REGION_AABB, {.aabb = made->aabbs[1]}}};
    bl_aabb places[2] = {made->aabbs[0], made->aabbs[1]};
    bl_cast casts[2] = {{BL_CAST_SWEEP_AABB, {.sweep_aabb = {made->aabbs[0], {4, 0, 0}}}},
                        {BL_CAST_SWEEP_AABB, {.sweep_aabb = {made->aabbs[1], {0, 4, 0}}}}};
    bl_handle found[2 * WORLD], single[WORLD];
    bl_visible visible[2 * WORLD];
    bl_hit hits[2 * WORLD], one;
    size_t ends[2], count = 0, again = 0;
    bl_options options = {0};
    options.exclude = made->handles[0];
    bl_options many = options;
    many.scratch = scratch;
    OK(bl_octree_overlap_many(made->tree, regions, 2, &many, ends, found, 2 * WORLD, &count));
    for (size_t i = 0, start = 0; i < 2; start = ends[i++]) {
        OK(bl_octree_overlap(made->tree, &regions[i], &options, single, WORLD, &again));
        CHECK(again == ends[i] - start && memcmp(single, found + start, again * sizeof *single) == 0);
    }
    CHECK(count > 0);
    OK(bl_octree_visible_many(made->tree, regions, 2, &many, ends, visible, 2 * WORLD, &again));
    CHECK(again == count);
    OK(bl_octree_nearest_many_closest(made->tree, places, 2, &many, hits));
    OK(bl_octree_nearest_closest(made->tree, &places[0], &options, &one));
    CHECK(memcmp(&hits[0], &one, sizeof one) == 0 && one.handle != made->handles[0]);
    OK(bl_octree_nearest_many_k(made->tree, places, 2, WORLD, &many, ends, hits, 2 * WORLD, &count));
    CHECK(count == 2 * (WORLD - 1));
    OK(bl_octree_cast_many_closest(made->tree, casts, 2, &many, hits));
    OK(bl_octree_cast_closest(made->tree, &casts[0], &options, &one));
    CHECK(memcmp(&hits[0], &one, sizeof one) == 0 && one.handle != made->handles[0]);
    OK(bl_octree_cast_many_all(made->tree, casts, 2, &many, ends, hits, 2 * WORLD, &count));
    for (size_t i = 0; i < count; i++) CHECK(hits[i].handle != made->handles[0]);
    world_free(made);
}

static void regression_messages_name_parameters_and_values(void) {
    world *made = world_new(26);
    REFUSED(BL_STATUS_BAD_VALUE, "mobility: 7 is not a legal value",
            bl_octree_set_mobility(made->tree, made->handles[0], 7));
    REFUSED(BL_STATUS_BAD_VALUE, "threads: 9 is not a legal value", bl_octree_set_threads(made->tree, 9));
    world_free(made);
}

int main(void) {
    bl_scratch *scratch;
    OK(bl_scratch_new(&scratch));
    regression_objects_are_copied_onto_themselves();
    regression_callbacks_ask_with_the_statistics_of_the_call();
    regression_mobilities_and_the_option_only_agree();
    regression_a_refused_list_of_placed_triangles_adds_no_work();
    regression_a_refused_length_is_not_written();
    regression_numbers_that_are_no_handles_are_ignored();
    regression_batches_leave_one_object_out(scratch);
    regression_messages_name_parameters_and_values();
    bl_scratch_free(scratch);
    return 0;
}
