/* Part of broadleaf.hpp: meshes, alone and placed among objects. */
#ifndef BROADLEAF_MESH_HPP
#define BROADLEAF_MESH_HPP

namespace broadleaf {
inline namespace BROADLEAF_FORM {

class mesh {
public:
    explicit mesh(bl_mesh *raw) : raw_(raw) {}
    static result<mesh> make(std::span<const vec3> positions, std::span<const uint32_t> indices,
                             bl_build_quality quality = BL_BUILD_FAST, bl_threads threads = BL_THREADS_ONE) {
        return detail::make<mesh, bl_mesh>([&](auto made) {
            return bl_mesh_new(reinterpret_cast<const float *>(positions.data()), positions.size(), indices.data(),
                               indices.size(), quality, threads, made);
        });
    }
    static result<mesh> make(std::span<const std::array<vec3, 3>> triangles,
                             bl_build_quality quality = BL_BUILD_FAST, bl_threads threads = BL_THREADS_ONE) {
        return detail::make<mesh, bl_mesh>([&](auto made) {
            return bl_mesh_from_triangles(reinterpret_cast<const float *>(triangles.data()), triangles.size(), quality,
                                          threads, made);
        });
    }
    const bl_mesh *raw() const noexcept { return raw_.get(); }

    result<size_t> size() const {
        return detail::tell<size_t>([&](size_t *len) { return bl_mesh_len(raw(), len, nullptr); });
    }
    result<size_t> degenerate_count() const {
        size_t len = 0, degenerate = 0;
        bl_status status = bl_mesh_len(raw(), &len, &degenerate);
        return detail::done(status, degenerate);
    }
    result<std::optional<aabb>> bounds() const {
        return detail::tell_if<aabb>([&](aabb *box, uint32_t *is) { return bl_mesh_bounds(raw(), box, is); });
    }
    result<size_t> memory() const {
        return detail::tell<size_t>([&](size_t *bytes) { return bl_mesh_memory(raw(), bytes); });
    }
    result<std::optional<std::array<vec3, 3>>> triangle(uint32_t index) const {
        return detail::tell_if<std::array<vec3, 3>>([&](auto corners, uint32_t *is) {
            return bl_mesh_corners(raw(), index, reinterpret_cast<float *>(corners), is);
        });
    }
    result<void> leaves(std::vector<bl_mesh_leaf> &out) const {
        return detail::done(detail::fill(
            out, [&](auto to, size_t room, size_t *count) { return bl_mesh_leaves(raw(), to, room, count); }));
    }
    result<void> validate() const { return detail::done(bl_mesh_validate(raw())); }

    result<std::optional<mesh_hit>> cast_closest(const cast &way, const options &how = options()) const {
        return one(how, [&](mesh_hit *found) { return bl_mesh_cast_closest(raw(), &way, how.raw(), found); });
    }
    result<std::optional<mesh_hit>> cast_any(const cast &way, const options &how = options()) const {
        return one(how, [&](mesh_hit *found) { return bl_mesh_cast_any(raw(), &way, how.raw(), found); });
    }
    result<void> cast_all(const cast &way, std::vector<mesh_hit> &out, const options &how = options()) const {
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_mesh_cast_all(raw(), &way, how.raw(), to, room, count);
        }));
    }
    /* void(const mesh_hit &) or flow(const mesh_hit &) */
    template <class F> result<void> cast_each(const cast &way, F visit, const options &how = options()) const {
        detail::visitor<F> visitor{visit};
        bl_status status =
            bl_mesh_cast_each(raw(), &way, how.raw(), &detail::visitor<F>::template by_address<mesh_hit>, &visitor);
        return visitor.thrown.rethrow(), how.finish(status);
    }
    result<void> overlap(const region &where, std::vector<bl_mesh_triangle> &out, const options &how = options()) const {
        return how.finish(detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_mesh_overlap(raw(), &where, how.raw(), to, room, count);
        }));
    }
    result<std::optional<mesh_hit>> nearest(vec3 point, const options &how = options()) const {
        return one(how, [&](mesh_hit *found) { return bl_mesh_nearest(raw(), point.data(), how.raw(), found); });
    }
    result<bool> is_inside(vec3 point) const {
        uint32_t is = 0;
        bl_status status = bl_mesh_is_inside(raw(), point.data(), &is);
        return detail::done(status, is != 0);
    }

private:
    template <class Ask> static result<std::optional<mesh_hit>> one(const options &how, Ask ask) {
        mesh_hit found{};
        bl_status status = ask(&found);
        return how.finish(status, found.triangle == BL_NO_TRIANGLE ? std::nullopt : std::optional<mesh_hit>(found));
    }
    detail::owned<bl_mesh, bl_mesh_free> raw_;
};

/* A mesh, and where it stands. */
struct placed_mesh {
    const mesh *what;
    bl_placement where;
};

/* Questions about meshes that stand in for objects. `F` is std::optional<placed_mesh>(handle); the object's shape must
 * enclose the placed mesh, as the box of bl_placement_aabb does. The tree and the meshes must live as long. One
 * `placed` serves one thread at a time. */
template <class F> class placed {
public:
    placed(const octree &tree, F meshes) : tree_(tree), meshes_(std::move(meshes)) {}

    result<void> overlap(const region &where, std::vector<bl_mesh_triangle> &out, const options &how = options()) {
        return finish(how, detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_overlap_meshes(tree_.raw(), &where, of, this, how.raw(), to, room, count);
        }));
    }
    result<std::optional<mesh_hit>> cast_closest(const cast &way, const options &how = options()) {
        return one(how, [&](mesh_hit *hit) {
            return bl_octree_cast_meshes_closest(tree_.raw(), &way, of, this, how.raw(), hit);
        });
    }
    result<void> cast_all(const cast &way, std::vector<mesh_hit> &out, const options &how = options()) {
        return finish(how, detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_cast_meshes_all(tree_.raw(), &way, of, this, how.raw(), to, room, count);
        }));
    }
    result<std::optional<mesh_hit>> nearest_closest(const aabb &place, const options &how = options()) {
        return one(how, [&](mesh_hit *hit) {
            return bl_octree_nearest_meshes_closest(tree_.raw(), &place, of, this, how.raw(), hit);
        });
    }
    result<void> nearest_all(const aabb &place, std::vector<mesh_hit> &out, const options &how = options()) {
        return finish(how, detail::fill(out, [&](auto to, size_t room, size_t *count) {
            return bl_octree_nearest_meshes_all(tree_.raw(), &place, of, this, how.raw(), to, room, count);
        }));
    }

private:
    static int32_t of(void *context, bl_handle which, const bl_mesh **what, bl_placement *where) noexcept {
        auto &self = *static_cast<placed *>(context);
        return self.thrown_.run(0, [&]() -> int32_t {
            std::optional<placed_mesh> found = self.meshes_(which);
            if (!found) return 0;
            *what = found->what->raw();
            *where = found->where;
            return 1;
        });
    }
    result<void> finish(const options &how, bl_status status) { return thrown_.rethrow(), how.finish(status); }
    template <class Ask> result<std::optional<mesh_hit>> one(const options &how, Ask ask) {
        mesh_hit hit{};
        bl_status status = ask(&hit);
        thrown_.rethrow();
        return how.finish(status, hit.handle == no_handle ? std::nullopt : std::optional<mesh_hit>(hit));
    }
    const octree &tree_;
    F meshes_;
    detail::guard thrown_;
};

} // namespace BROADLEAF_FORM
} // namespace broadleaf

#endif
