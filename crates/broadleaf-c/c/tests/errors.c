/* What is refused, how it is told, and that nothing is changed. */
#include "check.h"

static int32_t refuse(void *context, bl_handle handle) {
    (void)context, (void)handle;
    return 0;
}

int main(void) {
    bl_octree *tree = NULL;
    CHECK(strcmp(bl_last_error(), "") == 0 && bl_last_error_index() == SIZE_MAX);
    bl_config config = bl_config_default();
    config.looseness = 0.5f;
    REFUSED(BL_STATUS_OUT_OF_RANGE, "looseness must be from 1 to 1048576, but is 0.5", bl_octree_new(&config, &tree));
    CHECK(tree == NULL);
    OK(bl_octree_new(NULL, &tree));

    /* Pointers. */
    bl_aabb unit = {{0, 0, 0}, {1, 1, 1}};
    bl_handle handle = 5, handles[3];
    bl_object object = bl_object_aabb(unit);
    REFUSED(BL_STATUS_NULL_POINTER, "tree is NULL", bl_octree_new(NULL, NULL));
    REFUSED(BL_STATUS_NULL_POINTER, "tree is NULL", bl_octree_insert(NULL, &object, &handle));
    REFUSED(BL_STATUS_NULL_POINTER, "object is NULL", bl_octree_insert(tree, NULL, &handle));
    REFUSED(BL_STATUS_NULL_POINTER, "handle is NULL", bl_octree_insert(tree, &object, NULL));
    REFUSED(BL_STATUS_NULL_POINTER, "aabbs is NULL", bl_octree_insert_aabbs(tree, NULL, 3, handles));
    REFUSED(BL_STATUS_NULL_POINTER, "handles is NULL", bl_octree_insert_aabbs(tree, &unit, 1, NULL));
    REFUSED(BL_STATUS_NULL_POINTER, "keep is NULL", bl_octree_retain(tree, NULL, NULL));
    char bytes[64] = {0};
    REFUSED(BL_STATUS_MISALIGNED_POINTER, "aabbs is not aligned to 4 bytes",
            bl_octree_insert_aabbs(tree, (const bl_aabb *)(void *)(bytes + 1 + (uintptr_t)bytes % 2), 1, handles));
    REFUSED(BL_STATUS_BAD_LENGTH, "aabbs", bl_octree_insert_aabbs(tree, &unit, SIZE_MAX / 2, handles));
    OK(bl_octree_insert_aabbs(tree, NULL, 0, NULL));

    /* Shapes, with the index of the one that is wrong. */
    bl_aabb aabbs[3] = {unit, {{0, NAN, 0}, {1, 1, 1}}, unit};
    REFUSED(BL_STATUS_ILLEGAL_SHAPE, "element 1: min.y is not a number", bl_octree_insert_aabbs(tree, aabbs, 3, handles));
    CHECK(bl_last_error_index() == 1);
    object.shape.bounds.aabb.max[0] = -1.0f;
    REFUSED(BL_STATUS_ILLEGAL_SHAPE, "inverted bounds on axis x", bl_octree_insert(tree, &object, &handle));
    CHECK(bl_last_error_index() == SIZE_MAX);
    object = bl_object_aabb(unit);
    object.shape.kind = 9;
    REFUSED(BL_STATUS_BAD_VALUE, "shape.kind: 9 is not a legal value", bl_octree_insert(tree, &object, &handle));
    object = bl_object_aabb(unit);
    object.mobility = 2;
    REFUSED(BL_STATUS_BAD_VALUE, "mobility: 2 is not a legal value", bl_octree_insert(tree, &object, &handle));
    size_t len = 7;
    OK(bl_octree_len(tree, &len));
    CHECK(len == 0 && handle == 5);

    /* Handles. */
    aabbs[1] = unit;
    OK(bl_octree_insert_aabbs(tree, aabbs, 3, handles));
    bl_handle stale = handles[1];
    OK(bl_octree_remove(tree, stale, NULL));
    uint64_t before, after;
    OK(bl_octree_state_hash(tree, &before));
    REFUSED(BL_STATUS_STALE_HANDLE, "stale handle", bl_octree_remove(tree, stale, NULL));
    REFUSED(BL_STATUS_STALE_HANDLE, "stale handle", bl_octree_get(tree, stale, &object));
    REFUSED(BL_STATUS_STALE_HANDLE, "element 1: stale handle", bl_octree_update_aabbs(tree, handles, aabbs, 3));
    REFUSED(BL_STATUS_STALE_HANDLE, "object is no handle: 0", bl_octree_set_user_data(tree, BL_NO_HANDLE, 1));
    bl_handle numbers[2] = {handles[0], 2};
    REFUSED(BL_STATUS_STALE_HANDLE, "element 1", bl_octree_remove_many(tree, numbers, 2));
    CHECK(bl_last_error_index() == 1);
    OK(bl_octree_state_hash(tree, &after));
    CHECK(before == after);

    /* A tree that is not up to date. */
    bl_region region = {BL_REGION_AABB, {.aabb = unit}};
    size_t count = 7;
    REFUSED(BL_STATUS_NOT_UP_TO_DATE, "has changed", bl_octree_overlap(tree, &region, NULL, handles, 3, &count));
    CHECK(count == 7);
    OK(bl_octree_flush(tree));

    /* Lists that find no room. */
    bl_handle found[1] = {0};
    REFUSED(BL_STATUS_TRUNCATED, "the list has 2 elements, the array has room for 1",
            bl_octree_overlap(tree, &region, NULL, found, 1, &count));
    CHECK(count == 2 && found[0] != 0);
    OK(bl_octree_overlap(tree, &region, NULL, NULL, 0, &count));
    CHECK(count == 2);

    /* Options, kinds and casts. */
    bl_options options = {0};
    options.refine = NULL;
    options.in_order = 1;
    REFUSED(BL_STATUS_BAD_VALUE, "the option in_order does not apply",
            bl_octree_overlap(tree, &region, &options, found, 1, &count));
    bl_cast cast = {BL_CAST_RAY, {.ray = {{0, 0, -9}, {0, 0, 1}, INFINITY}}};
    bl_hit hit;
    REFUSED(BL_STATUS_NULL_POINTER, "needs the option scratch", bl_octree_cast_all(tree, &cast, &options, NULL, 0, &count));
    options = (bl_options){0};
    options.only = 3;
    REFUSED(BL_STATUS_BAD_VALUE, "only: 3 is not a legal value", bl_octree_cast_closest(tree, &cast, &options, &hit));
    cast.of.ray.direction[2] = 0;
    REFUSED(BL_STATUS_ILLEGAL_SHAPE, "direction has length zero", bl_octree_cast_closest(tree, &cast, NULL, &hit));
    region.kind = 77;
    REFUSED(BL_STATUS_BAD_VALUE, "region.kind: 77 is not a legal value", bl_octree_overlap_any(tree, &region, NULL, found));
    REFUSED(BL_STATUS_NULL_POINTER, "needs the option scratch", bl_octree_pairs(tree, NULL, NULL, 0, &count));

    /* Callbacks of a batch on other threads must be allowed. */
    bl_scratch *scratch;
    OK(bl_scratch_new(&scratch));
    bl_region regions[2] = {{BL_REGION_AABB, {.aabb = unit}}, {BL_REGION_POINT, {.point = {0, 0, 0}}}};
    size_t ends[2];
    options = (bl_options){0};
    options.scratch = scratch;
    options.filter = refuse;
    options.threads = BL_THREADS_POOL;
    REFUSED(BL_STATUS_NULL_POINTER, "callbacks_on_threads",
            bl_octree_overlap_many(tree, regions, 1, &options, ends, NULL, 0, &count));
    options.callbacks_on_threads = 1;
    OK(bl_octree_overlap_many(tree, regions, 1, &options, ends, NULL, 0, &count));
    CHECK(count == 0);
    REFUSED(BL_STATUS_BAD_VALUE, "element 1 is of another kind",
            bl_octree_overlap_many(tree, regions, 2, &options, ends, NULL, 0, &count));

    /* Meshes, shifts, memory that cannot be had. */
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t indices[3] = {0, 1, 3};
    bl_mesh *mesh = NULL;
    REFUSED(BL_STATUS_BAD_MESH, "index 2 is 3, but there are 3 positions",
            bl_mesh_new(positions, 3, indices, 3, BL_BUILD_FAST, BL_THREADS_ONE, &mesh));
    REFUSED(BL_STATUS_BAD_VALUE, "quality: 2 is not a legal value",
            bl_mesh_new(positions, 3, indices, 3, 2, BL_THREADS_ONE, &mesh));
    CHECK(mesh == NULL);
    const float shift[3] = {INFINITY, 0, 0};
    REFUSED(BL_STATUS_ILLEGAL_SHAPE, "shift.x must be finite", bl_octree_shift_origin(tree, shift));
    REFUSED(BL_STATUS_PANIC, "capacity overflow", bl_octree_reserve(tree, SIZE_MAX));

    bl_scratch_free(scratch);
    bl_scratch_free(NULL);
    bl_octree_free(tree);
    return 0;
}
