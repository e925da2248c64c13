"""Correspondence analysis: the axes along which a table departs most from independence."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relmap import _check
from relmap._types import Floats
from relmap.engines.spectral import ScaledMatrix
from relmap.maps.framing import frame
from relmap.models.base import spread
from relmap.models.coembedding.axes import Fold, along, leading, powers, totals
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.estimator import SPENT, CoMap
from relmap.models.coembedding.inertia import Inertia

EXPONENTS = {
    "symmetric": (0.5, 0.5),
    "rows": (1.0, 0.0),
    "columns": (0.0, 1.0),
    "principal": (1.0, 1.0),
    "standard": (0.0, 0.0),
}


class CorrespondenceAnalysis(CoMap):
    """Map rows and columns by the axes along which a table departs most from independence.

    With p̄ the shares of all counts, r and c their row and column sums,

        D_r^{−1/2} (p̄ − r cᵀ) D_c^{−1/2} = U Σ Vᵀ, rows D_r^{−1/2} U Σ^a, columns D_c^{−1/2} V Σ^b.

    Σ² are the inertias: together they are χ²/n, and each axis takes its share. Principal rows
    (a = 1) are as far apart as their profiles are in χ² distance.

    Directions count, not distances between a row and a column: a row goes with the columns that
    lie the same way from the middle. Use `CODE` where near shall mean related. Rare things that
    only go with each other can take an axis for themselves; leave them out, or use `CODE`.

    Parameters
    ----------
    n_components : int, default 2
        Axes at most. All that the table has are min(n_rows, n_columns) − 1.
    scaling : str, default "symmetric"
        The exponents a and b: "symmetric" ½ and ½, "rows" 1 and 0 (distances between rows are
        right, and each row is the mean of the columns it was seen with), "columns" 0 and 1,
        "principal" 1 and 1 (both distances right, no way to compare rows with columns),
        "standard" 0 and 0.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × q and n_columns × q
        Coordinates; NaN for rows and columns without counts.
    singular_values_, inertias_, inertia_shares_ : arrays, q
        Σ, Σ² and the shares of the total inertia.
    total_inertia_, chi_square_, degrees_of_freedom_, p_value_ : numbers
        The departure from independence, and how likely one as large is by chance. χ² supposes
        independent events, and expected counts of some five or more.
    row_masses_, column_masses_ : arrays
    row_inertias_, column_inertias_ : arrays
        How much of the total inertia each thing brings.
    row_contributions_, column_contributions_ : arrays, things × q
        The share of an axis's inertia that a thing brings; columns of these add up to 1.
    row_cosines_, column_cosines_ : arrays, things × q
        cos²: the share of a thing's inertia that an axis shows; summed over axes, its quality. NaN
        for a thing of the average profile, which has none.
    map_ : Map
    evidence_ : SpectralEvidence

    Examples
    --------
    >>> from relmap import CorrespondenceAnalysis, datasets
    >>> model = CorrespondenceAnalysis().fit(datasets.load_smoke())
    >>> [float(round(share, 4)) for share in model.inertia_shares_]
    [0.8776, 0.1176]
    """

    _pieces = SPENT
    rules: ClassVar = {
        "n_components": _check.whole(1),
        "scaling": _check.one_of(*EXPONENTS),
    }

    def __init__(self, n_components: int = 2, *, scaling: str = "symmetric") -> None:
        self.n_components = n_components
        self.scaling = scaling

    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        shares = core.shares
        rank = max(1, min(settings["n_components"], *(size - 1 for size in shares.shape)))
        problem = ScaledMatrix.residuals(shares, rank)
        axes = leading(problem)
        a, b = EXPONENTS[settings["scaling"]]
        rows, columns = (
            problem.row_scale[:, None] * axes.left,
            problem.column_scale[:, None] * axes.right,
        )
        inertia = Inertia.of(core, shares, axes)
        folds = (
            Fold(columns * powers(axes.values, a - 1), totals),
            Fold(rows * powers(axes.values, b - 1), totals),
        )
        return along(
            problem,
            axes,
            (rows * powers(axes.values, a), columns * powers(axes.values, b)),
            folds,
            attributes=inertia.attributes(),
            summary={"total_inertia": inertia.total, "inertia_shares": inertia.shares},
        )

    def coordinates(self, side: str, scaling: str) -> Floats:
        """Return the coordinates of "rows" or "columns" in another scaling."""
        check_is_fitted(self)
        _check.check("coordinates", {"side": side, "scaling": scaling}, _SIDES)
        analysis, core = self._fitted.analysis, self._fitted.core
        i = ("rows", "columns").index(side)
        given, places = ((analysis.rows, core.rows), (analysis.columns, core.columns))[i]
        change = EXPONENTS[scaling][i] - EXPONENTS[self._fitted.settings["scaling"]][i]
        return spread(given * powers(self.singular_values_, change), places)

    def scree(self) -> Any:
        """Return the axes as a data frame: inertia, its share, and the shares so far."""
        check_is_fitted(self)
        values = {
            "axis": list(range(1, len(self.inertias_) + 1)),
            "inertia": self.inertias_.tolist(),
            "share": self.inertia_shares_.tolist(),
            "cumulative": np.cumsum(self.inertia_shares_).tolist(),
        }
        return frame(values, self._fitted.table.origin.library)

    def summary(self) -> Any:
        """Return all things as a data frame: what they weigh, and what the axes show of them.

        Per thing: kind, name, mass, share of the total inertia, quality (the share of its own
        inertia that the map shows); per axis: the principal coordinate, cos² and contribution.
        """
        check_is_fitted(self)
        parts = [self._things("rows"), self._things("columns")]
        values = {name: [v for part in parts for v in part[name]] for name in parts[0]}
        return frame(values, self._fitted.table.origin.library)

    def _things(self, side: str) -> dict[str, list[Any]]:
        one, table = side[:-1], self._fitted.table
        kind, names = (
            (table.row_kind, table.rows) if one == "row" else (table.column_kind, table.columns)
        )
        cosines = getattr(self, f"{one}_cosines_")
        columns: dict[str, Any] = {
            "kind": [kind] * len(names),
            "name": [str(name) for name in names],
            "mass": getattr(self, f"{one}_masses_"),
            "inertia": getattr(self, f"{one}_inertias_") / (self.total_inertia_ or 1.0),
            "quality": cosines.sum(axis=1),
        }
        principal = self.coordinates(side, "principal")
        for k in range(principal.shape[1]):
            columns[f"axis{k + 1}"] = principal[:, k]
            columns[f"cos2_{k + 1}"] = cosines[:, k]
            columns[f"contribution_{k + 1}"] = getattr(self, f"{one}_contributions_")[:, k]
        return {name: list(np.asarray(values).tolist()) for name, values in columns.items()}


_SIDES = {"side": _check.one_of("rows", "columns"), "scaling": _check.one_of(*EXPONENTS)}
