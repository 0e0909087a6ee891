"""What questions answer: named tuples of arrays, one row an answer.

Ids are uint64, 0 for none; triangles are int64 rows of the mesh's input, -1 for none;
distances float32 in world units, infinite for none; positions and normals float32 of
three columns, NaN for none. Shapes are given with q for the number of questions, m for
that of all answers. Where a question has one answer, or k, rows are (q,) or (q, k).
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]
IdArray: TypeAlias = npt.NDArray[np.uint64]
Ints: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint32]

T = TypeVar("T")


class Lists(NamedTuple, Generic[T]):
    """Many answers to each of q questions (compressed sparse rows).

    Attributes:
        offsets: int64 (q + 1,). The answers to question i are the rows
            ``offsets[i]:offsets[i + 1]`` of the values; ``np.diff(offsets)`` counts them.
        values: the answers to all questions, in the order of the questions: an array of
            m ids or triangles, or a named tuple of columns of m rows.
    """

    offsets: Ints
    values: T


class Contained(NamedTuple, Generic[T]):
    """Objects, or triangles, and how they lie to a region.

    Attributes:
        found: ids uint64 (m,), or triangles int64 (m,).
        inside: bool (m,), True for what certainly lies wholly inside.
    """

    found: T
    inside: Bools


class Visible(NamedTuple):
    """Objects as an eye sees them.

    Attributes:
        ids: uint64 (m,).
        inside: bool (m,), True for what certainly lies wholly inside the region.
        distances: float32 (m,), from the eye to the surface, 0 from inside.
    """

    ids: IdArray
    inside: Bools
    distances: Floats


class RayHits(NamedTuple):
    """Where rays hit objects.

    Attributes:
        ids: uint64 (q,) or (m,), 0 where there is no hit.
        distances: float32 (q,), from the origin, 0 if the ray starts inside, inf for no hit.
        positions: float32 (q, 3), the points hit, NaN for no hit.
        normals: float32 (q, 3), outward, 0 if the ray starts inside, NaN for no hit.
    """

    ids: IdArray
    distances: Floats
    positions: Floats
    normals: Floats


class SweepHits(NamedTuple):
    """Where moving shapes first touch objects.

    Attributes:
        ids: uint64 (q,) or (m,), 0 where there is no touch.
        times: float32 (q,), from 0 to 1, 0 if they overlap at the start, inf for none.
        distances: float32 (q,), how far the shape has moved by then, inf for none.
        positions: float32 (q, 3), a point of the object that is touched, NaN for none.
        normals: float32 (q, 3), of the object there, 0 if they overlap at the start.
    """

    ids: IdArray
    times: Floats
    distances: Floats
    positions: Floats
    normals: Floats


class Neighbors(NamedTuple):
    """Objects near to places.

    Attributes:
        ids: uint64 (q,), (q, k) or (m,), 0 where there is none.
        distances: float32, to the surface, 0 inside, inf where there is none.
        positions: float32 of three columns, the nearest point of the object.
        normals: float32 of three columns, from the object to the place, 0 inside.
    """

    ids: IdArray
    distances: Floats
    positions: Floats
    normals: Floats


class MeshHits(NamedTuple):
    """Where rays hit triangles.

    Attributes:
        triangles: int64 (q,) or (m,), rows of the mesh's input, -1 for no hit.
        distances: float32 (q,), from the origin, inf for no hit.
        positions: float32 (q, 3), on the triangle, NaN for no hit.
        normals: float32 (q, 3), towards the front side of the triangle.
        barycentrics: float32 (q, 3), weights of the triangle's corners; their sum is 1.
        front: bool (q,), whether the front side was hit.
    """

    triangles: Ints
    distances: Floats
    positions: Floats
    normals: Floats
    barycentrics: Floats
    front: Bools


class MeshSweepHits(NamedTuple):
    """Where moving shapes first touch triangles.

    Attributes:
        triangles: int64 (q,) or (m,), rows of the mesh's input, -1 for none.
        times: float32 (q,), from 0 to 1, inf for none.
        distances: float32 (q,), how far the shape has moved by then.
        centers: float32 (q, 3), the middle of the shape at that time.
        contacts: float32 (q, 3), a point of the triangle that is touched.
        normals: float32 (q, 3), the direction in which the triangle holds the shape up.
    """

    triangles: Ints
    times: Floats
    distances: Floats
    centers: Floats
    contacts: Floats
    normals: Floats


class MeshPoints(NamedTuple):
    """Closest points of a mesh.

    Attributes:
        triangles: int64 (q,), rows of the mesh's input, -1 for none.
        distances: float32 (q,), inf for none.
        positions: float32 (q, 3), NaN for none.
    """

    triangles: Ints
    distances: Floats
    positions: Floats


class Placed(NamedTuple, Generic[T]):
    """What placed meshes answer, in the world's coordinates.

    Attributes:
        ids: uint64 (q,) or (m,), the object that is the mesh, 0 for none.
        answers: what the mesh answers, row for row.
    """

    ids: IdArray
    answers: T


class Contacts(NamedTuple):
    """How pairs of objects touch.

    Attributes:
        touching: bool (m,).
        normals: float32 (m, 3), of length one, from the first object of the row to the
            second; NaN for pairs that do not touch.
        depths: float32 (m,), how far the second must move along the normal to part.
        positions: float32 (m, 3), a point of both.
    """

    touching: Bools
    normals: Floats
    depths: Floats
    positions: Floats


class Objects(NamedTuple):
    """Objects as they were last set.

    Attributes:
        ids: uint64 (n,).
        boxes: float32 (n, 6), the box, or the box around the sphere.
        spheres: float32 (n, 4), centre and radius; NaN for boxes.
        memberships: uint32 (n,).
        filters: uint32 (n,).
        static: bool (n,).
        user_data: uint64 (n,).
    """

    ids: IdArray
    boxes: Floats
    spheres: Floats
    memberships: Words
    filters: Words
    static: Bools
    user_data: IdArray


class PairEvents(NamedTuple):
    """What an update of a PairTracker tells.

    Attributes:
        begun: uint64 (m, 2), pairs that are now, and were not before.
        ended: uint64 (m, 2), pairs that were before, and are no more.
    """

    begun: IdArray
    ended: IdArray


class Served(NamedTuple):
    """What a frame of a PairBudget is.

    Attributes:
        pairs: uint64 (m, 2), the urgent first: at most as many as asked for, but for essential
            ones, and for one other pair where these fill the frame.
        essential: how many were served because their class is essential.
        deferred: how many wait for the next frame.
        dropped: how many waited, and are no longer pairs.
        waited_max: frames that the longest waiting pair has been deferred.
    """

    pairs: IdArray
    essential: int
    deferred: int
    dropped: int
    waited_max: int


class Nodes(NamedTuple):
    """The nodes of a tree, parents before children.

    Attributes:
        cells: float32 (n, 6), the boxes that decide placement.
        bounds: float32 (n, 6), fitted to the contents; may reach beyond the cell.
        depth: uint32 (n,), levels below the root.
        objects: uint32 (n,), objects that the node holds itself.
        blocks: uint32 (n,), blocks of eight that they are kept in.
        objects_below: uint32 (n,), objects in and below the node.
        children: uint32 (n,).
        changed: bool (n,), whether anything changed since pair events were last taken.
        leaf: bool (n,).
    """

    cells: Floats
    bounds: Floats
    depth: Words
    objects: Words
    blocks: Words
    objects_below: Words
    children: Words
    changed: Bools
    leaf: Bools


class Leaves(NamedTuple):
    """The leaves of a mesh.

    Attributes:
        bounds: float32 (n, 6), fitted to the triangles.
        depth: uint32 (n,), levels below the root.
        triangles: uint32 (n,), how many it holds, 1 to 8.
    """

    bounds: Floats
    depth: Words
    triangles: Words


class Config(NamedTuple):
    """The settings of an Octree; see there."""

    looseness: float
    smallest_cell: float
    leaf_capacity: int
    depth_limit: int
    margin: float
    margin_relative: float


class MemoryUse(NamedTuple):
    """Bytes that an Octree has allocated; total is nodes, blocks and objects."""

    nodes: int
    blocks: int
    objects: int
    scratch: int
    total: int


class Counters(NamedTuple):
    """What an Octree has done since it was made, and how it stands.

    outsized counts the objects that no cell holds, as of the last view: infinite ones, and a few
    beyond the reach of cells. They stand apart from the tree.
    """

    nodes_live: int
    nodes_free: int
    nodes_reused: int
    nodes_peak: int
    blocks_live: int
    blocks_free: int
    blocks_reused: int
    blocks_peak: int
    outsized: int
    rebuilds: int
    placements: int
    relocations: int
    splits: int
    merges: int
    refits: int
    reruns: int
    growths: int
