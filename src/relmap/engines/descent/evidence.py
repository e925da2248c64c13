"""Evidence that a descent is right: its gradient against differences, its end recomputed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relmap._types import Floats, Seed, generator
from relmap.engines.descent.problem import Descent, Run


@dataclass(frozen=True)
class DescentEvidence:
    """What is true of a point, computed from the problem alone.

    Attributes
    ----------
    value : float
        The function there.
    claimed : float
        What the run said it was.
    gradient : float
        ‖gradient‖ · ‖point‖ / (1 + |value|): about the relative change of the value that is still
        to be had; free of the units of value and point.
    """

    value: float
    claimed: float
    gradient: float

    def holds(self, tolerance: float = 1e-3) -> bool:
        """Tell whether the point is stationary to `tolerance` and has the value claimed."""
        honest = abs(self.value - self.claimed) <= 1e-9 * (1 + abs(self.value))
        return bool(honest and self.gradient <= tolerance)


def check(problem: Descent, run: Run) -> DescentEvidence:
    """Compute value and gradient at a run's end again."""
    value, gradient = problem.function(run.point)
    size = float(np.linalg.norm(gradient) * np.linalg.norm(run.point))
    return DescentEvidence(value, run.value, size / (1 + abs(value)))


def gradient_error(
    problem: Descent, point: Floats | None = None, directions: int = 8, random_state: Seed = 0
) -> float:
    """Compare the gradient with central differences along random directions.

    Returns the largest error relative to the larger of the two slopes and 1e-3 of the gradient's
    length; a right gradient gives 1e-6 or less, a wrong one about 1.
    """
    x = problem.start if point is None else point
    _, gradient = problem.function(x)
    floor = 1e-3 * float(np.linalg.norm(gradient)) + np.finfo(float).tiny
    worst = 0.0
    for direction in generator(random_state).standard_normal((directions, len(x))):
        unit = direction / np.linalg.norm(direction)
        h = 1e-5 * (1 + float(np.linalg.norm(x)) / np.sqrt(len(x)))
        ahead, behind = problem.function(x + h * unit)[0], problem.function(x - h * unit)[0]
        measured, stated = (ahead - behind) / (2 * h), float(gradient @ unit)
        worst = max(worst, abs(measured - stated) / max(abs(measured), abs(stated), floor))
    return worst
