"""Brute force in numpy, in 64 bits: what every question must answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def random_boxes(rng: np.random.Generator, count: int, side: float, edge: float) -> Array:
    """Boxes of float32, their corners on a grid of 1/8: touching happens, and sums are exact."""
    low = np.floor(rng.random((count, 3)) * side * 8) / 8
    size = np.floor(rng.random((count, 3)) * edge * 8) / 8
    return np.hstack([low, low + size]).astype(np.float32)


def random_spheres(rng: np.random.Generator, count: int, side: float, radius: float) -> Array:
    center = np.floor(rng.random((count, 3)) * side * 8) / 8
    size = np.floor(rng.random((count, 1)) * radius * 8) / 8
    return np.hstack([center, size]).astype(np.float32)


def overlap_matrix(a: Array, b: Array) -> Array:
    """Which boxes of a overlap which of b; touching counts."""
    a, b = a.astype(float)[:, None], b.astype(float)[None]
    matrix: Array = np.all((a[..., :3] <= b[..., 3:]) & (b[..., :3] <= a[..., 3:]), axis=-1)
    return matrix


def gap(a: Array, b: Array) -> Array:
    """Distances between the boxes of a and those of b."""
    a, b = a.astype(float)[:, None], b.astype(float)[None]
    apart = np.maximum(np.maximum(b[..., :3] - a[..., 3:], a[..., :3] - b[..., 3:]), 0.0)
    distance: Array = np.sqrt((apart**2).sum(axis=-1))
    return distance


def enter(origins: Array, directions: Array, boxes: Array) -> Array:
    """Where rays enter boxes, in units of their length-one directions; inf if they miss."""
    origins = origins.astype(float)
    unit = directions.astype(float)
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / unit
        near = (boxes[None, :, :3] - origins[:, None]) * inverse[:, None]
        far = (boxes[None, :, 3:] - origins[:, None]) * inverse[:, None]
    low, high = np.minimum(near, far), np.maximum(near, far)
    start = np.maximum(np.nanmax(low, axis=-1), 0.0)
    distance: Array = np.where(start <= np.nanmin(high, axis=-1), start, np.inf)
    return distance


def sphere_gap(points: Array, spheres: Array) -> Array:
    """Distances from points to the surfaces of spheres; 0 inside."""
    apart = np.linalg.norm(points.astype(float)[:, None] - spheres.astype(float)[None, :, :3], axis=-1)
    distance: Array = np.maximum(apart - spheres[None, :, 3], 0.0)
    return distance


def pair_set(pairs: Array) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in pairs.tolist()}


def all_pairs(boxes: Array) -> set[tuple[int, int]]:
    """Rows of boxes that overlap, each pair once."""
    return set(zip(*(part.tolist() for part in np.nonzero(np.triu(overlap_matrix(boxes, boxes), 1))), strict=True))


def rows_of(lists: Any) -> list[list[int]]:
    """The answers to each question, sorted."""
    offsets, values = lists
    return [sorted(values[start:end].tolist()) for start, end in zip(offsets[:-1], offsets[1:], strict=True)]
