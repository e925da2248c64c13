"""The weighted co-embedding of Wu, Mu, Liatsis and Goulermas (2016)."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, ClassVar

from relmap import _check
from relmap.models.coembedding import search
from relmap.models.coembedding.axes import Fold, along, powers
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.estimator import CoMap
from relmap.models.coembedding.weighting import Weighted, weighted_totals

RANGES = {
    "eta_rows": search.Range(0, 10, 1, heavy=True),
    "eta_columns": search.Range(0, 10, 1, heavy=True),
    "xi": search.Range(0.02, 3, 0.3),
    "gamma": search.Range(0, 3, 0.3),
}
ETAS = (0.0, 1.0, 3.0, 6.0, 10.0)
SCALES = (
    (1, 0), (1, 0.4), (1, 1), (0.75, 0.25), (1.4, 0.25), (2, 0.5), (3, 0), (3, 1), (0.8, 1.5)
)  # fmt: skip
SCAN = [dict(zip(RANGES, (a, b, *s), strict=True)) for a in ETAS for b in ETAS for s in SCALES]
KEPT = 32  # singular value problems whose answers are kept

_AUTO = _check.one_of("auto")


class CoEmbedding(CoMap):
    """Map each thing at a weighted mean of what it goes with, with weights chosen by what is kept.

        rows:     z_i ∝ Σ_j R_ij c_j^{η₂−1} z_j / Σ_j R_ij c_j^{η₂−1},
        columns:  z_j ∝ Σ_i R_ij r_i^{η₁−1} z_i / Σ_i R_ij r_i^{η₁−1},

    for all axes at once by one singular value problem; r and c are row and column sums. With all
    weights 1 this is correspondence analysis; larger η let heavy things decide. ξ scales columns
    against rows, and each axis is scaled by (λ/λ₁)^γ. What is "auto" is chosen to lose as few near
    pairs as possible: pairs that are among each other's nearest in the table, but not on the map
    (Γ, `relmap.measures.conformity`).

    Good where small neighbourhoods shall survive, and for tables of similarities as well as counts.
    Distances have no unit; where a probability model of counts is wanted, use `CODE`.

    Parameters
    ----------
    n_components : int, default 2
        Axes at most.
    eta_rows, eta_columns : float from 0 to 10 or "auto"
        η₁ and η₂.
    xi, gamma : float from 0 (ξ: above 0) to 3 or "auto"
        ξ and γ.
    neighbours : int or (rows, columns), default 5
        How many nearest things count: rows near a column, and columns near a row.
    search : "staged" or "genetic", default "staged"
        How "auto" is chosen. The second is the paper's; it takes several times as long and seldom
        finds anything better.
    random_state : int, generator or None, default 0
        The tries of the search.
    verbose : int, default 0
        1 shows a progress bar, 2 or more writes lines instead.
    callbacks : function or list of functions, optional
        Called with a `Step` after every try; returning True ends the search.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × q and n_columns × q
        Coordinates; NaN for rows and columns without counts.
    eta_rows_, eta_columns_, xi_, gamma_ : float
        What was chosen or given.
    near_pairs_, lost_pairs_ : int
        Pairs near in the table, and how many of them are not on the map: Γ.
    search_ : tuple of Trial
        All that was tried, in order.
    singular_values_ : array, q
        √λ of every axis.
    map_ : Map
    evidence_ : SpectralEvidence

    Examples
    --------
    >>> from relmap import CoEmbedding, datasets
    >>> model = CoEmbedding(neighbours=2).fit(datasets.load_housetasks())
    >>> model.map_.nearest("repairs", kind="who", k=1)[0].name
    'husband'
    """

    rules: ClassVar = {
        "n_components": _check.whole(1),
        "eta_rows": _check.between(0, 10) | _AUTO,
        "eta_columns": _check.between(0, 10) | _AUTO,
        "xi": _check.between(0, 3, open_below=True) | _AUTO,
        "gamma": _check.between(0, 3) | _AUTO,
        "neighbours": _check.NEIGHBOURS,
        "search": _check.one_of("staged", "genetic"),
        "random_state": _check.SEED,
        "verbose": _check.whole(0),
        "callbacks": _check.CALLBACKS,
    }

    def __init__(  # noqa: PLR0913 (an estimator's settings)
        self,
        n_components: int = 2,
        *,
        eta_rows: float | str = "auto",
        eta_columns: float | str = "auto",
        xi: float | str = "auto",
        gamma: float | str = "auto",
        neighbours: int | tuple[int, int] = 5,
        search: str = "staged",
        random_state: Any = 0,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_components = n_components
        self.eta_rows = eta_rows
        self.eta_columns = eta_columns
        self.xi = xi
        self.gamma = gamma
        self.neighbours = neighbours
        self.search = search
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        rank = max(1, min(settings["n_components"], min(core.counts.shape) - core.piece_count))
        solved = lru_cache(KEPT)(partial(Weighted.of, core, rank))
        near = search.near_pairs(core, settings, RANGES)

        def cost(choice: dict[str, float]) -> search.Cost:
            weighted = solved(choice["eta_rows"], choice["eta_columns"])
            return search.Cost(*near.strain(*weighted.places(choice["xi"], choice["gamma"])))

        found = search.choose(cost, RANGES, SCAN, settings, "CoEmbedding")
        chosen = found.settings
        counted = {"near_pairs": len(near), "lost_pairs": found.lost}
        return _analysis(
            solved(chosen["eta_rows"], chosen["eta_columns"]),
            chosen["xi"],
            chosen["gamma"],
            {f"{name}_": value for name, value in (chosen | counted).items()}
            | {"search_": found.trials},
            chosen | counted | {"tried": len(found.trials)},
        )


def _analysis(
    weighted: Weighted, xi: float, gamma: float, attributes: dict[str, Any], summary: dict[str, Any]
) -> Analysis:
    rows, columns = weighted.places(xi, gamma)
    a, b = weighted.row_weights, weighted.column_weights
    back = powers(weighted.axes.values, -1)
    folds = (
        Fold(b[:, None] * columns * back / xi, partial(weighted_totals, weights=b)),
        Fold(a[:, None] * rows * back * xi, partial(weighted_totals, weights=a)),
    )
    return along(weighted.problem, weighted.axes, (rows, columns), folds, attributes, summary)
