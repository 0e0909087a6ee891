// The C++ header: ownership, spans in, vectors and callables out, errors thrown, every call once.
#include <broadleaf.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace bl = broadleaf;

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (0)

namespace {

template <class Call> bl_status refused(Call call) {
    try {
        call();
    } catch (const bl::error &error) {
        CHECK(error.what()[0] != 0);
        return error.status();
    }
    return BL_STATUS_OK;
}

bool overlap(const bl::aabb &a, const bl::aabb &b) {
    for (int axis = 0; axis < 3; axis++) {
        if (a.min[axis] > b.max[axis] || b.min[axis] > a.max[axis]) return false;
    }
    return true;
}

struct world {
    bl::octree tree = bl::octree::make();
    bl::scratch scratch = bl::scratch::make();
    std::vector<bl::aabb> boxes;
    std::vector<bl::handle> handles;

    explicit world(unsigned seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> at(-9, 9), half(0.1f, 1.5f);
        for (int i = 0; i < 300; i++) {
            bl::aabb box{};
            for (int axis = 0; axis < 3; axis++) {
                float center = at(random), reach = half(random);
                box.min[axis] = center - reach;
                box.max[axis] = center + reach;
            }
            boxes.push_back(box);
        }
        handles.resize(boxes.size());
        tree.insert(boxes, handles);
        for (size_t i = 0; i < handles.size(); i++) tree.set_user_data(handles[i], i);
        tree.flush();
    }
};

void objects() {
    bl::octree tree = bl::octree::make(bl_config_default());
    bl::handle box = tree.insert(bl::aabb{{0, 0, 0}, {1, 1, 1}}), ball = tree.insert(bl::sphere{{5, 5, 5}, 1});
    CHECK(tree.size() == 2 && tree.contains(box) && !tree.is_up_to_date());
    tree.update(ball, bl::sphere{{1.5f, 0.5f, 0.5f}, 0.5f});
    tree.set_layers(box, {1, 3});
    tree.set_mobility(box, BL_STATIC);
    tree.set_user_data(box, 7);
    bl::object got = tree.get(box);
    CHECK(got.layers.filters == 3 && got.mobility == BL_STATIC && tree.user_data(box) == 7);
    tree.flush();
    CHECK(tree.bounds()->max[0] == 2.0f && tree.fat_shape(ball).kind == BL_SHAPE_SPHERE);
    tree.update(ball, bl::aabb{{3, 3, 3}, {4, 4, 4}});
    std::vector<bl_entry> entries;
    tree.objects(entries);
    CHECK(entries.size() == 2 && entries[1].handle == ball && entries[1].object.shape.kind == BL_SHAPE_AABB);

    std::array<bl::sphere, 4> spheres{};
    std::array<bl::object, 3> described{bl_object_sphere(spheres[0]), bl_object_sphere(spheres[1]), got};
    std::vector<bl::handle> more(4), others(3);
    tree.insert(spheres, more);
    tree.insert(described, others);
    spheres[2].radius = 3;
    tree.update(more, spheres);
    std::array<bl_shape, 3> shapes{};
    tree.update(others, shapes);
    CHECK(tree.get(more[2]).shape.bounds.sphere.radius == 3.0f && tree.size() == 9);
    tree.remove(more);
    CHECK(tree.remove(others[0]).user_data == 0);
    int asked = 0;
    tree.retain([&](const bl_entry &entry) { return asked++, entry.handle != others[1]; });
    CHECK(asked == 4 && tree.size() == 3);

    // What is refused is thrown, with the index; what a callable throws leaves the call.
    CHECK(refused([&] { tree.get(more[0]); }) == BL_STATUS_STALE_HANDLE);
    CHECK(refused([&] { tree.update(more, std::span(spheres).first(2)); }) == BL_STATUS_BAD_LENGTH);
    CHECK(refused([&] { tree.overlap_any(spheres[0]); }) == BL_STATUS_NOT_UP_TO_DATE);
    try {
        std::array<bl::aabb, 2> boxes{bl::aabb{}, bl::aabb{{0, NAN, 0}, {1, 1, 1}}};
        tree.insert(boxes, std::span(more).first(2));
        CHECK(false);
    } catch (const bl::error &error) {
        CHECK(error.index() == 1 && error.status() == BL_STATUS_ILLEGAL_SHAPE);
    }
    try {
        tree.retain([](const bl_entry &) -> bool { throw 42; });
        CHECK(false);
    } catch (int thrown) {
        CHECK(thrown == 42 && tree.size() == 3);
    }
    tree.reserve(100);
    tree.rebuild();
    tree.shift_origin({1, 0, 0});
    tree.flush();
    CHECK(tree.bounds()->min[0] == -1.0f - 0.0f || tree.bounds()->min[0] <= 0.0f);
    tree.set_threads(BL_THREADS_POOL);
    CHECK(tree.threads() == BL_THREADS_POOL && tree.config().looseness == 3.0f);
    tree.validate();
    tree.clear();
    tree.shrink_to_fit();
    CHECK(tree.size() == 0 && tree.memory().scratch == 0);
}

void questions() {
    world made(1);
    const bl::octree &tree = made.tree;
    const bl::aabb where{{-4, -4, -4}, {3, 4, 5}};
    std::vector<bl::handle> found;
    tree.overlap(where, found);
    size_t wanted = 0;
    for (const bl::aabb &box : made.boxes) wanted += overlap(box, where);
    CHECK(found.size() == wanted && wanted > 10);

    // Into callables, that stop or do not.
    size_t visited = 0, first = 0;
    tree.overlap(where, [&](bl::handle) { visited++; });
    tree.overlap(where, [&](bl::handle) { return ++first == 3 ? bl::flow::stop : bl::flow::next; });
    CHECK(visited == wanted && first == 3 && tree.overlap_any(where) == found[0]);
    bl_query_stats stats{};
    auto even = [&](bl::handle which) { return tree.user_data(which) % 2 == 0; };
    tree.overlap(where, [&](bl::handle which) { CHECK(even(which)); }, bl::options().filter(even).stats(stats));
    CHECK(stats.hits > 0 && stats.hits < wanted);
    try {
        tree.overlap(where, [](bl::handle) { throw std::string("enough"); });
        CHECK(false);
    } catch (const std::string &thrown) {
        CHECK(thrown == "enough");
    }
    auto throws = [](bl::handle) -> bool { throw std::string("no"); };
    try {
        tree.overlap(where, found, bl::options().filter(throws));
        CHECK(false);
    } catch (const std::string &thrown) {
        CHECK(thrown == "no");
    }
    bl_viewpoint eye{{9, 9, 9}, 0};
    std::vector<bl_visible> visible;
    tree.visible(where, &eye, visible, bl::options().in_order(made.scratch));
    CHECK(visible.size() == wanted && visible.front().distance <= visible.back().distance);
    std::vector<uint64_t> words;
    tree.overlap_slots(where, words, bl::options().with(made.scratch));
    CHECK(words.size() == (made.boxes.size() + 63) / 64);
    std::array<bl_region, 2> regions{bl::region(where), bl::region(bl::aabb{{0, 0, 0}, {1, 1, 1}})};
    std::vector<size_t> ends;
    tree.overlap_many(regions, ends, found, bl::options().with(made.scratch).threads(BL_THREADS_POOL));
    CHECK(ends[0] == wanted && ends[1] == found.size());
    tree.visible_many(regions, ends, visible, bl::options().with(made.scratch));
    CHECK(visible.size() == found.size());
    std::array<bl_plane, 6> planes{{{{1, 0, 0}, 4}, {{-1, 0, 0}, 3}, {{0, 1, 0}, 4}, {{0, -1, 0}, 4}, {{0, 0, 1}, 4}, {{0, 0, -1}, 5}}};
    tree.overlap(bl::region::planes(planes), found);
    CHECK(found.size() == wanted);
    tree.overlap(bl::region::convex(planes), found);
    CHECK(found.size() == wanted);

    bl::cast ray(bl_ray{{-20, 0, 0}, {1, 0, 0}, INFINITY});
    std::vector<bl::hit> hits;
    tree.cast_all(ray, hits, bl::options().in_order(made.scratch));
    std::optional<bl::hit> closest = tree.cast_closest(ray);
    CHECK(closest && hits.size() > 1 && closest->handle == hits[0].handle && tree.cast_any(ray).has_value());
    auto not_first = [&](const bl::hit &hit) -> std::optional<float> {
        if (hit.handle == hits[0].handle) return std::nullopt;
        return hit.distance;
    };
    CHECK(tree.cast_closest(ray, bl::options().refine(not_first))->handle == hits[1].handle);
    CHECK(!tree.cast_closest(ray, bl::options().within(1)).has_value());
    std::array<bl_cast, 2> rays{ray, ray};
    std::array<bl::hit, 2> each{};
    tree.cast_many_closest(rays, each, bl::options().with(made.scratch));
    CHECK(each[1].handle == closest->handle);
    tree.cast_many_any(rays, each, bl::options().with(made.scratch));
    CHECK(each[1].handle != bl::no_handle);
    tree.cast_many_all(rays, ends, hits, bl::options().with(made.scratch));
    CHECK(ends[1] == hits.size() && ends[0] * 2 == ends[1]);

    bl::aabb point{{30, 0, 0}, {30, 0, 0}};
    std::optional<bl::hit> near = tree.nearest_closest(point);
    tree.nearest_k(point, 3, hits, bl::options().with(made.scratch));
    CHECK(near && hits.size() == 3 && hits[0].handle == near->handle);
    size_t seen = 0;
    tree.nearest_all(point, [&](const bl::hit &) { seen++; });
    CHECK(seen == made.boxes.size());
    std::array<bl::aabb, 2> places{point, where};
    tree.nearest_many_closest(places, each, bl::options().with(made.scratch));
    CHECK(each[0].handle == near->handle && each[1].distance == 0);
    tree.nearest_many_k(places, 2, ends, hits, bl::options().with(made.scratch));
    CHECK(hits.size() == 4);
    std::vector<bl_node> nodes;
    tree.nodes(nodes);
    CHECK(nodes.size() == tree.counters().nodes_live);
}

void whom_options_choose() {
    const bl::aabb box{{0, 0, 0}, {1, 1, 1}};
    bl::octree tree = bl::octree::make();
    bl::handle moving = tree.insert(box), resting = tree.insert(box);
    tree.set_layers(moving, {2, ~0u});
    tree.set_layers(resting, {4, ~0u});
    tree.set_mobility(resting, BL_STATIC);
    tree.flush();
    std::vector<bl::handle> found;
    auto finds = [&](const bl::options &options, bl::handle wanted) {
        tree.overlap(box, found, options);
        return found.size() == 1 && found[0] == wanted;
    };
    CHECK(finds(bl::options().layers(2), moving) && finds(bl::options().layers(4), resting));
    CHECK(finds(bl::options().only(BL_ONLY_MOVING), moving) && finds(bl::options().only(BL_ONLY_STATIC), resting));
    CHECK(finds(bl::options().exclude(moving), resting) && finds(bl::options().exclude(resting), moving));

    bl::cast from_inside(bl_ray{{0.25f, 0.5f, 0.5f}, {1, 0, 0}, INFINITY});
    CHECK(tree.cast_closest(from_inside)->distance == 0.0f);
    CHECK(!tree.cast_closest(from_inside, bl::options().start_inside(BL_START_INSIDE_SKIP)));
    CHECK(tree.cast_closest(from_inside, bl::options().start_inside(BL_START_INSIDE_EXIT))->distance == 0.75f);
}

void infinite_and_far_objects() {
    bl::octree tree = bl::octree::make();
    bl::handle endless = tree.insert(bl::aabb{{-INFINITY, 0, 0}, {INFINITY, 1, 1}});
    bl::handle distant = tree.insert(bl::sphere{{1e12f, 0, 0}, 1});
    tree.flush();
    CHECK(tree.counters().outsized == 2);
    std::vector<bl::handle> found;
    tree.overlap(bl::region::point({1e12f, 0, 0}), found);
    CHECK(found.size() == 2);
    CHECK(tree.overlap_any(bl::region::point({-5, 0.5f, 0.5f})) == endless);
    CHECK(tree.is_pair({endless, distant}));
}

void pairs() {
    world made(2);
    std::vector<bl::pair> found, begun, ended;
    made.tree.pairs(found, bl::options().with(made.scratch));
    size_t wanted = 0, partners = 0;
    for (size_t i = 0; i < made.boxes.size(); i++) {
        for (size_t j = i + 1; j < made.boxes.size(); j++) wanted += overlap(made.boxes[i], made.boxes[j]);
        made.tree.pairs_of(made.handles[i], [&](bl::handle) { partners++; });
    }
    CHECK(found.size() == wanted && partners == 2 * wanted && wanted > 50);
    CHECK(made.tree.is_pair(found[0]) && made.tree.touches(found[0]) && made.tree.contact(found[0])->depth >= 0);
    auto none = [](bl::pair) { return false; };
    made.tree.pairs(begun, bl::options().with(made.scratch).pair_filter(none));
    CHECK(begun.empty());

    bl::tracker tracker = bl::tracker::make();
    tracker.reserve(300, 1000);
    tracker.set_threads(BL_THREADS_POOL);
    tracker.update(made.tree);
    tracker.begun(begun);
    CHECK(begun.size() == wanted && tracker.threads() == BL_THREADS_POOL);
    made.tree.remove(found[0].a);
    tracker.update(made.tree);
    tracker.ended(ended);
    tracker.pairs(found);
    tracker.persisting(begun);
    CHECK(!ended.empty() && found.size() + ended.size() == wanted && begun.size() == found.size());
    tracker.ask_again(found[0].a);
    tracker.update(made.tree, bl::options().pair_filter(none));
    tracker.ended(ended);
    CHECK(!ended.empty());

    bl::budget budget = bl::budget::make(0);
    made.tree.pairs(found, bl::options().with(made.scratch));
    bl_budget_report report = budget.serve(made.tree, found, 10, [](bl::handle which) { return bl_handle_slot(which) % 3; });
    budget.served(begun);
    budget.deferred(ended);
    CHECK(report.served == 10 && begun.size() == 10 && ended.size() == found.size() - 10);
    budget.dropped(begun);
    CHECK(begun.empty());

    // Copies and snapshots.
    std::vector<std::byte> bytes;
    made.tree.save(made.scratch, bytes);
    CHECK(bl::octree::load(bytes).state_hash() == made.tree.state_hash());
    CHECK(made.tree.clone().state_hash() == made.tree.state_hash());
    tracker.save(made.scratch, bytes);
    CHECK(bl::tracker::load(bytes).state_hash() == tracker.state_hash());
    budget.save(made.scratch, bytes);
    CHECK(bl::budget::load(bytes).state_hash() == budget.state_hash() && budget.clone().state_hash() == budget.state_hash());
    bl::octree copy = bl::octree::make();
    copy.copy_from(made.tree);
    bl::tracker follower = tracker.clone();
    follower.copy_from(tracker);
    follower.copy_from(follower); // regression: nothing is changed
    copy.copy_from(copy);
    CHECK(copy.state_hash() == made.tree.state_hash() && follower.state_hash() == tracker.state_hash());
    follower.clear();
    budget.clear();
    CHECK(refused([&] { bl::octree::load(std::span(bytes).first(3)); }) == BL_STATUS_BAD_SNAPSHOT);
}

void meshes() {
    std::array<bl::vec3, 4> corners{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    std::array<uint32_t, 12> indices{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    bl::mesh mesh = bl::mesh::make(corners, indices);
    std::array<std::array<bl::vec3, 3>, 1> one{{{corners[0], corners[1], corners[2]}}};
    CHECK(bl::mesh::make(one, BL_BUILD_HIGH, BL_THREADS_ONE).size() == 1 && bl::mesh::make(one).size() == 1);
    try {
        bl::mesh::make(one, 7); // regression: the quality comes first, as in C
        CHECK(false);
    } catch (const bl::error &error) {
        CHECK(std::string(error.what()) == "quality: 7 is not a legal value");
    }
    CHECK(mesh.size() == 4 && mesh.degenerate_count() == 0 && mesh.memory() > 0);
    CHECK(mesh.bounds()->max[2] == 1.0f && (*mesh.triangle(3))[2][2] == 1.0f && !mesh.triangle(4));
    bl::cast ray(bl_ray{{0.2f, 0.2f, 5}, {0, 0, -1}, INFINITY});
    CHECK(mesh.cast_closest(ray)->triangle == 3 && mesh.cast_any(ray).has_value());
    std::vector<bl::mesh_hit> hits;
    mesh.cast_all(ray, hits);
    size_t visited = 0;
    mesh.cast_each(ray, [&](const bl::mesh_hit &) { return visited++, bl::flow::stop; });
    CHECK(hits.size() == 2 && visited == 1);
    std::vector<bl_mesh_triangle> found;
    mesh.overlap(bl::sphere{{0, 0, 0}, 0.1f}, found);
    CHECK(found.size() == 3 && mesh.nearest({-1, -1, -1})->position[0] == 0.0f);
    CHECK(mesh.is_inside({0.2f, 0.2f, 0.2f}) && !mesh.is_inside({2, 2, 2}));
    std::vector<bl_mesh_leaf> leaves;
    mesh.leaves(leaves);
    mesh.validate();
    CHECK(!leaves.empty());

    bl_placement where{{0, 0, 0, 1}, {10, 0, 0}, 2};
    bl::aabb bounds = *mesh.bounds(), box{};
    CHECK(bl_placement_aabb(&where, &bounds, &box) == BL_STATUS_OK);
    bl::octree tree = bl::octree::make();
    bl::handle handle = tree.insert(box);
    tree.flush();
    bl::placed placed(tree, [&](bl::handle) { return std::optional(bl::placed_mesh{&mesh, where}); });
    bl::cast down(bl_ray{{10.4f, 0.4f, 9}, {0, 0, -1}, INFINITY});
    CHECK(placed.cast_closest(down)->handle == handle);
    placed.cast_all(down, hits);
    CHECK(hits.size() == 2);
    placed.overlap(bl::aabb{{9, -1, -1}, {13, 3, 3}}, found);
    CHECK(found.size() == 4 && found[0].handle == handle);
    bl::aabb point{{9, 0.5f, 0.5f}, {9, 0.5f, 0.5f}};
    CHECK(std::abs(placed.nearest_closest(point)->distance - 1) < 1e-6f);
    placed.nearest_all(point, hits);
    CHECK(hits.size() == 1);
}

} // namespace

int main() {
    objects();
    questions();
    whom_options_choose();
    infinite_and_far_objects();
    pairs();
    meshes();
    return 0;
}
