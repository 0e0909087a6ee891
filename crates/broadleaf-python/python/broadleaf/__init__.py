"""A dynamic octree and broad phase: boxes and spheres that appear, move and vanish, and
the answer to who overlaps whom, what a ray hits, and what is near. Arrays in, arrays out.

>>> import broadleaf, numpy as np
>>> tree = broadleaf.Octree()
>>> ids = tree.insert(np.array([[0, 0, 0, 1, 1, 1], [1, 0, 0, 2, 1, 1], [5, 5, 5, 6, 6, 6]], np.float32))
>>> view = tree.view()
>>> broadleaf.slots(view.pairs().ravel())
array([0, 1])
>>> view.overlap([[0.5, 0.5, 0.5]]).count()
array([1])
>>> view.nearest([[9, 5.5, 5.5]]).closest().distances
array([3.], dtype=float32)

An ``Octree`` takes changes. ``Octree.view()`` brings it up to date and gives a ``View``, which
carries every question; after the next change it raises StaleViewError. A ``Mesh`` is a
static octree of triangles.

Objects are named by ids, uint64: 0 names none, and no id is used again. ``slots(ids)``
gives dense indices for arrays of your own. Coordinates are world units. Shapes are
closed: touching counts as overlapping. float32 arrays are taken as they are, without a
copy where they are contiguous; float64 boxes, spheres and points are rounded outward, so
that nothing that overlaps is missed.

Answers come in the order of the questions. They depend on the sequence of calls alone,
not on threads or the processor. Nothing runs on other threads unless ``threads`` says so; the
interpreter lock is released while anything works. Do not write to an array while a
call in another thread reads it.
"""

from broadleaf import _select

_select.choose()

from broadleaf._answers import (
    Config,
    Contacts,
    Contained,
    Counters,
    Leaves,
    Lists,
    MemoryUse,
    MeshHits,
    MeshPoints,
    MeshSweepHits,
    Neighbors,
    Nodes,
    Objects,
    PairEvents,
    Placed,
    RayHits,
    Served,
    SweepHits,
    Visible,
)
from broadleaf._errors import (
    BroadleafError,
    BrokenTreeError,
    InputError,
    SnapshotError,
    StaleIdError,
    StaleViewError,
)
from broadleaf._native import (
    LEVEL,
    Capsules,
    CastQuery,
    ConvexRegions,
    Frusta,
    Mesh,
    MeshCastQuery,
    MeshNearestQuery,
    MeshOverlapQuery,
    NearestQuery,
    Obbs,
    Octree,
    OverlapQuery,
    PairBudget,
    PairTracker,
    Placements,
    QueryStats,
    Rays,
    Sweeps,
    View,
    WorldOrigin,
    slots,
)

__all__ = [
    "LEVEL",
    "BroadleafError",
    "BrokenTreeError",
    "Capsules",
    "CastQuery",
    "Config",
    "Contacts",
    "Contained",
    "ConvexRegions",
    "Counters",
    "Frusta",
    "InputError",
    "Leaves",
    "Lists",
    "MemoryUse",
    "Mesh",
    "MeshCastQuery",
    "MeshHits",
    "MeshNearestQuery",
    "MeshOverlapQuery",
    "MeshPoints",
    "MeshSweepHits",
    "NearestQuery",
    "Neighbors",
    "Nodes",
    "Obbs",
    "Objects",
    "Octree",
    "OverlapQuery",
    "PairBudget",
    "PairEvents",
    "PairTracker",
    "Placed",
    "Placements",
    "QueryStats",
    "RayHits",
    "Rays",
    "Served",
    "SnapshotError",
    "StaleIdError",
    "StaleViewError",
    "SweepHits",
    "Sweeps",
    "View",
    "Visible",
    "WorldOrigin",
    "slots",
]
