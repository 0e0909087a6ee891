"""Against scipy and rtree, as far as they answer the same question. (trimesh: test_meshes.)"""

import broadleaf
import numpy as np
import rtree.index
from broadleaf import Octree
from oracle import pair_set, random_boxes
from scipy.spatial import cKDTree


def test_pairs_of_points_within_a_radius(rng: np.random.Generator) -> None:
    """Spheres of half the radius about the points are pairs where cKDTree has them."""
    points = rng.random((5000, 3)) * 20
    radius = 0.5
    tree = Octree()
    tree.insert(np.column_stack([points, np.full(5000, radius / 2)]))
    pairs = broadleaf.slots(tree.view().pairs().ravel()).reshape(-1, 2)
    wanted = cKDTree(points).query_pairs(radius, output_type="ndarray")
    distances = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    # Those of 64 bits are rounded outward: none is missed, and none is farther than that.
    assert pair_set(wanted) <= pair_set(pairs) and distances.max() < radius * (1 + 1e-5)
    assert len(wanted) > 500


def test_neighbours(rng: np.random.Generator) -> None:
    points, places = rng.random((5000, 3)) * 20, rng.random((800, 3)) * 20
    tree = Octree()
    ids = tree.insert((points, points))
    near = tree.view().nearest(places).k(8)
    distances, rows = cKDTree(points).query(places, 8)
    assert np.allclose(near.distances, distances, atol=1e-5)
    assert (near.ids == ids[rows]).mean() > 0.999
    counts = tree.view().nearest(places, within=1.5).count()
    wanted = cKDTree(points).query_ball_point(places, 1.5, return_length=True)
    assert np.abs(counts - wanted).max() <= 1 and (counts != wanted).mean() < 0.01


def test_box_queries(rng: np.random.Generator) -> None:
    boxes, regions = random_boxes(rng, 3000, 30, 2), random_boxes(rng, 300, 30, 3)
    index = rtree.index.Index(
        ((row, tuple(box), None) for row, box in enumerate(boxes.tolist())),
        properties=rtree.index.Property(dimension=3),
    )
    tree = Octree()
    tree.insert(boxes)
    found = tree.view().overlap(regions).all()
    wanted, counts = index.intersection_v(regions[:, :3].astype(float), regions[:, 3:].astype(float))
    assert np.array_equal(np.diff(found.offsets), counts.astype(int))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(int)
    slots = broadleaf.slots(found.values)
    for question in range(300):
        mine = slots[found.offsets[question] : found.offsets[question + 1]]
        assert sorted(mine) == sorted(wanted[starts[question] : starts[question + 1]])
