"""Random programs of changes: after every step the answers are those of brute force."""

from typing import Any

import broadleaf
import numpy as np
from broadleaf import Octree, PairTracker
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import gap, overlap_matrix, pair_set, random_boxes


class Twin:
    """A tree, and the same objects in arrays of numpy."""

    def __init__(self, side: float, margin: float) -> None:
        self.tree, self.tracker = Octree(margin=margin), PairTracker()
        self.exact = margin == 0
        self.side = side
        self.ids = np.zeros(0, np.uint64)
        self.boxes = np.zeros((0, 6), np.float32)
        self.static = np.zeros(0, bool)
        self.known: set[tuple[int, int]] = set()

    def insert(self, rng: np.random.Generator, count: int) -> None:
        boxes, static = random_boxes(rng, count, self.side, 2), rng.random(count) < 0.3
        given = boxes if rng.random() < 0.5 else boxes.astype(float)
        self.ids = np.concatenate([self.ids, self.tree.insert(given, static=static)])
        self.boxes = np.concatenate([self.boxes, boxes])
        self.static = np.concatenate([self.static, static])

    def move(self, rng: np.random.Generator, share: float, far: bool) -> None:
        some = np.nonzero(rng.random(len(self.ids)) < share)[0]
        rng.shuffle(some)
        steps = rng.integers(-8, 9, (len(some), 3)) / 8
        if far:
            steps *= 8
        self.boxes[some] += np.hstack([steps, steps]).astype(np.float32)
        self.tree.update(self.ids[some], self.boxes[some])

    def remove(self, rng: np.random.Generator, share: float) -> None:
        gone = rng.random(len(self.ids)) < share
        self.tree.remove(self.ids[gone])
        assert not self.tree.contains(self.ids[gone]).any()
        self.ids, self.boxes, self.static = self.ids[~gone], self.boxes[~gone], self.static[~gone]

    def freeze(self, rng: np.random.Generator) -> None:
        some = rng.random(len(self.ids)) < 0.3
        self.static[some] = ~self.static[some]
        self.tree.set_static(self.ids[some], self.static[some])

    def shift(self, rng: np.random.Generator) -> None:
        shift = rng.integers(-40, 40, 3) / 8
        self.tree.shift_origin(shift)
        self.boxes -= np.concatenate([shift, shift]).astype(np.float32)

    def restore(self, rng: np.random.Generator) -> None:
        self.tree = Octree.from_snapshot(self.tree.snapshot())
        self.tracker = PairTracker.from_snapshot(self.tracker.snapshot())

    def pairs(self) -> set[tuple[int, int]]:
        """Brute force, in blocks of rows."""
        found: set[tuple[int, int]] = set()
        for start in range(0, len(self.ids), 500):
            rows = slice(start, start + 500)
            matrix = overlap_matrix(self.boxes[rows], self.boxes) & ~(self.static[rows, None] & self.static)
            first, second = np.nonzero(matrix)
            later = second > first + start
            a, b = self.ids[first[later] + start], self.ids[second[later]]
            found.update(zip(np.minimum(a, b).tolist(), np.maximum(a, b).tolist(), strict=True))
        return found

    def check(self, rng: np.random.Generator, threads: int) -> None:
        self.tree.validate()
        view = self.tree.view(threads=threads)
        assert len(view) == len(self.ids)
        wanted, pairs = self.pairs(), view.pairs(threads=threads)
        events = self.tracker.update(self.tree, threads=threads)
        now = pair_set(self.tracker.pairs())
        assert pair_set(pairs) == now
        assert pair_set(events.begun) == now - self.known and pair_set(events.ended) == self.known - now
        self.known = now
        if self.exact:
            assert now == wanted
        else:
            assert wanted <= now
            assert pair_set(pairs[view.touches(pairs)]) == wanted
            return
        regions = random_boxes(rng, 20, self.side, 4)
        found = view.overlap(regions, threads=threads).all()
        matrix = overlap_matrix(regions, self.boxes)
        for question in range(len(regions)):
            answers = found.values[found.offsets[question] : found.offsets[question + 1]]
            assert sorted(answers.tolist()) == sorted(self.ids[matrix[question]].tolist())
        if len(self.ids):
            near = view.nearest(regions).k(3)
            distances = np.sort(gap(regions, self.boxes), axis=1)[:, :3]
            assert np.allclose(near.distances[:, : distances.shape[1]], distances, atol=1e-5)
        assert np.array_equal(np.sort(self.tree.ids()), np.sort(self.ids))


STEPS = ["insert", "nudge", "leap", "remove", "freeze", "shift", "restore", "rebuild"]


def run(twin: Twin, steps: list[str], rng: np.random.Generator, count: int, threads: int) -> None:
    for step in steps:
        actions: dict[str, Any] = {
            "insert": lambda: twin.insert(rng, int(rng.integers(0, count + 1))),
            "nudge": lambda: twin.move(rng, 0.3, far=False),
            "leap": lambda: twin.move(rng, 1.0, far=True),
            "remove": lambda: twin.remove(rng, 0.3),
            "freeze": lambda: twin.freeze(rng),
            "shift": lambda: twin.shift(rng),
            "restore": lambda: twin.restore(rng),
            "rebuild": lambda: twin.tree.rebuild(threads=threads),
        }
        actions[step]()
        twin.check(rng, threads)


@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.lists(st.sampled_from(STEPS), max_size=12),
    count=st.integers(1, 150),
    margin=st.sampled_from([0.0, 0.0, 0.25]),
    threads=st.sampled_from([1, 2]),
)
def test_programs(seed: int, steps: list[str], count: int, margin: float, threads: int) -> None:
    rng = np.random.default_rng(seed)
    run(Twin(12, margin), ["insert", *steps], rng, count, threads)


@settings(max_examples=2)
@given(seed=st.integers(0, 2**32 - 1), steps=st.lists(st.sampled_from(STEPS[1:]), min_size=6, max_size=6))
def test_programs_of_five_thousand_objects(seed: int, steps: list[str]) -> None:
    rng = np.random.default_rng(seed)
    twin = Twin(40, 0.0)
    twin.insert(rng, 5000)
    twin.check(rng, 2)
    run(twin, ["nudge", "remove", *steps, "insert"], rng, 1500, 2)


floats = st.floats(width=32) | st.floats(-10, 10, width=32)


@given(rows=st.lists(st.tuples(*[floats] * 6), min_size=1, max_size=8), double=st.booleans())
def test_any_six_floats_are_a_box_or_refused(rows: list[tuple[float, ...]], double: bool) -> None:
    boxes: Any = np.array(rows, np.float64 if double else np.float32)
    low, high = boxes[:, :3], boxes[:, 3:]
    legal = np.all((low <= high) & (low < np.inf) & (high > -np.inf), axis=1)
    tree = Octree()
    try:
        ids = tree.insert(boxes)
    except broadleaf.InputError as refused:
        assert refused.row == int(np.argmin(legal)) and not legal[refused.row] and len(tree) == 0
        assert refused.column in range(6)
        return
    assert legal.all()
    tree.validate()
    kept = tree.objects(ids).boxes
    assert np.all(kept[:, :3] <= low) and np.all(kept[:, 3:] >= high)
    if not double:
        assert np.array_equal(kept, boxes)
    matrix = overlap_matrix(kept, kept)
    assert pair_set(broadleaf.slots(tree.view().pairs().ravel()).reshape(-1, 2)) == set(
        zip(*(part.tolist() for part in np.nonzero(np.triu(matrix, 1))), strict=True)
    )
