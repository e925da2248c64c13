"""The last digits: Newton's method on the gradient, where values no longer tell points apart.

Near a minimum the value changes with the square of a step, so a search by values is blind to steps
below the root of its last digit; the gradient still sees them, and with it the end of a run is the
same on every machine. The Hessian is taken by differences of gradients, for small problems only:
once, and again if the gradient is not zero after the steps that it led to.
"""

from __future__ import annotations

import numpy as np

from relmap._types import Floats
from relmap.engines.descent.problem import Descent

ROUNDS = 2
STEPS = 10
ZERO = 1e-12  # a gradient with no entry above this needs no more
LARGEST = 400  # unknowns: the Hessian costs two gradients for each
NUDGE = 1e-5  # how far the gradients are apart, relative to the root mean square of the point
FLAT = 1e-9  # of the largest curvature; along what is flatter (turning a map) no step is taken
TURNING = 10  # times |gradient|/|point|, the curvature that turning has where the gradient is not 0
RISE = 1e-14  # a value may seem to rise by this share of its size: its last digit

End = tuple[float, Floats, Floats]


def polished(problem: Descent, end: End) -> End:
    """Return value, point and gradient after Newton steps from an end that is nearly flat."""
    for _ in range(ROUNDS):
        _, point, gradient = end
        if len(point) > LARGEST or np.abs(gradient).max() <= ZERO:
            break
        end = _stepped(problem, end)
    return end


def _stepped(problem: Descent, end: End) -> End:
    value, point, gradient = end
    curvatures, directions = np.linalg.eigh(_hessian(problem, point))
    turning = np.linalg.norm(gradient) / max(np.linalg.norm(point), np.finfo(float).tiny)
    curved = np.abs(curvatures) > FLAT * np.abs(curvatures).max() + TURNING * turning
    curvatures, directions = curvatures[curved], directions[:, curved]
    for _ in range(STEPS):
        trial = point - directions @ ((directions.T @ gradient) / curvatures)
        new_value, new_gradient = problem.function(trial)
        last_digit = RISE * (1 + abs(value))
        risen, fallen = not new_value - value <= last_digit, new_value - value < -last_digit
        if risen or not (fallen or np.linalg.norm(new_gradient) < 0.9 * np.linalg.norm(gradient)):
            break
        value, point, gradient = new_value, trial, new_gradient
    return value, point, gradient


def _hessian(problem: Descent, point: Floats) -> Floats:
    size = NUDGE * max(float(np.sqrt(np.mean(point**2))), NUDGE)
    columns = np.empty((len(point), len(point)))
    for i, nudge in enumerate(np.eye(len(point)) * size):
        ahead, behind = (problem.function(point + sign * nudge)[1] for sign in (1, -1))
        columns[:, i] = (ahead - behind) / (2 * size)
    return (columns + columns.T) / 2
