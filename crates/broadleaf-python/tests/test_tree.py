"""The tree: insert, update, remove, layers, statics, user data, copies, pickles."""

import copy
import pickle
from typing import Any

import broadleaf
import numpy as np
import pytest
from broadleaf import Octree
from oracle import all_pairs, overlap_matrix, pair_set, random_boxes, random_spheres, rows_of

NAN: Any = np.nan


def slot_pairs(view: broadleaf.View) -> set[tuple[int, int]]:
    pairs = view.pairs()
    return pair_set(broadleaf.slots(pairs.ravel()).reshape(-1, 2))


def test_columns_in_columns_out(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 300, 10, 2)
    tree = Octree()
    ids = tree.insert(boxes)
    assert ids.dtype == np.uint64 and ids.shape == (300,)
    assert broadleaf.slots(ids).tolist() == list(range(300))
    pairs = tree.view().pairs()
    assert pairs.dtype == np.uint64 and pairs.shape[1] == 2
    assert np.all(pairs[:, 0] < pairs[:, 1])
    assert slot_pairs(tree.view()) == all_pairs(boxes)
    assert tree.view().pair_count() == len(pairs)
    tree.validate()


@pytest.mark.parametrize("form", ["corners", "list", "strided", "fortran", "big endian", "float64", "int", "(n, 2, 3)"])
def test_every_form_of_boxes(rng: np.random.Generator, form: str) -> None:
    boxes = np.floor(random_boxes(rng, 50, 10, 3))
    given = {
        "corners": (boxes[:, :3], boxes[:, 3:]),
        "list": boxes.tolist(),
        "strided": np.repeat(boxes, 2, axis=0)[::2],
        "fortran": np.asfortranarray(boxes),
        "big endian": boxes.astype(">f4"),
        "float64": boxes.astype(float),
        "int": boxes.astype(np.int32),
        "(n, 2, 3)": boxes.reshape(-1, 2, 3),
    }[form]
    tree = Octree()
    tree.insert(given)
    assert np.array_equal(tree.objects().boxes, boxes)


def test_the_callers_array_is_neither_kept_nor_written(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 20, 5, 2)
    before = boxes.copy()
    tree = Octree()
    ids = tree.insert(boxes)
    boxes += 100
    assert np.array_equal(tree.objects(ids).boxes, before)
    frozen = before.copy()
    frozen.flags.writeable = False
    tree.update(ids, frozen)
    assert np.array_equal(tree.objects(ids).boxes, before)


def test_objects_tell_what_was_set(rng: np.random.Generator) -> None:
    tree = Octree()
    boxes, spheres = random_boxes(rng, 5, 9, 2), random_spheres(rng, 4, 9, 2)
    fixed = [True, False, True, False, False]
    first = tree.insert(boxes, memberships=np.arange(1, 6), filters=7, static=fixed, user_data=[9, 8, 7, 6, 2**64 - 1])
    second = tree.insert(spheres)
    objects = tree.objects(first)
    assert objects.ids.tolist() == first.tolist()
    assert objects.memberships.tolist() == [1, 2, 3, 4, 5] and objects.filters.tolist() == [7] * 5
    assert objects.static.tolist() == fixed and objects.user_data.tolist() == [9, 8, 7, 6, 2**64 - 1]
    assert np.isnan(objects.spheres).all()
    assert np.array_equal(tree.objects(second).spheres, spheres)
    assert np.array_equal(tree.ids(), np.concatenate([first, second]))
    assert tree.view().user_data(first[:2]).tolist() == [9, 8]
    assert np.array_equal(tree.view().objects(second).spheres, spheres)


def test_layers_and_statics_decide_pairs(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 200, 6, 2)
    memberships = rng.integers(0, 8, 200)
    filters = rng.integers(0, 8, 200)
    static = rng.random(200) < 0.5
    tree = Octree()
    ids = tree.insert(boxes, memberships=memberships, filters=filters, static=static)

    def wanted() -> set[tuple[int, int]]:
        return {
            (a, b)
            for a, b in all_pairs(boxes)
            if memberships[a] & filters[b] and memberships[b] & filters[a] and not (static[a] and static[b])
        }

    assert slot_pairs(tree.view()) == wanted()
    memberships[:50], filters[20:] = 7, 5
    tree.set_layers(ids[:50], memberships=7)
    tree.set_layers(ids[20:], filters=filters[20:])
    static[:] = ~static
    tree.set_static(ids, static)
    assert slot_pairs(tree.view()) == wanted()
    tree.set_user_data(ids, np.arange(200))
    assert tree.objects().user_data.tolist() == list(range(200))
    # A question's layers are those of memberships.
    for layers in (1, 6):
        found = tree.view().overlap(boxes[:20], layers=layers).all()
        touched = overlap_matrix(boxes[:20], boxes) & ((memberships & layers) != 0)
        assert rows_of((found.offsets, broadleaf.slots(found.values))) == [np.nonzero(row)[0].tolist() for row in touched]
    for only in ("static", "moving"):
        count = tree.view().overlap(boxes[:20], only=only).count()
        assert count.tolist() == (overlap_matrix(boxes[:20], boxes) & (static == (only == "static"))).sum(axis=1).tolist()


def test_removed_ids_name_nothing(rng: np.random.Generator) -> None:
    tree = Octree()
    ids = tree.insert(random_boxes(rng, 100, 9, 2))
    tree.remove(ids[::2])
    assert tree.contains(ids).tolist() == [False, True] * 50 and len(tree) == 50
    again = tree.insert(random_boxes(rng, 50, 9, 2))
    assert not set(again.tolist()) & set(ids.tolist())
    assert tree.contains([0, 1, 2**64 - 1]).tolist() == [False] * 3
    assert tree.retain(again[:7]) == 93 and len(tree) == 7
    tree.validate()
    tree.clear()
    assert len(tree) == 0 and not tree.contains(again).any()


def test_settings() -> None:
    tree = Octree(looseness=1.5, smallest_cell=0.5, leaf_capacity=8, depth_limit=9, margin=0.25, margin_relative=0.5)
    assert tree.config == (1.5, 0.5, 8, 9, 0.25, 0.5)
    assert Octree.strict().config.looseness == 1.0
    for setting, value in [("looseness", 0.5), ("smallest_cell", 0.0), ("leaf_capacity", 65), ("margin_relative", -1.0)]:
        with pytest.raises(ValueError, match=setting) as refused:
            given: dict[str, Any] = {setting: value}
            Octree(**given)
        assert isinstance(refused.value, broadleaf.InputError) and refused.value.argument == setting


def test_margins() -> None:
    tree = Octree(margin=0.5)
    ids = tree.insert([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [1.5, 0.0, 0.0, 2.0, 1.0, 1.0]])
    view = tree.view()
    pair = view.pairs()
    assert len(pair) == 1 and not view.touches(pair).any() and view.is_pair(pair).all()
    assert view.fat_boxes(ids[:1]).tolist() == [[-0.5, -0.5, -0.5, 1.5, 1.5, 1.5]]
    assert tree.objects(ids).boxes[0].tolist() == [0, 0, 0, 1, 1, 1]


def test_float64_never_misses(rng: np.random.Generator) -> None:
    """Boxes that touch in 64 bits, at numbers that 32 bits do not have, are pairs."""
    low = rng.random((2000, 3)) * 1000
    middle = low + rng.random((2000, 3))
    high = middle + rng.random((2000, 3))
    tree = Octree()
    first = tree.insert(np.hstack([low, middle]))
    second = tree.insert(np.hstack([middle, high]))
    assert tree.view().is_pair(np.stack([first, second], axis=1)).all()
    # Rounded to nearest, some would be missed: so the test can fail.
    nearest = Octree()
    first = nearest.insert(np.hstack([low, middle]).astype(np.float32))
    second = nearest.insert(np.hstack([middle + 1e-9, high]).astype(np.float32) + np.float32(1e-4))
    assert not nearest.view().is_pair(np.stack([first, second], axis=1)).all()
    # Regions are rounded outward as well: points, boxes and spheres.
    middles = tree.view().overlap(middle).all()
    assert (np.diff(middles.offsets) >= 2).all()
    assert (tree.view().overlap((middle, middle)).count() >= 2).all()
    centers = rng.random((2000, 3)) * 1000
    radii = rng.random(2000)
    directions = rng.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    spheres = Octree()
    a = spheres.insert(np.column_stack([centers, radii]))
    b = spheres.insert(np.column_stack([centers + directions * (radii + 0.5)[:, None] * (1 - 1e-15), np.full(2000, 0.5)]))
    assert spheres.view().is_pair(np.stack([a, b], axis=1)).all()


def test_infinite_and_far_objects_are_found() -> None:
    tree = Octree()
    inf: Any = np.inf
    far: Any = [[-inf, -inf, -inf, inf, 0, inf], [1e30, 1e30, 1e30, 2e30, 2e30, 2e30], [0, -1, 0, 1, 1, 1]]
    ids = tree.insert(far)
    view = tree.view()
    assert view.overlap([[0.5, -0.5, 0.5]]).count().tolist() == [2]
    assert view.overlap([[1.5e30, 1.5e30, 1.5e30]]).any().tolist() == [ids[1]]
    assert tree.counters().outsized == 2


def test_origin_shift(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 200, 20, 3)
    tree = Octree()
    ids = tree.insert(boxes)
    tree.shift_origin([10, 0, -5])
    assert np.array_equal(tree.objects(ids).boxes, boxes - np.array([10, 0, -5] * 2, np.float32))
    assert slot_pairs(tree.view()) == all_pairs(boxes)
    with pytest.raises(ValueError, match="shift"):
        tree.shift_origin([NAN, 0, 0])


def test_worlds_of_64_bits(rng: np.random.Generator) -> None:
    origin = broadleaf.WorldOrigin([1e7, 0, -1e7])
    low = origin.point + rng.random((100, 3)) * 100
    world = np.hstack([low, low + 1])
    boxes = origin.boxes(world)
    exact = world - np.array(origin.point * 2)
    assert boxes.dtype == np.float32
    assert np.all(boxes[:, :3] <= exact[:, :3]) and np.all(boxes[:, 3:] >= exact[:, 3:])
    assert np.allclose(boxes, exact, atol=1e-5)
    spheres = origin.spheres(np.column_stack([low, np.ones(100)]))
    assert np.all(spheres[:, 3] >= 1)
    assert np.allclose(origin.to_world(origin.to_local(low)), low, atol=1e-5)
    assert origin.shifted([1, 2, 3]).point == (1e7 + 1, 2, -1e7 + 3)
    assert pickle.loads(pickle.dumps(origin)).point == origin.point
    with pytest.raises(broadleaf.InputError) as refused:
        origin.boxes([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, NAN, 1]])
    assert (refused.value.row, refused.value.column) == (1, 4)


def test_copies_snapshots_and_pickles_go_on_like_the_original(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 500, 12, 2)
    tree = Octree()
    ids = tree.insert(boxes, static=rng.random(500) < 0.2, user_data=np.arange(500))
    tree.view()
    twins = [tree.copy(), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree)), Octree.from_snapshot(tree.snapshot())]
    slot = Octree(looseness=1.0)
    slot.insert(boxes[:3])
    slot.copy_from(tree)
    twins.append(slot)
    for each in [tree, *twins]:
        each.remove(ids[:50])
        each.update(ids[50:], boxes[50:] + np.float32(0.5))
    for twin in twins:
        assert twin.state_hash() == tree.state_hash()
    for twin in twins:
        twin.view()
        tree.view()
        assert twin.state_hash() == tree.state_hash()
        assert np.array_equal(twin.view().pairs(), tree.view().pairs())
        twin.validate()
    tree.copy_from(tree)
    for damaged in (b"", b"nonsense", tree.snapshot()[:-1], tree.snapshot()[:-8] + b"12345678"):
        with pytest.raises(broadleaf.SnapshotError):
            Octree.from_snapshot(damaged)


def test_threads_change_nothing(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 20_000, 60, 2)
    trees: list[list[Any]] = []
    for threads in (1, 2, 3, 0):
        tree = Octree()
        tree.insert(boxes, threads=threads)
        view = tree.view(threads=threads)
        lists = view.overlap(boxes[:3000] + np.float32(0.25), threads=threads).all()
        rays = broadleaf.Rays(boxes[:3000, :3] - 5, np.ones((3000, 3), np.float32))
        hits = view.cast(rays, threads=threads).closest()
        near = view.nearest(boxes[:500, :3], threads=threads).k(5)
        trees.append([tree.state_hash(), view.pairs(threads=threads), *lists, *hits, *near])
        tree.rebuild(threads=threads)
        tree.validate()
    for other in trees[1:]:
        assert other[0] == trees[0][0]
        for a, b in zip(other[1:], trees[0][1:], strict=True):
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_what_it_tells_of_itself(rng: np.random.Generator) -> None:
    tree = Octree()
    tree.reserve(1000)
    tree.insert(random_boxes(rng, 1000, 20, 1))
    view = tree.view()
    nodes = view.nodes()
    assert nodes.objects.sum() == 1000 and nodes.objects_below[0] == 1000 and nodes.depth.max() > 0
    assert nodes.cells.shape == nodes.bounds.shape == (len(nodes.leaf), 6)
    bounds = view.bounds()
    assert bounds is not None and np.array_equal(bounds, nodes.bounds[0])
    memory = tree.memory()
    assert memory.total == memory.nodes + memory.blocks + memory.objects > 10_000
    assert tree.counters().nodes_live == len(nodes.leaf)
    assert len(view) == len(tree) == 1000
    tree.shrink_to_fit()
    assert Octree().view().bounds() is None
    with pytest.raises(ValueError):
        tree.reserve(2**40)
