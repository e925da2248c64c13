"""What spectral maps share: from leading axes to places, and to new things.

They scale a table on both sides, take leading singular vectors, and place rows and columns by
these. All of them also place a line of counts among fixed things of the other side in the same way:
a sum of those things' places weighted by the counts, over some size of the line. Fitted lines come
out where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from relmap._types import Floats, sums
from relmap.engines import spectral
from relmap.models.coembedding.core import Analysis

FAINT = 1e-8  # an axis whose value is a smaller share of the largest is no axis


@dataclass(frozen=True, eq=False)
class Fold:
    """Where a line of counts is placed among fixed things: counts @ loads / size(counts)."""

    loads: Floats
    size: Callable[[sparse.csr_array], Floats] | None = None

    def __call__(self, counts: sparse.csr_array) -> Floats:
        """Place lines, none of them empty."""
        placed: Floats = counts @ self.loads
        return placed if self.size is None else placed / self.size(counts)[:, None]


def totals(counts: sparse.csr_array) -> Floats:
    """Size of a line: its sum."""
    return sums(counts, 1)


def along(
    problem: spectral.ScaledMatrix,
    axes: spectral.Axes,
    places: tuple[Floats, Floats],
    folds: tuple[Fold, Fold],
    attributes: Mapping[str, Any] | None = None,
    summary: Mapping[str, Any] | None = None,
) -> Analysis:
    """Return places (rows, columns) along axes, with the axes' evidence."""
    evidence = spectral.check(problem, axes)
    told = {
        "singular_values": axes.values,
        "residual": max(evidence.residuals),
        "missed": evidence.missed,
        "repeated_axes": evidence.repeated,
        "determined": not evidence.repeated,
    }
    good = evidence.holds()
    worst = max(*evidence.residuals, evidence.missed)
    return Analysis(
        *places,
        *folds,
        evidence=evidence,
        status="converged" if good else "inexact",
        advice="" if good else f"The axes are right to {worst:.0e} of the largest value only.",
        attributes={"singular_values_": axes.values, **(attributes or {})},
        summary={**(summary or {}), **told},
    )


def leading(problem: spectral.ScaledMatrix) -> spectral.Axes:
    """Return the leading axes that are more than rounding; a single one of value 0 if none is."""
    axes = spectral.solve(problem)
    top = max(float(axes.values[0]), problem.unit)
    real = int((axes.values > FAINT * top).sum())
    return axes.first(real) if real else no_axis(axes)


def no_axis(axes: spectral.Axes) -> spectral.Axes:
    """Return one axis of value 0, for what has none."""
    return spectral.Axes(np.zeros(1), axes.left[:, -1:], axes.right[:, -1:])


def powers(values: Floats, exponent: float) -> Floats:
    """Return values ** exponent, where 0 stays 0: an axis that is none places all at its middle."""
    safe = np.where(values > 0, values, 1.0)
    return np.where(values > 0, safe**exponent, 0.0)
