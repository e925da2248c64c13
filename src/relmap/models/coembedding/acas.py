"""ACAS: automatic co-embedding with adaptive shaping (Mu and Goulermas 2013)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from relmap import _check
from relmap._types import Floats
from relmap.engines.spectral import Axes, ScaledMatrix
from relmap.models.coembedding import search
from relmap.models.coembedding.axes import Fold, along, leading, no_axis, powers
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.estimator import CoMap

ORDERS = (0.0, 1.0, 2.0, 4.0, np.inf)  # tried for p
RANGES = {
    "p": search.Range(0, np.inf, 0, heavy=True),
    "alpha": search.Range(0, 2, 0.25),
    "beta": search.Range(0, 3, 0.25),
}
SCAN = [
    {"p": p, "alpha": alpha, "beta": beta}
    for p in ORDERS
    for alpha in (0.0, 0.25, 0.5, 0.75, 1.0)
    for beta in (0.0, 0.5, 1.0, 1.5, 2.0)
]
QUIETLY = {"search": "staged", "random_state": 0, "verbose": 0, "callbacks": None}

_ORDER = _check.Rule(
    lambda v: (_check.number(0).allows(v) and not 0 < v < 1) or v == np.inf,
    "0, a number of at least 1, infinity",
)
_AUTO = _check.one_of("auto")


class ACAS(CoMap):
    """Map rows and columns by axes of a table scaled by norms, in a shape chosen by what is kept.

    With S_x and S_y the p-norms of rows and columns (1 for p = 0, sums for p = 1, the largest
    entries for p = ∞),

        S_x^{−1/2} R S_y^{−1/2} = U Θ Vᵀ,      rows S_x^{−α} U Θ^β,  columns S_y^{−α} V Θ^β.

    p = 1, α = ½, β = 1 is correspondence analysis in principal coordinates; p = 0, α = 0, β = 1 is
    latent semantic indexing. Except for p = 0 the first axis, which tells sizes only, is left out,
    and R are shares of the total. What is "auto" is chosen to lose as few near pairs as possible
    (Γ, `relmap.measures.conformity`), p among 0, 1, 2, 4 and ∞.

    A quick first look between these two classics. `CoEmbedding` has more freedom and mostly keeps
    more.

    Parameters
    ----------
    n_components : int, default 2
        Axes at most.
    p : 0, number from 1 to infinity, or "auto"
        Which norm rows and columns are scaled by.
    alpha : float from 0 to 2 or "auto"
        How much things of a large norm are drawn to the middle.
    beta : float from 0 to 3 or "auto"
        How much the leading axes are stretched.
    neighbours : int or (rows, columns), default 5
        How many nearest things count: rows near a column, and columns near a row.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × q and n_columns × q
        Coordinates; NaN for rows and columns without counts.
    p_, alpha_, beta_ : float
        What was chosen or given.
    near_pairs_, lost_pairs_ : int
        Pairs near in the table, and how many of them are not on the map: Γ.
    search_ : tuple of Trial
        All that was tried, in order.
    singular_values_ : array, q
        The diagonal of Θ.
    map_ : Map
    evidence_ : SpectralEvidence

    Examples
    --------
    >>> from relmap import ACAS, datasets
    >>> model = ACAS(p=1, alpha=0.5, beta=1).fit(datasets.load_smoke())
    >>> [float(round(value**2, 6)) for value in model.singular_values_]
    [0.074759, 0.010017]
    """

    rules: ClassVar = {
        "n_components": _check.whole(1),
        "p": _ORDER | _AUTO,
        "alpha": _check.between(0, 2) | _AUTO,
        "beta": _check.between(0, 3) | _AUTO,
        "neighbours": _check.NEIGHBOURS,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        p: float | str = "auto",
        alpha: float | str = "auto",
        beta: float | str = "auto",
        neighbours: int | tuple[int, int] = 5,
    ) -> None:
        self.n_components = n_components
        self.p = p
        self.alpha = alpha
        self.beta = beta
        self.neighbours = neighbours

    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        solved = lru_cache(len(ORDERS))(partial(Scaled.of, core, settings["n_components"]))
        near = search.near_pairs(core, settings, RANGES)

        def cost(choice: dict[str, float]) -> search.Cost:
            places = solved(choice["p"]).places(choice["alpha"], choice["beta"])
            return search.Cost(*near.strain(*places))

        found = search.choose(cost, RANGES, SCAN, settings | QUIETLY, "ACAS")
        return solved(found.settings["p"]).analysis(found, len(near))


@dataclass(frozen=True, eq=False)
class Scaled:
    """The axes of a table scaled by p-norms, before their shape is chosen.

    `unit` is what one event is of the table: its share, or 1 for p = 0.
    """

    p: float
    problem: ScaledMatrix
    axes: Axes
    row_norms: Floats
    column_norms: Floats
    unit: float

    @classmethod
    def of(cls, core: Core, n_components: int, p: float) -> Scaled:
        """Scale and solve."""
        table = core.shares if p else core.counts
        norms = _norms(table, p), _norms(sparse.csr_array(table.T), p)
        unit = 1 / float(core.counts.sum()) if p else 1.0
        return cls(p, *_solved(table, norms, n_components, p), *norms, unit)

    def places(self, alpha: float, beta: float) -> tuple[Floats, Floats]:
        """Return rows and columns in a shape."""
        scale = powers(self.axes.values, beta)
        return (
            self.row_norms[:, None] ** -alpha * self.axes.left * scale,
            self.column_norms[:, None] ** -alpha * self.axes.right * scale,
        )

    def analysis(self, found: search.Found, near_pairs: int) -> Analysis:
        """Take the shape chosen."""
        alpha, beta = found.settings["alpha"], found.settings["beta"]
        scale = powers(self.axes.values, beta - 1) * self.unit
        size = partial(_size, p=self.p, exponent=alpha + 0.5, unit=self.unit)
        kept = found.settings | {"near_pairs": near_pairs, "lost_pairs": found.lost}
        folds = (
            Fold(self.column_norms[:, None] ** -0.5 * self.axes.right * scale, size),
            Fold(self.row_norms[:, None] ** -0.5 * self.axes.left * scale, size),
        )
        return along(
            self.problem,
            self.axes,
            self.places(alpha, beta),
            folds,
            {f"{name}_": value for name, value in kept.items()} | {"search_": found.trials},
            kept | {"p": self.p if np.isfinite(self.p) else "inf"},
        )


def _solved(
    table: sparse.csr_array, norms: tuple[Floats, Floats], wanted: int, p: float
) -> tuple[ScaledMatrix, Axes]:
    """Return the problem and its leading axes, the one that tells sizes taken away."""
    least = min(table.shape)
    if p == 1:  # the axis of sizes is known beforehand
        problem = ScaledMatrix.residuals(table, max(1, min(wanted, least - 1)))
        return problem, leading(problem)
    rank = min(wanted + (p > 0), least)
    problem = ScaledMatrix(table, norms[0] ** -0.5, norms[1] ** -0.5, None, None, rank)
    axes = leading(problem)
    if p == 0:
        return problem, axes
    rest = axes.after(1) if len(axes.values) > 1 else no_axis(axes)
    return problem.less(axes.first(1)), rest


def _norms(table: sparse.csr_array, p: float) -> Floats:
    """Return the p-norm of every row; 1 for p = 0."""
    if p == 0:
        return np.ones(table.shape[0])
    top: Floats = table.max(axis=1).toarray().ravel()
    if p == np.inf:
        return top
    lines = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    powered = (table.data / top[lines]) ** p
    return top * np.bincount(lines, powered, table.shape[0]) ** (1 / p)


def _size(counts: sparse.csr_array, p: float, exponent: float, unit: float) -> Floats:
    return (_norms(counts, p) * (unit if p else 1.0)) ** exponent
