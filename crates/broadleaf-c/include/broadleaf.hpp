/* broadleaf: a dynamic octree and broad phase. The C++20 interface, over broadleaf.h, which says what each call does.
 *
 * OWNERSHIP   octree, scratch, tracker, budget and mesh own what they hold, and move; clone() copies.
 * ERRORS      A refused call throws broadleaf::error. With BROADLEAF_EXPECTED defined before this header (C++23) it
 *             returns std::expected<T, broadleaf::error> instead. In both forms, exceptions of callables and
 *             std::bad_alloc leave the call. Sources of both forms may be linked into one program: the classes of each
 *             stand in an inline namespace of their own, so that they are different types. error and the plain types
 *             are the same; an octree is passed on by raw().
 * IN          std::span. Spans that go together must be of one length. Batches take spans of bl_region and bl_cast:
 *             keep a std::vector<bl_region>, not a std::vector<region>.
 * OUT         A std::vector, which is cleared and filled, and grows if it must: then the question is asked twice, and so
 *             are the functions in its options. Or a callable: `void(const T &)`, or `flow(const T &)` to stop early.
 * CALLABLES   Run during the call alone. What they throw ends the question, and leaves the call. They keep the rules
 *             for callbacks in broadleaf.h: none uses an object that the running call changes.
 */
#ifndef BROADLEAF_HPP
#define BROADLEAF_HPP

#include "broadleaf.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef BROADLEAF_EXPECTED
#include <expected>
#define BROADLEAF_FORM returns_expected
#else
#define BROADLEAF_FORM throws_errors
#endif

namespace broadleaf {

using handle = bl_handle;
using aabb = bl_aabb;
using sphere = bl_sphere;
using object = bl_object;
using pair = bl_pair;
using hit = bl_hit;
using mesh_hit = bl_mesh_hit;
using vec3 = std::array<float, 3>;
inline constexpr handle no_handle = BL_NO_HANDLE;

/* Why a call was refused. */
class error : public std::runtime_error {
public:
    error(bl_status status, const std::string &message, size_t index = SIZE_MAX)
        : std::runtime_error(message), status_(status), index_(index) {}
    bl_status status() const noexcept { return status_; }
    /* Of the refused element of a span; else SIZE_MAX. */
    size_t index() const noexcept { return index_; }

private:
    bl_status status_;
    size_t index_;
};

/* What a visitor returns. */
enum class flow : int32_t { next = 0, stop = 1 };

/* What returns a result, or leads to one, is not the same type in both forms. */
inline namespace BROADLEAF_FORM {

#ifdef BROADLEAF_EXPECTED
template <class T> using result = std::expected<T, error>;
#else
template <class T> using result = T;
#endif

namespace detail {

template <class T> [[nodiscard]] result<T> refuse(error why) {
#ifdef BROADLEAF_EXPECTED
    return std::unexpected(std::move(why));
#else
    throw why;
#endif
}

inline result<void> done(bl_status status) {
    if (status != BL_STATUS_OK) return refuse<void>(error(status, bl_last_error(), bl_last_error_index()));
    return result<void>();
}

template <class T> result<T> done(bl_status status, T value) {
    if (status != BL_STATUS_OK) return refuse<T>(error(status, bl_last_error(), bl_last_error_index()));
    return result<T>(std::move(value));
}

/* A call that writes one value. */
template <class T, class Ask> result<T> tell(Ask ask) {
    T value{};
    bl_status status = ask(&value);
    return done<T>(status, value);
}

/* A call that writes one value, if there is one. */
template <class T, class Ask> result<std::optional<T>> tell_if(Ask ask) {
    T value{};
    uint32_t answer = 0;
    bl_status status = ask(&value, &answer);
    return done(status, answer ? std::optional<T>(value) : std::nullopt);
}

inline result<void> lengths_differ() {
    return refuse<void>(error(BL_STATUS_BAD_LENGTH, "spans that go together differ in length"));
}

/* A callable without its type, and what it threw. The first of several threads keeps it. */
class guard {
public:
    template <class R, class Call> R run(R otherwise, Call call) noexcept {
        try {
            return failed_.test() ? otherwise : call();
        } catch (...) {
            if (!failed_.test_and_set()) thrown_ = std::current_exception();
            return otherwise;
        }
    }
    void rethrow() {
        failed_.clear();
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

private:
    std::atomic_flag failed_{};
    std::exception_ptr thrown_;
};

template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};

/* Calls a visitor; one that returns nothing never stops. */
template <class F, class T> int32_t visit(F &f, const T &answer) {
    if constexpr (std::is_void_v<std::invoke_result_t<F &, const T &>>) {
        f(answer);
        return 0;
    } else {
        return static_cast<int32_t>(f(answer));
    }
}

template <class F> struct visitor {
    F &call;
    guard thrown{};
    template <class T> static int32_t by_value(void *context, T answer) noexcept {
        auto &self = *static_cast<visitor *>(context);
        return self.thrown.run(1, [&] { return visit(self.call, answer); });
    }
    template <class T> static int32_t by_address(void *context, const T *answer) noexcept {
        auto &self = *static_cast<visitor *>(context);
        return self.thrown.run(1, [&] { return visit(self.call, *answer); });
    }
};

template <class T, class Ask> bl_status fill(std::vector<T> &out, Ask ask) {
    size_t count = 0;
    out.resize(out.capacity());
    bl_status status = ask(out.data(), out.size(), &count);
    if (status == BL_STATUS_TRUNCATED || (status == BL_STATUS_OK && count > out.size())) {
        out.resize(count);
        status = ask(out.data(), out.size(), &count);
    }
    out.resize(status == BL_STATUS_OK ? count : 0);
    return status;
}

template <class T, void (*Free)(T *)> struct deleter {
    void operator()(T *owned) const noexcept { Free(owned); }
};
template <class T, void (*Free)(T *)> using owned = std::unique_ptr<T, deleter<T, Free>>;

/* A call that makes something. */
template <class Made, class T, class Ask> result<Made> make(Ask ask) {
    T *raw = nullptr;
    bl_status status = ask(&raw);
    return done(status, Made(raw));
}

template <class Save> bl_status save(std::vector<std::byte> &bytes, Save save) {
    return fill(bytes, [&](std::byte *to, size_t room, size_t *count) {
        return save(reinterpret_cast<uint8_t *>(to), room, count);
    });
}
inline const uint8_t *data(std::span<const std::byte> bytes) { return reinterpret_cast<const uint8_t *>(bytes.data()); }

} // namespace detail

/* Working memory of questions: one for each thread. */
class scratch {
public:
    explicit scratch(bl_scratch *raw) : raw_(raw) {}
    static result<scratch> make() { return detail::make<scratch, bl_scratch>(bl_scratch_new); }
    bl_scratch *raw() const noexcept { return raw_.get(); }

private:
    detail::owned<bl_scratch, bl_scratch_free> raw_;
};

/* The options of a question: `options().layers(3).exclude(me)`. Callables must live as long as the options.
 *
 * One options object serves one thread at a time, also as a const reference: a question keeps in it what a callable
 * threw. To keep one, write `options how; how.layers(3);`: setters return a reference, so that
 * `const auto &how = options().layers(3);` refers to an object that is gone. */
class options {
public:
    options() = default;
    options(const options &) = delete;
    options &operator=(const options &) = delete;
    options &layers(uint32_t layers) { return raw_.layers = layers, *this; }
    options &only(bl_only which) { return raw_.only = which, *this; }
    options &exclude(handle which) { return raw_.exclude = which, *this; }
    options &within(float distance) { return raw_.has_within = 1, raw_.within = distance, *this; }
    options &start_inside(bl_start_inside what) { return raw_.start_inside = what, *this; }
    options &culling(bl_culling which) { return raw_.culling = which, *this; }
    options &with(const scratch &memory) { return raw_.scratch = memory.raw(), *this; }
    options &in_order(const scratch &memory) { return raw_.in_order = 1, with(memory); }
    options &threads(bl_threads which) { return raw_.threads = which, *this; }
    options &callbacks_on_threads() { return raw_.callbacks_on_threads = 1, *this; }
    options &stats(bl_query_stats &work) { return raw_.stats = &work, *this; }
    /* bool(handle) */
    template <class F> options &filter(F &&accept) {
        filter_ = address(accept);
        raw_.filter = [](void *context, bl_handle which) noexcept -> int32_t {
            auto &self = *static_cast<options *>(context);
            return self.thrown_.run(0, [&] { return int32_t(bool(call<F>(self.filter_)(which))); });
        };
        return *this;
    }
    /* bool(pair) */
    template <class F> options &pair_filter(F &&accept) {
        pair_filter_ = address(accept);
        raw_.pair_filter = [](void *context, bl_pair which) noexcept -> int32_t {
            auto &self = *static_cast<options *>(context);
            return self.thrown_.run(0, [&] { return int32_t(bool(call<F>(self.pair_filter_)(which))); });
        };
        return *this;
    }
    /* std::optional<float>(const hit &): the exact distance, or nothing if it is no hit */
    template <class F> options &refine(F &&exact) {
        refine_ = address(exact);
        raw_.refine = [](void *context, const bl_hit *candidate) noexcept -> float {
            auto &self = *static_cast<options *>(context);
            constexpr float none = std::numeric_limits<float>::quiet_NaN();
            return self.thrown_.run(none, [&] {
                std::optional<float> distance = call<F>(self.refine_)(*candidate);
                return distance ? *distance : none;
            });
        };
        return *this;
    }
    /* For the call that is asked with them. */
    const bl_options *raw() const noexcept { return raw_.context = const_cast<options *>(this), &raw_; }
    result<void> finish(bl_status status) const { return thrown_.rethrow(), detail::done(status); }
    template <class T> result<T> finish(bl_status status, T value) const {
        return thrown_.rethrow(), detail::done(status, std::move(value));
    }

private:
    template <class F> static void *address(F &callable) {
        return const_cast<void *>(static_cast<const void *>(std::addressof(callable)));
    }
    template <class F> static auto &call(void *callable) { return *static_cast<std::remove_reference_t<F> *>(callable); }

    mutable bl_options raw_{};
    mutable detail::guard thrown_;
    void *filter_ = nullptr, *pair_filter_ = nullptr, *refine_ = nullptr;
};

/* A box, sphere, oriented box, capsule or own region, which must live as long; the other kinds by name. */
struct region : bl_region {
    region(const bl_region &raw) : bl_region(raw) {}
    region(const aabb &box) : bl_region{BL_REGION_AABB, {.aabb = box}} {}
    region(const sphere &ball) : bl_region{BL_REGION_SPHERE, {.sphere = ball}} {}
    region(const bl_obb &box) : bl_region{BL_REGION_OBB, {.obb = box}} {}
    region(const bl_capsule &rod) : bl_region{BL_REGION_CAPSULE, {.capsule = rod}} {}
    region(const bl_caller_region &own) : bl_region{BL_REGION_OWN, {.own = &own}} {}
    static region point(vec3 at) { return bl_region{BL_REGION_POINT, {.point = {at[0], at[1], at[2]}}}; }
    static region frustum(const bl_camera &camera) { return bl_region{BL_REGION_FRUSTUM, {.camera = camera}}; }
    static region screen_rectangle(const bl_camera &camera) {
        return bl_region{BL_REGION_SCREEN_RECTANGLE, {.camera = camera}};
    }
    static region planes(std::span<const bl_plane, 6> planes) {
        bl_region made{BL_REGION_PLANES, {.point = {0, 0, 0}}};
        std::copy(planes.begin(), planes.end(), made.of.planes);
        return made;
    }
    /* The planes must live as long as the region. */
    static region convex(std::span<const bl_plane> planes) {
        return bl_region{BL_REGION_CONVEX, {.convex = {planes.data(), planes.size()}}};
    }
};

/* A ray, a segment, a box or sphere that moves, or an own cast, which must live as long. */
struct cast : bl_cast {
    cast(const bl_cast &raw) : bl_cast(raw) {}
    cast(const bl_ray &ray) : bl_cast{BL_CAST_RAY, {.ray = ray}} {}
    cast(const bl_segment &segment) : bl_cast{BL_CAST_SEGMENT, {.segment = segment}} {}
    cast(const bl_sweep_aabb &sweep) : bl_cast{BL_CAST_SWEEP_AABB, {.sweep_aabb = sweep}} {}
    cast(const bl_sweep_sphere &sweep) : bl_cast{BL_CAST_SWEEP_SPHERE, {.sweep_sphere = sweep}} {}
    cast(const bl_caller_cast &own) : bl_cast{BL_CAST_OWN, {.own = &own}} {}
};

} // namespace BROADLEAF_FORM
} // namespace broadleaf

#include "broadleaf/octree.hpp"
#include "broadleaf/pairs.hpp"
#include "broadleaf/mesh.hpp"

#undef BROADLEAF_FORM

#endif
