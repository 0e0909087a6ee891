/* Meshes, alone and placed among the objects of a tree. */
#include "check.h"

/* A cube from 0 to 1, turned outward: two triangles a side. */
static const float CORNERS[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const uint32_t INDICES[36] = {0, 3, 2, 0, 2, 1, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                     3, 7, 6, 3, 6, 2, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5};

static int32_t count_hits(void *context, const bl_mesh_hit *hit) {
    CHECK(hit->triangle < 12);
    ++*(int *)context;
    return 0;
}

static void alone(const bl_mesh *mesh) {
    size_t len = 0, degenerate = 7, bytes = 0, leaves = 0, count = 0;
    uint32_t answer = 7;
    bl_aabb bounds;
    float corners[9];
    OK(bl_mesh_len(mesh, &len, &degenerate));
    OK(bl_mesh_memory(mesh, &bytes));
    OK(bl_mesh_bounds(mesh, &bounds, &answer));
    CHECK(len == 12 && degenerate == 0 && bytes > 0 && answer == 1 && bounds.max[1] == 1.0f);
    OK(bl_mesh_corners(mesh, 2, corners, &answer));
    CHECK(answer == 1 && corners[2] == 1.0f && corners[3] == 1.0f);
    OK(bl_mesh_corners(mesh, 12, corners, &answer));
    CHECK(answer == 0);
    bl_mesh_leaf leaf[12];
    OK(bl_mesh_leaves(mesh, leaf, 12, &leaves));
    uint32_t triangles = 0;
    for (size_t i = 0; i < leaves; i++) triangles += leaf[i].triangles;
    CHECK(triangles == 12);
    OK(bl_mesh_validate(mesh));

    /* A ray from above hits the top; back sides alone, the bottom. */
    bl_cast down = {BL_CAST_RAY, {.ray = {{0.3f, 5, 0.4f}, {0, -2, 0}, INFINITY}}};
    bl_options options = {0};
    bl_mesh_hit hit, hits[12];
    OK(bl_mesh_cast_closest(mesh, &down, NULL, &hit));
    CHECK(fabsf(hit.distance - 4) < 1e-5f && hit.normal[1] == 1.0f && hit.side == BL_SIDE_FRONT && hit.handle == 0);
    CHECK(fabsf(hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2] - 1) < 1e-6f);
    options.culling = BL_CULL_FRONT;
    OK(bl_mesh_cast_closest(mesh, &down, &options, &hit));
    CHECK(fabsf(hit.distance - 5) < 1e-5f && hit.side == BL_SIDE_BACK);
    OK(bl_mesh_cast_all(mesh, &down, NULL, hits, 12, &count));
    int visited = 0;
    OK(bl_mesh_cast_each(mesh, &down, NULL, count_hits, &visited));
    CHECK(count == 2 && visited == 2);
    options = (bl_options){0};
    options.has_within = 1;
    options.within = 3.9f;
    OK(bl_mesh_cast_any(mesh, &down, &options, &hit));
    CHECK(hit.triangle == BL_NO_TRIANGLE);
    options.culling = BL_CULL_BACK;
    bl_cast ball = {BL_CAST_SWEEP_SPHERE, {.sweep_sphere = {{{0.3f, 3, 0.4f}, 0.5f}, {0, -3, 0}}}};
    REFUSED(BL_STATUS_BAD_VALUE, "culling does not apply", bl_mesh_cast_closest(mesh, &ball, &options, &hit));
    OK(bl_mesh_cast_closest(mesh, &ball, NULL, &hit));
    CHECK(fabsf(hit.time - 0.5f) < 1e-5f && fabsf(hit.center[1] - 1.5f) < 1e-5f && hit.normal[1] > 0.999f);

    /* Which triangles a region has, the closest point, inside or not. */
    bl_mesh_triangle found[12];
    bl_region top = {BL_REGION_AABB, {.aabb = {{0.4f, 0.9f, 0.4f}, {0.6f, 1.1f, 0.6f}}}};
    OK(bl_mesh_overlap(mesh, &top, NULL, found, 12, &count));
    CHECK(count == 2 && found[0].containment == BL_INTERSECTING);
    bl_region all = {BL_REGION_SPHERE, {.sphere = {{0.5f, 0.5f, 0.5f}, 2}}};
    bl_query_stats stats = {0, 0, 0};
    options = (bl_options){0};
    options.stats = &stats;
    OK(bl_mesh_overlap(mesh, &all, &options, found, 12, &count));
    CHECK(count == 12 && found[3].containment == BL_INSIDE && stats.objects_tested >= 12);
    bl_region rod = {BL_REGION_CAPSULE, {.capsule = {{0.5f, 0.5f, -3}, {0.5f, 0.5f, 3}, 0.1f}}};
    OK(bl_mesh_overlap(mesh, &rod, NULL, found, 12, &count));
    CHECK(count == 4);
    bl_region box = {BL_REGION_OBB, {.obb = {{0, 0.5f, 0.5f}, {0.1f, 0.1f, 0.1f}, {0, 0, 0, 1}}}};
    OK(bl_mesh_overlap(mesh, &box, NULL, found, 12, &count));
    CHECK(count == 2);
    bl_region point = {BL_REGION_POINT, {.point = {0, 0, 0}}};
    REFUSED(BL_STATUS_BAD_VALUE, "region.kind", bl_mesh_overlap(mesh, &point, NULL, found, 12, &count));
    const float above[3] = {0.2f, 3, 0.3f}, within[3] = {0.2f, 0.9f, 0.3f};
    OK(bl_mesh_nearest(mesh, above, NULL, &hit));
    CHECK(hit.distance == 2.0f && hit.position[1] == 1.0f);
    OK(bl_mesh_is_inside(mesh, above, &answer));
    CHECK(answer == 0);
    OK(bl_mesh_is_inside(mesh, within, &answer));
    CHECK(answer == 1);
}

typedef struct {
    const bl_mesh *mesh;
    const bl_placement *placements;
    const bl_octree *tree;
} scene;

static int32_t mesh_of(void *context, bl_handle handle, const bl_mesh **mesh, bl_placement *placement) {
    const scene *placed = context;
    uint64_t index;
    OK(bl_octree_user_data(placed->tree, handle, &index));
    if (index % 3 == 2) return 0; /* no mesh */
    *mesh = placed->mesh;
    *placement = placed->placements[index];
    return 1;
}

static void among_objects(const bl_mesh *mesh) {
    enum { COUNT = 9 };
    bl_octree *tree;
    bl_placement placements[COUNT];
    bl_handle handles[COUNT];
    bl_aabb bounds, aabb;
    uint32_t answer;
    OK(bl_octree_new(NULL, &tree));
    OK(bl_mesh_bounds(mesh, &bounds, &answer));
    for (int i = 0; i < COUNT; i++) {
        placements[i] = (bl_placement){{0, 0, 0, 2}, {4.0f * (float)i, 0, 0}, 2};
        OK(bl_placement_aabb(&placements[i], &bounds, &aabb));
        CHECK(aabb.max[0] >= 4.0f * (float)i + 2 && aabb.max[0] < 4.0f * (float)i + 2.01f);
        bl_object object = bl_object_aabb(aabb);
        object.user_data = (uint64_t)i;
        OK(bl_octree_insert(tree, &object, &handles[i]));
    }
    OK(bl_octree_flush(tree));
    scene placed = {mesh, placements, tree};
    bl_mesh_hit hit, hits[64];
    size_t count = 0;
    /* Along the row: two sides of each of six cubes. */
    bl_cast along = {BL_CAST_SEGMENT, {.segment = {{-5, 1.1f, 0.7f}, {60, 1.1f, 0.7f}}}};
    OK(bl_octree_cast_meshes_closest(tree, &along, mesh_of, &placed, NULL, &hit));
    CHECK(hit.handle == handles[0] && fabsf(hit.distance - 5) < 1e-4f && hit.normal[0] == -1.0f);
    OK(bl_octree_cast_meshes_all(tree, &along, mesh_of, &placed, NULL, hits, 64, &count));
    CHECK(count == 12);
    bl_options options = {0};
    options.exclude = handles[0];
    OK(bl_octree_cast_meshes_closest(tree, &along, mesh_of, &placed, &options, &hit));
    CHECK(hit.handle == handles[1]);
    bl_cast ball = {BL_CAST_SWEEP_SPHERE, {.sweep_sphere = {{{-5, 1, 1}, 1}, {8, 0, 0}}}};
    OK(bl_octree_cast_meshes_closest(tree, &ball, mesh_of, &placed, NULL, &hit));
    CHECK(hit.handle == handles[0] && fabsf(hit.time - 0.5f) < 1e-5f);

    bl_mesh_triangle found[72];
    bl_region all = {BL_REGION_AABB, {.aabb = {{-9, -9, -9}, {99, 9, 9}}}};
    OK(bl_octree_overlap_meshes(tree, &all, mesh_of, &placed, NULL, found, 72, &count));
    CHECK(count == 72); /* six cubes of twelve */
    bl_aabb point = point_aabb(9, 1, 1); /* in the object that is no mesh */
    OK(bl_octree_nearest_meshes_closest(tree, &point, mesh_of, &placed, NULL, &hit));
    CHECK((hit.handle == handles[1] || hit.handle == handles[3]) && fabsf(hit.distance - 3) < 1e-5f);
    options = (bl_options){0};
    options.has_within = 1;
    options.within = 3.5f;
    OK(bl_octree_nearest_meshes_all(tree, &point, mesh_of, &placed, &options, hits, 64, &count));
    CHECK(count == 2);
    /* What the function says is checked. */
    placements[0].scale = NAN;
    REFUSED(BL_STATUS_ILLEGAL_SHAPE, "scale is not a number",
            bl_octree_cast_meshes_closest(tree, &along, mesh_of, &placed, NULL, &hit));
    placements[0].scale = 2;
    placed.mesh = NULL;
    REFUSED(BL_STATUS_NULL_POINTER, "mesh is NULL", bl_octree_cast_meshes_closest(tree, &along, mesh_of, &placed, NULL, &hit));
    bl_octree_free(tree);
}

int main(void) {
    bl_mesh *mesh, *same;
    OK(bl_mesh_new(CORNERS, 8, INDICES, 36, BL_BUILD_FAST, BL_THREADS_ONE, &mesh));
    alone(mesh);
    among_objects(mesh);
    float corners[108];
    for (int i = 0; i < 36; i++) memcpy(corners + 3 * i, CORNERS + 3 * INDICES[i], 3 * sizeof *corners);
    OK(bl_mesh_from_triangles(corners, 12, BL_BUILD_HIGH, BL_THREADS_POOL, &same));
    alone(same);
    bl_mesh_free(mesh);
    bl_mesh_free(same);
    bl_mesh_free(NULL);
    return 0;
}
