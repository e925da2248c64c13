"""Laying one map over another: the rigid motion that brings the same things closest together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from relmap._types import Floats


class Motion(NamedTuple):
    """x ↦ (x − source) · rotation + target; `distance` is the root mean square left over."""

    rotation: Floats
    source: Floats
    target: Floats
    distance: float

    def __call__(self, points: Floats) -> Floats:
        """Move points."""
        moved: Floats = (points - self.source) @ self.rotation + self.target
        return moved


def procrustes(points: Floats, onto: Floats) -> Motion:
    """Return the shift, turn and reflection of `points` that comes closest to `onto`.

    Minimises Σ |(x_i − x̄) R + ȳ − y_i|² over orthogonal R: R = U Vᵀ of the singular vectors of
    (X − x̄)ᵀ (Y − ȳ).
    """
    source, target = points.mean(axis=0), onto.mean(axis=0)
    u, _, vt = np.linalg.svd((points - source).T @ (onto - target))
    motion = Motion(u @ vt, source, target, 0.0)
    squares = ((motion(points) - onto) ** 2).sum(axis=1)
    return motion._replace(distance=float(np.sqrt(squares.mean())))
