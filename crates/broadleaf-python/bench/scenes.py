"""Scenes that are measured, and how answers are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import trimesh

Array = npt.NDArray[Any]
QUESTIONS = 10_000


def boxes_of(count: int) -> Array:
    """Boxes of edges from 0.5 to 1.5, about one and a half pairs an object."""
    rng = np.random.default_rng(1)
    side = count ** (1 / 3) * 1.6
    centers = rng.random((count, 3), dtype=np.float32) * np.float32(side)
    half = (0.25 + 0.5 * rng.random((count, 1))).astype(np.float32)
    return np.ascontiguousarray(np.hstack([centers - half, centers + half]))


def points_of(count: int) -> Array:
    rng = np.random.default_rng(2)
    return rng.random((count, 3), dtype=np.float32) * np.float32(count ** (1 / 3))


def places_in(boxes: Array) -> Array:
    rng = np.random.default_rng(3)
    low, high = boxes.min(axis=0)[:3], boxes.max(axis=0)[-3:]
    places: Array = (low + rng.random((QUESTIONS, 3)) * (high - low)).astype(np.float32)
    return places


def mesh_of(count: int) -> Any:
    """A wavy ball of about so many triangles."""
    rings = int((count / 2) ** 0.5)
    mesh = trimesh.creation.uv_sphere(count=[rings, rings])
    waves = 1 + 0.15 * np.sin(9 * mesh.vertices[:, :1]) * np.sin(7 * mesh.vertices[:, 1:2])
    return trimesh.Trimesh((mesh.vertices * waves).astype(np.float32), mesh.faces, process=False)


def rays_at(count: int) -> tuple[Array, Array]:
    """Rays in no order from around a ball of radius one, toward it; most hit."""
    rng = np.random.default_rng(4)
    origins = rng.normal(size=(count, 3))
    origins *= 3 / np.linalg.norm(origins, axis=1, keepdims=True)
    return origins.astype(np.float32), (rng.normal(size=(count, 3)) * 0.4 - origins).astype(np.float32)


def canonical_pairs(pairs: Array) -> Array:
    """Pairs of rows as sorted numbers."""
    pairs = np.sort(np.asarray(pairs, np.int64).reshape(-1, 2), axis=1)
    return np.unique(pairs[:, 0] << 32 | pairs[:, 1])


def canonical_lists(counts: Array, values: Array) -> Array:
    """Answers to many questions as sorted numbers: the question, and the row."""
    questions = np.repeat(np.arange(len(counts)), np.asarray(counts).astype(np.int64))
    return np.sort(questions << 32 | np.asarray(values, np.int64))


def same(a: Any, b: Any) -> bool:
    """Equal, floats to within the rounding of 32 bits, of all but one in a thousand."""
    if isinstance(a, np.ndarray) and a.dtype.kind == "f":
        return a.shape == b.shape and bool(np.isclose(a, b, rtol=1e-3, atol=1e-4).mean() > 0.999)
    return bool(np.array_equal(a, b))
