/* Part of broadleaf.hpp: which pairs began and ended, and which to serve. */
#ifndef BROADLEAF_PAIRS_HPP
#define BROADLEAF_PAIRS_HPP

namespace broadleaf {
inline namespace BROADLEAF_FORM {

class tracker {
public:
    explicit tracker(bl_tracker *raw) : raw_(raw) {}
    static result<tracker> make() { return detail::make<tracker, bl_tracker>(bl_tracker_new); }
    static result<tracker> load(std::span<const std::byte> bytes) {
        return detail::make<tracker, bl_tracker>(
            [&](auto made) { return bl_tracker_load(detail::data(bytes), bytes.size(), made); });
    }
    result<tracker> clone() const {
        return detail::make<tracker, bl_tracker>([&](auto made) { return bl_tracker_clone(raw(), made); });
    }
    result<void> copy_from(const tracker &source) { return detail::done(bl_tracker_copy(raw(), source.raw())); }
    result<void> save(const scratch &memory, std::vector<std::byte> &bytes) const {
        return detail::done(detail::save(bytes, [&](uint8_t *to, size_t room, size_t *count) {
            return bl_tracker_save(raw(), memory.raw(), to, room, count);
        }));
    }
    bl_tracker *raw() noexcept { return raw_.get(); }
    const bl_tracker *raw() const noexcept { return raw_.get(); }

    result<void> update(octree &tree, const options &how = options()) {
        return how.finish(bl_tracker_update(raw(), tree.raw(), how.raw()));
    }
    result<void> ask_again(handle which) { return detail::done(bl_tracker_ask_again(raw(), which)); }
    result<void> clear() { return detail::done(bl_tracker_clear(raw())); }
    result<void> reserve(size_t objects, size_t pairs) { return detail::done(bl_tracker_reserve(raw(), objects, pairs)); }
    result<void> set_threads(bl_threads threads) { return detail::done(bl_tracker_set_threads(raw(), threads)); }
    result<bl_threads> threads() const {
        return detail::tell<bl_threads>([&](bl_threads *threads) { return bl_tracker_threads(raw(), threads); });
    }
    result<uint64_t> state_hash() const {
        return detail::tell<uint64_t>([&](uint64_t *hash) { return bl_tracker_state_hash(raw(), hash); });
    }
    result<void> begun(std::vector<pair> &out) const { return list(out, bl_tracker_begun); }
    result<void> ended(std::vector<pair> &out) const { return list(out, bl_tracker_ended); }
    result<void> pairs(std::vector<pair> &out) const { return list(out, bl_tracker_pairs); }
    result<void> persisting(std::vector<pair> &out) const { return list(out, bl_tracker_persisting); }

private:
    template <class Ask> result<void> list(std::vector<pair> &out, Ask ask) const {
        return detail::done(detail::fill(
            out, [&](auto to, size_t room, size_t *count) { return ask(raw(), to, room, count); }));
    }
    detail::owned<bl_tracker, bl_tracker_free> raw_;
};

class budget {
public:
    explicit budget(bl_budget *raw) : raw_(raw) {}
    /* Classes below `essential` are never deferred; a patience of zero is the default. */
    static result<budget> make(uint8_t essential, uint32_t patience = 0) {
        return detail::make<budget, bl_budget>([&](auto made) { return bl_budget_new(essential, patience, made); });
    }
    static result<budget> load(std::span<const std::byte> bytes) {
        return detail::make<budget, bl_budget>(
            [&](auto made) { return bl_budget_load(detail::data(bytes), bytes.size(), made); });
    }
    result<budget> clone() const {
        return detail::make<budget, bl_budget>([&](auto made) { return bl_budget_clone(raw(), made); });
    }
    result<void> save(const scratch &memory, std::vector<std::byte> &bytes) const {
        return detail::done(detail::save(bytes, [&](uint8_t *to, size_t room, size_t *count) {
            return bl_budget_save(raw(), memory.raw(), to, room, count);
        }));
    }
    bl_budget *raw() noexcept { return raw_.get(); }
    const bl_budget *raw() const noexcept { return raw_.get(); }

    /* uint8_t(handle): the class, 0 for the most urgent */
    template <class F>
    result<bl_budget_report> serve(const octree &tree, std::span<const pair> offered, size_t pairs_max, F class_of) {
        struct state {
            F &class_of;
            detail::guard thrown{};
        } self{class_of};
        bl_budget_report report{};
        bl_status status = bl_budget_serve(
            raw(), tree.raw(), offered.data(), offered.size(), pairs_max,
            [](void *context, bl_handle which) noexcept -> uint8_t {
                auto &self = *static_cast<state *>(context);
                return self.thrown.run(uint8_t(255), [&] { return uint8_t(self.class_of(which)); });
            },
            &self, &report);
        return self.thrown.rethrow(), detail::done(status, report);
    }
    result<void> clear() { return detail::done(bl_budget_clear(raw())); }
    result<uint64_t> state_hash() const {
        return detail::tell<uint64_t>([&](uint64_t *hash) { return bl_budget_state_hash(raw(), hash); });
    }
    result<void> served(std::vector<pair> &out) const { return list(out, bl_budget_served); }
    result<void> deferred(std::vector<pair> &out) const { return list(out, bl_budget_deferred); }
    result<void> dropped(std::vector<pair> &out) const { return list(out, bl_budget_dropped); }

private:
    template <class Ask> result<void> list(std::vector<pair> &out, Ask ask) const {
        return detail::done(detail::fill(
            out, [&](auto to, size_t room, size_t *count) { return ask(raw(), to, room, count); }));
    }
    detail::owned<bl_budget, bl_budget_free> raw_;
};

} // namespace BROADLEAF_FORM
} // namespace broadleaf

#endif
