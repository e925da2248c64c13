"""Boxes, lines and discs on a raster of one cell per point of print."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from relmap._types import Floats, Integers


def along(leader: Floats) -> tuple[Integers, Integers]:
    """Return the cells that a leader line passes, without the ones under its label."""
    if np.isnan(leader[0]):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    steps = 2 + int(2 * np.hypot(*(leader[2:] - leader[:2])))
    way = leader[:2] + np.linspace(0.0, 1.0, steps)[:-1, None] * (leader[2:] - leader[:2])
    columns, rows = way.astype(np.intp).T
    return rows, columns


def cells(boxes: Floats) -> Integers:
    """Return the cells that boxes touch, with one cell of air: left, bottom, right, top."""
    edges = np.concatenate([np.floor(boxes[..., :2]) - 1, np.ceil(boxes[..., 2:]) + 1], axis=-1)
    return edges.astype(np.intp)


def printed(centres: Floats, radii: Floats, shape: tuple[int, int]) -> Floats:
    """Return which cells are covered by discs: 1 where they are, 0 elsewhere."""
    ink = np.zeros(shape)
    reach = int(np.ceil(radii.max(initial=0.0)))
    columns, rows = np.floor(centres).astype(np.intp).T
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            under = np.hypot(down, right) <= radii
            row, column = rows[under] + down, columns[under] + right
            seen = (row >= 0) & (column >= 0) & (row < shape[0]) & (column < shape[1])
            ink[row[seen], column[seen]] = 1.0
    return ink


def summed(ink: Floats) -> Floats:
    """Return the sums of all cells below and left of each corner."""
    sums = np.zeros((ink.shape[0] + 1, ink.shape[1] + 1))
    sums[1:, 1:] = ink.cumsum(axis=0).cumsum(axis=1)
    return sums
