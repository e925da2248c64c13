"""What a picture shows of a map: robust limits, and lengths that are easy to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from relmap._types import Floats, Mask

FAR, FAR_IN_A_CROWD = 4.0, 2.0
"""A point this many times farther from the middle than nearly all others is left outside."""

CROWD = 200
"""From so many points on room is dear."""

KEPT = 2.0
"""Points up to this many times as far as nearly all others stay inside in that case."""


def within(points: Floats) -> Mask:
    """Say which points the frame is laid around.

    These are all points, unless a handful of them (about half the square root of their number)
    lie so far away that they would squeeze all others into a dot.
    """
    count = len(points)
    away = np.abs(points - np.median(points, axis=0)).max(axis=1) if count else np.zeros(0)
    handful = min(int(np.sqrt(count) / 2), count // 4)
    nearly_all = np.sort(away)[count - 1 - handful] if count else 0.0
    far = FAR_IN_A_CROWD if count >= CROWD else FAR
    if nearly_all > 0 and away.max() > far * nearly_all:
        inside: Mask = away <= KEPT * nearly_all
        return inside
    return np.ones(count, dtype=bool)


def limits(points: Floats) -> Floats:
    """Return the box around points (x from, y from, x to, y to), never of size zero."""
    if not len(points):
        return np.repeat([-1.0, 1.0], points.shape[1])
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.abs([low, high]).max())
    if (high - low).max() <= 1e-9 * size or size == 0.0:  # one place: rounding is no distance
        room = size / 10 or 1.0
        low, high = low - room, high + room
    return np.concatenate([low, high])


def fitted(box: Floats, width: float, height: float, margin: float) -> Floats:
    """Widen a box to the shape of a frame with a margin inside, so that both axes are equal."""
    size = np.array([width, height])
    clear = np.maximum(size - 2 * margin, size / 2)
    scale = float(((box[2:] - box[:2]) / clear).max())
    middle = (box[:2] + box[2:]) / 2
    return np.concatenate([middle - size * scale / 2, middle + size * scale / 2])


def onto_border(points: Floats, box: Floats) -> Floats:
    """Pull points outside a box onto its border, along the line to its middle."""
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2
    share = np.abs((points - middle) / half).max(axis=1)
    pulled: Floats = middle + (points - middle) / np.maximum(share, 1.0)[:, None]
    return pulled


def round_length(length: float) -> float:
    """Return the largest of 1, 2 or 5 times a power of ten that is not longer than a length."""
    power = float(10.0 ** np.floor(np.log10(length)))
    return max(step * power for step in (0.5, 1.0, 2.0, 5.0) if step * power <= length * 1.0001)
