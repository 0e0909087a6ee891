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

Objects are named by ids, uint64. No id is used again. 0 names no object: answers have it
where there is none, and ``exclude`` takes it for none. ``slots(ids)`` gives dense indices for
arrays of your own.

Coordinates are world units. Shapes are closed: touching counts as overlapping. float32 is
kept as it is. float64 is rounded outward for objects, for regions and boxes given as arrays,
and for the shapes of ``Sweeps``, so that nothing that overlaps is missed; ``Obbs`` and
``Capsules`` are enlarged to the same end. It is rounded to nearest for points of ``nearest``,
mesh positions, rays, motions, ``Frusta``, ``ConvexRegions`` and placements: there a touch within
one float32 step may be missed.

Answers come in the order of the questions. They depend on the sequence of calls alone,
not on threads or the processor. Nothing runs on other threads unless ``threads`` says so.

``insert``, if it is given nothing but shapes, and ``update`` read contiguous float32 rows in place.
A question keeps a copy of its arrays: you may change ``a`` after ``view.overlap(a)`` and before
``.all()``. Answers are new arrays of your own, and a view keeps its tree alive. The interpreter
lock is released in changes and questions, and while shapes are made of arrays; not while
numpy converts a list or an array of another type, nor while masks and columns of numbers are
copied. Do not write to an array while a call in another thread reads it.
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
