// Bullet's dynamic AABB tree, btDbvt, with plain arguments: six floats a box, the lower corner first.

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <cstdint>
#include <vector>

#ifdef BT_USE_DOUBLE_PRECISION
#error "boxes have single precision here"
#endif

namespace {

btDbvtVolume volume_of(const float *box) {
    return btDbvtVolume::FromMM(btVector3(box[0], box[1], box[2]), btVector3(box[3], box[4], box[5]));
}

uint32_t index_of(const btDbvtNode *leaf) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(leaf->data)); }

struct tree : btDbvt::ICollide {
    btDbvt nodes;
    std::vector<btDbvtNode *> leaves;
    // Indices of pairs, two each, or of the objects in a box.
    std::vector<uint32_t> found;

    void Process(const btDbvtNode *a, const btDbvtNode *b) override {
        found.push_back(index_of(a));
        found.push_back(index_of(b));
    }
    void Process(const btDbvtNode *leaf) override { found.push_back(index_of(leaf)); }
};

} // namespace

extern "C" {

tree *peer_bullet_new() noexcept { return new tree; }

void peer_bullet_delete(tree *tree) noexcept { delete tree; }

// Inserts boxes one after the other into an empty tree: btDbvt has no bulk build.
void peer_bullet_build(tree *tree, const float *boxes, uint32_t count) noexcept {
    tree->nodes.clear();
    // `clear` leaves the number of leaves as it was.
    tree->nodes.m_leaves = 0;
    tree->leaves.resize(count);
    for (uint32_t i = 0; i < count; i++) {
        tree->leaves[i] = tree->nodes.insert(volume_of(boxes + 6 * size_t(i)), reinterpret_cast<void *>(uintptr_t(i)));
    }
}

// Builds the branches anew from the leaves.
void peer_bullet_optimize(tree *tree) noexcept { tree->nodes.optimizeTopDown(); }

// Moves some leaves, and makes the one step of improvement that Bullet's broad phase makes each frame by default.
void peer_bullet_update(tree *tree, const uint32_t *which, const float *boxes, uint32_t count) noexcept {
    for (uint32_t i = 0; i < count; i++) {
        btDbvtVolume volume = volume_of(boxes + 6 * size_t(i));
        tree->nodes.update(tree->leaves[which[i]], volume);
    }
    tree->nodes.optimizeIncremental(1);
}

// Finds all pairs; how many indices there are, and where.
uint32_t peer_bullet_pairs(tree *tree, const uint32_t **found) noexcept {
    tree->found.clear();
    if (tree->nodes.m_root) tree->nodes.collideTTpersistentStack(tree->nodes.m_root, tree->nodes.m_root, *tree);
    *found = tree->found.data();
    return static_cast<uint32_t>(tree->found.size());
}

// Finds the objects in a box; how many there are, and where.
uint32_t peer_bullet_box(tree *tree, const float *box, const uint32_t **found) noexcept {
    tree->found.clear();
    tree->nodes.collideTV(tree->nodes.m_root, volume_of(box), *tree);
    *found = tree->found.data();
    return static_cast<uint32_t>(tree->found.size());
}
}
