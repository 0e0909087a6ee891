// The C++ interface beside Bullet's dynamic AABB tree (btDbvt): the same boxes drift for some frames, both tell all
// overlapping pairs of each frame, the pairs must be the same, and the processor's time of each is printed.
//
// Each frame, broadleaf takes all boxes in one call, is flushed, and lists the pairs into a vector. btDbvt updates leaf
// by leaf, makes the one incremental step that Bullet's broad phase makes, and collides the tree with itself: once with
// leaves as large as the boxes, and once with a margin of 0.2, within which a leaf stays as it is (the pairs of such
// leaves are then tested box against box).
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <broadleaf.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

namespace bl = broadleaf;

namespace {

using index_pair = std::pair<uint32_t, uint32_t>;

struct scene {
    std::vector<bl::aabb> boxes;
    std::vector<bl::vec3> velocities;

    // Cubes of half a unit to a unit and a half, about one pair to an object.
    scene(size_t count, unsigned seed) : boxes(count), velocities(count) {
        std::mt19937 random(seed);
        float reach = 0.8f * std::cbrt(float(count));
        std::uniform_real_distribution<float> at(-reach, reach), half(0.25f, 0.75f), speed(-0.05f, 0.05f);
        for (size_t i = 0; i < count; i++) {
            float size = half(random);
            for (int axis = 0; axis < 3; axis++) {
                float center = at(random);
                boxes[i].min[axis] = center - size;
                boxes[i].max[axis] = center + size;
                velocities[i][axis] = speed(random);
            }
        }
    }
    void step() {
        for (size_t i = 0; i < boxes.size(); i++) {
            for (int axis = 0; axis < 3; axis++) {
                boxes[i].min[axis] += velocities[i][axis];
                boxes[i].max[axis] += velocities[i][axis];
            }
        }
    }
};

class with_broadleaf {
public:
    explicit with_broadleaf(const scene &start) : handles_(start.boxes.size()) { tree_.insert(start.boxes, handles_); }
    void frame(const scene &now) {
        tree_.update(handles_, now.boxes);
        tree_.flush();
        tree_.pairs(found_, bl::options().with(scratch_));
    }
    std::vector<index_pair> pairs() const {
        std::vector<index_pair> pairs;
        for (const bl::pair &pair : found_) pairs.emplace_back(bl_handle_slot(pair.a), bl_handle_slot(pair.b));
        return pairs;
    }

private:
    bl::octree tree_ = bl::octree::make();
    bl::scratch scratch_ = bl::scratch::make();
    std::vector<bl::handle> handles_;
    std::vector<bl::pair> found_;
};

btDbvtVolume volume_of(const bl::aabb &box) {
    return btDbvtVolume::FromMM(btVector3(box.min[0], box.min[1], box.min[2]), btVector3(box.max[0], box.max[1], box.max[2]));
}

class with_bullet : private btDbvt::ICollide {
public:
    with_bullet(const scene &start, float margin) : margin_(margin) {
        for (size_t i = 0; i < start.boxes.size(); i++) {
            btDbvtVolume volume = volume_of(start.boxes[i]);
            volume.Expand(btVector3(margin, margin, margin));
            leaves_.push_back(tree_.insert(volume, reinterpret_cast<void *>(i)));
        }
        tree_.optimizeTopDown();
    }
    void frame(const scene &now) {
        for (size_t i = 0; i < leaves_.size(); i++) {
            btDbvtVolume volume = volume_of(now.boxes[i]);
            if (margin_ > 0) tree_.update(leaves_[i], volume, margin_);
            else tree_.update(leaves_[i], volume);
        }
        now_ = &now;
        tree_.optimizeIncremental(1);
        found_.clear();
        tree_.collideTT(tree_.m_root, tree_.m_root, *this);
    }
    std::vector<index_pair> pairs() const { return found_; }

private:
    void Process(const btDbvtNode *a, const btDbvtNode *b) override {
        uint32_t i = uint32_t(reinterpret_cast<uintptr_t>(a->data)), j = uint32_t(reinterpret_cast<uintptr_t>(b->data));
        if (margin_ > 0 && !overlap(now_->boxes[i], now_->boxes[j])) return;
        found_.emplace_back(std::min(i, j), std::max(i, j));
    }
    static bool overlap(const bl::aabb &a, const bl::aabb &b) {
        for (int axis = 0; axis < 3; axis++) {
            if (a.min[axis] > b.max[axis] || b.min[axis] > a.max[axis]) return false;
        }
        return true;
    }
    float margin_;
    const scene *now_ = nullptr;
    btDbvt tree_;
    std::vector<btDbvtNode *> leaves_;
    std::vector<index_pair> found_;
};

template <class Broadphase> double milliseconds(Broadphase &broadphase, const scene &now) {
    std::clock_t start = std::clock();
    broadphase.frame(now);
    return 1e3 * double(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

std::vector<index_pair> sorted(std::vector<index_pair> pairs) {
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

} // namespace

int main(int argc, char **argv) {
    size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
    int frames = argc > 2 ? std::atoi(argv[2]) : 20;
    scene now(count, 7);
    with_broadleaf ours(now);
    with_bullet plain(now, 0), margin(now, 0.2f);
    std::vector<double> our_times, plain_times, margin_times;
    size_t pairs_total = 0;
    for (int frame = 0; frame < frames; frame++) {
        now.step();
        // One after the other, and ours last in every second frame.
        if (frame % 2 == 0) our_times.push_back(milliseconds(ours, now));
        plain_times.push_back(milliseconds(plain, now));
        margin_times.push_back(milliseconds(margin, now));
        if (frame % 2 == 1) our_times.push_back(milliseconds(ours, now));
        std::vector<index_pair> pairs = sorted(ours.pairs());
        bool once = std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end();
        if (!once || pairs != sorted(plain.pairs()) || pairs != sorted(margin.pairs())) {
            std::fprintf(stderr, "frame %d: the pairs are not the same: %zu, %zu, %zu\n", frame, pairs.size(),
                         plain.pairs().size(), margin.pairs().size());
            return 1;
        }
        pairs_total += pairs.size();
    }
    if (pairs_total == 0) return 1;
    std::printf("%zu boxes, %d frames, the same pairs in each, %zu on average\n", count, frames,
                pairs_total / size_t(frames));
    std::printf("a frame (update, all pairs), median: broadleaf %.3f ms, btDbvt %.3f ms, with a margin %.3f ms\n",
                median(our_times), median(plain_times), median(margin_times));
    return 0;
}
