"""Evidence that axes are right: residuals, orthogonality and the gaps between values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relmap.engines.spectral.problem import Axes, ScaledMatrix


@dataclass(frozen=True)
class SpectralEvidence:
    """What the axes leave unexplained, all relative to the largest singular value.

    Attributes
    ----------
    residual : float
        Largest ‖A v − σ u‖ or ‖Aᵀ u − σ v‖.
    orthogonality : float
        Largest entry of UᵀU − I and VᵀV − I.
    gap : float
        Smallest difference between neighbouring values; where it is 0 the axes of equal values
        are not determined, only the plane they span.
    """

    residual: float
    orthogonality: float
    gap: float

    def holds(self, tolerance: float = 1e-8) -> bool:
        """Tell whether these are singular vectors to `tolerance`."""
        return bool(max(self.residual, self.orthogonality) <= tolerance)


def check(problem: ScaledMatrix, axes: Axes) -> SpectralEvidence:
    """Recompute how well the axes fit the problem."""
    scale = max(float(axes.values.max(initial=0.0)), np.finfo(float).tiny)
    forth = problem.times(axes.right) - axes.left * axes.values
    back = problem.transposed_times(axes.left) - axes.right * axes.values
    identity = np.eye(len(axes.values))
    grams = [v.T @ v - identity for v in (axes.left, axes.right)]
    return SpectralEvidence(
        residual=max(float(np.linalg.norm(r, axis=0).max(initial=0)) for r in (forth, back))
        / scale,
        orthogonality=max(float(np.abs(g).max(initial=0)) for g in grams),
        gap=float(np.abs(np.diff(axes.values)).min(initial=np.inf)) / scale,
    )
