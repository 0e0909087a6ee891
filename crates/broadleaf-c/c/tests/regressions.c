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

int main(void) {
    regression_objects_are_copied_onto_themselves();
    regression_callbacks_ask_with_the_statistics_of_the_call();
    return 0;
}
