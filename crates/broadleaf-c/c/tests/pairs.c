/* Pairs, events, budgets, against a loop over all pairs of objects. */
#include "check.h"

enum { PAIRS_MAX = 20000 };

static bl_pair pair_of(bl_handle a, bl_handle b) {
    return a < b ? (bl_pair){a, b} : (bl_pair){b, a};
}

static size_t brute_force(const world *made, bl_pair *pairs) {
    size_t count = 0;
    for (int i = 0; i < WORLD; i++) {
        for (int j = i + 1; j < WORLD; j++) {
            int both_static = i % 5 == 0 && j % 5 == 0;
            if (!both_static && aabbs_overlap(&made->aabbs[i], &made->aabbs[j])) {
                CHECK(count < PAIRS_MAX);
                pairs[count++] = pair_of(made->handles[i], made->handles[j]);
            }
        }
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    return count;
}

/* By the slots of the handles alone: a filter of bl_tracker_update must not ask the tree. */
static int both_even(void *context, bl_pair pair) {
    const world *made = context;
    uint32_t a = bl_handle_slot(pair.a), b = bl_handle_slot(pair.b);
    CHECK(made->handles[a] == pair.a && made->handles[b] == pair.b);
    return a % 2 == 0 && b % 2 == 0;
}

static int32_t count_ten(void *context, bl_pair pair) {
    CHECK(pair.a < pair.b);
    return ++*(int *)context == 10;
}

static int32_t count_partners(void *context, bl_handle partner) {
    CHECK(partner != BL_NO_HANDLE);
    ++*(int *)context;
    return 0;
}

static void all_pairs(world *made, bl_scratch *scratch) {
    static bl_pair wanted[PAIRS_MAX], found[PAIRS_MAX];
    size_t wanted_count = brute_force(made, wanted), count = 0, even = 0;
    bl_query_stats stats = {0, 0, 0};
    bl_options options = {0};
    options.scratch = scratch;
    options.stats = &stats;
    for (bl_threads threads = BL_THREADS_ONE; threads <= BL_THREADS_POOL; threads++) {
        options.threads = threads;
        OK(bl_octree_pairs(made->tree, &options, found, PAIRS_MAX, &count));
        qsort(found, count, sizeof *found, compare_pairs);
        CHECK(count == wanted_count && count > 200 && memcmp(found, wanted, count * sizeof *found) == 0);
    }
    CHECK(stats.hits == 2 * wanted_count && stats.nodes_visited > 0);

    options.pair_filter = both_even;
    options.context = made;
    OK(bl_octree_pairs(made->tree, &options, found, PAIRS_MAX, &count));
    for (size_t i = 0; i < wanted_count; i++) even += (size_t)both_even(made, wanted[i]);
    CHECK(count == even && even > 0 && even < wanted_count);
    int visited = 0;
    options = (bl_options){0};
    options.scratch = scratch;
    OK(bl_octree_pairs_each(made->tree, &options, count_ten, &visited));
    CHECK(visited == 10);

    /* Partners of one object; two objects; how they touch. */
    size_t partners = 0;
    for (int i = 0; i < WORLD; i++) {
        bl_handle of[WORLD];
        OK(bl_octree_pairs_of(made->tree, made->handles[i], NULL, of, WORLD, &count));
        partners += count;
        int visited_partners = 0;
        OK(bl_octree_pairs_of_each(made->tree, made->handles[i], NULL, count_partners, &visited_partners));
        CHECK((size_t)visited_partners == count);
        for (size_t j = 0; j < count; j++) {
            bl_pair pair = pair_of(made->handles[i], of[j]);
            CHECK(bsearch(&pair, wanted, wanted_count, sizeof pair, compare_pairs) != NULL);
        }
    }
    CHECK(partners == 2 * wanted_count);
    uint32_t answer = 7, touches = 7;
    bl_contact contact;
    OK(bl_octree_is_pair(made->tree, wanted[0], &answer));
    OK(bl_octree_touches(made->tree, wanted[0], &touches));
    CHECK(answer == 1 && touches == 1);
    OK(bl_octree_contact(made->tree, wanted[0], &contact, &answer));
    CHECK(answer == 1 && contact.depth >= 0);
    /* Moving the second shape out by the contact leaves the two touching. */
    bl_aabb a = made->aabbs[index_of(made, wanted[0].a)], b = made->aabbs[index_of(made, wanted[0].b)];
    for (int axis = 0; axis < 3; axis++) {
        b.min[axis] += contact.normal[axis] * (contact.depth + 1e-3f);
        b.max[axis] += contact.normal[axis] * (contact.depth + 1e-3f);
    }
    CHECK(!aabbs_overlap(&a, &b));
}

static void move_all(world *made, uint64_t *seed) {
    for (int i = 0; i < WORLD; i++) {
        if (i % 5 == 0) continue;
        for (int axis = 0; axis < 3; axis++) {
            float step = random_between(seed, -0.4f, 0.4f);
            made->aabbs[i].min[axis] += step;
            made->aabbs[i].max[axis] += step;
        }
    }
    OK(bl_octree_update_aabbs(made->tree, made->handles, made->aabbs, WORLD));
}

static void events(world *made, bl_scratch *scratch) {
    static bl_pair before[PAIRS_MAX], now[PAIRS_MAX], found[PAIRS_MAX];
    size_t before_count = 0, now_count, count = 0, begun_total = 0, ended_total = 0;
    bl_tracker *tracker, *copy, *loaded;
    OK(bl_tracker_new(&tracker));
    OK(bl_tracker_reserve(tracker, WORLD, PAIRS_MAX));
    uint64_t seed = 4;
    for (int frame = 0; frame < 12; frame++) {
        OK(bl_tracker_set_threads(tracker, frame % 2 ? BL_THREADS_POOL : BL_THREADS_ONE));
        OK(bl_tracker_update(tracker, made->tree, NULL));
        now_count = brute_force(made, now);
        OK(bl_tracker_pairs(tracker, found, PAIRS_MAX, &count));
        qsort(found, count, sizeof *found, compare_pairs);
        CHECK(count == now_count && memcmp(found, now, count * sizeof *found) == 0);
        size_t begun = 0, ended = 0;
        OK(bl_tracker_begun(tracker, found, PAIRS_MAX, &begun));
        for (size_t i = 0; i < begun; i++) {
            CHECK(bsearch(&found[i], now, now_count, sizeof *now, compare_pairs) != NULL);
            CHECK(bsearch(&found[i], before, before_count, sizeof *now, compare_pairs) == NULL);
        }
        OK(bl_tracker_ended(tracker, found, PAIRS_MAX, &ended));
        for (size_t i = 0; i < ended; i++) {
            CHECK(bsearch(&found[i], now, now_count, sizeof *now, compare_pairs) == NULL);
            CHECK(bsearch(&found[i], before, before_count, sizeof *now, compare_pairs) != NULL);
        }
        CHECK(before_count + begun - ended == now_count);
        OK(bl_tracker_persisting(tracker, NULL, 0, &count));
        CHECK(count == now_count - begun);
        begun_total += begun;
        ended_total += ended;
        memcpy(before, now, now_count * sizeof *now);
        before_count = now_count;
        move_all(made, &seed);
    }
    CHECK(begun_total > now_count && ended_total > 0);

    /* Copies and snapshots go on like the original. */
    uint64_t hash, other;
    OK(bl_tracker_state_hash(tracker, &hash));
    OK(bl_tracker_clone(tracker, &copy));
    OK(bl_tracker_copy(copy, tracker));
    OK(bl_tracker_state_hash(copy, &other));
    CHECK(hash == other);
    size_t bytes_count = 0;
    OK(bl_tracker_save(tracker, scratch, NULL, 0, &bytes_count));
    uint8_t *bytes = malloc(bytes_count);
    OK(bl_tracker_save(tracker, scratch, bytes, bytes_count, &bytes_count));
    OK(bl_tracker_load(bytes, bytes_count, &loaded));
    OK(bl_tracker_state_hash(loaded, &other));
    CHECK(hash == other);
    free(bytes);
    bl_threads threads = 7;
    OK(bl_tracker_threads(tracker, &threads));
    CHECK(threads == BL_THREADS_POOL);

    /* A filter refuses, until it is asked again. */
    bl_options options = {0};
    options.pair_filter = both_even;
    options.context = made;
    OK(bl_tracker_clear(tracker));
    OK(bl_tracker_update(tracker, made->tree, &options));
    OK(bl_tracker_pairs(tracker, found, PAIRS_MAX, &count));
    now_count = brute_force(made, now);
    CHECK(count > 0 && count < now_count);
    for (size_t i = 0; i < count; i++) CHECK(both_even(made, found[i]));
    OK(bl_tracker_ask_again(tracker, now[0].a));
    OK(bl_tracker_update(tracker, made->tree, &options));
    OK(bl_tracker_begun(tracker, NULL, 0, &count));
    CHECK(count == 0);
    bl_tracker_free(tracker);
    bl_tracker_free(copy);
    bl_tracker_free(loaded);
    OK(bl_octree_flush(made->tree));
}

static uint8_t class_of(void *context, bl_handle handle) {
    return (uint8_t)(index_of(context, handle) % 4);
}

static void budgets(world *made, bl_scratch *scratch) {
    static bl_pair pairs[PAIRS_MAX], served[PAIRS_MAX];
    size_t count = 0, served_count = 0, deferred = 0, dropped = 7;
    bl_options options = {0};
    options.scratch = scratch;
    OK(bl_octree_pairs(made->tree, &options, pairs, PAIRS_MAX, &count));
    bl_budget *budget, *copy, *loaded;
    bl_budget_report report;
    OK(bl_budget_new(0, 0, &budget));
    OK(bl_budget_serve(budget, made->tree, pairs, count, 100, class_of, made, &report));
    CHECK(report.served == 100 && report.essential == 0 && report.deferred == count - 100 && report.dropped == 0);
    OK(bl_budget_served(budget, served, PAIRS_MAX, &served_count));
    OK(bl_budget_deferred(budget, NULL, 0, &deferred));
    OK(bl_budget_dropped(budget, NULL, 0, &dropped));
    CHECK(served_count == 100 && deferred == count - 100 && dropped == 0);
    for (size_t i = 0; i < served_count; i++) {
        int a = class_of(made, served[i].a), b = class_of(made, served[i].b);
        CHECK((a < b ? a : b) == 0);
    }
    uint64_t hash, other;
    OK(bl_budget_state_hash(budget, &hash));
    OK(bl_budget_clone(budget, &copy));
    OK(bl_budget_state_hash(copy, &other));
    CHECK(hash == other);
    size_t bytes_count = 0;
    OK(bl_budget_save(budget, scratch, NULL, 0, &bytes_count));
    uint8_t *bytes = malloc(bytes_count);
    OK(bl_budget_save(budget, scratch, bytes, bytes_count, &bytes_count));
    OK(bl_budget_load(bytes, bytes_count, &loaded));
    OK(bl_budget_state_hash(loaded, &other));
    CHECK(hash == other);
    free(bytes);
    /* What waits comes by itself; nothing is lost. */
    OK(bl_budget_serve(loaded, made->tree, NULL, 0, count, class_of, made, NULL));
    OK(bl_budget_served(loaded, NULL, 0, &served_count));
    CHECK(served_count == count - 100);
    OK(bl_budget_clear(budget));
    OK(bl_budget_deferred(budget, NULL, 0, &deferred));
    CHECK(deferred == 0);
    bl_budget_free(budget);
    bl_budget_free(copy);
    bl_budget_free(loaded);
}

int main(void) {
    bl_scratch *scratch;
    OK(bl_scratch_new(&scratch));
    world *made = world_new(6);
    for (int i = 0; i < WORLD; i++) {
        bl_layers all = {UINT32_MAX, UINT32_MAX};
        OK(bl_octree_set_layers(made->tree, made->handles[i], all));
    }
    OK(bl_octree_flush(made->tree));
    all_pairs(made, scratch);
    events(made, scratch);
    budgets(made, scratch);
    world_free(made);
    bl_scratch_free(scratch);
    return 0;
}
