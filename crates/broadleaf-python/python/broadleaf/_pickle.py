"""What pickles of this package call."""

from __future__ import annotations

from typing import Any


def restore(kind: str, saved: Any) -> Any:
    """An object of the class ``kind`` from what was saved of it."""
    import broadleaf

    if kind == "Mesh":
        return broadleaf.Mesh.from_triangles(saved)
    if kind in ("Octree", "PairTracker", "PairBudget"):
        return getattr(broadleaf, kind).from_snapshot(saved)
    raise broadleaf.SnapshotError(f"nothing of the kind {kind!r} is saved")
