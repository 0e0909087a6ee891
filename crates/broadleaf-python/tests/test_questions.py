"""Questions about objects, against brute force in numpy."""

from typing import Any

import broadleaf
import numpy as np
import pytest
from broadleaf import Capsules, ConvexRegions, Frusta, Obbs, Octree, Rays, Sweeps
from oracle import enter, gap, overlap_matrix, random_boxes, random_spheres, rows_of, sphere_gap


def world(rng: np.random.Generator, count: int = 400) -> tuple[Octree, Any, Any]:
    boxes = random_boxes(rng, count, 20, 3)
    tree = Octree()
    return tree, tree.insert(boxes), boxes


def slot_rows(lists: Any) -> list[list[int]]:
    return rows_of((lists.offsets, broadleaf.slots(lists.values)))


def true_rows(matrix: Any) -> list[list[int]]:
    return [np.nonzero(row)[0].tolist() for row in matrix]


def check_overlap(view: broadleaf.View, regions: Any, ids: Any, wanted: Any) -> None:
    """Every terminal of a question, and the options that change who is asked about."""
    question = view.overlap(regions)
    assert len(question) == len(wanted)
    found = question.all()
    assert found.offsets.dtype == np.int64 and found.values.dtype == np.uint64
    assert slot_rows(found) == true_rows(wanted)
    assert question.count().tolist() == wanted.sum(axis=1).tolist()
    any_of = question.any()
    assert [bool(one) for one in any_of] == wanted.any(axis=1).tolist()
    hit = np.nonzero(any_of)[0]
    assert wanted[hit, broadleaf.slots(any_of[hit])].all()
    contained = question.containment()
    assert slot_rows((broadleaf.Lists(contained.offsets, contained.values.found))) == true_rows(wanted)
    mask = question.slots()
    union = wanted.any(axis=0)
    assert mask[: len(union)].tolist() == union[: len(mask)].tolist() and not union[len(mask) :].any()
    # One id left out of all, one of each, and a mask by slot.
    assert slot_rows(view.overlap(regions, exclude=ids[0]).all()) == true_rows(wanted & (np.arange(len(ids)) != 0))
    each = np.arange(len(wanted)) % len(ids)
    left = wanted & (np.arange(len(ids)) != each[:, None])
    assert slot_rows(view.overlap(regions, exclude=ids[each]).all()) == true_rows(left)
    accept = np.arange(len(ids)) % 3 == 0
    masked = view.overlap(regions, accept=accept[:-1], threads=2)
    accept[-1] = False
    assert slot_rows(masked.all()) == true_rows(wanted & accept)
    assert masked.count().tolist() == (wanted & accept).sum(axis=1).tolist()


def test_points_boxes_spheres(rng: np.random.Generator) -> None:
    tree, ids, boxes = world(rng)
    view = tree.view()
    regions = random_boxes(rng, 300, 20, 4)
    check_overlap(view, regions, ids, overlap_matrix(regions, boxes))
    points = regions[:, :3]
    check_overlap(view, points, ids, overlap_matrix(np.hstack([points, points]), boxes))
    check_overlap(view, (regions[:, :3], regions[:, 3:]), ids, overlap_matrix(regions, boxes))
    spheres = random_spheres(rng, 300, 20, 3)
    near = gap(np.hstack([spheres[:, :3], spheres[:, :3]]), boxes)
    check_overlap(view, spheres, ids, near <= spheres[:, 3:])
    inside = view.overlap(regions).containment()
    rows = np.repeat(np.arange(300), np.diff(inside.offsets))
    of = boxes[broadleaf.slots(inside.values.found)]
    truly = np.all((regions[rows, :3] <= of[:, :3]) & (of[:, 3:] <= regions[rows, 3:]), axis=1)
    assert np.array_equal(inside.values.inside, truly)


def test_spheres_as_objects(rng: np.random.Generator) -> None:
    balls = random_spheres(rng, 300, 15, 2)
    tree = Octree()
    ids = tree.insert(balls)
    regions = random_boxes(rng, 200, 15, 3)
    near = gap(np.hstack([balls[:, :3]] * 2), regions).T
    check_overlap(tree.view(), regions, ids, near <= balls[:, 3])
    others = random_spheres(rng, 200, 15, 2)
    check_overlap(tree.view(), others, ids, sphere_gap(others[:, :3], balls) <= others[:, 3:])
    distance = sphere_gap(others[:, :3], balls)
    closest = tree.view().nearest(others[:, :3]).closest()
    assert np.allclose(closest.distances, distance.min(axis=1), atol=1e-5)


def test_oriented_boxes_capsules_planes(rng: np.random.Generator) -> None:
    """Objects are points here, for which the exact tests are short."""
    points = (rng.random((500, 3)) * 10).astype(np.float32)
    tree = Octree()
    ids = tree.insert((points, points))
    view = tree.view()
    turns = rng.normal(size=(40, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    centers, extents = rng.random((40, 3)) * 10, rng.random((40, 3)) * 3
    x, y, z, w = turns.T
    matrices = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    local = np.einsum("qji,qpj->qpi", matrices, points[None].astype(float) - centers[:, None])
    deep = (extents[:, None] - np.abs(local)).min(axis=-1)
    assert np.abs(deep).min() > 1e-5, "no point lies so near a face that rounding decides"
    check_overlap(view, Obbs(centers, extents, turns), ids, deep >= 0)

    starts, ends = rng.random((40, 3)) * 10, rng.random((40, 3)) * 10
    radii = rng.random(40) * 2
    along = ends - starts
    part = np.einsum("qpi,qi->qp", points[None] - starts[:, None], along) / (along**2).sum(axis=1)[:, None]
    nearest = starts[:, None] + np.clip(part, 0, 1)[..., None] * along[:, None]
    deep = radii[:, None] - np.linalg.norm(points[None] - nearest, axis=-1)
    assert np.abs(deep).min() > 1e-5
    check_overlap(view, Capsules(starts, ends, radii), ids, deep >= 0)
    assert view.overlap(Capsules(starts, ends, 2.0)).count().sum() >= (deep >= 0).sum()

    planes = rng.normal(size=(30 * 3, 4))
    planes[:, 3] -= planes[:, :3] @ [5, 5, 5]
    front = np.einsum("ki,pi->kp", planes[:, :3], points) + planes[:, 3:] >= 0
    wanted = np.array([front[3 * q : 3 * q + 3].all(axis=0) for q in range(30)])
    check_overlap(view, ConvexRegions(planes, np.arange(0, 91, 3)), ids, wanted)
    assert len(ConvexRegions(planes)) == 1


def perspective(fov: float, near: float, far: float) -> Any:
    """A projection that looks along -z, depth from 0 to 1."""
    scale = 1 / np.tan(fov / 2)
    return np.array([[scale, 0, 0, 0], [0, scale, 0, 0], [0, 0, far / (near - far), near * far / (near - far)], [0, 0, -1, 0]])


def test_frusta(rng: np.random.Generator) -> None:
    points = (rng.random((2000, 3)) * 20 - 10).astype(np.float32)
    tree = Octree()
    ids = tree.insert((points, points))
    matrices = []
    for _ in range(10):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        view_matrix = np.eye(4)
        view_matrix[:3, :3], view_matrix[:3, 3] = turn, turn @ -rng.normal(size=3)
        matrices.append(perspective(1.0, 0.1, 8.0) @ view_matrix)
    clip = np.einsum("qij,pj->qpi", matrices, np.column_stack([points, np.ones(2000)]))
    x, y, z, w = np.moveaxis(clip, -1, 0)
    wanted = (np.abs(x) <= w) & (np.abs(y) <= w) & (0 <= z) & (z <= w)
    frusta = Frusta.from_view_projection(matrices)
    assert len(frusta) == 10 and wanted.sum() > 100
    check_overlap(tree.view(), frusta, ids, wanted)
    check_overlap(tree.view(), Frusta.from_planes(frusta.planes()), ids, wanted)
    right = Frusta.from_screen_rectangle(matrices, [0, -1], [1, 1])
    check_overlap(tree.view(), right, ids, wanted & (x >= 0))
    assert len(Frusta.from_view_projection(matrices[0])) == 1
    opengl = (np.abs(x) <= w) & (np.abs(y) <= w) & (-w <= z) & (z <= w)
    check_overlap(tree.view(), Frusta.from_view_projection(matrices, depth="negative_one_to_one"), ids, opengl)


def test_seen_from_an_eye(rng: np.random.Generator) -> None:
    tree, ids, boxes = world(rng)
    room, eye = np.array([[2, 2, 2, 15, 15, 15]], np.float32), [1.0, 2.0, 3.0]
    seen = tree.view().overlap(room).seen_from(eye, front_to_back=True)
    distances = gap(np.array([eye * 2], np.float32), boxes)[0]
    touched = overlap_matrix(room, boxes)[0]
    assert sorted(broadleaf.slots(seen.values.ids).tolist()) == np.nonzero(touched)[0].tolist()
    assert np.all(np.diff(seen.values.distances) >= 0)
    assert np.allclose(seen.values.distances, distances[broadleaf.slots(seen.values.ids)], atol=1e-5)
    fewer = tree.view().overlap(room).seen_from(eye, 0.3)
    large = np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1) >= 0.3 * distances
    assert sorted(broadleaf.slots(fewer.values.ids).tolist()) == np.nonzero(touched & large)[0].tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_rays(rng: np.random.Generator, threads: int) -> None:
    tree, ids, boxes = world(rng)
    origins = (rng.random((300, 3)) * 30 - 5).astype(np.float32)
    directions = rng.normal(size=(300, 3)).astype(np.float32)
    directions[:50, 1:] = 0
    wanted = enter(origins, directions, boxes)
    rays, view = Rays(origins, directions), tree.view()
    hits = view.cast(rays, threads=threads).closest()
    assert np.allclose(hits.distances, wanted.min(axis=1), rtol=1e-4, atol=1e-4)
    assert np.array_equal(hits.ids == 0, np.isinf(hits.distances)) and (hits.ids != 0).sum() > 50
    hit = hits.ids != 0
    chosen = wanted[hit, broadleaf.slots(hits.ids[hit])]
    assert np.allclose(chosen, hits.distances[hit], rtol=1e-4, atol=1e-4)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    assert np.allclose(hits.positions[hit], origins[hit] + unit[hit] * hits.distances[hit, None], atol=1e-3)
    assert np.isnan(hits.positions[~hit]).all()
    within = view.cast(rays, within=4.0, threads=threads)
    assert (np.isfinite(within.closest().distances) == (wanted.min(axis=1) <= 4)).mean() > 0.99
    counts = np.isfinite(wanted).sum(axis=1)
    for lists in (view.cast(rays, threads=threads).all(), view.cast(rays, threads=threads).in_order()):
        assert np.diff(lists.offsets).tolist() == view.cast(rays).count().tolist()
        assert abs(np.diff(lists.offsets) - counts).max() <= 1 and abs(np.diff(lists.offsets) - counts).sum() < 5
    ordered = view.cast(rays).in_order(3)
    assert np.array_equal(np.diff(ordered.offsets), np.minimum(view.cast(rays).count(), 3))
    firsts = ordered.offsets[:-1][np.diff(ordered.offsets) > 0]
    assert np.array_equal(ordered.values.ids[firsts], hits.ids[hit])
    assert np.array_equal(view.cast(rays).any().ids != 0, hit)
    # Options that the library's batches do not know give the same answers.
    everything = np.ones(len(ids), bool)
    masked: tuple[Any, ...] = view.cast(rays, accept=everything).closest()
    for a, b in zip(masked, list[Any](hits), strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    nearest_id = hits.ids.copy()
    second = view.cast(rays, exclude=nearest_id[hit][0]).closest()
    assert nearest_id[hit][0] not in second.ids
    segments = view.cast(Rays.segments(origins, origins + unit * 4)).closest()
    assert (np.isfinite(segments.distances) == (wanted.min(axis=1) <= 4)).mean() > 0.99
    reach = view.cast(Rays(origins, directions, distance_max=4.0)).closest()
    assert np.array_equal(reach.ids, within.closest().ids)


def test_rays_that_start_inside() -> None:
    tree = Octree()
    room, post = tree.insert([[-5, -5, -5, 5, 5, 5], [2, -1, -1, 3, 1, 1]])
    view, ray = tree.view(), Rays([[0, 0, 0]], [[1, 0, 0]])
    assert view.cast(ray).closest().distances.tolist() == [0]
    skipped = view.cast(ray, inside="skip").closest()
    assert (skipped.ids.tolist(), skipped.distances.tolist()) == ([post], [2])
    left = view.cast(ray, inside="exit", exclude=post).closest()
    assert (left.ids.tolist(), left.distances.tolist(), left.normals.tolist()) == ([room], [5], [[1, 0, 0]])


def test_sweeps(rng: np.random.Generator) -> None:
    tree, ids, boxes = world(rng)
    shapes, motions = random_boxes(rng, 200, 20, 2), (rng.normal(size=(200, 3)) * 6).astype(np.float32)
    # A box that moves is a point that moves, against boxes grown by it.
    half = (shapes[:, 3:] - shapes[:, :3]) / 2
    middle = (shapes[:, 3:] + shapes[:, :3]) / 2
    length = np.linalg.norm(motions, axis=1)
    wanted = np.array(
        [
            enter(middle[q : q + 1], motions[q : q + 1], boxes + np.concatenate([-half[q], half[q]]))[0] / length[q]
            for q in range(200)
        ]
    )
    wanted[wanted > 1] = np.inf
    view = tree.view()
    hits = view.cast(Sweeps(shapes, motions)).closest()
    assert np.allclose(hits.times, wanted.min(axis=1), atol=1e-4)
    assert (np.isfinite(hits.times)).sum() > 50
    counts = view.cast(Sweeps(shapes, motions)).count()
    assert abs(counts - np.isfinite(wanted).sum(axis=1)).sum() <= 2
    lists = view.cast(Sweeps(shapes, motions), threads=2).in_order()
    assert np.array_equal(np.diff(lists.offsets), counts)
    firsts = lists.offsets[:-1][counts > 0]
    assert np.array_equal(lists.values.times[firsts], hits.times[counts > 0])
    # A very small ball is a ray.
    balls = Sweeps(np.column_stack([middle, np.full(200, 1e-4)]), motions)
    rays = view.cast(Rays.segments(middle, middle + motions)).closest()
    touch = view.cast(balls).closest()
    assert (np.isfinite(touch.times) == np.isfinite(rays.distances)).mean() > 0.98
    both = np.isfinite(touch.times) & np.isfinite(rays.distances)
    # Rounding decides about those that graze a box.
    assert np.isclose(touch.distances[both], rays.distances[both], atol=1e-2).mean() > 0.97
    with pytest.raises(ValueError, match="inside"):
        view.cast(balls, inside="skip")  # type: ignore[call-overload]


@pytest.mark.parametrize("threads", [1, 2])
def test_nearest(rng: np.random.Generator, threads: int) -> None:
    tree, ids, boxes = world(rng)
    places = random_boxes(rng, 300, 25, 2)
    for given, wanted in ((places, gap(places, boxes)), (places[:, :3], gap(np.hstack([places[:, :3]] * 2), boxes))):
        view = tree.view()
        near = view.nearest(given, threads=threads).k(7)
        assert near.ids.shape == near.distances.shape == (300, 7) and near.positions.shape == (300, 7, 3)
        assert np.allclose(near.distances, np.sort(wanted, axis=1)[:, :7], atol=1e-5)
        closest = view.nearest(given, threads=threads).closest()
        assert np.array_equal(closest.ids, near.ids[:, 0])
        bound = 2.0
        count = (wanted <= bound).sum(axis=1)
        for lists in (view.nearest(given, within=bound).all(), view.nearest(given, within=bound).in_order()):
            assert np.diff(lists.offsets).tolist() == count.tolist()
        assert view.nearest(given, within=bound, threads=threads).count().tolist() == count.tolist()
        bounded = view.nearest(given, within=bound).k(50)
        assert (bounded.ids != 0).sum(axis=1).tolist() == np.minimum(count, 50).tolist()
        assert np.isinf(bounded.distances[bounded.ids == 0]).all()
        masked = view.nearest(given, accept=np.arange(400) % 2 == 0).k(3)
        assert np.allclose(masked.distances, np.sort(wanted[:, ::2], axis=1)[:, :3], atol=1e-5)
    themselves = tree.view().nearest(boxes, exclude=ids).closest()
    assert not (themselves.ids == ids).any()


def test_one_row_and_no_rows(rng: np.random.Generator) -> None:
    tree, ids, boxes = world(rng, 20)
    view = tree.view()
    assert view.overlap(boxes[0]).count()[0] >= 1
    assert view.nearest([1, 2, 3]).closest().ids.shape == (1,)
    assert view.overlap(np.zeros((0, 6))).all().offsets.tolist() == [0]
    assert view.cast(Rays(np.zeros((0, 3)), np.zeros((0, 3)))).closest().ids.shape == (0,)
    assert view.nearest(np.zeros((0, 3))).k(4).distances.shape == (0, 4)
    empty = Octree()
    assert empty.insert([]).shape == (0,) and empty.insert(np.zeros((0, 4))).shape == (0,)
    assert empty.view().pairs().shape == (0, 2)
    assert empty.view().nearest([[0, 0, 0]]).closest().ids.tolist() == [0]


def test_regression_a_list_of_two_is_two_rows() -> None:
    """Two points in a list were taken for the corners of one box."""
    tree = Octree()
    ids = tree.insert([[0, 0, 0, 1, 1, 1], [4, 0, 0, 5, 1, 1], [9, 0, 0, 10, 1, 1]])
    view, (p, q) = tree.view(), np.array([[0.5, 0.5, 0.5], [9.5, 0.5, 0.5]], np.float32)
    lists: list[Any] = [[p, q], [p.astype(float), q], [p.tolist(), q], [tuple(p), tuple(q)], np.stack([p, q])]
    for points in lists:
        assert view.overlap(points).count().tolist() == [1, 1]
        assert view.nearest(points).closest().ids.tolist() == ids[[0, 2]].tolist()
    first, last = np.hstack([p, p + 1]), np.hstack([q, q + 1])
    balls = [np.append(p, p[0]), np.append(q, p[0])]
    for rows in ([first, last], [first.reshape(2, 3), last.reshape(2, 3)], balls):
        assert view.overlap(rows).count().tolist() == [1, 1]
        assert len(Octree().insert(rows)) == 2
    assert view.nearest([first, last]).closest().ids.tolist() == ids[[0, 2]].tolist()
    # A tuple is the lower and the upper corners, of one box if they have one dimension.
    assert view.overlap((p, q)).count().tolist() == view.overlap((p[None], q[None])).count().tolist() == [3]
    assert len(view.nearest((p, q))) == len(Octree().insert((p, q))) == 1
    with pytest.raises(broadleaf.InputError, match="corners are a tuple"):
        view.overlap([np.zeros((5, 3)), np.ones((5, 3))])
    for shape in ((2, 1, 3), (4, 3, 2), (4, 2, 2), (4, 1, 6)):
        with pytest.raises(broadleaf.InputError, match="the shape must be"):
            view.overlap(np.zeros(shape))


def test_regression_capsules_of_64_bit_radii_are_enlarged() -> None:
    """A radius of 64 bits was rounded to nearest where the ends had 32, and could miss a touch."""
    tree = Octree()
    tree.insert([[1, 1, 0.5, 0]])
    start, end = np.array([[[0, 0, 0]], [[0, 0, 1]]], np.float32)
    root = np.sqrt(2.0)
    assert np.float32(root) < root
    assert tree.view().overlap(Capsules(start, end, np.float32(root))).count().tolist() == [0]
    radii: list[Any] = [root, float(root), [root], np.array([root])]
    for radius in radii:
        assert tree.view().overlap(Capsules(start, end, radius)).count().tolist() == [1]


def test_regression_id_0_excludes_none(rng: np.random.Generator) -> None:
    """One question of many could not leave out no object: id 0 was refused."""
    tree, ids, boxes = world(rng, 100)
    view, exclude = tree.view(), ids.copy()
    exclude[::2] = 0
    touched = overlap_matrix(boxes, boxes)
    wanted = touched & ~np.diag(exclude != 0)
    assert slot_rows(view.overlap(boxes, exclude=exclude).all()) == true_rows(wanted)
    assert slot_rows(view.overlap(boxes, exclude=0).all()) == true_rows(touched)
    near = view.nearest(boxes, exclude=exclude).closest()
    assert not near.distances[::2].any() and not (near.ids == exclude).any()
    with pytest.raises(broadleaf.StaleIdError) as refused:
        view.overlap(boxes[:2], exclude=[0, 2])
    assert (refused.value.argument, refused.value.row, refused.value.id) == ("exclude", 1, 2)


def test_bounds_and_masks_that_leave_out_everything(rng: np.random.Generator) -> None:
    tree, ids, boxes = world(rng, 50)
    rays = Rays(boxes[:, :3], boxes[:, 3:] + 1)
    for bound in (-1.0, np.nan):
        assert not tree.view().nearest(boxes, within=bound).count().any()
        assert not tree.view().cast(rays, within=bound).closest().ids.any()
    mask = np.ones(len(ids), bool)
    late = tree.insert(boxes[:1])
    assert late[0] not in tree.view().overlap(boxes, accept=mask).all().values


def test_work_is_counted(rng: np.random.Generator) -> None:
    tree, ids, boxes = world(rng)
    view = tree.view()
    for threads in (1, 2):
        stats = broadleaf.QueryStats()
        found = view.overlap(boxes, threads=threads, stats=stats).all()
        assert stats.hits == len(found.values) and stats.objects_tested > 0
        before = stats.objects_tested
        view.overlap(boxes, threads=threads, stats=stats, accept=np.ones(400, bool)).all()
        assert stats.objects_tested == 2 * before
        pairs = broadleaf.QueryStats()
        assert len(view.pairs(stats=pairs, threads=threads)) == pairs.hits
    for question in (view.cast(Rays(boxes[:, :3], boxes[:, 3:] + 1), stats=stats), view.nearest(boxes, stats=stats)):
        before = stats.objects_tested
        question.closest()
        assert stats.objects_tested > before
    assert "objects_tested" in repr(stats)
