"""What is refused: which argument, row and column, and nothing is changed."""

import inspect
import pickle
import threading
from collections.abc import Callable
from typing import Any

import broadleaf
import numpy as np
import pytest
from broadleaf import Capsules, ConvexRegions, Frusta, InputError, Mesh, Obbs, Octree, Placements, Rays, Sweeps
from oracle import random_boxes

NONE: Any = None
NAN: Any = np.nan
INF: Any = np.inf
GOOD = [0.0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("row", "column"),
    [
        ([NAN, 0, 0, 1, 1, 1], 0),
        ([0, 0, 0, 1, NAN, 1], 4),
        ([0, 0, 2, 1, 1, 1], 2),
        ([INF, 0, 0, INF, 1, 1], 0),
        ([0, -INF, 0, 1, -INF, 1], 4),
        ([0, 0, 0, NAN], 3),
        ([0, 0, 0, -1], 3),
        ([0, INF, 0, 1], 1),
    ],
)
def test_illegal_shapes(rng: np.random.Generator, row: list[float], column: int, dtype: type) -> None:
    tree = Octree()
    ids = tree.insert(random_boxes(rng, 10, 5, 2))
    view, state = tree.view(), tree.state_hash()
    shapes: Any = np.array([GOOD[: len(row)]] * 3 + [row] * 2, dtype)
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("shapes", lambda: tree.insert(shapes)),
        ("shapes", lambda: tree.insert(shapes, static=True, user_data=5)),
        ("shapes", lambda: tree.update(ids[:5], shapes)),
        ("regions", lambda: view.overlap(shapes)),
    ]
    for argument, call in calls:
        with pytest.raises(ValueError) as refused:
            call()
        error = refused.value
        assert isinstance(error, InputError)
        assert (error.argument, error.row, error.column) == (argument, 3, column)
        assert f"row 3, column {column}" in str(error)
    assert tree.state_hash() == state and len(tree) == 10 and view.is_current
    tree.validate()


def test_corners_name_their_array() -> None:
    with pytest.raises(InputError) as refused:
        Octree().insert(([[0, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, NAN, 1]]))
    assert (refused.value.argument, refused.value.row, refused.value.column) == ("shapes[1]", 1, 1)
    with pytest.raises(InputError, match="2 rows, but 1"):
        Octree().insert((np.zeros((1, 3)), np.zeros((2, 3))))


Refused = tuple[Callable[[], Any], str, int | None, int | None]

CONVEX: Any = ConvexRegions([[0, 0, 1, 0]])
BOXES: Any = np.zeros((1, 6))
QUESTIONS: list[Refused] = [
    (lambda: Octree().insert(np.zeros((2, 5))), "shapes", None, None),
    (lambda: Octree().insert(np.zeros((2, 6)), static=[True]), "static", None, None),
    (lambda: Octree().insert(np.zeros((2, 6)), memberships=[1, -1]), "memberships", 1, None),
    (lambda: Octree().insert(np.zeros((2, 6)), filters=[2**32, 1]), "filters", 0, None),
    (lambda: Octree().insert(np.zeros((2, 6)), user_data=[1, 2, 3]), "user_data", None, None),
    (lambda: Octree().view().overlap([[0, NAN, 0]]), "regions", 0, 1),
    (lambda: Octree().view().overlap(np.array([[0, NAN, 0]], np.float32)), "regions", 0, 1),
    (lambda: Octree().view().nearest([[0, 0, 0], [0, 0, INF]]), "places", 1, 2),
    (lambda: Octree().view().nearest(np.zeros((1, 3))).k(2**40), "k", None, None),
    (lambda: Octree().view().overlap(np.zeros((2, 3)), exclude=[1]), "exclude", None, None),
    (lambda: Octree().view().overlap(np.zeros((2, 3)), only="both"), "only", None, None),  # type: ignore[arg-type]
    (lambda: Octree().view().overlap(np.zeros((1, 6))).seen_from([0, NAN, 0]), "eye", None, None),
    (lambda: Rays([[0, 0, 0]], [[0, 0, 0]]), "directions", 0, None),
    (lambda: Rays([[0, 0, 0], [0, INF, 0]], [[0, 0, 1], [0, 0, 1]]), "origins", 1, 1),
    (lambda: Rays([[0, 0, 0]], [[0, 0, 1]], distance_max=[-1]), "distance_max", 0, None),
    (lambda: Rays.segments([[1, 2, 3]], [[1, 2, 3]]), "ends", 0, None),
    (lambda: Rays(np.zeros((2, 3)), np.ones((1, 3))), "directions", None, None),
    (lambda: Sweeps([GOOD], [[0, 0, NAN]]), "motions", 0, 2),
    (lambda: Sweeps([[0, 0, 0, 1, INF, 1]], [[0, 0, 1]]), "shapes", 0, 4),
    (lambda: Sweeps([[0, 0, 0, -1]], [[0, 0, 1]]), "shapes", 0, 3),
    (lambda: Obbs([[0, 0, 0]], [[1, -1, 1]], [[0, 0, 0, 1]]), "half_extents", 0, 1),
    (lambda: Obbs([[0, 0, 0]], [[1, 1, 1]], [[0, 0, 0, 0]]), "rotations", 0, None),
    (lambda: Capsules([[0, 0, 0]], [[1, NAN, 1]], 1.0), "ends", 0, 1),
    (lambda: Capsules([[0, 0, 0]], [[1, 1, 1]], [-1.0]), "radii", 0, 0),
    (lambda: ConvexRegions([[0, 0, 1, 0], [0, 0, 0, 1]]), "planes", 1, None),
    (lambda: ConvexRegions([[0, 0, 1, 0]], [0, 2]), "offsets", 0, None),
    (lambda: Frusta.from_planes(np.zeros((1, 6, 4))), "planes", 0, None),
    (lambda: Frusta.from_view_projection(np.full((4, 4), NAN)), "matrices", 0, None),
    (lambda: Frusta.from_view_projection(np.eye(4), depth="up"), "depth", None, None),  # type: ignore[arg-type]
    (lambda: Mesh([[0, 0, 0], [1, 0, NAN]], [[0, 1, 1]]), "positions", 1, 2),
    (lambda: Mesh(np.zeros((3, 3)), [[0, 1, 2], [0, 3, 1]]), "triangles", 1, 1),
    (lambda: Mesh(np.zeros((3, 3)), [0, 1, 2]), "triangles", None, None),
    (lambda: Mesh(np.full((3, 3), 1e30), [[0, 1, 2]]), "positions", 0, 0),
    (lambda: Mesh.from_triangles([[[0, 0, 0], [1, 0, 0], [0, INF, 0]]]), "triangles", 0, 7),
    (lambda: Mesh(np.eye(3), [[0, 1, 2]]).overlap(CONVEX), "regions", None, None),
    (lambda: Mesh(np.eye(3), [[0, 1, 2]]).nearest([[0, NAN, 0]]), "points", 0, 1),
    (lambda: Placements(Mesh(np.eye(3), [[0, 1, 2]]), [[0, NAN, 0]]), "translations", 0, 1),
    (lambda: Placements(Mesh(np.eye(3), [[0, 1, 2]]), [[0, 0, 0]], scales=[0.0]), "scales", 0, None),
    (lambda: Placements(Mesh(np.eye(3), [[0, 1, 2]]), [[0, 0, 0]], which=1), "which", 0, None),
]


SCREEN = Frusta.from_screen_rectangle
# These named another argument, or raised an exception that is none of the package's.
UNEVEN: Any = [[0, 1, 2], [0, 1]]
MISNAMED: list[Refused] = [
    (lambda: Octree().view().overlap(BOXES).seen_from([0, 0, 0], -1.0), "size_min", None, None),
    (lambda: Octree().view().overlap(BOXES).seen_from([0, 0, 0], NAN), "size_min", None, None),
    (lambda: Octree().view().overlap(BOXES).seen_from([0, 0]), "eye", None, None),
    (lambda: SCREEN(np.eye(4), [0, NAN], [1, 1]), "low", None, None),
    (lambda: SCREEN(np.eye(4), [0, 0], [INF, 1]), "high", None, None),
    (lambda: SCREEN(np.eye(4), [0, 1], [1, 0]), "low", None, None),
    (lambda: SCREEN(np.eye(4), [0, 0, 0], [1, 1]), "low", None, None),
    (lambda: Octree().shift_origin([1, 2]), "shift", None, None),
    (lambda: broadleaf.WorldOrigin([[0, 0, 0], [1, 1, 1]]), "point", None, None),  # type: ignore[list-item]
    (lambda: Octree().insert([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1]]), "shapes", None, None),
    (lambda: Octree().view().overlap(BOXES, exclude=UNEVEN), "exclude", None, None),
    (lambda: Mesh(np.eye(3), UNEVEN), "triangles", None, None),
    (lambda: SCREEN(UNEVEN, [0, 0], [1, 1]), "matrices", None, None),
    (lambda: broadleaf.Capsules(np.zeros((2, 3)), np.ones((2, 3)), UNEVEN), "radii", None, None),
]


@pytest.mark.parametrize("case", MISNAMED, ids=range(len(MISNAMED)))
def test_regression_refusals_name_the_argument_at_fault(case: Refused) -> None:
    test_illegal_arguments_are_named(case)


def test_regression_shapes_are_named_as_in_the_signature() -> None:
    """Regions, places and points were reported as shapes."""
    tree, mesh = Octree(), Mesh(np.eye(3), [[0, 1, 2]])
    view, row = tree.view(), np.zeros((1, 3))
    point: Any = [[0, NAN, 0]]
    box: Any = [[0, 0, 0, 1, NAN, 1]]
    shapes: list[Any] = [box, np.array(box, np.float32), (row, point), (point, row)]
    regions = [*shapes, point, np.array(point, np.float32), [[0, 0, 0, -1]], np.zeros((2, 5))]
    cases: list[tuple[Callable[[Any], Any], Any]] = [
        (tree.insert, shapes), (view.overlap, regions), (mesh.overlap, regions),
        (view.nearest, [*shapes, point, np.zeros((2, 5))]), (mesh.nearest, [point, np.zeros((2, 5))]),
    ]  # fmt: skip
    for method, bad in cases:
        name = next(iter(inspect.signature(method).parameters))
        for given in bad:
            with pytest.raises(InputError) as refused:
                method(given)
            assert refused.value.argument in (name, f"{name}[0]", f"{name}[1]")
            assert str(refused.value).startswith(name)


@pytest.mark.parametrize("case", QUESTIONS, ids=range(len(QUESTIONS)))
def test_illegal_arguments_are_named(case: Refused) -> None:
    call, argument, row, column = case
    with pytest.raises(ValueError) as refused:
        call()
    assert isinstance(refused.value, InputError)
    assert (refused.value.argument, refused.value.row, refused.value.column) == (argument, row, column), refused.value


@pytest.mark.parametrize(
    "call",
    [
        lambda: Octree().insert(np.zeros((1, 6), complex)),
        lambda: Octree().insert(np.array([["a"] * 6])),
        lambda: Octree().remove(np.zeros(1)),
        lambda: Octree().insert(np.zeros((1, 6)), static=[1]),
        lambda: Octree().view().cast(BOXES),
        lambda: Octree().insert(np.zeros((1, 6)), memberships=1.5),
        lambda: Octree().insert(NONE),
        lambda: Octree().view().overlap("regions"),
    ],
)
def test_wrong_types(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError) as refused:
        call()
    assert not isinstance(refused.value, broadleaf.BroadleafError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Octree().view().overlap(BOXES, layers=-1),
        lambda: Octree().view().overlap(BOXES, threads=-1),
        lambda: Octree().view().nearest(BOXES).k(-1),
        lambda: broadleaf.PairBudget(256),
    ],
)
def test_integers_that_do_not_fit(call: Callable[[], Any]) -> None:
    with pytest.raises(OverflowError) as refused:
        call()
    assert not isinstance(refused.value, broadleaf.BroadleafError)


def test_stale_ids_change_nothing(rng: np.random.Generator) -> None:
    tree = Octree()
    ids = tree.insert(random_boxes(rng, 10, 5, 2))
    tree.remove(ids[3:4])
    view, state = tree.view(), tree.state_hash()
    boxes = random_boxes(rng, 10, 5, 2)
    calls: list[Callable[[], Any]] = [
        lambda: tree.update(ids, boxes),
        lambda: tree.remove(ids),
        lambda: tree.retain(ids),
        lambda: tree.set_layers(ids, memberships=1),
        lambda: tree.set_static(ids, True),
        lambda: tree.set_user_data(ids, 1),
        lambda: tree.objects(ids),
        lambda: view.pairs_of(ids),
        lambda: view.user_data(ids),
        lambda: view.fat_boxes(ids),
        lambda: view.objects(ids),
    ]
    for call in calls:
        with pytest.raises(broadleaf.StaleIdError) as refused:
            call()
        assert (refused.value.argument, refused.value.row, refused.value.id) == ("ids", 3, ids[3])
    for pairs_call in (view.touches, view.contacts):
        with pytest.raises(broadleaf.StaleIdError):
            pairs_call(ids[2:4].reshape(1, 2))
    with pytest.raises(broadleaf.StaleIdError) as refused:
        tree.remove(ids[[0, 1, 0]])
    assert refused.value.row == 2
    assert tree.state_hash() == state and len(tree) == 9 and view.is_current


def test_a_view_of_a_changed_tree_raises(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 30, 5, 2)
    mesh = Mesh(np.eye(3), [[0, 1, 2]])
    changes: list[Callable[[Octree, Any], Any]] = [
        lambda tree, ids: tree.insert(boxes[:1]),
        lambda tree, ids: tree.update(ids, boxes),
        lambda tree, ids: tree.remove(ids[:1]),
        lambda tree, ids: tree.retain(ids[:1]),
        lambda tree, ids: tree.set_layers(ids, memberships=1),
        lambda tree, ids: tree.set_static(ids, True),
        lambda tree, ids: tree.set_user_data(ids, 1),
        lambda tree, ids: tree.shift_origin([1, 0, 0]),
        lambda tree, ids: tree.rebuild(),
        lambda tree, ids: tree.clear(),
        lambda tree, ids: tree.copy_from(Octree()),
    ]
    for change in changes:
        tree = Octree()
        ids = tree.insert(boxes)
        view = tree.view()
        # An update of a tracker is no change.
        broadleaf.PairTracker().update(tree)
        assert view.is_current
        rays = Rays(boxes[:, :3], boxes[:, 3:] + 1)
        overlap, cast, nearest = view.overlap(boxes), view.cast(rays), view.nearest(boxes)
        placements = Placements(mesh, np.zeros((1, 3)))
        asks: list[Callable[[], Any]] = [
            overlap.all, overlap.any, overlap.count, overlap.containment, overlap.slots,
            lambda: overlap.seen_from([0, 0, 0]), cast.closest, cast.any, cast.all, cast.count, cast.in_order,
            nearest.closest, lambda: nearest.k(2), nearest.all, nearest.in_order, nearest.count,
            lambda: overlap.meshes(placements, ids[:1]), lambda: cast.meshes(placements, ids[:1]),
            lambda: nearest.meshes(placements, ids[:1]), view.pairs, view.pair_count, view.bounds, view.nodes,
            lambda: view.pairs_of(ids), lambda: view.objects(ids), lambda: view.user_data(ids),
            lambda: view.fat_boxes(ids), lambda: view.contacts([ids[:2]]), lambda: view.touches([ids[:2]]),
            lambda: view.is_pair([ids[:2]]), lambda: len(view),
            lambda: broadleaf.PairBudget().serve(view, np.zeros((0, 2), np.uint64), 1, 0),
        ]  # fmt: skip
        for ask in asks:
            ask()
        change(tree, ids)
        assert not view.is_current
        for ask in asks:
            with pytest.raises(broadleaf.StaleViewError):
                ask()
        tree.view().pairs()


def test_try_view_tells_whether_there_is_work(rng: np.random.Generator) -> None:
    tree = Octree()
    assert tree.try_view() is not None
    tree.insert(random_boxes(rng, 10, 5, 2))
    tree.view()
    tree.insert(random_boxes(rng, 10, 5, 2))
    assert tree.try_view() is None
    tree.view()
    assert tree.try_view() is not None


def test_exceptions_are_documented_and_pickled() -> None:
    names = [name for name in broadleaf.__all__ if name.endswith("Error")]
    assert len(names) == 6
    for name in names:
        kind = getattr(broadleaf, name)
        assert issubclass(kind, broadleaf.BroadleafError) and len(kind.__doc__) > 20
    with pytest.raises(InputError) as refused:
        Octree().insert([[0, 0, 0, 1, NAN, 1]])
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.argument, again.row, again.column) == (str(refused.value), "shapes", 0, 4)
    with pytest.raises(broadleaf.StaleIdError) as stale:
        Octree().remove([5])
    again = pickle.loads(pickle.dumps(stale.value))
    assert (str(again), again.argument, again.row, again.id) == (str(stale.value), "ids", 0, 5)


def test_the_interpreter_lock_is_released(rng: np.random.Generator) -> None:
    """While one thread waits for answers, another runs Python: the loop below goes on."""
    boxes = random_boxes(rng, 200_000, 100, 3)
    tree = Octree()
    tree.insert(boxes)
    view = tree.view()
    began, done = threading.Event(), threading.Event()

    def ask() -> None:
        began.set()
        for _ in range(3):
            view.pairs()
        done.set()

    asking = threading.Thread(target=ask)
    asking.start()
    began.wait()
    turns = 0
    while not done.is_set():
        turns += 1
    asking.join()
    # With the lock held, it would turn only between the calls, a few thousand times at most
    # in the interpreter's switch intervals; and not at all in a call.
    assert turns > 10_000


def test_many_threads_ask_one_tree(rng: np.random.Generator) -> None:
    boxes = random_boxes(rng, 5000, 40, 2)
    tree = Octree()
    ids = tree.insert(boxes)
    wanted = tree.view().overlap(boxes).all()
    failures: list[str] = []

    def ask() -> None:
        for _ in range(5):
            try:
                found = tree.view().overlap(boxes, threads=2).all()
                if not np.array_equal(np.diff(found.offsets), np.diff(wanted.offsets)):
                    failures.append("another answer")
            except broadleaf.StaleViewError:
                pass

    def change() -> None:
        for _ in range(20):
            tree.update(ids, boxes)

    threads = [threading.Thread(target=work) for work in (ask, ask, ask, change)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    tree.validate()
