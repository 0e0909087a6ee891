"""Meshes, against brute force in numpy, and against trimesh."""

import pickle
from typing import Any, Literal

import broadleaf
import numpy as np
import pytest
import trimesh
from broadleaf import Capsules, Frusta, Mesh, Obbs, Octree, Placements, Rays, Sweeps
from scipy.spatial.transform import Rotation


def soup(rng: np.random.Generator, count: int = 300) -> Any:
    corner = rng.random((count, 1, 3)) * 10
    return (corner + rng.normal(size=(count, 3, 3))).astype(np.float32)


def ray_hits(origins: Any, directions: Any, triangles: Any) -> Any:
    """Moeller and Trumbore in 64 bits: distances (q, t), inf for no hit, and how clear each decision is."""
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    a, b, c = np.moveaxis(triangles.astype(float), 1, 0)
    edge1, edge2 = b - a, c - a
    cross = np.cross(unit[:, None], edge2[None])
    det = (cross * edge1).sum(axis=-1)
    start = origins[:, None].astype(float) - a[None]
    u = (start * cross).sum(axis=-1) / det
    second = np.cross(start, edge1[None])
    v = (second * unit[:, None]).sum(axis=-1) / det
    t = (second * edge2[None]).sum(axis=-1) / det
    margin = np.minimum.reduce([u, v, 1 - u - v, t])
    return np.where(margin >= 0, t, np.inf), np.abs(margin)


@pytest.mark.parametrize("quality", ["fast", "high"])
def test_rays_against_brute_force(rng: np.random.Generator, quality: Literal["fast", "high"]) -> None:
    triangles = soup(rng)
    mesh = Mesh.from_triangles(triangles, quality=quality)
    mesh.validate()
    origins, directions = rng.random((500, 3)) * 14 - 2, rng.normal(size=(500, 3))
    origins, directions = origins.astype(np.float32), directions.astype(np.float32)
    wanted, margin = ray_hits(origins, directions.astype(float), triangles)
    clear = margin.min(axis=1) > 1e-5
    assert clear.mean() > 0.9
    rays = Rays(origins, directions)
    for threads in (1, 2):
        hits = mesh.cast(rays, threads=threads).closest()
        assert np.array_equal((hits.triangles >= 0)[clear], np.isfinite(wanted.min(axis=1))[clear])
        hit = clear & (hits.triangles >= 0)
        assert hit.sum() > 100
        assert np.array_equal(hits.triangles[hit], wanted[hit].argmin(axis=1))
        assert np.allclose(hits.distances[hit], wanted[hit].min(axis=1), rtol=1e-5)
        counts = mesh.cast(rays, threads=threads).count()
        assert np.array_equal(counts[clear], np.isfinite(wanted).sum(axis=1)[clear])
        lists = mesh.cast(rays, threads=threads).all()
        assert np.array_equal(np.diff(lists.offsets), counts)
    with pytest.raises(ValueError, match="quality"):
        Mesh.from_triangles(triangles, quality="best")  # type: ignore[arg-type]
    of = triangles[hits.triangles[hit]]
    assert np.allclose((of * hits.barycentrics[hit][..., None]).sum(axis=1), hits.positions[hit], atol=1e-4)
    normals = np.cross(of[:, 1] - of[:, 0], of[:, 2] - of[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    assert np.allclose(normals, hits.normals[hit], atol=1e-4)
    front = (normals * directions[hit]).sum(axis=1) < 0
    assert np.array_equal(front, hits.front[hit])
    assert np.array_equal((mesh.cast(rays).any().triangles >= 0), hits.triangles >= 0)
    near = mesh.cast(rays, within=3.0).closest()
    assert np.array_equal((near.triangles >= 0)[clear], (wanted.min(axis=1) <= 3)[clear])
    only_front = mesh.cast(rays, culling="back").all()
    assert only_front.values.front.all()
    assert np.array_equal(np.diff(only_front.offsets) + mesh.cast(rays, culling="front").count(), counts)


def test_regions_against_brute_force(rng: np.random.Generator) -> None:
    """Triangles are so small that they are points to within a bound."""
    points = (rng.random((600, 3)) * 10).astype(np.float32)
    triangles = points[:, None] + (rng.normal(size=(600, 3, 3)) * 1e-4).astype(np.float32)
    mesh = Mesh.from_triangles(triangles)
    low = rng.random((100, 3)) * 8
    boxes = np.hstack([low, low + rng.random((100, 3)) * 4])
    deep = np.minimum(points[None] - boxes[:, None, :3], boxes[:, None, 3:] - points[None]).min(axis=-1)
    centers, radii = rng.random((100, 3)) * 10, rng.random(100) * 3
    balls = radii[:, None] - np.linalg.norm(points[None] - centers[:, None], axis=-1)
    turn = np.tile([0, 0, 0, 1.0], (100, 1))
    cases: list[tuple[Any, Any]] = [
        (boxes, deep),
        ((boxes[:, :3], boxes[:, 3:]), deep),
        (np.column_stack([centers, radii]), balls),
        (Obbs((boxes[:, :3] + boxes[:, 3:]) / 2, (boxes[:, 3:] - boxes[:, :3]) / 2, turn), deep),
        (Capsules(centers, centers, radii), balls),
    ]
    planes = np.zeros((100, 6, 4))
    for axis in range(3):
        planes[:, 2 * axis, axis], planes[:, 2 * axis, 3] = 1, -boxes[:, axis]
        planes[:, 2 * axis + 1, axis], planes[:, 2 * axis + 1, 3] = -1, boxes[:, 3 + axis]
    cases.append((Frusta.from_planes(planes), deep))
    for regions, depth in cases:
        sure, maybe = depth > 1e-3, depth > -1e-3
        for threads in (1, 2):
            question = mesh.overlap(regions, threads=threads)
            found = question.all()
            matrix = np.zeros((100, 600), bool)
            matrix[np.repeat(np.arange(100), np.diff(found.offsets)), found.values] = True
            assert np.all(sure <= matrix) and np.all(matrix <= maybe) and sure.sum() > 300
            assert question.count().tolist() == matrix.sum(axis=1).tolist()
            contained = question.containment()
            assert np.array_equal(np.sort(contained.values.found), np.sort(found.values))
            rows = np.repeat(np.arange(100), np.diff(contained.offsets))
            assert contained.values.inside[sure[rows, contained.values.found]].all()
        some = question.any()
        assert np.array_equal(some >= 0, matrix.any(axis=1))


def test_nearest_and_inside_against_trimesh(rng: np.random.Generator) -> None:
    ball = trimesh.creation.icosphere(subdivisions=3, radius=2.0)
    mesh = Mesh.from_trimesh(ball)
    assert len(mesh) == len(ball.faces) and mesh.degenerate_count == 0 and mesh.memory() > 0
    points = rng.random((400, 3)) * 6 - 3
    wanted, distance, _ = trimesh.proximity.closest_point(ball, points)
    for threads in (1, 2):
        near = mesh.nearest(points, threads=threads).closest()
        assert np.allclose(near.distances, distance, atol=1e-5) and np.allclose(near.positions, wanted, atol=1e-4)
        inside = mesh.nearest(points, threads=threads).is_inside()
        assert np.array_equal(inside, ball.contains(points))
    assert 20 < inside.sum() < 200
    bounded = mesh.nearest(points, within=0.5).closest()
    assert np.array_equal(bounded.triangles >= 0, distance <= 0.5)


def test_rays_against_trimesh(rng: np.random.Generator) -> None:
    torus = trimesh.creation.torus(3, 1)
    torus.unmerge_vertices()
    mesh = Mesh(torus.vertices, torus.faces)
    origins = rng.normal(size=(300, 3)) * 5
    directions = rng.normal(size=(300, 3)) * 2 - origins
    locations, rows, triangles = trimesh.ray.ray_triangle.RayMeshIntersector(torus).intersects_location(
        origins, directions, multiple_hits=False
    )
    hits = mesh.cast(Rays(origins, directions)).closest()
    hit = np.zeros(300, bool)
    hit[rows] = True
    assert np.array_equal(hits.triangles >= 0, hit) and hit.sum() > 100
    assert np.allclose(hits.positions[rows], locations, atol=1e-4)
    assert (hits.triangles[rows] == triangles).mean() > 0.98


def test_sweeps(rng: np.random.Generator) -> None:
    """A ball falls onto a floor of two triangles; a box as well."""
    floor = Mesh([[-50, -50, 0], [50, -50, 0], [50, 50, 0], [-50, 50, 0]], [[0, 1, 2], [0, 2, 3]])
    centers = rng.random((50, 3)) * 20 + [-10, -10, 5]
    balls = floor.cast(Sweeps(np.column_stack([centers, np.ones(50)]), np.tile([0, 0, -100.0], (50, 1)))).closest()
    assert np.allclose(balls.distances, centers[:, 2] - 1, atol=1e-4)
    assert np.allclose(balls.normals, [0, 0, 1], atol=1e-5) and np.allclose(balls.centers[:, 2], 1, atol=1e-4)
    assert np.allclose(balls.contacts[:, 2], 0, atol=1e-4)
    boxes = floor.cast(Sweeps((centers - 2, centers + 2), np.tile([0, 0, -100.0], (50, 1))))
    assert np.allclose(boxes.closest().times, (centers[:, 2] - 2) / 100, atol=1e-5)
    assert boxes.count().min() >= 1 and np.diff(boxes.all().offsets).tolist() == boxes.count().tolist()
    assert (boxes.any().triangles >= 0).all()
    assert not np.isfinite(floor.cast(Sweeps((centers - 2, centers + 2), np.tile([0, 0, -1.0], (50, 1)))).closest().times).any()


def test_what_a_mesh_tells_of_itself(rng: np.random.Generator) -> None:
    triangles = soup(rng)
    triangles[7] = triangles[7, 0]
    mesh = Mesh.from_triangles(triangles, threads=2)
    assert len(mesh) == 300 and mesh.degenerate_count == 1
    assert np.array_equal(mesh.triangles(), triangles)
    leaves = mesh.leaves()
    assert leaves.triangles.sum() == 299 and leaves.triangles.max() <= 8 and leaves.bounds.shape[1] == 6
    bounds = mesh.bounds()
    others = np.delete(triangles, 7, axis=0)
    assert bounds is not None
    assert np.array_equal(bounds, np.concatenate([others.min(axis=(0, 1)), others.max(axis=(0, 1))]))
    again = pickle.loads(pickle.dumps(mesh))
    assert np.array_equal(again.triangles(), triangles)
    stats = broadleaf.QueryStats()
    mesh.cast(Rays([[5, 5, -5]], [[0, 0, 1]]), stats=stats).closest()
    assert stats.objects_tested > 0
    assert Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)).bounds() is None


@pytest.mark.parametrize("threads", [1, 2])
def test_placed_meshes(rng: np.random.Generator, threads: int) -> None:
    """Copies of two meshes among objects answer as one mesh of all their triangles."""
    shapes = [trimesh.creation.icosphere(subdivisions=1), trimesh.creation.box((1, 2, 3))]
    meshes = [Mesh.from_trimesh(shape) for shape in shapes]
    count = 40
    which = rng.integers(0, 2, count)
    turns, scales = Rotation.random(count, rng), rng.random(count) + 0.5
    moves = rng.random((count, 3)) * 15
    placements = Placements(meshes, moves, turns.as_quat(), scales, which)
    tree = Octree()
    other = tree.insert([[-50, -50, -50, 50, 50, 50]])
    ids = tree.insert(placements.boxes())
    soup: list[Any] = []
    owner: list[int] = []
    local: list[int] = []
    for copy in range(count):
        shape = shapes[which[copy]]
        soup.append(turns[copy].apply(shape.vertices * scales[copy])[shape.faces] + moves[copy])
        owner += [copy] * len(shape.faces)
        local += range(len(shape.faces))
    whole, owners, locals_ = Mesh.from_triangles(np.concatenate(soup)), np.array(owner), np.array(local)
    view = tree.view()

    origins, directions = rng.random((300, 3)) * 20 - 2, rng.normal(size=(300, 3))
    rays = Rays(origins, directions)
    wanted = whole.cast(rays).closest()
    placed = view.cast(rays, threads=threads).meshes(placements, ids)
    hit = wanted.triangles >= 0
    assert np.array_equal(placed.ids != 0, hit) and hit.sum() > 50 and other[0] not in placed.ids
    assert np.array_equal(placed.ids[hit], ids[owners[wanted.triangles[hit]]])
    assert (placed.answers.triangles[hit] == locals_[wanted.triangles[hit]]).mean() > 0.97
    assert np.allclose(placed.answers.distances[hit], wanted.distances[hit], rtol=1e-4, atol=1e-4)
    lists = view.cast(rays, threads=threads).meshes(placements, ids, all=True)
    difference = np.abs(np.diff(lists.offsets) - whole.cast(rays).count())
    assert difference.max() <= 2 and (difference > 0).mean() < 0.03
    front = view.cast(rays).meshes(placements, ids, all=True, culling="back")
    assert front.values.answers.front.all()

    points = rng.random((200, 3)) * 20 - 2
    near = view.nearest(points, threads=threads).meshes(placements, ids)
    assert np.allclose(near.answers.distances, whole.nearest(points).closest().distances, atol=1e-4)
    balls = np.column_stack([points, np.full(200, 1.0)])
    found = view.overlap(balls, threads=threads).meshes(placements, ids)
    difference = np.abs(np.diff(found.offsets) - whole.overlap(balls).count())
    assert difference.max() <= 2 and (difference > 0).mean() < 0.1 and len(found.values.ids) > 100
    motions = rng.normal(size=(200, 3)) * 5
    small = np.column_stack([points, np.full(200, 0.1)])
    touches = view.cast(Sweeps(small, motions), threads=threads).meshes(placements, ids)
    assert np.allclose(touches.answers.times, whole.cast(Sweeps(small, motions)).closest().times, atol=1e-4)
    with pytest.raises(ValueError, match="ids"):
        view.cast(rays).meshes(placements, ids[:3])
    with pytest.raises(ValueError, match="regions"):
        view.overlap(broadleaf.ConvexRegions([[0, 0, 1, 0]])).meshes(placements, ids)
    dots = view.overlap(points.astype(np.float32)).meshes(placements, ids)
    assert len(dots.offsets) == 201
