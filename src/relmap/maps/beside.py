"""Laying maps side by side: what nothing connects has no distance, but should fit one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from relmap._names import Names
from relmap._types import Floats
from relmap.maps.map import Map

MARGIN = 0.6  # free space between two maps, as a share of the longest side; less between more


def beside(maps: Sequence[Map], weights: Sequence[float]) -> Map:
    """Return one map with all things of several, each map as it is, none over another.

    The maps are of the same kinds and share no name; coordinates that some lack are 0. Shelves are
    filled from the left, the largest maps first. `weights` are how much each map weighs against
    the others.
    """
    width = max(m.n_components for m in maps)
    maps = [_widened(m, width) for m in maps]
    shares = np.asarray(weights, dtype=float) / np.sum(weights)
    corners = _shelved(np.array([_box(m)[1] for m in maps]))
    shifts = [_padded(c - _box(m)[0], width) for m, c in zip(maps, corners, strict=True)]
    parts = list(zip(maps, shares, shifts, strict=True))
    kinds = maps[0].kinds
    masses = {k: np.concatenate([share * m.masses[k] for m, share, _ in parts]) for k in kinds}
    points = {k: np.concatenate([m.points[k] + shift for m, _, shift in parts]) for k in kinds}
    return replace(
        maps[0],
        points=_centred(points, masses),
        masses=masses,
        names={k: Names([name for m in maps for name in m.names[k]], k) for k in kinds},
        unplaced={k: tuple(name for m in maps for name in m.unplaced[k]) for k in kinds},
    )


def _padded(shift: Floats, width: int) -> Floats:
    return np.pad(shift, (0, width - len(shift)))


def _widened(m: Map, width: int) -> Map:
    """Give a map more coordinates, all of them 0."""
    missing = width - m.n_components
    points = {kind: np.pad(p, ((0, 0), (0, missing))) for kind, p in m.points.items()}
    return replace(m, points=points) if missing else m


def _box(m: Map) -> tuple[Floats, Floats]:
    """Return the lower corner and the sides of a map in its first two coordinates."""
    points = np.concatenate([m.points[kind][:, :2] for kind in m.kinds])
    low = points.min(axis=0)
    return low, points.max(axis=0) - low


def _shelved(sides: Floats) -> Floats:
    """Return a place for the lower corner of every box."""
    margin = MARGIN / np.cbrt(len(sides)) * float(sides.max()) or 1.0
    if sides.shape[1] == 1:
        return np.concatenate([[[0.0]], np.cumsum(sides + margin, axis=0)[:-1]])
    padded = sides + margin
    width = max(float(np.sqrt(1.5 * padded.prod(axis=1).sum())), float(padded[:, 0].max()))
    corners, x, y, depth = np.zeros_like(sides), 0.0, 0.0, 0.0
    for i in np.argsort(-padded[:, 1], kind="stable"):
        if x > 0 and x + padded[i, 0] > width:
            x, y, depth = 0.0, y - depth, 0.0
        corners[i] = x, y - padded[i, 1]
        x, depth = x + padded[i, 0], max(depth, padded[i, 1])
    return corners


def _centred(points: dict[str, Floats], masses: dict[str, Floats]) -> dict[str, Floats]:
    weights = np.concatenate([masses[kind] for kind in points])
    middle = np.average(np.concatenate(list(points.values())), axis=0, weights=weights)
    return {kind: p - middle for kind, p in points.items()}
