"""Evidence that axes are right: residuals, orthogonality, gaps, and that none was missed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relmap._threads import single_blas
from relmap._types import Floats
from relmap.engines.spectral.problem import Axes, ScaledMatrix

EQUAL = 1e-8  # values that differ less, relative to the largest, are one repeated value
STEPS = 12


@dataclass(frozen=True)
class SpectralEvidence:
    """What the axes leave unexplained, all relative to the largest singular value (or `unit`).

    Attributes
    ----------
    residuals : tuple of float
        For every axis the larger of ‖A v − σ u‖ and ‖Aᵀ u − σ v‖.
    orthogonality : float
        Largest entry of UᵀU − I and VᵀV − I.
    gaps : tuple of float
        For every axis how far below it the next value is; the last one's is to the first value
        that was not wanted.
    missed : float
        By how much the longest vector that A makes of what is orthogonal to the axes exceeds the
        last value. Above 0 a larger axis was passed over. (Sampled: it can prove that one was
        missed, not that none was.)
    repeated : tuple of tuples of int
        Axes (counted from 1) of equal values. Only the plane they span is determined, not its
        directions; a number beyond the last axis says that the plane was cut.
    """

    residuals: tuple[float, ...]
    orthogonality: float
    gaps: tuple[float, ...]
    missed: float
    repeated: tuple[tuple[int, ...], ...]

    def holds(self, tolerance: float = 1e-8) -> bool:
        """Tell whether these are the leading singular vectors to `tolerance`."""
        return bool(max(*self.residuals, self.orthogonality, self.missed, 0.0) <= tolerance)


def check(problem: ScaledMatrix, axes: Axes) -> SpectralEvidence:
    """Recompute how well the axes fit the problem."""
    with single_blas():
        scale = max(float(axes.values.max(initial=0.0)), problem.unit, np.finfo(float).tiny)
        forth = problem.times(axes.right) - axes.left * axes.values
        back = problem.transposed_times(axes.left) - axes.right * axes.values
        grams = [v.T @ v - np.eye(len(axes.values)) for v in (axes.left, axes.right)]
        lengths = np.maximum(*(np.linalg.norm(r, axis=0) for r in (forth, back))) / scale
        gaps = -np.diff(np.append(axes.values, axes.behind)) / scale
        return SpectralEvidence(
            residuals=tuple(lengths.tolist()),
            orthogonality=max(float(np.abs(g).max(initial=0)) for g in grams),
            gaps=tuple(gaps.tolist()),
            missed=_missed(problem, axes) / scale,
            repeated=_repeated(gaps),
        )


def _missed(problem: ScaledMatrix, axes: Axes) -> float:
    """Return by how much some Lanczos steps behind the axes end above the last of them.

    They start from a vector of their own and keep it orthogonal to everything before, in full.
    """
    vector = np.random.default_rng(problem.seed + 1).standard_normal(problem.shape[1])
    basis, images = axes.right, []
    for _ in range(min(STEPS, problem.shape[1])):
        whole = np.linalg.norm(vector)
        for _ in range(2):
            vector = vector - basis @ (basis.T @ vector)
        size = np.linalg.norm(vector)
        if size <= 1e-12 * whole:  # only rounding is left, and that is not orthogonal
            break
        basis = np.column_stack([basis, vector / size])
        images.append(problem.times(basis[:, -1]))
        vector = problem.transposed_times(images[-1])
    if not images:
        return 0.0
    reached = np.linalg.norm(np.column_stack(images), ord=2)
    return max(0.0, float(reached - axes.values[-1]))


def _repeated(gaps: Floats) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = [[1]]
    for number, gap in enumerate(gaps, start=2):
        if abs(gap) <= EQUAL:
            groups[-1].append(number)
        else:
            groups.append([number])
    return tuple(tuple(group) for group in groups if len(group) > 1)
