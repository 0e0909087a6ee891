// The C++ header with BROADLEAF_EXPECTED: a refused call returns its error, and what a callable throws leaves the call.
#define BROADLEAF_EXPECTED
#include <broadleaf.hpp>

#include <cstdio>

namespace bl = broadleaf;

int main() {
    std::expected<bl::octree, bl::error> tree = bl::octree::make();
    if (!tree) return 1;
    std::expected<bl::handle, bl::error> box = tree->insert(bl::aabb{{0, 0, 0}, {1, 1, 1}});
    std::expected<bl::handle, bl::error> none = tree->insert(bl::aabb{{1, 0, 0}, {0, 1, 1}});
    if (!box || none || none.error().status() != BL_STATUS_ILLEGAL_SHAPE) return 2;
    std::printf("refused: %s\n", none.error().what());
    if (tree->overlap_any(bl::sphere{{0, 0, 0}, 1})) return 3; // not up to date
    if (!tree->flush() || tree->overlap_any(bl::sphere{{0, 0, 0}, 1}).value_or(0) != *box) return 4;
    std::vector<bl::handle> found;
    if (!tree->overlap(bl::sphere{{9, 9, 9}, 1}, found) || !found.empty()) return 5;
    bl_config config = bl_config_default();
    config.depth_limit = 0;
    if (bl::octree::make(config).error().status() != BL_STATUS_OUT_OF_RANGE) return 6;
    try {
        auto visitor = [](bl::handle) { throw 42; };
        if (tree->overlap(bl::sphere{{0, 0, 0}, 1}, visitor)) return 8;
        return 9;
    } catch (int thrown) {
        if (thrown != 42) return 10;
    }
    return tree->remove(*box) && !tree->remove(*box) ? 0 : 7;
}
