"""Pairs, events, budgets, contacts, against brute force in numpy."""

import copy
import pickle
from typing import Any

import broadleaf
import numpy as np
import pytest
from broadleaf import Octree, PairBudget, PairTracker
from oracle import all_pairs, gap, overlap_matrix, pair_set, random_boxes, rows_of


def id_pairs(ids: Any, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in ((int(ids[a]), int(ids[b])) for a, b in pairs)}


def test_partners(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 300, 10, 2)
    tree = Octree()
    ids = tree.insert(boxes)
    touched = overlap_matrix(boxes, boxes) & ~np.eye(300, dtype=bool)
    for threads in (1, 2):
        partners = tree.view().pairs_of(ids[::3], threads=threads)
        slots = broadleaf.slots(partners.values)
        assert rows_of((partners.offsets, slots)) == [np.nonzero(row)[0].tolist() for row in touched[::3]]
    assert len(tree.view().pairs_of(ids, exclude=ids[0]).values) == touched[:, 1:].sum()
    every = np.array([[ids[a], ids[b]] for a in range(20) for b in range(20)])
    assert tree.view().is_pair(every).reshape(20, 20).tolist() == touched[:20, :20].tolist()
    assert tree.view().is_pair([[ids[0], 0]]).tolist() == [False]


def test_contacts(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 200, 6, 2)
    tree = Octree()
    ids = tree.insert(boxes)
    pairs = tree.view().pairs()
    pairs[::2] = pairs[::2, ::-1]
    contacts = tree.view().contacts(pairs)
    assert contacts.touching.all() and len(pairs) > 100
    a, b = (boxes[broadleaf.slots(column)] for column in pairs.T)
    ways = np.minimum(a[:, 3:] - b[:, :3], b[:, 3:] - a[:, :3])
    assert np.allclose(contacts.depths, ways.min(axis=1), atol=1e-6)
    # Moved along the normal, the second box touches the first, and no more.
    offset = np.hstack([contacts.normals * contacts.depths[:, None]] * 2)
    parted = Octree()
    first, second = parted.insert(a), parted.insert(b + offset)
    after = parted.view().contacts(np.column_stack([first, second]))
    assert after.touching.mean() > 0.99 and np.nanmax(after.depths) < 1e-5
    inside = (a[:, :3] - 1e-6 <= contacts.positions) & (contacts.positions <= a[:, 3:] + 1e-6)
    assert inside.all()
    apart = tree.view().contacts([[ids[0], ids[0]]])
    assert not apart.touching.any() and np.isnan(apart.depths).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_events_are_those_of_a_comparison(rng: np.random.Generator, threads: int) -> None:
    boxes = random_boxes(rng, 400, 12, 2)
    tree, tracker, slow = Octree(), PairTracker(), PairTracker()
    ids = tree.insert(boxes)
    known: set[tuple[int, int]] = set()
    slow_known: set[tuple[int, int]] = set()
    for frame in range(12):
        stats = broadleaf.QueryStats()
        events = tracker.update(tree, threads=threads, stats=stats)
        now = id_pairs(ids, all_pairs(boxes))
        assert pair_set(events.begun) == now - known and pair_set(events.ended) == known - now
        assert pair_set(tracker.pairs()) == now and len(tracker) == len(now)
        assert pair_set(tracker.persisting()) == now & known
        assert pair_set(tracker.begun()) == now - known and pair_set(tracker.ended()) == known - now
        known = now
        if frame % 4 == 3:
            events = slow.update(tree)
            assert pair_set(events.begun) == now - slow_known and pair_set(events.ended) == slow_known - now
            slow_known = now
        # A few move, or all; some go and others come.
        some = rng.random(len(ids)) < (0.02 if frame % 3 else 1.0)
        boxes[some] += (rng.integers(-4, 5, (int(some.sum()), 3)) / 8)[:, [0, 1, 2] * 2].astype(np.float32)
        tree.update(ids[some], boxes[some])
        if frame % 5 == 2:
            tree.remove(ids[:20])
            fresh = random_boxes(rng, 30, 12, 2)
            ids = np.concatenate([ids[20:], tree.insert(fresh)])
            boxes = np.concatenate([boxes[20:], fresh])
    assert len(known) > 100
    quiet = broadleaf.QueryStats()
    tracker.update(tree)
    tracker.update(tree, stats=quiet)
    assert quiet.objects_tested == 0
    tracker.clear()
    assert len(tracker) == 0


def test_refused_pairs_and_asking_again() -> None:
    tree, tracker = Octree(), PairTracker()
    arm, hand, wall = tree.insert([[0, 0, 0, 1, 1, 1]] * 3)
    events = tracker.update(tree, refuse=[[hand, arm]])
    assert pair_set(events.begun) == {(arm, wall), (hand, wall)}
    assert len(tracker.update(tree, refuse=np.zeros((0, 2), np.uint64)).begun) == 0
    tracker.ask_again([hand])
    assert pair_set(tracker.update(tree, refuse=np.zeros((0, 2), np.uint64)).begun) == {(arm, hand)}


def test_regression_asking_again_ignores_0() -> None:
    """Ids that name nothing were ignored, but 0 was refused."""
    tree, tracker = Octree(), PairTracker()
    arm, hand = tree.insert([[0, 0, 0, 1, 1, 1]] * 2)
    assert len(tracker.update(tree, refuse=[[arm, hand]]).begun) == 0
    tracker.ask_again([0, hand, 2**64 - 1])
    assert pair_set(tracker.update(tree, refuse=np.zeros((0, 2), np.uint64)).begun) == {(arm, hand)}
    tracker.ask_again(0)
    with pytest.raises(broadleaf.StaleIdError) as refused:
        tracker.update(tree, refuse=[[arm, 0]])
    assert (refused.value.argument, refused.value.id) == ("refuse", 0)


def test_trackers_and_budgets_are_copied_and_pickled(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 200, 8, 2)
    tree, tracker, budget = Octree(), PairTracker(), PairBudget(1, patience=4)
    ids = tree.insert(boxes)
    tracker.update(tree)
    budget.serve(tree.view(), tracker.begun(), 10, 5)
    for twin in (tracker.copy(), copy.deepcopy(tracker), copy.copy(tracker), pickle.loads(pickle.dumps(tracker))):
        assert twin.state_hash() == tracker.state_hash()
        twin_tree = pickle.loads(pickle.dumps(tree))
        twin_tree.update(ids[:5], boxes[:5] + 1)
        other = tree.copy()
        other.update(ids[:5], boxes[:5] + 1)
        for a, b in zip(twin.update(twin_tree), tracker.copy().update(other), strict=True):
            assert np.array_equal(a, b)
    again = pickle.loads(pickle.dumps(budget))
    assert again.state_hash() == budget.state_hash()
    assert np.array_equal(again.deferred(), budget.deferred()) and len(again.deferred()) > 0
    for kind in (PairTracker, PairBudget):
        with pytest.raises(broadleaf.SnapshotError):
            kind.from_snapshot(tree.snapshot())


def test_budgets_serve_the_urgent_first(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 200, 8, 2)
    tree, budget = Octree(), PairBudget(1)
    ids = tree.insert(boxes)
    view = tree.view()
    pairs = view.pairs()
    classes = rng.integers(0, 4, 200)
    of_pair = classes[broadleaf.slots(pairs.ravel())].reshape(-1, 2).min(axis=1)
    essential = int((of_pair == 0).sum())
    served = budget.serve(view, pairs, essential + 20, classes)
    assert len(served.pairs) == essential + 20 and served.essential == essential
    assert served.deferred == len(pairs) - len(served.pairs) == len(budget.deferred())
    order = classes[broadleaf.slots(served.pairs.ravel())].reshape(-1, 2).min(axis=1)
    assert np.all(np.diff(order) >= 0)
    # Where essential pairs fill the frame, one other is served, unless none are asked for.
    for most, others in ((0, 0), (1, 1), (essential, 1)):
        full = PairBudget(1).serve(view, pairs, most, classes)
        assert full.essential == essential and len(full.pairs) == essential + others
    # What waits is served by itself, and what is no pair any more is dropped.
    all_served = pair_set(served.pairs)
    gone = ids[0]
    tree.remove([gone])
    nothing = np.zeros((0, 2), np.uint64)
    waiting = pair_set(budget.deferred())
    dropped = 0
    for _ in range(100):
        served = budget.serve(tree.view(), nothing, 50, classes.astype(np.uint8))
        all_served |= pair_set(served.pairs)
        dropped += served.dropped
        assert served.dropped == len(budget.dropped())
        if not served.deferred:
            break
    assert dropped == len([pair for pair in waiting if gone in pair])
    assert all_served == {pair for pair in pair_set(pairs) if gone not in pair or pair not in waiting}
    budget.clear()
    with pytest.raises(ValueError, match="two objects"):
        budget.serve(tree.view(), [[ids[1], ids[1]]], 1, 0)


def test_a_pair_is_as_near_as_it_is() -> None:
    """The oracle's own distance: boxes that touch are at distance zero."""
    boxes = np.array([[0, 0, 0, 1, 1, 1], [1, 0, 0, 2, 1, 1], [4, 0, 0, 5, 1, 1]], np.float32)
    assert gap(boxes, boxes).tolist() == [[0, 0, 3], [0, 0, 2], [3, 2, 0]]
    assert all_pairs(boxes) == {(0, 1)}
