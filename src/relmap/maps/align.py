"""Laying one map over another: the rigid motion that brings the same things closest together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from relmap._types import Floats
from relmap.engines.spectral import signs


class Motion(NamedTuple):
    """x ↦ (x − source) · rotation + target; `distance` is the root mean square left over."""

    rotation: Floats
    source: Floats
    target: Floats
    distance: float

    def __call__(self, points: Floats) -> Floats:
        """Move points."""
        return (points - self.source) @ self.rotation + self.target


def procrustes(points: Floats, onto: Floats, *, shift: bool = True) -> Motion:
    """Return the shift, turn and reflection of `points` that comes closest to `onto`.

    Minimises Σ |(x_i − x̄) R + ȳ − y_i|² over orthogonal R: R = U Vᵀ of the singular vectors of
    (X − x̄)ᵀ (Y − ȳ). Without `shift` the origin stays where it is.
    """
    middle = np.zeros(points.shape[1])
    source, target = (points.mean(axis=0), onto.mean(axis=0)) if shift else (middle, middle)
    u, _, vt = np.linalg.svd((points - source).T @ (onto - target))
    motion = Motion(u @ vt, source, target, 0.0)
    squares = ((motion(points) - onto) ** 2).sum(axis=1)
    return motion._replace(distance=float(np.sqrt(squares.mean())))


def principal(points: Floats, masses: Floats, *, shift: bool = True) -> Motion:
    """Return the motion that centres points and turns them to their principal axes.

    Directions of equal spread are not determined by this; signs are, by `signs`.
    """
    centre = masses @ points / masses.sum() if shift else np.zeros(points.shape[1])
    out = points - centre
    _, axes = np.linalg.eigh((out.T * masses) @ out)
    rotation = axes[:, ::-1]
    rotation = rotation * signs(out @ rotation)
    return Motion(rotation, centre, np.zeros_like(centre), 0.0)
