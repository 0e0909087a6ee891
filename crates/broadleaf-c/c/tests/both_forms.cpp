// The other half: the form that throws. Each source calls functions of its own form; plain types and error are shared.
#include <broadleaf.hpp>

namespace bl = broadleaf;

bool refused_by_a_value(const bl_octree *raw);
[[noreturn]] void throw_an_error();

static int regression_each_form_calls_functions_of_its_own() {
    bl::octree (*volatile make)(const bl_config &) = &bl::octree::make;
    void (bl::octree::*volatile flush)() = &bl::octree::flush;
    size_t (bl::octree::*volatile size)() const = &bl::octree::size;
    bl::octree tree = make(bl_config_default());
    (tree.*flush)();
    if ((tree.*size)() != 0) return 1;
    bl_config config = bl_config_default();
    config.depth_limit = 0;
    try {
        make(config);
        return 2;
    } catch (const bl::error &error) {
        if (error.status() != BL_STATUS_OUT_OF_RANGE) return 3;
    }
    if (!refused_by_a_value(tree.raw())) return 4;
    try {
        throw_an_error();
    } catch (const bl::error &error) {
        return error.status() == BL_STATUS_BROKEN ? 0 : 5;
    }
}

int main() { return regression_each_form_calls_functions_of_its_own(); }
