// The C++ interface beside Bullet's dynamic AABB tree (btDbvt): the same boxes drift for some frames, both tell all
// overlapping pairs of each frame, the pairs must be the same, and the processor's time of each is printed.
//
// Each frame, broadleaf takes all boxes in one call, is flushed, and lists the pairs into a vector. btDbvt updates leaf
// by leaf, without the margin that its broad phase adds (the pairs would be others), makes the one incremental step of
// that broad phase, and collides the tree with itself.
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
    explicit with_bullet(const scene &start) {
        for (size_t i = 0; i < start.boxes.size(); i++) {
            leaves_.push_back(tree_.insert(volume_of(start.boxes[i]), reinterpret_cast<void *>(i)));
        }
        tree_.optimizeTopDown();
    }
    void frame(const scene &now) {
        for (size_t i = 0; i < leaves_.size(); i++) {
            btDbvtVolume volume = volume_of(now.boxes[i]);
            tree_.update(leaves_[i], volume);
        }
        tree_.optimizeIncremental(1);
        found_.clear();
        tree_.collideTT(tree_.m_root, tree_.m_root, *this);
    }
    std::vector<index_pair> pairs() const { return found_; }

private:
    void Process(const btDbvtNode *a, const btDbvtNode *b) override {
        uint32_t i = uint32_t(reinterpret_cast<uintptr_t>(a->data)), j = uint32_t(reinterpret_cast<uintptr_t>(b->data));
        found_.emplace_back(std::min(i, j), std::max(i, j));
    }
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

} // namespace

int main(int argc, char **argv) {
    size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
    int frames = argc > 2 ? std::atoi(argv[2]) : 20;
    scene now(count, 7);
    with_broadleaf ours(now);
    with_bullet theirs(now);
    std::vector<double> our_times, their_times;
    size_t pairs_total = 0;
    for (int frame = 0; frame < frames; frame++) {
        now.step();
        // One after the other, and the other way round in every second frame.
        if (frame % 2 == 1) our_times.push_back(milliseconds(ours, now));
        their_times.push_back(milliseconds(theirs, now));
        if (frame % 2 == 0) our_times.push_back(milliseconds(ours, now));
        std::vector<index_pair> a = ours.pairs(), b = theirs.pairs();
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        if (a != b || std::adjacent_find(a.begin(), a.end()) != a.end()) {
            std::fprintf(stderr, "frame %d: %zu pairs against %zu of btDbvt, not the same\n", frame, a.size(), b.size());
            return 1;
        }
        pairs_total += a.size();
    }
    if (pairs_total == 0) return 1;
    double our = median(our_times), their = median(their_times);
    auto least = [](const std::vector<double> &times) { return *std::min_element(times.begin(), times.end()); };
    std::printf("%zu boxes, %d frames, the same pairs in each, %zu on average\n", count, frames, pairs_total / size_t(frames));
    std::printf("a frame (update, all pairs), median: broadleaf %.3f ms, btDbvt %.3f ms: %.2f times\n", our, their, their / our);
    our = least(our_times), their = least(their_times);
    std::printf("the fastest frame of each:           broadleaf %.3f ms, btDbvt %.3f ms: %.2f times\n", our, their, their / our);
    return 0;
}
