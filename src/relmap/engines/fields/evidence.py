"""Evidence that a field is right: some targets computed again by the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relmap._types import Floats, Seed, generator
from relmap.engines.fields.direct import exact
from relmap.engines.fields.problem import Field, KernelSums


@dataclass(frozen=True)
class FieldEvidence:
    """Largest errors found at sampled targets.

    Attributes
    ----------
    promised : float
        The relative error that the problem allows in a total.
    total, slope, means : float
        What was found: relative in the totals; in slopes and means relative to their size, or to
        the extent of the sources and the largest weight, whichever is larger.
    checked : int
        How many targets were computed again.
    """

    promised: float
    total: float
    slope: float
    means: float
    checked: int

    @property
    def largest(self) -> float:
        """The largest of the three."""
        return max(self.total, self.slope, self.means)

    def holds(self, tolerance: float | None = None) -> bool:
        """Tell whether every error found is within `tolerance` (the promise if not given)."""
        return bool(self.largest <= (self.promised if tolerance is None else tolerance))


def check(
    problem: KernelSums, field: Field, sample: int = 64, random_state: Seed = 0
) -> FieldEvidence:
    """Compute some targets again, each directly, and compare."""
    n = len(problem.targets)
    chosen = generator(random_state).choice(n, size=min(sample, n), replace=False)
    truth = exact(problem.part(chosen))
    extent = float(np.ptp(problem.sources, axis=0).max()) + 1
    weight = float(np.abs(problem.quantities).max())
    return FieldEvidence(
        promised=problem.tolerance,
        total=_worst(np.expm1(_difference(field.log_total[chosen], truth.log_total)), 1.0),
        slope=_worst(field.slope[chosen] - truth.slope, extent + np.abs(truth.slope)),
        means=_worst(field.means[chosen] - truth.means, weight + np.abs(truth.means)),
        checked=len(chosen),
    )


def _difference(values: Floats, truth: Floats) -> Floats:
    """Subtract, with −∞ − −∞ = 0: both say that nothing is there."""
    same = values == truth
    return np.where(same, 0.0, np.subtract(values, truth, where=~same, out=np.zeros_like(truth)))


def _worst(errors: Floats, sizes: Floats | float) -> float:
    relative = np.abs(errors) / sizes
    return float(np.nan_to_num(relative, nan=np.inf).max(initial=0.0))
