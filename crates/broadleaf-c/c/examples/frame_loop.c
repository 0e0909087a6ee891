/* A frame loop: things appear, move and vanish; each frame asks who overlaps whom, and what began and ended. */
#include <broadleaf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHIPS = 2000, FRAMES = 120, BULLETS_PER_FRAME = 10, BULLET_FRAMES = 30 };

/* Ends the program where the library refuses a call: here none should. */
static void check(bl_status status) {
    if (status != BL_STATUS_OK) {
        fprintf(stderr, "refused: %s\n", bl_last_error());
        exit(1);
    }
}

static bl_aabb ship_at(int ship, int frame) {
    float angle = (float)ship * 2.399963f + (float)frame * 0.01f, radius = 2.0f * sqrtf((float)ship);
    float center[3] = {radius * cosf(angle), radius * sinf(angle), (float)(ship % 7) - 3.0f};
    const float half[3] = {1.0f, 0.6f, 0.4f};
    bl_aabb aabb;
    for (int axis = 0; axis < 3; axis++) {
        aabb.min[axis] = center[axis] - half[axis];
        aabb.max[axis] = center[axis] + half[axis];
    }
    return aabb;
}

/* The arrays of results: they grow when a list finds no room, and stay. */
typedef struct {
    bl_pair *pairs;
    size_t capacity, count;
} pair_list;

typedef bl_status (*list_pairs)(const bl_tracker *tracker, bl_pair *pairs, size_t capacity, size_t *count);

static void fill(pair_list *list, list_pairs ask, const bl_tracker *tracker) {
    bl_status status = ask(tracker, list->pairs, list->capacity, &list->count);
    if (list->count > list->capacity) {
        list->capacity = 2 * list->count;
        free(list->pairs);
        list->pairs = malloc(list->capacity * sizeof *list->pairs);
        if (list->pairs == NULL) exit(1);
        status = ask(tracker, list->pairs, list->capacity, &list->count);
    }
    check(status);
}

int main(void) {
    static bl_aabb ships[SHIPS];
    static bl_handle handles[SHIPS], bullets[FRAMES * BULLETS_PER_FRAME];
    bl_octree *tree;
    bl_tracker *tracker;
    check(bl_octree_new(NULL, &tree));
    check(bl_tracker_new(&tracker));
    for (int ship = 0; ship < SHIPS; ship++) ships[ship] = ship_at(ship, 0);
    check(bl_octree_insert_aabbs(tree, ships, SHIPS, handles));

    pair_list begun = {0}, ended = {0}, pairs = {0};
    size_t known = 0, oldest = 0, newest = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        /* Appear: a handle is good at once. */
        for (int gun = 0; gun < BULLETS_PER_FRAME; gun++) {
            bl_sphere ball = {{-60.0f, (float)gun * 4.0f - 20.0f, 0.0f}, 0.25f};
            bl_object bullet = bl_object_sphere(ball);
            check(bl_octree_insert(tree, &bullet, &bullets[newest++]));
        }
        /* Move: ships in one call, bullets one by one. */
        for (int ship = 0; ship < SHIPS; ship++) ships[ship] = ship_at(ship, frame);
        check(bl_octree_update_aabbs(tree, handles, ships, SHIPS));
        for (size_t bullet = oldest; bullet < newest; bullet++) {
            bl_object object;
            check(bl_octree_get(tree, bullets[bullet], &object));
            object.shape.bounds.sphere.center[0] += 4.0f;
            check(bl_octree_update(tree, bullets[bullet], &object.shape));
        }
        /* Vanish. */
        if (frame >= BULLET_FRAMES) {
            check(bl_octree_remove_many(tree, bullets + oldest, BULLETS_PER_FRAME));
            oldest += BULLETS_PER_FRAME;
        }
        /* Ask: the update brings the tree up to date. */
        check(bl_tracker_update(tracker, tree, NULL));
        fill(&begun, bl_tracker_begun, tracker);
        fill(&ended, bl_tracker_ended, tracker);
        known = known + begun.count - ended.count;
        if (frame % 30 == 29) {
            printf("frame %3d: %zu pairs, %zu began, %zu ended\n", frame, known, begun.count, ended.count);
        }
    }
    fill(&pairs, bl_tracker_pairs, tracker);
    size_t objects;
    check(bl_octree_len(tree, &objects));
    printf("%zu objects, %zu pairs at the end\n", objects, pairs.count);
    if (objects != SHIPS + BULLETS_PER_FRAME * BULLET_FRAMES || pairs.count != known || known == 0) return 1;

    free(begun.pairs);
    free(ended.pairs);
    free(pairs.pairs);
    bl_tracker_free(tracker);
    bl_octree_free(tree);
    return 0;
}
