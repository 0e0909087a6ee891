/* Readers side by side on a tree that is up to date; the pool of threads. */
#include "check.h"
#include <pthread.h>

typedef struct {
    const world *made;
    uint64_t seed, hash;
} reader;

static void *read_much(void *argument) {
    reader *self = argument;
    uint64_t seed = self->seed;
    bl_scratch *scratch;
    OK(bl_scratch_new(&scratch));
    bl_options options = {0};
    options.scratch = scratch;
    for (int round = 0; round < 200; round++) {
        bl_region region = {BL_REGION_AABB, {.aabb = random_aabb(&seed, 12, 4)}};
        bl_handle found[WORLD];
        size_t count = 0;
        OK(bl_octree_overlap(self->made->tree, &region, &options, found, WORLD, &count));
        for (size_t i = 0; i < count; i++) self->hash = self->hash * 31 + found[i];
    }
    /* Messages are each thread's own. */
    bl_handle any;
    REFUSED(BL_STATUS_NULL_POINTER, "region is NULL", bl_octree_overlap_any(self->made->tree, NULL, NULL, &any));
    bl_scratch_free(scratch);
    return NULL;
}

int main(void) {
    OK(bl_pool_start(2));
    CHECK(bl_pool_threads() == 2);
    REFUSED(BL_STATUS_OUT_OF_RANGE, "pool", bl_pool_start(3));
    world *made = world_new(11);
    pthread_t threads[4];
    reader readers[5] = {{made, 1, 0}, {made, 2, 0}, {made, 1, 0}, {made, 2, 0}, {made, 1, 0}};
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, read_much, &readers[i]) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    /* The same questions have the same answers, on this thread too. */
    read_much(&readers[4]);
    CHECK(readers[0].hash == readers[2].hash && readers[1].hash == readers[3].hash);
    CHECK(readers[0].hash == readers[4].hash && readers[0].hash != readers[1].hash);
    CHECK(strstr(bl_last_error(), "region") != NULL);
    world_free(made);
    return 0;
}
