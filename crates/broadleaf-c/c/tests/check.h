/* Checks that end the program with the line, a seeded generator, and a world to ask about. */
#ifndef CHECK_H
#define CHECK_H

#include <broadleaf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

/* A call that must not be refused. */
#define OK(call)                                                                             \
    do {                                                                                     \
        bl_status status_ = (call);                                                          \
        if (status_ != BL_STATUS_OK) {                                                       \
            fprintf(stderr, "%s:%d: %s: %u: %s\n", __FILE__, __LINE__, #call, (unsigned)status_, \
                    bl_last_error());                                                        \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

/* A call that must be refused, with this status, and with a message that has this text in it. */
#define REFUSED(status, text, call)                                                          \
    do {                                                                                     \
        bl_status status_ = (call);                                                          \
        if (status_ != (status) || strstr(bl_last_error(), (text)) == NULL) {                \
            fprintf(stderr, "%s:%d: %s: %u: %s\n", __FILE__, __LINE__, #call, (unsigned)status_, \
                    bl_last_error());                                                        \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

static inline uint32_t random_bits(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static inline float random_between(uint64_t *state, float low, float high) {
    return low + (high - low) * (float)(random_bits(state) & 0xffffff) / 16777216.0f;
}

static inline bl_aabb random_aabb(uint64_t *state, float reach, float half_max) {
    bl_aabb aabb;
    for (int axis = 0; axis < 3; axis++) {
        float center = random_between(state, -reach, reach), half = random_between(state, 0.1f, half_max);
        aabb.min[axis] = center - half;
        aabb.max[axis] = center + half;
    }
    return aabb;
}

static inline int aabbs_overlap(const bl_aabb *a, const bl_aabb *b) {
    for (int axis = 0; axis < 3; axis++) {
        if (a->min[axis] > b->max[axis] || b->min[axis] > a->max[axis]) return 0;
    }
    return 1;
}

static inline bl_aabb point_aabb(float x, float y, float z) {
    bl_aabb aabb = {{x, y, z}, {x, y, z}};
    return aabb;
}

static inline int compare_handles(const void *a, const void *b) {
    bl_handle left = *(const bl_handle *)a, right = *(const bl_handle *)b;
    return (left > right) - (left < right);
}

static inline int compare_pairs(const void *a, const void *b) {
    const bl_pair *left = a, *right = b;
    if (left->a != right->a) return left->a < right->a ? -1 : 1;
    return (left->b > right->b) - (left->b < right->b);
}

/* A world of boxes, on layer 1 or 2, every fifth static; user data is the index. */
enum { WORLD = 400 };
typedef struct {
    bl_octree *tree;
    bl_aabb aabbs[WORLD];
    bl_object objects[WORLD];
    bl_handle handles[WORLD];
} world;

static inline world *world_new(uint64_t seed) {
    world *made = malloc(sizeof *made);
    CHECK(made != NULL);
    for (int i = 0; i < WORLD; i++) {
        made->aabbs[i] = random_aabb(&seed, 9.0f, 1.5f);
        made->objects[i] = bl_object_aabb(made->aabbs[i]);
        made->objects[i].layers.memberships = i % 2 ? 1 : 2;
        made->objects[i].mobility = i % 5 ? BL_MOVING : BL_STATIC;
        made->objects[i].user_data = (uint64_t)i;
    }
    OK(bl_octree_new(NULL, &made->tree));
    OK(bl_octree_insert_many(made->tree, made->objects, WORLD, made->handles));
    OK(bl_octree_flush(made->tree));
    return made;
}

static inline void world_free(world *made) {
    OK(bl_octree_validate(made->tree));
    bl_octree_free(made->tree);
    free(made);
}

static inline int index_of(const world *made, bl_handle handle) {
    uint64_t user_data = WORLD;
    OK(bl_octree_user_data(made->tree, handle, &user_data));
    CHECK(user_data < WORLD && made->handles[user_data] == handle);
    return (int)user_data;
}

#endif
