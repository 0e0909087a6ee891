// One half of a program with both forms of the C++ header: the one that returns std::expected.
#define BROADLEAF_EXPECTED
#include <broadleaf.hpp>

namespace bl = broadleaf;

// Calls through pointers, so that the linker's choice of each function is called.
bool refused_by_a_value(const bl_octree *raw) {
    bl::result<bl::octree> (*volatile make)(const bl_config &) = &bl::octree::make;
    bl_config config = bl_config_default();
    config.depth_limit = 0;
    std::expected<bl::octree, bl::error> none = make(config);
    std::expected<bl::octree, bl::error> some = make(bl_config_default());
    if (none || !some || none.error().status() != BL_STATUS_OUT_OF_RANGE) return false;
    bl::result<void> (bl::octree::*volatile flush)() = &bl::octree::flush;
    bl::result<size_t> (bl::octree::*volatile size)() const = &bl::octree::size;
    std::expected<size_t, bl::error> objects = (*some.*size)();
    size_t len = 1;
    return (*some.*flush)() && objects && *objects == 0 && bl_octree_len(raw, &len) == BL_STATUS_OK && len == 0;
}

[[noreturn]] void throw_an_error() { throw bl::error(BL_STATUS_BROKEN, "of the other form"); }
