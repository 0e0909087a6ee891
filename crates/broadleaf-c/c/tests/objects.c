/* Objects come, change and go; what a tree says of itself; copies and snapshots. */
#include "check.h"

static int keep_even(void *context, const bl_entry *entry) {
    ++*(int *)context;
    return entry->object.user_data % 2 == 0;
}

static void come_and_go(void) {
    bl_octree *tree;
    OK(bl_octree_new(NULL, &tree));
    bl_aabb unit = {{0, 0, 0}, {1, 1, 1}};
    bl_sphere ball = {{5, 5, 5}, 0.5f};
    bl_object box = bl_object_aabb(unit), round = bl_object_sphere(ball);
    round.user_data = 7;
    bl_handle a, b;
    OK(bl_octree_insert(tree, &box, &a));
    OK(bl_octree_insert(tree, &round, &b));
    uint32_t answer = 7;
    OK(bl_octree_is_up_to_date(tree, &answer));
    CHECK(answer == 0 && a != BL_NO_HANDLE && bl_handle_slot(a) == 0 && bl_handle_slot(b) == 1);
    OK(bl_octree_flush(tree));
    OK(bl_octree_is_up_to_date(tree, &answer));
    CHECK(answer == 1);

    bl_object got;
    OK(bl_octree_get(tree, b, &got));
    CHECK(got.shape.kind == BL_SHAPE_SPHERE && got.shape.bounds.sphere.radius == 0.5f && got.user_data == 7);
    CHECK(got.layers.memberships == UINT32_MAX && got.layers.filters == UINT32_MAX && got.mobility == BL_MOVING);

    /* A sphere becomes a box; layers, mobility and user data are set. */
    bl_shape shape = {BL_SHAPE_AABB, {.aabb = {{2, 2, 2}, {3, 3, 3}}}};
    bl_layers layers = {4, 8};
    OK(bl_octree_update(tree, b, &shape));
    OK(bl_octree_set_layers(tree, b, layers));
    OK(bl_octree_set_mobility(tree, b, BL_STATIC));
    OK(bl_octree_set_user_data(tree, b, 99));
    OK(bl_octree_get(tree, b, &got));
    CHECK(got.shape.kind == BL_SHAPE_AABB && got.shape.bounds.aabb.max[2] == 3.0f);
    CHECK(got.layers.memberships == 4 && got.layers.filters == 8 && got.mobility == BL_STATIC && got.user_data == 99);

    /* Many at once. */
    bl_aabb aabbs[50];
    bl_sphere spheres[50];
    bl_shape shapes[50];
    bl_handle boxes[50], balls[50];
    for (int i = 0; i < 50; i++) {
        aabbs[i] = point_aabb((float)i, 0, 0);
        spheres[i] = (bl_sphere){{(float)i, 9, 0}, 0.25f};
    }
    OK(bl_octree_insert_aabbs(tree, aabbs, 50, boxes));
    OK(bl_octree_insert_spheres(tree, spheres, 50, balls));
    for (int i = 0; i < 50; i++) {
        OK(bl_octree_set_user_data(tree, boxes[i], (uint64_t)i));
        aabbs[i] = point_aabb((float)i, 1, 0);
        spheres[i].radius = 2.0f;
        shapes[i] = i % 2 ? (bl_shape){BL_SHAPE_AABB, {.aabb = aabbs[i]}} : (bl_shape){BL_SHAPE_SPHERE, {.sphere = spheres[i]}};
    }
    OK(bl_octree_update_aabbs(tree, boxes, aabbs, 50));
    OK(bl_octree_update_spheres(tree, balls, spheres, 50));
    OK(bl_octree_get(tree, boxes[49], &got));
    CHECK(got.shape.bounds.aabb.min[1] == 1.0f);
    OK(bl_octree_get(tree, balls[3], &got));
    CHECK(got.shape.bounds.sphere.radius == 2.0f);
    OK(bl_octree_update_many(tree, balls, shapes, 50));
    OK(bl_octree_get(tree, balls[3], &got));
    CHECK(got.shape.kind == BL_SHAPE_AABB);

    size_t len = 0, count = 0;
    OK(bl_octree_len(tree, &len));
    CHECK(len == 102);
    bl_entry entries[102];
    OK(bl_octree_objects(tree, entries, 102, &count));
    CHECK(count == 102 && entries[0].handle == a && entries[2].handle == boxes[0]);
    int asked = 0;
    OK(bl_octree_retain(tree, keep_even, &asked));
    OK(bl_octree_contains(tree, boxes[1], &answer));
    CHECK(asked == 102 && answer == 0);
    OK(bl_octree_contains(tree, boxes[2], &answer));
    CHECK(answer == 1);
    OK(bl_octree_remove_many(tree, balls, 50));
    OK(bl_octree_remove(tree, a, &got));
    CHECK(got.shape.bounds.aabb.max[0] == 1.0f);
    OK(bl_octree_remove(tree, boxes[0], NULL));
    OK(bl_octree_len(tree, &len));
    CHECK(len == 24);
    OK(bl_octree_validate(tree));
    OK(bl_octree_clear(tree));
    OK(bl_octree_len(tree, &len));
    CHECK(len == 0);
    OK(bl_octree_shrink_to_fit(tree));
    bl_octree_free(tree);
    bl_octree_free(NULL);
}

static void settings_and_margins(void) {
    bl_config config = bl_config_strict(), told;
    CHECK(config.looseness == 1.0f && bl_config_default().looseness == 3.0f);
    config.margin_absolute = 0.5f;
    bl_octree *tree;
    OK(bl_octree_new(&config, &tree));
    OK(bl_octree_config(tree, &told));
    CHECK(memcmp(&config, &told, sizeof config) == 0);
    bl_threads threads = 7;
    OK(bl_octree_set_threads(tree, BL_THREADS_POOL));
    OK(bl_octree_threads(tree, &threads));
    CHECK(threads == BL_THREADS_POOL);

    bl_aabb aabbs[2] = {{{0, 0, 0}, {1, 1, 1}}, {{1.75f, 0, 0}, {3, 1, 1}}};
    bl_handle handles[2];
    OK(bl_octree_reserve(tree, 2));
    OK(bl_octree_insert_aabbs(tree, aabbs, 2, handles));
    OK(bl_octree_flush(tree));
    bl_shape fat;
    OK(bl_octree_fat_shape(tree, handles[0], &fat));
    CHECK(fat.kind == BL_SHAPE_AABB && fat.bounds.aabb.max[0] == 1.5f);
    /* Fat bounds are a pair; the shapes do not touch. */
    bl_pair pair = {handles[0], handles[1]};
    uint32_t is_pair = 7, touches = 7, any = 7;
    OK(bl_octree_is_pair(tree, pair, &is_pair));
    OK(bl_octree_touches(tree, pair, &touches));
    CHECK(is_pair == 1 && touches == 0);
    bl_aabb bounds;
    OK(bl_octree_bounds(tree, &bounds, &any));
    CHECK(any == 1 && bounds.min[0] == -0.5f && bounds.max[0] == 3.5f);
    bl_octree_free(tree);
}

static void reports(world *made) {
    bl_memory memory;
    bl_counters counters;
    OK(bl_octree_memory(made->tree, &memory));
    OK(bl_octree_counters(made->tree, &counters));
    CHECK(memory.nodes > 0 && memory.blocks > 0 && counters.nodes_live > 1 && counters.rebuilds == 1);
    CHECK(counters.blocks_live >= WORLD / 8 && counters.outsized == 0);
    size_t count = 0;
    OK(bl_octree_nodes(made->tree, NULL, 0, &count));
    CHECK(count == counters.nodes_live);
    bl_node *nodes = malloc(count * sizeof *nodes);
    OK(bl_octree_nodes(made->tree, nodes, count, &count));
    uint32_t objects = 0, leaves = 0;
    for (size_t i = 0; i < count; i++) {
        objects += nodes[i].objects;
        leaves += nodes[i].leaf;
    }
    CHECK(objects == WORLD && nodes[0].objects_below == WORLD && nodes[0].depth == 0 && leaves > 0);
    free(nodes);
    OK(bl_octree_rebuild(made->tree));
    OK(bl_octree_counters(made->tree, &counters));
    CHECK(counters.rebuilds == 2);
}

static void copies_and_snapshots(world *made) {
    bl_scratch *scratch;
    OK(bl_scratch_new(&scratch));
    uint64_t hash, other;
    OK(bl_octree_state_hash(made->tree, &hash));
    bl_octree *copy, *loaded;
    OK(bl_octree_clone(made->tree, &copy));
    OK(bl_octree_state_hash(copy, &other));
    CHECK(hash == other);
    OK(bl_octree_set_user_data(copy, made->handles[0], 1234));
    OK(bl_octree_state_hash(copy, &other));
    CHECK(hash != other);
    OK(bl_octree_copy(copy, made->tree));
    OK(bl_octree_state_hash(copy, &other));
    CHECK(hash == other);

    size_t count = 0, again = 0;
    OK(bl_octree_save(made->tree, scratch, NULL, 0, &count));
    uint8_t *bytes = malloc(count);
    OK(bl_octree_save(made->tree, scratch, bytes, count, &again));
    CHECK(count == again && memcmp(bytes, "brdleaf\n", 8) == 0);
    OK(bl_octree_load(bytes, count, &loaded));
    OK(bl_octree_state_hash(loaded, &other));
    CHECK(hash == other);
    bytes[count / 2] ^= 1;
    bl_octree *none = NULL;
    REFUSED(BL_STATUS_BAD_SNAPSHOT, "damaged", bl_octree_load(bytes, count, &none));
    CHECK(none == NULL);
    free(bytes);
    bl_octree_free(copy);
    bl_octree_free(loaded);
    bl_scratch_free(scratch);
}

static void origin_and_world(world *made) {
    const float shift[3] = {4, -2, 1};
    OK(bl_octree_shift_origin(made->tree, shift));
    OK(bl_octree_flush(made->tree));
    bl_object got;
    OK(bl_octree_get(made->tree, made->handles[3], &got));
    CHECK(got.shape.bounds.aabb.min[1] == made->aabbs[3].min[1] + 2.0f);

    const double origin[3] = {1e7, 0, -1e7}, low[3] = {1e7 + 0.1, 0, -1e7}, high[3] = {1e7 + 1.1, 1, -1e7 + 1};
    double back[3], shifted[3];
    bl_aabb aabb;
    bl_sphere sphere;
    float local[3];
    OK(bl_world_aabb(origin, low, high, &aabb));
    CHECK((double)aabb.min[0] <= 0.1 && (double)aabb.max[0] >= 1.1 && aabb.max[1] == 1.0f);
    OK(bl_world_sphere(origin, low, 2.0, &sphere));
    CHECK(sphere.radius >= 2.0f && sphere.radius < 2.001f);
    OK(bl_world_to_local(origin, high, local));
    CHECK(fabsf(local[0] - 1.1f) < 1e-6f && local[2] == 1.0f);
    OK(bl_world_to_world(origin, local, back));
    CHECK(fabs(back[0] - high[0]) < 1e-6);
    OK(bl_world_shifted(origin, shift, shifted));
    CHECK(shifted[0] == 1e7 + 4 && shifted[1] == -2);
}

int main(void) {
    come_and_go();
    settings_and_margins();
    world *made = world_new(1);
    reports(made);
    copies_and_snapshots(made);
    origin_and_world(made);
    world_free(made);
    CHECK(bl_version() == (BL_VERSION_MAJOR << 20 | BL_VERSION_MINOR << 10 | BL_VERSION_PATCH));
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", BL_VERSION_MAJOR, BL_VERSION_MINOR, BL_VERSION_PATCH);
    CHECK(strcmp(text, bl_version_text()) == 0);
    return 0;
}
