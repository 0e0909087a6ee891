"""What is measured: for each operation the same question to each subject."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import broadleaf
import numpy as np
import rtree.index
from broadleaf import Mesh, Octree, Rays
from scenes import (
    QUESTIONS,
    Array,
    boxes_of,
    canonical_lists,
    canonical_pairs,
    mesh_of,
    places_in,
    points_of,
    rays_at,
)
from scipy.spatial import cKDTree


@dataclass
class Case:
    """A subject: what is timed, what comes before, and its answer in a form to compare."""

    run: Callable[[Any], Any]
    canonical: Callable[[Any], Any] = field(default=lambda answer: None)
    prepare: Callable[[], Any] = field(default=lambda: None)
    once: bool = False


Subjects = list[tuple[str, Case]]


def cases(count: int, threads: int) -> Iterator[tuple[str, Subjects]]:
    yield from of_boxes(count, threads)
    yield from of_points(count, threads)
    yield from of_meshes(count, threads)


def slot_pairs(pairs: Array) -> Array:
    return canonical_pairs(broadleaf.slots(pairs.ravel()))


def slot_lists(lists: Any) -> Array:
    return canonical_lists(np.diff(lists.offsets), broadleaf.slots(lists.values))


def build(boxes: Array, threads: int) -> Octree:
    tree = Octree()
    tree.insert(boxes, threads=threads)
    tree.view(threads=threads)
    return tree


def build_rtree(boxes: Array) -> rtree.index.Index:
    properties = rtree.index.Property(dimension=3)
    rows = boxes.astype(float)
    # Arrays are taken as a stream in bulk.
    return rtree.index.Index((np.arange(len(boxes)), rows[:, :3], rows[:, 3:]), properties=properties)


def rtree_lists(index: rtree.index.Index, regions: Array) -> tuple[Array, Array]:
    ids, counts = index.intersection_v(regions[:, :3].astype(float), regions[:, 3:].astype(float))
    return counts, ids


def rtree_pairs(index: rtree.index.Index, boxes: Array) -> Array:
    counts, ids = rtree_lists(index, boxes)
    pairs = np.column_stack([np.repeat(np.arange(len(boxes)), counts.astype(int)), ids])
    return pairs[pairs[:, 0] < pairs[:, 1]]


def kd_tree(boxes: Array) -> Any:
    return cKDTree((boxes[:, :3] + boxes[:, 3:]) / 2)


def kd_pairs(tree: Any, boxes: Array) -> Array:
    """Candidates by the distance of centres, then the boxes themselves."""
    reach = float((boxes[:, 3:] - boxes[:, :3]).max()) * 1.0001
    pairs = tree.query_pairs(reach, p=np.inf, output_type="ndarray")
    a, b = boxes[pairs[:, 0]], boxes[pairs[:, 1]]
    found: Array = pairs[np.all((a[:, :3] <= b[:, 3:]) & (b[:, :3] <= a[:, 3:]), axis=1)]
    return found


def build_coal(boxes: Array) -> tuple[Any, list[Any]]:
    import coal

    manager, objects = coal.DynamicAABBTreeCollisionManager(), []
    for row, box in enumerate(boxes.astype(float)):
        place = coal.Transform3s()
        place.setTranslation((box[:3] + box[3:]) / 2)
        thing = coal.CollisionObject(coal.Box(*(box[3:] - box[:3]).tolist()), place)
        objects.append(thing)
        manager.registerObject(thing)
    manager.setup()
    return manager, objects


def coal_pairs(manager: Any, room: int) -> int:
    import coal

    found = coal.CollisionCallBackCollect(room)
    manager.collide(found)
    return int(found.numCollisionPairs())


def move_coal(state: tuple[Any, list[Any]], moved: Array) -> int:
    manager, objects = state
    centers = (moved[:, :3].astype(float) + moved[:, 3:]) / 2
    for thing, center in zip(objects, centers, strict=True):
        thing.setTranslation(center)
        thing.computeAABB()
    manager.update()
    return coal_pairs(manager, 4 * len(objects))


def build_fcl(boxes: Array) -> tuple[Any, list[Any]]:
    import fcl

    rows = boxes.astype(float)
    objects = [
        fcl.CollisionObject(fcl.Box(*(box[3:] - box[:3]).tolist()), fcl.Transform(((box[:3] + box[3:]) / 2).tolist()))
        for box in rows
    ]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()
    return manager, objects


def fcl_pairs(manager: Any) -> int:
    found = itertools.count()

    def note(a: Any, b: Any, data: Any) -> bool:
        next(found)
        return False

    manager.collide(None, note)
    return next(found)


def installed(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def of_boxes(count: int, threads: int) -> Iterator[tuple[str, Subjects]]:
    boxes = boxes_of(count)
    moved = boxes + np.float32(0.05)
    tree = build(boxes, threads)
    ids = tree.ids()
    few = count <= 100_000

    subjects = [("broadleaf", Case(lambda _: build(boxes, threads)))]
    subjects.append(("scipy cKDTree, of centres", Case(lambda _: kd_tree(boxes))))
    if few:
        subjects.append(("rtree, bulk", Case(lambda _: build_rtree(boxes), once=True)))
    if few and installed("coal"):
        subjects.append(("coal", Case(lambda _: build_coal(boxes), once=True)))
    if few and installed("fcl"):
        subjects.append(("python-fcl", Case(lambda _: build_fcl(boxes), once=True)))
    yield "build of boxes", subjects

    def frame(box_rows: Array) -> Array:
        tree.update(ids, box_rows)
        return tree.view(threads=threads).pairs(threads=threads)

    def back() -> None:
        tree.update(ids, boxes)
        tree.view()

    subjects = [("broadleaf", Case(lambda _: frame(moved), slot_pairs, back))]
    subjects.append(("scipy cKDTree, built anew", Case(lambda _: kd_pairs(kd_tree(moved), moved), canonical_pairs, once=count > 100_000)))
    if few:
        subjects.append(("rtree, built anew", Case(lambda _: rtree_pairs(build_rtree(moved), moved), canonical_pairs, once=True)))
    yield "frame: all move, all pairs", subjects

    def view_of() -> broadleaf.View:
        return tree.view(threads=threads)

    kd = kd_tree(boxes)
    back()
    subjects = [("broadleaf", Case(lambda view: view.pairs(threads=threads), slot_pairs, view_of))]
    subjects.append(("scipy cKDTree", Case(lambda _: kd_pairs(kd, boxes), canonical_pairs, once=count > 100_000)))
    index = build_rtree(boxes) if few else None
    if index is not None:
        subjects.append(("rtree", Case(lambda _: rtree_pairs(index, boxes), canonical_pairs, once=True)))
    yield "all pairs", subjects

    subjects = [("broadleaf", Case(lambda view: len(view.pairs(threads=threads)), lambda found: found, view_of))]
    if few and installed("coal"):
        coal_state = build_coal(boxes)
        subjects.append(("coal, collected", Case(lambda _: coal_pairs(coal_state[0], 4 * count), lambda found: found, once=True)))
    if few and installed("fcl"):
        fcl_state = build_fcl(boxes)
        subjects.append(("python-fcl, callback", Case(lambda _: fcl_pairs(fcl_state[0]), lambda found: found, once=True)))
    if len(subjects) > 1:
        yield "all pairs, counted", subjects
    if few and installed("coal"):
        subjects = [("broadleaf", Case(lambda _: len(frame(moved)), lambda found: found, back))]
        subjects.append(("coal", Case(lambda _: move_coal(coal_state, moved), lambda found: found, once=True)))
        yield "frame, counted", subjects
        back()

    regions = boxes[np.random.default_rng(5).permutation(count)[:QUESTIONS]] + np.float32(0.5)
    subjects = [("broadleaf", Case(lambda view: view.overlap(regions, threads=threads).all(), slot_lists, view_of))]
    if index is not None:
        found = index
        subjects.append(("rtree", Case(lambda _: rtree_lists(found, regions), lambda lists: canonical_lists(*lists))))
    if len(subjects) > 1:
        yield "10,000 box queries", subjects


def of_points(count: int, threads: int) -> Iterator[tuple[str, Subjects]]:
    points = points_of(count)
    places = places_in(points)
    radius = 0.6

    def build_points() -> broadleaf.View:
        tree = Octree()
        tree.insert((points, points), threads=threads)
        return tree.view(threads=threads)

    yield "build of points", [
        ("broadleaf", Case(lambda _: build_points())),
        ("scipy cKDTree", Case(lambda _: cKDTree(points))),
    ]
    view, kd = build_points(), cKDTree(points)
    workers = threads or -1
    yield "10,000 x 10 nearest", [
        ("broadleaf", Case(lambda _: view.nearest(places, threads=threads).k(10), lambda near: near.distances)),
        ("scipy cKDTree", Case(lambda _: kd.query(places, 10, workers=workers), lambda near: near[0].astype(np.float32))),
    ]

    def balls() -> Array:
        return np.column_stack([places, np.full(len(places), radius, np.float32)])

    def kd_balls() -> Any:
        lists = kd.query_ball_point(places, radius, workers=workers)
        return np.fromiter(map(len, lists), np.int64), np.concatenate([np.array(rows, np.int64) for rows in lists])

    def close(lists: tuple[Array, Array]) -> Array:
        # The bound is rounded otherwise in 32 bits: numbers of answers, to within one.
        return np.asarray(lists[0], float)

    yield "10,000 points in a radius", [
        ("broadleaf", Case(lambda _: view.overlap(balls(), threads=threads).all(), lambda lists: close((np.diff(lists.offsets), lists.values)))),
        ("scipy cKDTree", Case(lambda _: kd_balls(), close)),
    ]


def of_meshes(count: int, threads: int) -> Iterator[tuple[str, Subjects]]:
    shape = mesh_of(count)
    rays = 1_000_000
    origins, directions = rays_at(rays)
    subjects = [("broadleaf", Case(lambda _: Mesh.from_trimesh(shape, threads=threads)))]
    if installed("embreex"):
        subjects.append(("embreex", Case(lambda _: build_embree(shape))))
    if count <= 100_000:
        subjects.append(("trimesh, rtree of triangles", Case(lambda _: build_trimesh(shape), once=True)))
    yield "build of a mesh", subjects

    mesh = Mesh.from_trimesh(shape)

    def ours(_: Any) -> Any:
        return mesh.cast(Rays(origins, directions), threads=threads).closest()

    def distances(hits: Any) -> Array:
        found: Array = np.where(np.isfinite(hits.distances), hits.distances, -1)
        return found

    if installed("embreex"):
        scene = build_embree(shape)
        lengths = np.linalg.norm(directions, axis=1).astype(np.float32)

        def embree_distances(found: Any) -> Array:
            reached = found["tfar"] * lengths
            told: Array = np.where(found["primID"] >= 0, reached, -1).astype(np.float32)
            return told

        subjects = [
            ("broadleaf", Case(ours, distances)),
            ("embreex", Case(lambda _: scene.run(origins, directions, output=True), embree_distances)),
        ]
        yield "a million rays", subjects
    if count <= 100_000:
        some = slice(0, 1000)
        intersector = build_trimesh(shape)

        def trimesh_hits(_: Any) -> Array:
            found = np.full(1000, -1.0)
            places, rows, _ = intersector.intersects_location(origins[some], directions[some], multiple_hits=False)
            found[rows] = np.linalg.norm(places - origins[some][rows], axis=1)
            return found.astype(np.float32)

        yield "a thousand rays", [
            ("broadleaf", Case(lambda _: mesh.cast(Rays(origins[some], directions[some]), threads=threads).closest(), distances)),
            ("trimesh ray_triangle", Case(trimesh_hits, lambda found: found, once=True)),
        ]


def build_embree(shape: Any) -> Any:
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    TriangleMesh(scene, shape.vertices.astype(np.float32), shape.faces.astype(np.int32))
    # The first ray has the tree built.
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
    return scene


def build_trimesh(shape: Any) -> Any:
    import trimesh

    intersector = trimesh.ray.ray_triangle.RayMeshIntersector(trimesh.Trimesh(shape.vertices, shape.faces, process=False))
    intersector.intersects_any([[5, 5, 5]], [[0, 0, 1]])
    return intersector
