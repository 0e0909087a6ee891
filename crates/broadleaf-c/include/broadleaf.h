/* broadleaf: a dynamic octree and broad phase. The C interface.
 *
 * Made from the sources of crates/broadleaf-c by `cargo xtask c header`; do not edit.
 *
 * A FRAME
 *     bl_octree_update_aabbs(tree, handles, boxes, count);          changes
 *     bl_octree_flush(tree);                                        up to date
 *     bl_octree_pairs(tree, &options, pairs, capacity, &pair_count);  questions
 *
 * STATUS
 *     A function that can be refused returns a bl_status. A call that returns neither BL_STATUS_OK
 *     nor BL_STATUS_TRUNCATED has changed nothing and wrote no result, with two exceptions: after
 *     BL_STATUS_PANIC an object may be half changed, and in an array that takes a list, elements
 *     may be overwritten (the count is not). bl_last_error tells, for the calling thread, which
 *     value was wrong and why.
 *
 * LISTS
 *     A list goes into an array of the caller's: `found` has room for `capacity` elements, and
 *     `*count` becomes the number of elements of the whole list, whether they found room or not.
 *     If they did not, the array is full and BL_STATUS_TRUNCATED is returned: make room for
 *     `*count` elements and call again, and the same list comes. With a capacity of zero (and
 *     NULL for the array) the elements are counted, and the status is BL_STATUS_OK. Each of these
 *     calls asks the whole question: it costs as much as the first, calls the callbacks again, and
 *     adds to bl_options.stats again.
 *     Batches, bl_octree_nearest_k, bl_octree_overlap_slots and bl_..._save hold the whole result
 *     in bl_scratch before they write the array. Nothing is allocated once bl_scratch has grown,
 *     but for a convex region, for each question.
 *
 * POINTERS
 *     A pointer that is read leads to an initialised value, or to an array of the length that is
 *     given with it; one that is written has room. What a call writes through one parameter, no
 *     other parameter reads or writes. NULL stands for an empty array, and where a parameter says
 *     so. NULL elsewhere, and what is not aligned, are refused; other bad pointers cannot be noticed.
 *     What bl_..._new, _clone and _load make is freed by bl_..._free of that type, once.
 *     An object that a call takes without `const` is passed to that call once (but see
 *     bl_octree_copy and bl_tracker_copy). No other thread uses it during the call.
 *
 * THREADS
 *     Functions that take `const` pointers to trees, trackers, budgets and meshes may be called
 *     from any number of threads at once, as long as no thread changes the same object. A
 *     bl_scratch and a bl_query_stats serve one thread at a time. Nothing runs on other threads
 *     unless BL_THREADS_POOL is said.
 *
 * CALLBACKS
 *     Functions of the caller's run on the calling thread (but see bl_options.callbacks_on_threads),
 *     must return (no longjmp, no C++ exception), and must not keep the pointers that they get.
 *     A callback must not use what the running call takes without `const`: the tree of
 *     bl_octree_retain and bl_tracker_update, the tracker, the budget, the bl_scratch, and arrays
 *     and values that the call writes. It must not change or free what the call takes with `const`.
 *     It may ask any other object, and may ask with the same bl_query_stats, on the same thread.
 *
 * UNITS AND ORDER
 *     Coordinates are world units. Shapes are closed: touching counts. The order of results is a
 *     function of the sequence of calls alone, not of threads, instruction set or addresses.
 */


#ifndef BROADLEAF_H
#define BROADLEAF_H

#include <stddef.h>
#include <stdint.h>

// First number of the version.
#define BL_VERSION_MAJOR 0

// Second number of the version. Before 1.0, one that differs may be another interface.
#define BL_VERSION_MINOR 1

// Third number of the version.
#define BL_VERSION_PATCH 0

// No triangle.
#define BL_NO_TRIANGLE 4294967295

// What a call returns. A call that returns neither `BL_STATUS_OK` nor
// `BL_STATUS_TRUNCATED` has changed nothing, unless it is said below.
// `bl_last_error` tells more.
enum bl_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The call did what it says.
    BL_STATUS_OK = 0,
    // The list is longer than the array: the array is full, and the count
    // tells how many there are. Call again with a larger array.
    BL_STATUS_TRUNCATED = 1,
    // The tree has changed since the last `bl_octree_flush`, and the question
    // needs one that is up to date.
    BL_STATUS_NOT_UP_TO_DATE = 2,
    // A pointer that must not be NULL is.
    BL_STATUS_NULL_POINTER = 3,
    // A pointer is not aligned for what it points to.
    BL_STATUS_MISALIGNED_POINTER = 4,
    // A length is larger than any array.
    BL_STATUS_BAD_LENGTH = 5,
    // A number that names a choice names none, or an option does not apply to the question.
    BL_STATUS_BAD_VALUE = 6,
    // The handle's object was removed, or the number is no handle.
    BL_STATUS_STALE_HANDLE = 7,
    // A box, sphere, ray or other shape that is not legal: not a number,
    // not finite, inverted, negative, without direction.
    BL_STATUS_ILLEGAL_SHAPE = 8,
    // A setting outside its range, or a shift of the origin that is too far.
    BL_STATUS_OUT_OF_RANGE = 9,
    // The tree holds its limit of objects.
    BL_STATUS_TOO_MANY_OBJECTS = 10,
    // Triangles of which no mesh can be built.
    BL_STATUS_BAD_MESH = 11,
    // Bytes that are no snapshot, of another version, or damaged.
    BL_STATUS_BAD_SNAPSHOT = 12,
    // `bl_octree_validate` has found a broken invariant: a bug of the library.
    BL_STATUS_BROKEN = 13,
    // The library has panicked: a bug of the library, or a size beyond all memory, as of
    // `bl_octree_reserve(tree, SIZE_MAX)`. The panic has printed a message to stderr. An object that
    // was being changed may be half changed: free it. An allocation that fails is no panic: it aborts the process.
    BL_STATUS_PANIC = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum bl_status bl_status;
#else
typedef uint32_t bl_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Shares out a frame's limited number of pairs by the classes of their
// objects. What does not fit is deferred, and offered again by itself.
typedef struct bl_budget bl_budget;

// A static octree of triangles.
typedef struct bl_mesh bl_mesh;

// A dynamic octree over boxes and spheres.
//
// Functions that take a `const bl_octree *` may be called from any number of
// threads at once, as long as none takes the same tree without `const`.
typedef struct bl_octree bl_octree;

// Working memory of questions. Keep one for each thread and hand it in again
// each frame: once it has grown, questions allocate nothing. It holds nothing
// between two calls that could be asked for.
typedef struct bl_scratch bl_scratch;

// Keeps the pairs of a tree from frame to frame, and tells which began and
// which ended. Any number of trackers may follow one tree, each at its own rate.
typedef struct bl_tracker bl_tracker;

// Names one object of one tree for as long as it lives; never zero. The upper
// half is the slot (see `bl_handle_slot`), the lower half tells apart the objects that
// use one slot in turn. A handle whose object was removed is refused, and
// never names another object.
typedef uint64_t bl_handle;

// The kind of a shape: `BL_SHAPE_AABB` or `BL_SHAPE_SPHERE`.
typedef uint32_t bl_shape_kind;

// An axis-aligned box in world units, closed on all sides: touching counts.
// A point or a plate (`min == max` on some axes) is legal, and so are infinite coordinates.
typedef struct bl_aabb {
    // The lower corner: x, y, z.
    float min[3];
    // The upper corner.
    float max[3];
} bl_aabb;

// A sphere in world units, closed.
typedef struct bl_sphere {
    // The middle; finite.
    float center[3];
    // From 0 to 1e18.
    float radius;
} bl_sphere;

// A box or a sphere.
typedef union bl_bounds {
    // If the kind is `BL_SHAPE_AABB`.
    struct bl_aabb aabb;
    // If the kind is `BL_SHAPE_SPHERE`.
    struct bl_sphere sphere;
} bl_bounds;

// The extent of an object.
typedef struct bl_shape {
    // Which one of `bounds` it is.
    bl_shape_kind kind;
    // The box or the sphere.
    union bl_bounds bounds;
} bl_shape;

// Who interacts with whom: two sides do if the memberships of each share a
// bit with the filters of the other.
typedef struct bl_layers {
    // The layers that this side is on.
    uint32_t memberships;
    // The layers that this side looks for.
    uint32_t filters;
} bl_layers;

// Whether an object pairs with static ones: `BL_MOVING` or `BL_STATIC`.
typedef uint32_t bl_mobility;

// An object. Begin with `bl_object_aabb` or `bl_object_sphere` and set
// what differs: one of zeros alone is on no layer.
typedef struct bl_object {
    // Box or sphere.
    struct bl_shape shape;
    // Whom it interacts with.
    struct bl_layers layers;
    // Static or moving.
    bl_mobility mobility;
    // The caller's own, such as an entity's index.
    uint64_t user_data;
} bl_object;

// Settings of a tree. Begin with `bl_config_default` or `bl_config_strict`.
typedef struct bl_config {
    // How many edges of its cell an object may be long, plus one: 1 to 2^20. At 1 an
    // object that straddles a boundary stays with the parent.
    float looseness;
    // Edge of the smallest cell in world units, 2^-40 to 2^40. If many objects lie 2^24
    // such cells or more from the origin, it is doubled until cells reach all but a few;
    // if many would share one, it is halved.
    float smallest_cell;
    // Objects in a leaf before it splits, 1 to 64.
    uint32_t leaf_capacity;
    // Levels below the root at which cells no longer split, 1 to 21.
    uint32_t depth_limit;
    // How much larger than its shape an object is kept, in world units, 0 to 2^40, so that
    // a small move does not touch the tree. Questions and pairs are then those of the larger shapes.
    float margin_absolute;
    // The same in proportion to the longest edge of the object's box, 0 to 1.
    float margin_relative;
} bl_config;

// Which threads do the work of a call: `BL_THREADS_ONE` or `BL_THREADS_POOL`. The results are the same.
typedef uint32_t bl_threads;

// An object and its handle.
typedef struct bl_entry {
    // Names it.
    bl_handle handle;
    // What was last set.
    struct bl_object object;
} bl_entry;

// Says whether an object stays in the tree: not zero for yes.
typedef int32_t (*bl_keep)(void *context, const struct bl_entry *entry);

// The kind of a region; each names the member of `bl_region_of` that it reads.
typedef uint32_t bl_region_kind;

// The range of depth in clip space: `BL_DEPTH_ZERO_TO_ONE` or `BL_DEPTH_MINUS_ONE_TO_ONE`.
typedef uint32_t bl_clip_depth;

// A camera, and a rectangle of its screen.
typedef struct bl_camera {
    // Projection times view matrix, column by column.
    float view_projection[16];
    // The range of depth in clip space.
    bl_clip_depth depth;
    // Lower corner of the rectangle, in normalised device coordinates: x from -1
    // at the left to 1 at the right, y from -1 at the bottom to 1 at the top.
    float rectangle_min[2];
    // Upper corner. Equal corners are the line of sight through a point.
    float rectangle_max[2];
} bl_camera;

// A plane; a point p lies in front of it if dot(normal, p) + offset >= 0.
typedef struct bl_plane {
    // Direction towards the front; need not have length one.
    float normal[3];
    // Signed distance of the origin, if the normal has length one.
    float offset;
} bl_plane;

// An oriented box.
typedef struct bl_obb {
    // The middle.
    float center[3];
    // Half the edge lengths, along the turned axes.
    float half_extents[3];
    // A quaternion x, y, z, w; need not have length one.
    float rotation[4];
} bl_obb;

// The points within a radius of a segment.
typedef struct bl_capsule {
    // One end of the segment.
    float a[3];
    // The other end.
    float b[3];
    // Not negative.
    float radius;
} bl_capsule;

// The points in front of some planes. It allocates for each question.
typedef struct bl_convex {
    // The planes.
    const struct bl_plane *planes;
    // How many; of none, everything is in front.
    size_t count;
} bl_convex;

// Says whether a region of the caller's own has to do with a box: not zero for yes.
typedef int32_t (*bl_test_aabb)(void *context, const struct bl_aabb *aabb);

// Says whether a region of the caller's own overlaps a sphere: not zero for yes.
typedef int32_t (*bl_test_sphere)(void *context, const struct bl_sphere *sphere);

// A region of the caller's own, by tests of one box or sphere at a time.
typedef struct bl_caller_region {
    // A box around the region; may be unbounded.
    struct bl_aabb bounds;
    // Whether the region overlaps an object that is a box; touching counts.
    bl_test_aabb overlaps_aabb;
    // Whether the region overlaps an object that is a sphere.
    bl_test_sphere overlaps_sphere;
    // Whether the region may overlap anything within a box of the tree: may err on the
    // side of yes. NULL: as `overlaps_aabb`.
    bl_test_aabb reaches;
    // Whether a box lies wholly inside: may err on the side of no. NULL: never.
    bl_test_aabb contains_aabb;
    // Handed to the functions above.
    void *context;
} bl_caller_region;

// What a region is, by its kind.
typedef union bl_region_of {
    // x, y, z.
    float point[3];
    // A box.
    struct bl_aabb aabb;
    // A sphere.
    struct bl_sphere sphere;
    // A camera.
    struct bl_camera camera;
    // Six planes.
    struct bl_plane planes[6];
    // An oriented box.
    struct bl_obb obb;
    // A capsule.
    struct bl_capsule capsule;
    // Any number of planes.
    struct bl_convex convex;
    // A region of the caller's own.
    const struct bl_caller_region *own;
} bl_region_of;

// A shape that objects, or triangles, may overlap. Touching counts.
//
// Frusta, planes and convex regions report what is behind no single plane: near
// their edges an object may be reported though it lies outside, as is usual for culling.
typedef struct bl_region {
    // Which member of `of` it is.
    bl_region_kind kind;
    // The region.
    union bl_region_of of;
} bl_region;

// Which objects a question is about: `BL_ONLY_ALL`, `BL_ONLY_STATIC`, `BL_ONLY_MOVING`. It is
// not a `bl_mobility`: `BL_STATIC` has the value of `BL_ONLY_STATIC`, but `BL_MOVING` that of `BL_ONLY_ALL`.
typedef uint32_t bl_only;

// What a ray makes of an object that contains its origin: `BL_START_INSIDE_HIT`, `BL_START_INSIDE_SKIP`,
// `BL_START_INSIDE_EXIT`.
typedef uint32_t bl_start_inside;

// Which sides of triangles a ray passes through: `BL_CULL_NONE`, `BL_CULL_BACK`, `BL_CULL_FRONT`.
typedef uint32_t bl_culling;

// The work that a question took. Questions add to it.
typedef struct bl_query_stats {
    // Nodes whose children were tested, eight at a time.
    uint64_t nodes_visited;
    // Objects tested, eight at a time.
    uint64_t objects_tested;
    // Results handed out.
    uint64_t hits;
} bl_query_stats;

// Says whether a question is to consider an object: not zero for yes. It is
// asked about candidates, some of which may turn out to be no answers.
typedef int32_t (*bl_filter)(void *context, bl_handle handle);

// Two objects that overlap and interact. The lower handle comes first, so
// that records of one pair are equal.
typedef struct bl_pair {
    // The lower handle.
    bl_handle a;
    // The higher handle.
    bl_handle b;
} bl_pair;

// Says whether a pair counts: not zero for yes.
typedef int32_t (*bl_pair_filter)(void *context, struct bl_pair pair);

// An object that a cast meets, or that is near a place.
typedef struct bl_hit {
    // The object; `BL_NO_HANDLE` if there is none.
    bl_handle handle;
    // How far along the cast, in its own unit: of a sweep the time from 0 to 1, else the distance.
    float time;
    // In world units: along a ray or a motion, or to what was asked about.
    float distance;
    // The point of the object that is met, or is nearest. Zero for a cast of the caller's own.
    float position[3];
    // The outward normal there; zero if they overlap at the start. Zero for a cast of the caller's own.
    float normal[3];
} bl_hit;

// A narrow phase: gets a candidate and returns its exact distance (of a sweep
// its time), or NAN if it is no hit. A distance beyond the reach is no hit; a
// negative one counts as zero. Position and normal remain those of the candidate.
typedef float (*bl_refine)(void *context, const struct bl_hit *candidate);

// The options of a question. Zero is the default of each, so
// `bl_options options = {0};` is all defaults, and so is NULL in place of a pointer
// to options. Each question says which it takes; an option that is set and
// does not apply is refused with `BL_STATUS_BAD_VALUE`. `stats`, `scratch`, `context` and
// `callbacks_on_threads` are never refused: where they do not apply, they are not used.
typedef struct bl_options {
    // Only objects that are a member of one of these layers; zero for all objects.
    uint32_t layers;
    // Only static objects, or only moving ones.
    bl_only only;
    // All objects but this one, such as the one that asks; `BL_NO_HANDLE` for none.
    bl_handle exclude;
    // Not zero: no farther than `within`.
    uint32_t has_within;
    // How far, of a cast in its own unit; the bound is included. Nothing is within a negative one or NAN.
    float within;
    // What a ray makes of an object that contains its origin.
    bl_start_inside start_inside;
    // Which sides of triangles a ray passes through.
    bl_culling culling;
    // Not zero: the answers come in order of distance, then of slot. Needs `scratch`.
    uint32_t in_order;
    // Which threads answer a batch, or find all pairs.
    bl_threads threads;
    // Not zero: the callbacks of a batch may be called from the threads of
    // the pool, from several at once. A batch on the pool refuses callbacks without it.
    uint32_t callbacks_on_threads;
    // The work of the question is added here; NULL counts nothing.
    struct bl_query_stats *stats;
    // Working memory. Keep one for each thread and hand it in again: once it
    // has grown, nothing is allocated.
    struct bl_scratch *scratch;
    // Only objects that the function accepts; NULL for all.
    bl_filter filter;
    // Only pairs that the function accepts; NULL for all.
    bl_pair_filter pair_filter;
    // A narrow phase; NULL for none.
    bl_refine refine;
    // Handed to the functions above.
    void *context;
} bl_options;

// Gets an answer; returns zero to go on, anything else to stop.
typedef int32_t (*bl_visit_handle)(void *context, bl_handle handle);

// From where a camera looks, and how small is too small.
typedef struct bl_viewpoint {
    // Where the camera is.
    float eye[3];
    // Objects whose box's diagonal over its distance is below this are left
    // out. Zero leaves none out; the height of a pixel over the distance of the
    // picture plane leaves out what is smaller than a pixel.
    float size_min;
} bl_viewpoint;

// How something lies to a region: `BL_INTERSECTING` or `BL_INSIDE`.
typedef uint32_t bl_containment;

// An object that overlaps a region, as a camera wants to know it.
typedef struct bl_visible {
    // The object.
    bl_handle handle;
    // How it lies to the region.
    bl_containment containment;
    // From the eye to the object's surface; zero without a viewpoint.
    float distance;
} bl_visible;

// Gets an answer; returns zero to go on, anything else to stop.
typedef int32_t (*bl_visit_visible)(void *context, const struct bl_visible *visible);

// The kind of a cast; each names the member of `bl_cast_of` that it reads.
typedef uint32_t bl_cast_kind;

// A half-line with a reach.
typedef struct bl_ray {
    // Where it starts.
    float origin[3];
    // Where it goes; need not have length one.
    float direction[3];
    // How far, in world units; INFINITY for as far as there is.
    float distance_max;
} bl_ray;

// A segment; both ends belong to it.
typedef struct bl_segment {
    // Where it starts.
    float from[3];
    // Where it ends; not where it starts.
    float to[3];
} bl_segment;

// A box that moves without turning, from time 0 to time 1.
typedef struct bl_sweep_aabb {
    // At the start.
    struct bl_aabb aabb;
    // From the start to the end; zero is legal.
    float motion[3];
} bl_sweep_aabb;

// A sphere that moves, from time 0 to time 1.
typedef struct bl_sweep_sphere {
    // At the start.
    struct bl_sphere sphere;
    // From the start to the end; zero is legal.
    float motion[3];
} bl_sweep_sphere;

// Returns where a cast of the caller's own first meets a box, or NAN if not within `limit`.
typedef float (*bl_meet_aabb)(void *context, const struct bl_aabb *aabb, float limit);

// Returns where a cast of the caller's own first meets a sphere, or NAN if not within `limit`.
typedef float (*bl_meet_sphere)(void *context, const struct bl_sphere *sphere, float limit);

// A cast of the caller's own, such as a curve. Distances along it are its own: world units, or a time.
typedef struct bl_caller_cast {
    // How far it goes; the end belongs to it.
    float reach;
    // A box around all that it can meet; may be unbounded.
    struct bl_aabb bounds;
    // Where it first meets a box: the distance to an object, and a lower bound for the contents of a box of the tree.
    bl_meet_aabb meets_aabb;
    // Where it first meets a sphere; no less than where it meets the box around it.
    bl_meet_sphere meets_sphere;
    // Handed to the functions above.
    void *context;
} bl_caller_cast;

// What a cast is, by its kind.
typedef union bl_cast_of {
    // A half-line.
    struct bl_ray ray;
    // A segment.
    struct bl_segment segment;
    // A box that moves.
    struct bl_sweep_aabb sweep_aabb;
    // A sphere that moves.
    struct bl_sweep_sphere sweep_sphere;
    // A cast of the caller's own.
    const struct bl_caller_cast *own;
} bl_cast_of;

// What starts somewhere and goes some way. Both ends belong to it; touching counts.
typedef struct bl_cast {
    // Which member of `of` it is.
    bl_cast_kind kind;
    // The cast.
    union bl_cast_of of;
} bl_cast;

// Gets an answer; returns zero to go on, anything else to stop.
typedef int32_t (*bl_visit_hit)(void *context, const struct bl_hit *hit);

// Gets an answer; returns zero to go on, anything else to stop.
typedef int32_t (*bl_visit_pair)(void *context, struct bl_pair pair);

// Two overlapping shapes: the shortest way to part them.
typedef struct bl_contact {
    // Unit vector from the first shape to the second.
    float normal[3];
    // How far the second must move along the normal for the two to touch.
    float depth;
    // A point of both.
    float position[3];
} bl_contact;

// Returns the class of an object to a budget: 0 is the most urgent, 255 the least.
typedef uint8_t (*bl_class_of)(void *context, bl_handle handle);

// What a frame did to a budget.
typedef struct bl_budget_report {
    // Pairs served.
    size_t served;
    // Pairs served because their class is essential.
    size_t essential;
    // Pairs that wait for the next frame.
    size_t deferred;
    // Pairs that waited, and are no longer pairs.
    size_t dropped;
    // Frames that the longest waiting deferred pair has been deferred.
    uint32_t waited_max;
} bl_budget_report;

// Bytes allocated by a tree, by what for.
typedef struct bl_memory {
    // Nodes and their free list.
    size_t nodes;
    // Blocks of eight objects.
    size_t blocks;
    // Handles, filters, user data, and the log of changes for trackers.
    size_t objects;
    // Working memory, which `bl_octree_shrink_to_fit` frees.
    size_t scratch;
} bl_memory;

// What a tree has done since it was made, and how it stands.
typedef struct bl_counters {
    // Nodes in use.
    size_t nodes_live;
    // Nodes on the free list.
    size_t nodes_free;
    // Times that a freed node was used again.
    uint64_t nodes_reused;
    // The most nodes that were in use at once.
    size_t nodes_peak;
    // Blocks in use.
    size_t blocks_live;
    // Blocks on the free list.
    size_t blocks_free;
    // Times that a freed block was used again.
    uint64_t blocks_reused;
    // The most blocks that were in use at once.
    size_t blocks_peak;
    // Objects that no cell can hold, as of the last flush: unbounded, or too
    // far out. Every question tests each of them.
    size_t outsized;
    // Bulk builds, asked for or chosen.
    uint64_t rebuilds;
    // Objects placed one by one.
    uint64_t placements;
    // Objects placed anew because they left their cell.
    uint64_t relocations;
    // Buckets split into octants.
    uint64_t splits;
    // Branches, or neighbouring buckets, joined into a bucket.
    uint64_t merges;
    // Nodes fitted to what changed in or below them.
    uint64_t refits;
    // Buckets whose runs were arranged anew.
    uint64_t reruns;
    // Times that a root was put above the root.
    uint64_t growths;
} bl_counters;

// A node of a tree, for drawing and for tuning.
typedef struct bl_node {
    // The box that decides placement.
    struct bl_aabb cell;
    // Fitted bounds of the contents; may reach beyond the cell.
    struct bl_aabb bounds;
    // Levels below the root.
    uint32_t depth;
    // Objects that the node holds itself.
    uint32_t objects;
    // Blocks of eight that they are kept in.
    uint32_t blocks;
    // Objects in and below the node.
    uint32_t objects_below;
    // Nodes right below.
    uint32_t children;
    // 1 if anything in or below the node has changed since pair events were last taken, else 0.
    uint32_t changed;
    // 1 if the node has no child nodes, else 0.
    uint32_t leaf;
} bl_node;

// What the build of a mesh is good at: `BL_BUILD_FAST` or `BL_BUILD_HIGH`. Its answers are the same.
typedef uint32_t bl_build_quality;

// A leaf of a mesh, for drawing and for tuning.
typedef struct bl_mesh_leaf {
    // Fitted bounds of the triangles.
    struct bl_aabb bounds;
    // Levels below the root.
    uint32_t depth;
    // How many triangles it holds, from one to eight.
    uint32_t triangles;
} bl_mesh_leaf;

// A side of a triangle: `BL_SIDE_NONE`, `BL_SIDE_FRONT`, `BL_SIDE_BACK`.
typedef uint32_t bl_side;

// Where a cast meets a triangle, or the point of a mesh that is closest to another.
typedef struct bl_mesh_hit {
    // The object that the mesh stands in for; `BL_NO_HANDLE` if a mesh itself was asked.
    bl_handle handle;
    // The triangle, by its place in the input; `BL_NO_TRIANGLE` if there is none.
    uint32_t triangle;
    // The side that a ray hits.
    bl_side side;
    // Of a sweep the time from 0 to 1, else the distance.
    float time;
    // In world units.
    float distance;
    // The point of the triangle that is hit, touched, or closest.
    float position[3];
    // Of a ray, the triangle's unit normal towards its front. Of a sweep, the direction in which
    // the triangle holds the shape up. Else zero.
    float normal[3];
    // Of a sweep, the middle of the shape when it touches; else zero.
    float center[3];
    // Of a ray, the weights of the triangle's corners; else zero.
    float barycentric[3];
} bl_mesh_hit;

// Gets an answer; returns zero to go on, anything else to stop.
typedef int32_t (*bl_visit_mesh_hit)(void *context, const struct bl_mesh_hit *hit);

// A triangle that shares a point with a region.
typedef struct bl_mesh_triangle {
    // The object that the mesh stands in for; `BL_NO_HANDLE` if a mesh itself was asked.
    bl_handle handle;
    // The triangle, by its place in the input.
    uint32_t triangle;
    // How it lies to the region.
    bl_containment containment;
} bl_mesh_triangle;

// Where a mesh stands in the world: scaled, then turned, then moved.
typedef struct bl_placement {
    // A quaternion x, y, z, w; need not have length one.
    float rotation[4];
    // Where the mesh's origin stands.
    float translation[3];
    // How many times as large the mesh is, 1e-9 to 1e9.
    float scale;
} bl_placement;

// Says which mesh an object is, and where it stands: writes both and returns
// not zero; or returns zero if the object is no mesh. The mesh must stay
// until the question has been answered.
typedef int32_t (*bl_meshes)(void *context,
                             bl_handle handle,
                             const struct bl_mesh **mesh,
                             struct bl_placement *placement);

// No handle: what a question that finds nothing answers.
#define BL_NO_HANDLE 0

// Pairs with everything.
#define BL_MOVING 0

// Pairs with moving objects only: two static objects are never a pair.
#define BL_STATIC 1

// The calling thread.
#define BL_THREADS_ONE 0

// The threads of the library's pool; see `bl_pool_start`.
#define BL_THREADS_POOL 1

// A box.
#define BL_SHAPE_AABB 0

// A sphere.
#define BL_SHAPE_SPHERE 1

// It overlaps the region, but does not lie wholly inside, or only just.
#define BL_INTERSECTING 0

// All of it lies inside.
#define BL_INSIDE 1

// All objects.
#define BL_ONLY_ALL 0

// Static objects.
#define BL_ONLY_STATIC 1

// Moving objects.
#define BL_ONLY_MOVING 2

// A hit at distance zero, with normal zero.
#define BL_START_INSIDE_HIT 0

// No hit, such as of the object that shoots.
#define BL_START_INSIDE_SKIP 1

// A hit where the ray leaves the object, with the outward normal there.
#define BL_START_INSIDE_EXIT 2

// None: both sides are hit.
#define BL_CULL_NONE 0

// Back sides: only front sides are hit, from which the corners run counter-clockwise.
#define BL_CULL_BACK 1

// Front sides: only back sides are hit.
#define BL_CULL_FRONT 2

// `point`.
#define BL_REGION_POINT 0

// `aabb`.
#define BL_REGION_AABB 1

// `sphere`.
#define BL_REGION_SPHERE 2

// `camera`: what it sees.
#define BL_REGION_FRUSTUM 3

// `camera`: what it sees through its rectangle of the screen.
#define BL_REGION_SCREEN_RECTANGLE 4

// `planes`: what lies in front of all six.
#define BL_REGION_PLANES 5

// `obb`.
#define BL_REGION_OBB 6

// `capsule`.
#define BL_REGION_CAPSULE 7

// `convex`: what lies in front of any number of planes.
#define BL_REGION_CONVEX 8

// `own`: a region of the caller's own.
#define BL_REGION_OWN 9

// 0 to w: Direct3D, Metal, Vulkan, WebGPU; reversed depth included.
#define BL_DEPTH_ZERO_TO_ONE 0

// -w to w: OpenGL.
#define BL_DEPTH_MINUS_ONE_TO_ONE 1

// `ray`: a half-line.
#define BL_CAST_RAY 0

// `segment`.
#define BL_CAST_SEGMENT 1

// `sweep_aabb`: a box that moves.
#define BL_CAST_SWEEP_AABB 2

// `sweep_sphere`: a sphere that moves.
#define BL_CAST_SWEEP_SPHERE 3

// `own`: a cast of the caller's own.
#define BL_CAST_OWN 4

// The question knows no sides.
#define BL_SIDE_NONE 0

// The side from which the corners run counter-clockwise.
#define BL_SIDE_FRONT 1

// The other side.
#define BL_SIDE_BACK 2

// A fast build: for meshes that are built in the game.
#define BL_BUILD_FAST 0

// Fast questions, from a build that takes 9 to 24 times as long, by model and processor: for meshes that are built
// once and asked for long.
#define BL_BUILD_HIGH 1

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of the library that was linked, as
// `BL_VERSION_MAJOR << 20 | BL_VERSION_MINOR << 10 | BL_VERSION_PATCH` of its header: compare it with that of the
// header that was included.
uint32_t bl_version(void);

// Returns the version of the library that was linked, as a text such as "0.1.0".
const char *bl_version_text(void);

// Returns what was wrong with the last refused call of this thread, as a text
// in UTF-8: which value, and why. Empty if no call was refused yet.
//
// The text is good until the next call of this thread is refused.
const char *bl_last_error(void);

// Returns the index of the refused element, if the last refused call of this
// thread was given an array; else `SIZE_MAX`.
size_t bl_last_error_index(void);

// Returns the slot of a handle: an index, dense and used again after removal, for columns of the caller's.
uint32_t bl_handle_slot(bl_handle handle);

// Returns a moving object on all layers, with user data 0.
struct bl_object bl_object_aabb(struct bl_aabb aabb);

// Returns a moving object on all layers, with user data 0.
struct bl_object bl_object_sphere(struct bl_sphere sphere);

// Makes working memory that holds nothing yet. Free it with `bl_scratch_free`.
bl_status bl_scratch_new(struct bl_scratch **scratch);

// Frees working memory; NULL is none.
void bl_scratch_free(struct bl_scratch *scratch);

// Returns the default settings: loose cells, no margin.
struct bl_config bl_config_default(void);

// Returns settings that reproduce the classic strict octree: full containment,
// cells of at least one unit, and no subdivision for a lone object.
struct bl_config bl_config_strict(void);

// Makes an empty tree. Free it with `bl_octree_free`.
//
// `config`: the settings; NULL for the default ones.
// Errors: `BL_STATUS_OUT_OF_RANGE` names the first setting that is out of range.
bl_status bl_octree_new(const struct bl_config *config, struct bl_octree **tree);

// Frees a tree; NULL is none.
void bl_octree_free(struct bl_octree *tree);

// Makes a copy of a tree, which goes on bit for bit like the original: the same results in the same order.
bl_status bl_octree_clone(const struct bl_octree *tree, struct bl_octree **copy);

// Copies a tree into one that is there already: without allocation if its
// memory suffices, as for taking a snapshot every frame.
//
// `source`: may be `tree` itself; then nothing is changed.
bl_status bl_octree_copy(struct bl_octree *tree, const struct bl_octree *source);

// Brings the tree up to date: places what was inserted, relocates what has
// moved out of its cell, refits. Call it after the changes of a frame and before the
// questions, which refuse a tree that is not up to date with `BL_STATUS_NOT_UP_TO_DATE`.
//
// Cost: in proportion to what changed; nothing if nothing did.
bl_status bl_octree_flush(struct bl_octree *tree);

// Tells whether the tree is up to date: 1 if it can be asked, else 0.
bl_status bl_octree_is_up_to_date(const struct bl_octree *tree, uint32_t *answer);

// Tells the settings of a tree.
bl_status bl_octree_config(const struct bl_octree *tree, struct bl_config *config);

// Sets which threads make bulk builds from now on. The tree is the same, bit for bit.
bl_status bl_octree_set_threads(struct bl_octree *tree, bl_threads threads);

// Tells which threads make bulk builds.
bl_status bl_octree_threads(const struct bl_octree *tree, bl_threads *threads);

// Tells the number of objects in the tree, those that still wait for a place included.
bl_status bl_octree_len(const struct bl_octree *tree, size_t *len);

// Tells whether a handle names a living object of this tree: 1 if so, else 0.
bl_status bl_octree_contains(const struct bl_octree *tree, bl_handle object, uint32_t *answer);

// Tells the object of a handle, as it was last set. The tree need not be up to date.
bl_status bl_octree_get(const struct bl_octree *tree, bl_handle object, struct bl_object *description);

// Tells the user data of an object.
bl_status bl_octree_user_data(const struct bl_octree *tree, bl_handle object, uint64_t *user_data);

// Tells the shape of an object as the tree keeps it: larger than it was set where there is a margin.
// The tree must be up to date.
bl_status bl_octree_fat_shape(const struct bl_octree *tree, bl_handle object, struct bl_shape *shape);

// Tells the smallest box around all objects that a cell can hold; unbounded
// and far-away objects do not count. The tree must be up to date.
//
// `answer`: 1 if there are such objects; else 0, and `bounds` is not written.
bl_status bl_octree_bounds(const struct bl_octree *tree, struct bl_aabb *bounds, uint32_t *answer);

// Lists all objects, lowest slot first. The tree need not be up to date.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
// Cost: linear in the most objects that there have been at once.
bl_status bl_octree_objects(const struct bl_octree *tree,
                            struct bl_entry *found,
                            size_t capacity,
                            size_t *count);

// Inserts an object; its handle is good at once.
//
// Errors: a shape that is not legal, or `BL_STATUS_TOO_MANY_OBJECTS`.
bl_status bl_octree_insert(struct bl_octree *tree, const struct bl_object *object, bl_handle *handle);

// Inserts objects; the handle of `objects[i]` becomes `handles[i]`. Into an
// empty tree this is the bulk build, the fastest way to fill it.
//
// Errors: the first object that is not legal, with its index; then none is inserted.
// Cost: linear; on the threads that `bl_octree_set_threads` says.
bl_status bl_octree_insert_many(struct bl_octree *tree,
                                const struct bl_object *objects,
                                size_t count,
                                bl_handle *handles);

// Inserts boxes, as `bl_octree_insert_many` does: moving objects on all layers, with user data 0.
bl_status bl_octree_insert_aabbs(struct bl_octree *tree,
                                 const struct bl_aabb *aabbs,
                                 size_t count,
                                 bl_handle *handles);

// Inserts spheres, as `bl_octree_insert_many` does: moving objects on all layers, with user data 0.
bl_status bl_octree_insert_spheres(struct bl_octree *tree,
                                   const struct bl_sphere *spheres,
                                   size_t count,
                                   bl_handle *handles);

// Replaces the shape of an object; a box may become a sphere and back.
//
// Errors: `BL_STATUS_STALE_HANDLE`, or a shape that is not legal.
// Cost: constant.
bl_status bl_octree_update(struct bl_octree *tree, bl_handle object, const struct bl_shape *shape);

// Replaces the shapes of objects: `shapes[i]` becomes that of `handles[i]`. Of
// a handle given twice, the last shape stays.
//
// Errors: the first stale handle or shape that is not legal, with its index; then nothing is changed.
// Cost: linear. One call for all objects is cheaper than several for parts of them.
bl_status bl_octree_update_many(struct bl_octree *tree,
                                const bl_handle *handles,
                                const struct bl_shape *shapes,
                                size_t count);

// Replaces the shapes of objects by boxes, as `bl_octree_update_many` does; reads them where they lie.
bl_status bl_octree_update_aabbs(struct bl_octree *tree,
                                 const bl_handle *handles,
                                 const struct bl_aabb *aabbs,
                                 size_t count);

// Replaces the shapes of objects by spheres, as `bl_octree_update_many` does; reads them where they lie.
bl_status bl_octree_update_spheres(struct bl_octree *tree,
                                   const bl_handle *handles,
                                   const struct bl_sphere *spheres,
                                   size_t count);

// Removes an object.
//
// `description`: what was removed is written here, unless it is NULL.
// Errors: `BL_STATUS_STALE_HANDLE`.
bl_status bl_octree_remove(struct bl_octree *tree, bl_handle object, struct bl_object *description);

// Removes objects.
//
// Errors: the first handle that is stale, or stands in the array already, with its index; then nothing is removed.
bl_status bl_octree_remove_many(struct bl_octree *tree,
                                const bl_handle *handles,
                                size_t count);

// Removes the objects that the function does not keep; it is asked once of
// each, lowest slot first, and must not use the tree.
bl_status bl_octree_retain(struct bl_octree *tree, bl_keep keep, void *context);

// Replaces the layers of an object.
bl_status bl_octree_set_layers(struct bl_octree *tree, bl_handle object, struct bl_layers layers);

// Makes an object static or moving.
bl_status bl_octree_set_mobility(struct bl_octree *tree, bl_handle object, bl_mobility mobility);

// Replaces the user data of an object.
bl_status bl_octree_set_user_data(struct bl_octree *tree, bl_handle object, uint64_t user_data);

// Removes all objects, keeping the memory. Every handle becomes stale.
bl_status bl_octree_clear(struct bl_octree *tree);

// Makes room for so many more objects.
//
// Errors: `BL_STATUS_PANIC` if so much has a size beyond all memory. An allocation that fails aborts the process.
bl_status bl_octree_reserve(struct bl_octree *tree,
                            size_t objects);

// Frees memory that is not in use.
bl_status bl_octree_shrink_to_fit(struct bl_octree *tree);

// Builds the tree anew from all its objects. Worth calling after most of them
// have moved far; `bl_octree_flush` does so by itself when that is less work.
bl_status bl_octree_rebuild(struct bl_octree *tree);

// Moves the origin to `shift`, three floats: every position p becomes p - shift. Handles stay good.
//
// Errors: a shift that is not finite, or `BL_STATUS_OUT_OF_RANGE` if it takes an object beyond 32-bit floats.
bl_status bl_octree_shift_origin(struct bl_octree *tree, const float *shift);

// Tells the six planes of a frustum, of a screen rectangle or of planes: left,
// right, bottom, top and the two ends of depth. Normals have length one, but
// that of an end of depth at infinity is zero.
//
// `planes`: an array of six.
bl_status bl_region_planes(const struct bl_region *region, struct bl_plane *planes);

// Lists the objects that overlap a region. The tree must be up to date.
//
// Options: layers, only, exclude, filter, stats.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
// Order: none of distance; the same for the same sequence of calls.
// Cost: in proportion to the nodes whose fitted bounds overlap the region.
bl_status bl_octree_overlap(const struct bl_octree *tree,
                            const struct bl_region *region,
                            const struct bl_options *options,
                            bl_handle *found,
                            size_t capacity,
                            size_t *count);

// Visits the objects that overlap a region until the visitor stops; as `bl_octree_overlap`.
bl_status bl_octree_overlap_each(const struct bl_octree *tree,
                                 const struct bl_region *region,
                                 const struct bl_options *options,
                                 bl_visit_handle visit,
                                 void *context);

// Tells some object that overlaps a region; `BL_NO_HANDLE` if none does. As `bl_octree_overlap`, but ends early.
bl_status bl_octree_overlap_any(const struct bl_octree *tree,
                                const struct bl_region *region,
                                const struct bl_options *options,
                                bl_handle *found);

// Lists the objects that overlap a region, with how each lies to it, and how far it is from a viewpoint.
//
// `viewpoint`: objects that look too small from there are left out; NULL leaves none out, and distances are zero.
// Options: layers, only, exclude, filter, stats; with a viewpoint also in_order: near to far, of equally far
// ones the lowest slot first.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_visible(const struct bl_octree *tree,
                            const struct bl_region *region,
                            const struct bl_viewpoint *viewpoint,
                            const struct bl_options *options,
                            struct bl_visible *found,
                            size_t capacity,
                            size_t *count);

// Visits the objects that overlap a region until the visitor stops; as `bl_octree_visible`.
bl_status bl_octree_visible_each(const struct bl_octree *tree,
                                 const struct bl_region *region,
                                 const struct bl_viewpoint *viewpoint,
                                 const struct bl_options *options,
                                 bl_visit_visible visit,
                                 void *context);

// Marks the objects that overlap a region, as one bit a slot: bit `s % 64` of
// word `s / 64` for slot s; for passes over columns of the caller's.
//
// Options: as `bl_octree_overlap`; needs scratch.
// `words`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_overlap_slots(const struct bl_octree *tree,
                                  const struct bl_region *region,
                                  const struct bl_options *options,
                                  uint64_t *words,
                                  size_t capacity,
                                  size_t *count);

// Tells the closest object that a cast meets; of equally close ones, that of
// the lowest slot. The tree must be up to date.
//
// Options: layers, only, exclude, within, filter, refine, stats; of rays also start_inside.
// `hit`: its handle is `BL_NO_HANDLE` if the cast meets nothing.
// Cost: in proportion to the nodes that the cast meets; none beyond the hit are visited.
bl_status bl_octree_cast_closest(const struct bl_octree *tree,
                                 const struct bl_cast *cast,
                                 const struct bl_options *options,
                                 struct bl_hit *hit);

// Tells some object that a cast meets: enough for shadows and lines of sight.
//
// Options, `hit`: as `bl_octree_cast_closest`, and in_order.
bl_status bl_octree_cast_any(const struct bl_octree *tree,
                             const struct bl_cast *cast,
                             const struct bl_options *options,
                             struct bl_hit *hit);

// Lists the objects that a cast meets.
//
// Options: as `bl_octree_cast_closest`, and in_order.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_cast_all(const struct bl_octree *tree,
                             const struct bl_cast *cast,
                             const struct bl_options *options,
                             struct bl_hit *found,
                             size_t capacity,
                             size_t *count);

// Visits the objects that a cast meets until the visitor stops; as
// `bl_octree_cast_all`. In order, nothing beyond the last answer taken is visited.
bl_status bl_octree_cast_each(const struct bl_octree *tree,
                              const struct bl_cast *cast,
                              const struct bl_options *options,
                              bl_visit_hit visit,
                              void *context);

// Tells the object nearest to a box, or to a point, which is a box whose
// corners are equal; of equally near ones, that of the lowest slot. The tree must be up to date.
//
// Options: layers, only, exclude, within, filter, refine, stats.
// `hit`: its handle is `BL_NO_HANDLE` if there is none. Distances are to the surface, and zero inside.
bl_status bl_octree_nearest_closest(const struct bl_octree *tree,
                                    const struct bl_aabb *place,
                                    const struct bl_options *options,
                                    struct bl_hit *hit);

// Lists the `k` objects nearest to a box, in order of distance, then of slot.
//
// Options: as `bl_octree_nearest_closest`; needs scratch.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_nearest_k(const struct bl_octree *tree,
                              const struct bl_aabb *place,
                              size_t k,
                              const struct bl_options *options,
                              struct bl_hit *found,
                              size_t capacity,
                              size_t *count);

// Lists the objects near a box: all within the bound, or simply all.
//
// Options: as `bl_octree_nearest_closest`, and in_order.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_nearest_all(const struct bl_octree *tree,
                                const struct bl_aabb *place,
                                const struct bl_options *options,
                                struct bl_hit *found,
                                size_t capacity,
                                size_t *count);

// Visits the objects near a box until the visitor stops; as
// `bl_octree_nearest_all`. In order, nothing beyond the last answer taken is visited.
bl_status bl_octree_nearest_each(const struct bl_octree *tree,
                                 const struct bl_aabb *place,
                                 const struct bl_options *options,
                                 bl_visit_hit visit,
                                 void *context);

// Lists the objects that overlap each of many regions, which are of one kind. The tree must be up to date.
//
// Options: layers, only, exclude (one object for all questions), threads, filter, stats; needs scratch. A region or a
// filter of the caller's own on the pool needs callbacks_on_threads.
// `ends`: an array of `region_count`; the answers to region i end before `found[ends[i]]`, where those to the
// next begin.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
// Order: that of the regions, and of one region that of `bl_octree_overlap`, for any number of threads.
// Errors: the first region that is not legal, with its index.
bl_status bl_octree_overlap_many(const struct bl_octree *tree,
                                 const struct bl_region *regions,
                                 size_t region_count,
                                 const struct bl_options *options,
                                 size_t *ends,
                                 bl_handle *found,
                                 size_t capacity,
                                 size_t *count);

// Lists the objects that overlap each of many regions, with how each lies to
// it; distances are zero. As `bl_octree_overlap_many`.
bl_status bl_octree_visible_many(const struct bl_octree *tree,
                                 const struct bl_region *regions,
                                 size_t region_count,
                                 const struct bl_options *options,
                                 size_t *ends,
                                 struct bl_visible *found,
                                 size_t capacity,
                                 size_t *count);

// Tells the closest object that each of many casts meets. The tree must be up to date.
//
// `casts`: all rays and segments, or all sweeps; casts of the caller's own are asked one by one.
// Options: layers, only, exclude, within, threads, filter, stats; needs scratch.
// `hits`: an array of `cast_count`; the handle is `BL_NO_HANDLE` where a cast meets nothing.
// Errors: the first cast that is not legal, with its index.
bl_status bl_octree_cast_many_closest(const struct bl_octree *tree,
                                      const struct bl_cast *casts,
                                      size_t cast_count,
                                      const struct bl_options *options,
                                      struct bl_hit *hits);

// Tells some object that each of many casts meets. As `bl_octree_cast_many_closest`.
bl_status bl_octree_cast_many_any(const struct bl_octree *tree,
                                  const struct bl_cast *casts,
                                  size_t cast_count,
                                  const struct bl_options *options,
                                  struct bl_hit *hits);

// Lists the objects that each of many casts meets, in no order of distance.
//
// `casts`, options: as `bl_octree_cast_many_closest`. `ends`: as `bl_octree_overlap_many`.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_cast_many_all(const struct bl_octree *tree,
                                  const struct bl_cast *casts,
                                  size_t cast_count,
                                  const struct bl_options *options,
                                  size_t *ends,
                                  struct bl_hit *found,
                                  size_t capacity,
                                  size_t *count);

// Tells the object nearest to each of many boxes; points are boxes whose corners are equal.
//
// Options: layers, only, exclude, within, threads, filter, stats; needs scratch.
// `hits`: an array of `place_count`; the handle is `BL_NO_HANDLE` where there is none.
// Errors: the first box that is not legal, with its index.
bl_status bl_octree_nearest_many_closest(const struct bl_octree *tree,
                                         const struct bl_aabb *places,
                                         size_t place_count,
                                         const struct bl_options *options,
                                         struct bl_hit *hits);

// Lists the `k` objects nearest to each of many boxes, in order of distance, then of slot.
//
// Options: as `bl_octree_nearest_many_closest`. `ends`: as `bl_octree_overlap_many`.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_nearest_many_k(const struct bl_octree *tree,
                                   const struct bl_aabb *places,
                                   size_t place_count,
                                   size_t k,
                                   const struct bl_options *options,
                                   size_t *ends,
                                   struct bl_hit *found,
                                   size_t capacity,
                                   size_t *count);

// Lists all overlapping pairs, each once: boxes and spheres exact, touching
// counts, layers respected, never two static objects. The tree must be up to date.
//
// Options: threads, pair_filter, stats; needs scratch. The filter runs on the calling thread.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
// Order: the same for the same sequence of calls, for any number of threads.
bl_status bl_octree_pairs(const struct bl_octree *tree,
                          const struct bl_options *options,
                          struct bl_pair *found,
                          size_t capacity,
                          size_t *count);

// Visits all overlapping pairs until the visitor stops, on the calling thread; as `bl_octree_pairs`.
bl_status bl_octree_pairs_each(const struct bl_octree *tree,
                               const struct bl_options *options,
                               bl_visit_pair visit,
                               void *context);

// Lists the partners of one object: the other sides of its pairs. The tree must be up to date.
//
// Options: layers, only, exclude, filter, stats.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
// Errors: `BL_STATUS_STALE_HANDLE`.
bl_status bl_octree_pairs_of(const struct bl_octree *tree,
                             bl_handle object,
                             const struct bl_options *options,
                             bl_handle *found,
                             size_t capacity,
                             size_t *count);

// Visits the partners of one object until the visitor stops; as `bl_octree_pairs_of`.
bl_status bl_octree_pairs_of_each(const struct bl_octree *tree,
                                  bl_handle object,
                                  const struct bl_options *options,
                                  bl_visit_handle visit,
                                  void *context);

// Tells whether `bl_octree_pairs` reports two objects: 1 if so, else 0; 0 if a handle is stale, or a number is no
// handle. The tree must be up to date.
bl_status bl_octree_is_pair(const struct bl_octree *tree,
                            struct bl_pair which,
                            uint32_t *answer);

// Tells whether the shapes of two objects overlap as they were last set, without a margin: 1 if so, else 0.
// The tree must be up to date.
//
// Errors: `BL_STATUS_STALE_HANDLE`.
bl_status bl_octree_touches(const struct bl_octree *tree, struct bl_pair which, uint32_t *answer);

// Tells how two objects touch: the shortest way to part their shapes as last set. The tree must be up to date.
//
// The normal points from the object with the lower handle to that with the higher one.
// `answer`: 1 if they overlap; else 0, and `contact` is not written.
// Errors: `BL_STATUS_STALE_HANDLE`.
bl_status bl_octree_contact(const struct bl_octree *tree,
                            struct bl_pair which,
                            struct bl_contact *contact,
                            uint32_t *answer);

// Makes a tracker that knows no pairs: with its first update every pair begins. Free it with `bl_tracker_free`.
bl_status bl_tracker_new(struct bl_tracker **tracker);

// Frees a tracker; NULL is none.
void bl_tracker_free(struct bl_tracker *tracker);

// Makes a copy of a tracker.
bl_status bl_tracker_clone(const struct bl_tracker *tracker, struct bl_tracker **copy);

// Copies a tracker into one that is there already, without allocation if there is room.
//
// `source`: may be `tracker` itself; then nothing is changed.
bl_status bl_tracker_copy(struct bl_tracker *tracker, const struct bl_tracker *source);

// Brings the tree up to date, compares its pairs with those known, and takes them over.
//
// Options: pair_filter, stats. The filter is asked when a pair begins to overlap; what it
// refuses is no pair until the objects part and meet again, or until `bl_tracker_ask_again`.
// The filter must use neither the tree nor the tracker: keep what it reads in arrays, by `bl_handle_slot`.
// Cost: in proportion to what changed since the last update of this tracker; next to nothing if nothing did.
bl_status bl_tracker_update(struct bl_tracker *tracker,
                            struct bl_octree *tree,
                            const struct bl_options *options);

// Has the filter asked again about all pairs of an object, with the next update. Ignores a stale handle, and a
// number that is no handle.
bl_status bl_tracker_ask_again(struct bl_tracker *tracker,
                               bl_handle object);

// Lists the pairs that began with the last update.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_tracker_begun(const struct bl_tracker *tracker,
                           struct bl_pair *found,
                           size_t capacity,
                           size_t *count);

// Lists the pairs that ended with the last update. Handles of removed objects are stale.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_tracker_ended(const struct bl_tracker *tracker,
                           struct bl_pair *found,
                           size_t capacity,
                           size_t *count);

// Lists all pairs as of the last update, those that began included.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_tracker_pairs(const struct bl_tracker *tracker,
                           struct bl_pair *found,
                           size_t capacity,
                           size_t *count);

// Lists the pairs that were there before the last update and still are.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_tracker_persisting(const struct bl_tracker *tracker,
                                struct bl_pair *found,
                                size_t capacity,
                                size_t *count);

// Forgets all pairs, without events, keeping the memory.
bl_status bl_tracker_clear(struct bl_tracker *tracker);

// Makes room for the pairs of a world of `objects` objects that has at most `pairs` pairs at a time.
//
// Errors: `BL_STATUS_PANIC` if so much has a size beyond all memory. An allocation that fails aborts the process.
bl_status bl_tracker_reserve(struct bl_tracker *tracker,
                             size_t objects,
                             size_t pairs);

// Sets on which threads updates make the pass over all objects. The events and their order are the same.
bl_status bl_tracker_set_threads(struct bl_tracker *tracker, bl_threads threads);

// Tells on which threads updates make the pass over all objects.
bl_status bl_tracker_threads(const struct bl_tracker *tracker, bl_threads *threads);

// Tells a hash of the tracker's state; as `bl_octree_state_hash`.
bl_status bl_tracker_state_hash(const struct bl_tracker *tracker, uint64_t *hash);

// Saves a tracker as bytes; as `bl_octree_save`.
bl_status bl_tracker_save(const struct bl_tracker *tracker,
                          struct bl_scratch *scratch,
                          uint8_t *bytes,
                          size_t capacity,
                          size_t *count);

// Makes the tracker that was saved; as `bl_octree_load`. Free it with `bl_tracker_free`.
bl_status bl_tracker_load(const uint8_t *bytes, size_t count, struct bl_tracker **tracker);

// Makes a budget. Free it with `bl_budget_free`.
//
// `essential`: classes below it are never deferred.
// `patience`: a deferred pair rises by one class every so many frames; zero for 16.
bl_status bl_budget_new(uint8_t essential, uint32_t patience, struct bl_budget **budget);

// Frees a budget; NULL is none.
void bl_budget_free(struct bl_budget *budget);

// Makes a copy of a budget.
bl_status bl_budget_clone(const struct bl_budget *budget, struct bl_budget **copy);

// Chooses the pairs of this frame: at most `pairs_max`, but for essential ones,
// and for one pair more where these fill the frame. `bl_budget_served` lists them.
// The tree must be up to date.
//
// `offered`: all pairs of the frame, or those that began, each at most once; what was deferred need not be among them.
// `class_of`: returns the class of an object, 0 for the most urgent; a pair is of the more urgent one of its two.
// It may ask the tree, but must not use the budget.
// `report`: what was done; NULL if nobody wants to know.
bl_status bl_budget_serve(struct bl_budget *budget,
                          const struct bl_octree *tree,
                          const struct bl_pair *offered,
                          size_t offered_count,
                          size_t pairs_max,
                          bl_class_of class_of,
                          void *context,
                          struct bl_budget_report *report);

// Lists the pairs that the last frame serves, the most urgent class first.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_budget_served(const struct bl_budget *budget,
                           struct bl_pair *found,
                           size_t capacity,
                           size_t *count);

// Lists the pairs that wait for the next frame, sorted.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_budget_deferred(const struct bl_budget *budget,
                             struct bl_pair *found,
                             size_t capacity,
                             size_t *count);

// Lists the pairs that waited and with the last frame were found to be none any more, sorted.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_budget_dropped(const struct bl_budget *budget,
                            struct bl_pair *found,
                            size_t capacity,
                            size_t *count);

// Forgets what waits.
bl_status bl_budget_clear(struct bl_budget *budget);

// Tells a hash of the budget's state; as `bl_octree_state_hash`.
bl_status bl_budget_state_hash(const struct bl_budget *budget, uint64_t *hash);

// Saves a budget as bytes; as `bl_octree_save`. The list of pairs served is not part of it.
bl_status bl_budget_save(const struct bl_budget *budget,
                         struct bl_scratch *scratch,
                         uint8_t *bytes,
                         size_t capacity,
                         size_t *count);

// Makes the budget that was saved; as `bl_octree_load`. Free it with `bl_budget_free`.
bl_status bl_budget_load(const uint8_t *bytes, size_t count, struct bl_budget **budget);

// Tells the bytes allocated.
bl_status bl_octree_memory(const struct bl_octree *tree, struct bl_memory *memory);

// Tells what the tree has done, and how it stands.
bl_status bl_octree_counters(const struct bl_octree *tree, struct bl_counters *counters);

// Lists every node, parents before children. The tree must be up to date.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_nodes(const struct bl_octree *tree,
                          struct bl_node *found,
                          size_t capacity,
                          size_t *count);

// Checks every invariant of the tree; for tests.
//
// Errors: `BL_STATUS_BROKEN` names the first broken one: a bug of the library.
// Cost: visits everything.
bl_status bl_octree_validate(const struct bl_octree *tree);

// Tells a hash of the tree's state. Equal sequences of calls give equal
// hashes, on any machine, for any number of threads. Flushes and trackers
// may change it, so compare hashes of the same point of a frame.
bl_status bl_octree_state_hash(const struct bl_octree *tree, uint64_t *hash);

// Saves a tree as bytes, with all that decides what it does next.
//
// `scratch`: working memory. `bytes`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_save(const struct bl_octree *tree,
                         struct bl_scratch *scratch,
                         uint8_t *bytes,
                         size_t capacity,
                         size_t *count);

// Makes the tree that was saved; it goes on bit for bit like the original. Free it with `bl_octree_free`.
//
// Errors: `BL_STATUS_BAD_SNAPSHOT`. Bytes of any origin may be given: nothing is used before it is checked.
bl_status bl_octree_load(const uint8_t *bytes, size_t count, struct bl_octree **tree);

// Builds the mesh of triangles whose corners are positions named by indices. Free it with `bl_mesh_free`.
//
// `positions`: three floats each. `indices`: three to a triangle.
// `quality`: a fast build or fast questions.
// `threads`: which threads build; the mesh is the same.
// Errors: `BL_STATUS_BAD_MESH`: a position that is not finite or too far out, an index without a position, a
// number of indices that is no multiple of three, too many triangles.
bl_status bl_mesh_new(const float *positions,
                      size_t position_count,
                      const uint32_t *indices,
                      size_t index_count,
                      bl_build_quality quality,
                      bl_threads threads,
                      struct bl_mesh **mesh);

// Builds the mesh of triangles that share no positions; as `bl_mesh_new`.
//
// `corners`: nine floats a triangle.
bl_status bl_mesh_from_triangles(const float *corners,
                                 size_t triangle_count,
                                 bl_build_quality quality,
                                 bl_threads threads,
                                 struct bl_mesh **mesh);

// Frees a mesh; NULL is none.
void bl_mesh_free(struct bl_mesh *mesh);

// Tells how many triangles a mesh has, and how many of them have no area and are never found.
//
// `degenerate`: may be NULL.
bl_status bl_mesh_len(const struct bl_mesh *mesh, size_t *len, size_t *degenerate);

// Tells the smallest box around all triangles that have an area.
//
// `answer`: 1 if there are such triangles; else 0, and `bounds` is not written.
bl_status bl_mesh_bounds(const struct bl_mesh *mesh, struct bl_aabb *bounds, uint32_t *answer);

// Tells the bytes allocated by a mesh.
bl_status bl_mesh_memory(const struct bl_mesh *mesh, size_t *bytes);

// Tells the corners of a triangle, by its place in the input.
//
// `corners`: an array of nine floats.
// `answer`: 1 if there is such a triangle; else 0, and `corners` is not written.
bl_status bl_mesh_corners(const struct bl_mesh *mesh, uint32_t triangle, float *corners, uint32_t *answer);

// Lists the leaves of a mesh.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_mesh_leaves(const struct bl_mesh *mesh,
                         struct bl_mesh_leaf *found,
                         size_t capacity,
                         size_t *count);

// Checks every invariant of a mesh; as `bl_octree_validate`.
bl_status bl_mesh_validate(const struct bl_mesh *mesh);

// Tells the closest triangle that a ray hits, or a moving box or sphere touches; of equally close
// ones, the first of the input.
//
// Options: within, stats; of rays also culling.
// `hit`: its triangle is `BL_NO_TRIANGLE` if there is none.
bl_status bl_mesh_cast_closest(const struct bl_mesh *mesh,
                               const struct bl_cast *cast,
                               const struct bl_options *options,
                               struct bl_mesh_hit *hit);

// Tells some triangle that a cast meets: enough for shadows and lines of sight. As `bl_mesh_cast_closest`.
bl_status bl_mesh_cast_any(const struct bl_mesh *mesh,
                           const struct bl_cast *cast,
                           const struct bl_options *options,
                           struct bl_mesh_hit *hit);

// Lists the triangles that a cast meets, not by distance; as `bl_mesh_cast_closest`.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_mesh_cast_all(const struct bl_mesh *mesh,
                           const struct bl_cast *cast,
                           const struct bl_options *options,
                           struct bl_mesh_hit *found,
                           size_t capacity,
                           size_t *count);

// Visits the triangles that a cast meets until the visitor stops; as `bl_mesh_cast_all`.
bl_status bl_mesh_cast_each(const struct bl_mesh *mesh,
                            const struct bl_cast *cast,
                            const struct bl_options *options,
                            bl_visit_mesh_hit visit,
                            void *context);

// Lists the triangles that share a point with a region: a box, sphere, frustum, oriented box or capsule.
//
// Options: stats.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
// Errors: `BL_STATUS_BAD_VALUE` for a region of another kind.
bl_status bl_mesh_overlap(const struct bl_mesh *mesh,
                          const struct bl_region *region,
                          const struct bl_options *options,
                          struct bl_mesh_triangle *found,
                          size_t capacity,
                          size_t *count);

// Tells the point of a mesh that is closest to a point, three floats; of equally near triangles, the first of the
// input.
//
// Options: within, stats.
// `hit`: its triangle is `BL_NO_TRIANGLE` if there is none.
bl_status bl_mesh_nearest(const struct bl_mesh *mesh,
                          const float *point,
                          const struct bl_options *options,
                          struct bl_mesh_hit *hit);

// Tells whether a point, three floats, lies inside a closed mesh: 1 if so, else 0.
bl_status bl_mesh_is_inside(const struct bl_mesh *mesh, const float *point, uint32_t *answer);

// Tells the box in the world around a mesh that is placed: the shape of its
// object. A little larger than the smallest: nothing inside is lost to rounding.
//
// `bounds`: what `bl_mesh_bounds` tells.
// Errors: a placement or a box that is not legal.
bl_status bl_placement_aabb(const struct bl_placement *placement,
                            const struct bl_aabb *bounds,
                            struct bl_aabb *aabb);

// Lists the triangles of placed meshes that share a point with a region: a
// box, sphere, frustum, oriented box or capsule. The tree must be up to date.
//
// `meshes`: says which mesh an object is and where it stands. The object's shape
// must enclose the placed mesh, as the box of `bl_placement_aabb` does.
// Options: layers, only, exclude, filter, stats.
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_overlap_meshes(const struct bl_octree *tree,
                                   const struct bl_region *region,
                                   bl_meshes meshes,
                                   void *context,
                                   const struct bl_options *options,
                                   struct bl_mesh_triangle *found,
                                   size_t capacity,
                                   size_t *count);

// Tells the closest triangle of a placed mesh that a ray hits, or a moving shape touches. The tree must be up to date.
//
// `meshes`: as `bl_octree_overlap_meshes`; an object that is no mesh is passed through.
// Options: layers, only, exclude, within, filter, stats; of rays also culling.
// `hit`: its handle is `BL_NO_HANDLE` if there is none.
bl_status bl_octree_cast_meshes_closest(const struct bl_octree *tree,
                                        const struct bl_cast *cast,
                                        bl_meshes meshes,
                                        void *context,
                                        const struct bl_options *options,
                                        struct bl_mesh_hit *hit);

// Lists the triangles of placed meshes that a cast meets, not by distance; as `bl_octree_cast_meshes_closest`.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_cast_meshes_all(const struct bl_octree *tree,
                                    const struct bl_cast *cast,
                                    bl_meshes meshes,
                                    void *context,
                                    const struct bl_options *options,
                                    struct bl_mesh_hit *found,
                                    size_t capacity,
                                    size_t *count);

// Tells the point of a placed mesh that is closest to a point; to a box, to its middle. The tree must be up to date.
//
// `meshes`: as `bl_octree_overlap_meshes`; an object that is no mesh has no answer.
// Options: layers, only, exclude, within, filter, stats.
// `hit`: its handle is `BL_NO_HANDLE` if there is none.
bl_status bl_octree_nearest_meshes_closest(const struct bl_octree *tree,
                                           const struct bl_aabb *place,
                                           bl_meshes meshes,
                                           void *context,
                                           const struct bl_options *options,
                                           struct bl_mesh_hit *hit);

// Lists the closest point of each placed mesh that is within the bound; as `bl_octree_nearest_meshes_closest`.
//
// `found`, `capacity`, `count`: see "Lists" at the head of this header.
bl_status bl_octree_nearest_meshes_all(const struct bl_octree *tree,
                                       const struct bl_aabb *place,
                                       bl_meshes meshes,
                                       void *context,
                                       const struct bl_options *options,
                                       struct bl_mesh_hit *found,
                                       size_t capacity,
                                       size_t *count);

// Tells the smallest 32-bit box, relative to an origin, around the 64-bit box from `min` to `max`: no overlap is missed.
//
// `origin`, `min`, `max`: three doubles each.
bl_status bl_world_aabb(const double *origin,
                        const double *min,
                        const double *max,
                        struct bl_aabb *aabb);

// Tells a 32-bit sphere, relative to an origin, around a 64-bit sphere, for which no overlap is missed.
//
// `origin`, `center`: three doubles each.
bl_status bl_world_sphere(const double *origin,
                          const double *center,
                          double radius,
                          struct bl_sphere *sphere);

// Tells a point of the world, three doubles, relative to an origin, three floats; rounded to nearest, so not for
// bounds.
bl_status bl_world_to_local(const double *origin,
                            const double *point,
                            float *local);

// Tells a point relative to an origin, three floats, as a point of the world, three doubles.
bl_status bl_world_to_world(const double *origin, const float *local, double *point);

// Tells the origin after `bl_octree_shift_origin` by the same vector. Objects must then be
// updated from their 64-bit shapes, for the shift rounds to nearest.
//
// `origin`, `shifted`: three doubles each. `shift`: three floats.
bl_status bl_world_shifted(const double *origin, const float *shift, double *shifted);

// Starts the pool with so many threads; zero for as many as the machine runs at
// once. Without this call the first question that asks for the pool starts it so.
//
// Errors: `BL_STATUS_OUT_OF_RANGE` if the pool runs already, or the machine refuses.
bl_status bl_pool_start(size_t threads);

// Returns the number of threads that share the work of `BL_THREADS_POOL`. Starts the pool.
size_t bl_pool_threads(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BROADLEAF_H */
