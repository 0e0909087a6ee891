/* What a camera sees of a city, near to far; what the mouse points at. */
#include <broadleaf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 40, HOUSES = SIDE * SIDE };

static void check(bl_status status) {
    if (status != BL_STATUS_OK) {
        fprintf(stderr, "refused: %s\n", bl_last_error());
        exit(1);
    }
}

int main(void) {
    static bl_object houses[HOUSES];
    static bl_handle handles[HOUSES];
    for (int i = 0; i < HOUSES; i++) {
        float x = (float)(i % SIDE) * 10.0f, z = (float)(i / SIDE) * -10.0f, height = 4.0f + (float)(i * 7 % 13);
        bl_aabb aabb = {{x, 0, z - 6}, {x + 6, height, z}};
        houses[i] = bl_object_aabb(aabb);
        houses[i].mobility = BL_STATIC;
        houses[i].user_data = (uint64_t)i;
    }
    bl_octree *city;
    bl_scratch *scratch;
    check(bl_octree_new(NULL, &city));
    check(bl_scratch_new(&scratch));
    check(bl_octree_insert_many(city, houses, HOUSES, handles));
    check(bl_octree_flush(city));

    /* A camera at the near edge, above the roofs, that looks along -z: 90 degrees high and wide, from 0.1 to
     * 150 units, depth from 0 to 1. Column by column. */
    const float eye[3] = {200, 30, 20}, near = 0.1f, far = 150.0f, range = near - far;
    bl_camera camera = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, far / range, -1, -eye[0], -eye[1],
                         near * far / range - eye[2] * far / range, eye[2]},
                        BL_DEPTH_ZERO_TO_ONE, {0, 0}, {0, 0}};
    bl_region frustum = {BL_REGION_FRUSTUM, {.camera = camera}};
    /* Nothing smaller than four pixels of a screen that is 1080 high. */
    bl_viewpoint viewpoint = {{eye[0], eye[1], eye[2]}, 4 * 2.0f / 1080.0f};
    bl_query_stats stats = {0, 0, 0};
    bl_options options = {0};
    options.scratch = scratch;
    options.in_order = 1;
    options.stats = &stats;

    /* How many there are is not known before: count them, or hand in an array that is large enough. */
    static bl_visible visible[HOUSES];
    size_t count = 0, inside = 0;
    check(bl_octree_visible(city, &frustum, &viewpoint, &options, visible, HOUSES, &count));
    for (size_t i = 0; i < count; i++) {
        inside += visible[i].containment == BL_INSIDE;
        if (i > 0 && visible[i].distance < visible[i - 1].distance) return 1;
    }
    printf("%zu of %d houses are in view, %zu of them wholly; %llu objects tested\n", count, HOUSES, inside,
           (unsigned long long)stats.objects_tested);
    printf("nearest %.1f, farthest %.1f\n", visible[0].distance, visible[count - 1].distance);
    if (count == 0 || count == HOUSES || inside == 0 || stats.objects_tested >= HOUSES) return 1;

    /* The house under a point of the screen, a little below its middle. */
    bl_cast mouse = {BL_CAST_RAY, {.ray = {{eye[0], eye[1], eye[2]}, {0.02f, -0.4f, -1}, INFINITY}}};
    bl_hit hit;
    check(bl_octree_cast_closest(city, &mouse, NULL, &hit));
    if (hit.handle == BL_NO_HANDLE) return 1;
    uint64_t house;
    check(bl_octree_user_data(city, hit.handle, &house));
    printf("the mouse points at house %llu, %.2f away\n", (unsigned long long)house, hit.distance);

    /* A rectangle around that point of the screen holds that house. */
    frustum.kind = BL_REGION_SCREEN_RECTANGLE;
    for (int axis = 0; axis < 2; axis++) {
        float at = axis == 0 ? 0.02f : -0.4f;
        frustum.of.camera.rectangle_min[axis] = at - 0.05f;
        frustum.of.camera.rectangle_max[axis] = at + 0.05f;
    }
    static bl_handle selected[HOUSES];
    check(bl_octree_overlap(city, &frustum, NULL, selected, HOUSES, &count));
    int holds = 0;
    for (size_t i = 0; i < count; i++) holds |= selected[i] == hit.handle;
    printf("a rectangle around it selects %zu houses\n", count);

    bl_scratch_free(scratch);
    bl_octree_free(city);
    return holds ? 0 : 1;
}
