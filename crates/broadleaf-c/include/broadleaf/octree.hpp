/* Part of broadleaf.hpp: the tree, its changes and its questions. */
#ifndef BROADLEAF_OCTREE_HPP
#define BROADLEAF_OCTREE_HPP

namespace broadleaf {
inline namespace BROADLEAF_FORM {

class octree {
public:
    explicit octree(bl_octree *raw) : raw_(raw) {}
    static result<octree> make(const bl_config &config = bl_config_default()) {
        return detail::make<octree, bl_octree>([&](auto made) { return bl_octree_new(&config, made); });
    }
    static result<octree> load(std::span<const std::byte> bytes) {
        return detail::make<octree, bl_octree>(
            [&](auto made) { return bl_octree_load(detail::data(bytes), bytes.size(), made); });
    }
    result<octree> clone() const {
        return detail::make<octree, bl_octree>([&](auto made) { return bl_octree_clone(raw(), made); });
    }
    result<void> copy_from(const octree &source) { return detail::done(bl_octree_copy(raw(), source.raw())); }
    result<void> save(const scratch &memory, std::vector<std::byte> &bytes) const {
        return detail::done(detail::save(bytes, [&](uint8_t *to, size_t room, size_t *count) {
            return bl_octree_save(raw(), memory.raw(), to, room, count);
        }));
    }
    bl_octree *raw() noexcept { return raw_.get(); }
    const bl_octree *raw() const noexcept { return raw_.get(); }

    /* Changes. */
    result<handle> insert(const object &what) {
        return detail::tell<handle>([&](handle *made) { return bl_octree_insert(raw(), &what, made); });
    }
    result<handle> insert(const aabb &box) { return insert(bl_object_aabb(box)); }
    result<handle> insert(const sphere &ball) { return insert(bl_object_sphere(ball)); }
    result<void> insert(std::span<const object> objects, std::span<handle> handles) {
        if (objects.size() != handles.size()) return detail::lengths_differ();
        return detail::done(bl_octree_insert_many(raw(), objects.data(), objects.size(), handles.data()));
    }
    result<void> insert(std::span<const aabb> boxes, std::span<handle> handles) {
        if (boxes.size() != handles.size()) return detail::lengths_differ();
        return detail::done(bl_octree_insert_aabbs(raw(), boxes.data(), boxes.size(), handles.data()));
    }
    result<void> insert(std::span<const sphere> balls, std::span<handle> handles) {
        if (balls.size() != handles.size()) return detail::lengths_differ();
        return detail::done(bl_octree_insert_spheres(raw(), balls.data(), balls.size(), handles.data()));
    }
    result<void> update(handle which, const aabb &box) {
        bl_shape shape{BL_SHAPE_AABB, {.aabb = box}};
        return detail::done(bl_octree_update(raw(), which, &shape));
    }
    result<void> update(handle which, const sphere &ball) {
        bl_shape shape{BL_SHAPE_SPHERE, {.sphere = ball}};
        return detail::done(bl_octree_update(raw(), which, &shape));
    }
    result<void> update(std::span<const handle> handles, std::span<const bl_shape> shapes) {
        if (shapes.size() != handles.size()) return detail::lengths_differ();
        return detail::done(bl_octree_update_many(raw(), handles.data(), shapes.data(), shapes.size()));
    }
    result<void> update(std::span<const handle> handles, std::span<const aabb> boxes) {
        if (boxes.size() != handles.size()) return detail::lengths_differ();
        return detail::done(bl_octree_update_aabbs(raw(), handles.data(), boxes.data(), boxes.size()));
    }
    result<void> update(std::span<const handle> handles, std::span<const sphere> balls) {
        if (balls.size() != handles.size()) return detail::lengths_differ();
        return detail::done(bl_octree_update_spheres(raw(), handles.data(), balls.data(), balls.size()));
    }
    result<object> remove(handle which) {
        return detail::tell<object>([&](object *was) { return bl_octree_remove(raw(), which, was); });
    }
    result<void> remove(std::span<const handle> handles) {
        return detail::done(bl_octree_remove_many(raw(), handles.data(), handles.size()));
    }
    /* bool(const bl_entry &) */
    template <class F> result<void> retain(F keep) {
        struct state {
            F &keep;
            detail::guard thrown{};
        } self{keep};
        bl_status status = bl_octree_retain(
            raw(),
            [](void *context, const bl_entry *entry) noexcept -> int32_t {
                auto &self = *static_cast<state *>(context);
                return self.thrown.run(1, [&] { return int32_t(bool(self.keep(*entry))); });
            },
            &self);
        return self.thrown.rethrow(), detail::done(status);
    }
    result<void> set_layers(handle which, bl_layers layers) {
        return detail::done(bl_octree_set_layers(raw(), which, layers));
    }
    result<void> set_mobility(handle which, bl_mobility mobility) {
        return detail::done(bl_octree_set_mobility(raw(), which, mobility));
    }
    result<void> set_user_data(handle which, uint64_t data) {
        return detail::done(bl_octree_set_user_data(raw(), which, data));
    }
    result<void> set_threads(bl_threads threads) { return detail::done(bl_octree_set_threads(raw(), threads)); }
    result<void> clear() { return detail::done(bl_octree_clear(raw())); }
    result<void> reserve(size_t objects) { return detail::done(bl_octree_reserve(raw(), objects)); }
    result<void> shrink_to_fit() { return detail::done(bl_octree_shrink_to_fit(raw())); }
    result<void> rebuild() { return detail::done(bl_octree_rebuild(raw())); }
    result<void> shift_origin(vec3 shift) { return detail::done(bl_octree_shift_origin(raw(), shift.data())); }
    result<void> flush() { return detail::done(bl_octree_flush(raw())); }

    /* What it holds, and says of itself. */
    result<size_t> size() const {
        return detail::tell<size_t>([&](size_t *len) { return bl_octree_len(raw(), len); });
    }
    result<bool> is_up_to_date() const {
        return answer([&](uint32_t *is) { return bl_octree_is_up_to_date(raw(), is); });
    }
    result<bool> contains(handle which) const {
        return answer([&](uint32_t *is) { return bl_octree_contains(raw(), which, is); });
    }
    result<object> get(handle which) const {
        return detail::tell<object>([&](object *found) { return bl_octree_get(raw(), which, found); });
    }
    result<uint64_t> user_data(handle which) const {
        return detail::tell<uint64_t>([&](uint64_t *data) { return bl_octree_user_data(raw(), which, data); });
    }
    result<bl_shape> fat_shape(handle which) const {
        return detail::tell<bl_shape>([&](bl_shape *shape) { return bl_octree_fat_shape(raw(), which, shape); });
    }
    result<std::optional<aabb>> bounds() const {
        return detail::tell_if<aabb>([&](aabb *box, uint32_t *is) { return bl_octree_bounds(raw(), box, is); });
    }
    result<void> objects(std::vector<bl_entry> &out) const {
        return detail::done(detail::fill(
            out, [&](auto to, size_t room, size_t *count) { return bl_octree_objects(raw(), to, room, count); }));
    }
    result<void> nodes(std::vector<bl_node> &out) const {
        return detail::done(detail::fill(
            out, [&](auto to, size_t room, size_t *count) { return bl_octree_nodes(raw(), to, room, count); }));
    }
    result<bl_config> config() const {
        return detail::tell<bl_config>([&](bl_config *config) { return bl_octree_config(raw(), config); });
    }
    result<bl_threads> threads() const {
        return detail::tell<bl_threads>([&](bl_threads *threads) { return bl_octree_threads(raw(), threads); });
    }
    result<bl_memory> memory() const {
        return detail::tell<bl_memory>([&](bl_memory *memory) { return bl_octree_memory(raw(), memory); });
    }
    result<bl_counters> counters() const {
        return detail::tell<bl_counters>([&](bl_counters *counters) { return bl_octree_counters(raw(), counters); });
    }
    result<uint64_t> state_hash() const {
        return detail::tell<uint64_t>([&](uint64_t *hash) { return bl_octree_state_hash(raw(), hash); });
    }
    result<void> validate() const { return detail::done(bl_octree_validate(raw())); }

    /* What overlaps a region: `out` takes handles, of visible() bl_visible. */
    template <class Out> result<void> overlap(const region &where, Out &&out, const options &how = options()) const {
        return list<handle>(
            out, how, [&](auto to, size_t room, size_t *count) { return bl_octree_overlap(raw(), &where, how.raw(), to, room, count); },
            [&](auto visit, void *self) { return bl_octree_overlap_each(raw(), &where, how.raw(), visit, self); });
    }
    result<handle> overlap_any(const region &where, const options &how = options()) const {
        handle found = no_handle;
        bl_status status = bl_octree_overlap_any(raw(), &where, how.raw(), &found);
        return how.finish(status, found);
    }
    template <class Out>
    result<void> visible(const region &where, const bl_viewpoint *eye, Out &&out, const options &how = options()) const {
        return list<bl_visible>(
            out, how, [&](auto to, size_t room, size_t *count) { return bl_octree_visible(raw(), &where, eye, how.raw(), to, room, count); },
            [&](auto visit, void *self) { return bl_octree_visible_each(raw(), &where, eye, how.raw(), visit, self); });
    }
    result<void> overlap_slots(const region &where, std::vector<uint64_t> &words, const options &how) const {
        return how.finish(detail::fill(words, [&](auto to, size_t room, size_t *count) {
            return bl_octree_overlap_slots(raw(), &where, how.raw(), to, room, count);
        }));
    }
    /* `ends[i]` is where the answers to region i end in `out`. */
    result<void> overlap_many(std::span<const bl_region> where, std::vector<size_t> &ends, std::vector<handle> &out,
                              const options &how) const {
        ends.resize(where.size());
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_overlap_many(raw(), where.data(), where.size(), how.raw(), ends.data(), to, room, count);
        }));
    }
    result<void> visible_many(std::span<const bl_region> where, std::vector<size_t> &ends, std::vector<bl_visible> &out,
                              const options &how) const {
        ends.resize(where.size());
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_visible_many(raw(), where.data(), where.size(), how.raw(), ends.data(), to, room, count);
        }));
    }

    /* What a cast meets: `out` takes hits. */
    result<std::optional<hit>> cast_closest(const cast &way, const options &how = options()) const {
        return one(how, [&](hit *found) { return bl_octree_cast_closest(raw(), &way, how.raw(), found); });
    }
    result<std::optional<hit>> cast_any(const cast &way, const options &how = options()) const {
        return one(how, [&](hit *found) { return bl_octree_cast_any(raw(), &way, how.raw(), found); });
    }
    template <class Out> result<void> cast_all(const cast &way, Out &&out, const options &how = options()) const {
        return list<hit>(
            out, how, [&](auto to, size_t room, size_t *count) { return bl_octree_cast_all(raw(), &way, how.raw(), to, room, count); },
            [&](auto visit, void *self) { return bl_octree_cast_each(raw(), &way, how.raw(), visit, self); });
    }
    /* One hit for each cast; its handle is no_handle where there is none. */
    result<void> cast_many_closest(std::span<const bl_cast> ways, std::span<hit> hits, const options &how) const {
        if (ways.size() != hits.size()) return detail::lengths_differ();
        return how.finish(bl_octree_cast_many_closest(raw(), ways.data(), ways.size(), how.raw(), hits.data()));
    }
    result<void> cast_many_any(std::span<const bl_cast> ways, std::span<hit> hits, const options &how) const {
        if (ways.size() != hits.size()) return detail::lengths_differ();
        return how.finish(bl_octree_cast_many_any(raw(), ways.data(), ways.size(), how.raw(), hits.data()));
    }
    result<void> cast_many_all(std::span<const bl_cast> ways, std::vector<size_t> &ends, std::vector<hit> &out,
                               const options &how) const {
        ends.resize(ways.size());
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_cast_many_all(raw(), ways.data(), ways.size(), how.raw(), ends.data(), to, room, count);
        }));
    }

    /* What is nearest to a box; a point is a box whose corners are equal. */
    result<std::optional<hit>> nearest_closest(const aabb &place, const options &how = options()) const {
        return one(how, [&](hit *found) { return bl_octree_nearest_closest(raw(), &place, how.raw(), found); });
    }
    result<void> nearest_k(const aabb &place, size_t k, std::vector<hit> &out, const options &how) const {
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_nearest_k(raw(), &place, k, how.raw(), to, room, count);
        }));
    }
    template <class Out> result<void> nearest_all(const aabb &place, Out &&out, const options &how = options()) const {
        return list<hit>(
            out, how, [&](auto to, size_t room, size_t *count) { return bl_octree_nearest_all(raw(), &place, how.raw(), to, room, count); },
            [&](auto visit, void *self) { return bl_octree_nearest_each(raw(), &place, how.raw(), visit, self); });
    }
    result<void> nearest_many_closest(std::span<const aabb> places, std::span<hit> hits, const options &how) const {
        if (places.size() != hits.size()) return detail::lengths_differ();
        return how.finish(bl_octree_nearest_many_closest(raw(), places.data(), places.size(), how.raw(), hits.data()));
    }
    result<void> nearest_many_k(std::span<const aabb> places, size_t k, std::vector<size_t> &ends, std::vector<hit> &out,
                                const options &how) const {
        ends.resize(places.size());
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_nearest_many_k(raw(), places.data(), places.size(), k, how.raw(), ends.data(), to, room, count);
        }));
    }

    /* Who overlaps whom: `out` takes pairs, of pairs_of() handles. */
    template <class Out> result<void> pairs(Out &&out, const options &how) const {
        return list<pair>(
            out, how, [&](auto to, size_t room, size_t *count) { return bl_octree_pairs(raw(), how.raw(), to, room, count); },
            [&](auto visit, void *self) { return bl_octree_pairs_each(raw(), how.raw(), visit, self); });
    }
    template <class Out> result<void> pairs_of(handle which, Out &&out, const options &how = options()) const {
        return list<handle>(
            out, how, [&](auto to, size_t room, size_t *count) { return bl_octree_pairs_of(raw(), which, how.raw(), to, room, count); },
            [&](auto visit, void *self) { return bl_octree_pairs_of_each(raw(), which, how.raw(), visit, self); });
    }
    result<bool> is_pair(pair which) const {
        return answer([&](uint32_t *is) { return bl_octree_is_pair(raw(), which, is); });
    }
    result<bool> touches(pair which) const {
        return answer([&](uint32_t *is) { return bl_octree_touches(raw(), which, is); });
    }
    result<std::optional<bl_contact>> contact(pair which) const {
        return detail::tell_if<bl_contact>(
            [&](bl_contact *found, uint32_t *is) { return bl_octree_contact(raw(), which, found, is); });
    }

private:
    template <class Ask> static result<bool> answer(Ask ask) {
        uint32_t is = 0;
        bl_status status = ask(&is);
        return detail::done(status, is != 0);
    }
    template <class Ask> static result<std::optional<hit>> one(const options &how, Ask ask) {
        hit found{};
        bl_status status = ask(&found);
        return how.finish(status, found.handle == no_handle ? std::nullopt : std::optional<hit>(found));
    }
    /* Into a vector by `fill`, into a callable by `each`. Handles and pairs are visited by value. */
    template <class T, class Out, class Fill, class Each>
    static result<void> list(Out &out, const options &how, Fill fill, Each each) {
        if constexpr (detail::is_vector<Out>::value) {
            return how.finish(detail::fill(out, fill));
        } else {
            detail::visitor<Out> visitor{out};
            bl_status status;
            if constexpr (std::is_same_v<T, handle> || std::is_same_v<T, pair>) {
                status = each(&detail::visitor<Out>::template by_value<T>, &visitor);
            } else {
                status = each(&detail::visitor<Out>::template by_address<T>, &visitor);
            }
            visitor.thrown.rethrow();
            return how.finish(status);
        }
    }

    detail::owned<bl_octree, bl_octree_free> raw_;
};

} // namespace BROADLEAF_FORM
} // namespace broadleaf

#endif
