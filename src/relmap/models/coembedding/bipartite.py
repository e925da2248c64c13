"""Bipartite spectral partitioning: the cuts of the graph that links rows with columns."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from relmap import _check
from relmap._types import Integers, Seed, generator
from relmap.engines.spectral import ScaledMatrix
from relmap.models.coembedding.axes import Fold, along, leading, powers, totals
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.estimator import SPENT, CoMap


class Partition(NamedTuple):
    """The group of every row and every column, numbered by size; −1 for what has no counts."""

    rows: Integers
    columns: Integers


class BipartiteSpectral(CoMap):
    """Map rows and columns so that groups that go with each other come apart.

    The table is a graph that links rows with columns; the axes are the relaxed normalised cuts,

        D_r^{−1/2} R D_c^{−1/2} = U Θ Vᵀ,      rows D_r^{−1/2} U,  columns D_c^{−1/2} V,

    from the second on (the first is the same for all things). D_r and D_c are shares of the total,
    so that every axis has mean square 1. The places are those of `CorrespondenceAnalysis` in the
    scaling "standard"; this model is for dividing, `partition` does it. (The papers print
    D^{+1/2}; the relaxation needs −1/2.)

    Parameters
    ----------
    n_components : int, default 2
        Axes at most. `partition` of k groups wants log2 k of them, rounded up.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × q and n_columns × q
        Coordinates; NaN for rows and columns without counts.
    singular_values_ : array, q
        Near 1 where a cut parts nearly nothing.
    map_ : Map
    evidence_ : SpectralEvidence

    Examples
    --------
    >>> from relmap import BipartiteSpectral, Table
    >>> model = BipartiteSpectral(1).fit([[5, 4, 0], [6, 5, 1], [0, 1, 7]])
    >>> [group.tolist() for group in model.partition(2)]
    [[0, 0, 1], [0, 0, 1]]
    """

    _pieces = SPENT
    rules: ClassVar = {"n_components": _check.whole(1)}

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        shares = core.shares
        rank = max(1, min(settings["n_components"], *(size - 1 for size in shares.shape)))
        problem = ScaledMatrix.residuals(shares, rank)
        axes = leading(problem)
        real = powers(axes.values, 0)
        rows = problem.row_scale[:, None] * axes.left * real
        columns = problem.column_scale[:, None] * axes.right * real
        back = powers(axes.values, -1)
        folds = Fold(columns * back, totals), Fold(rows * back, totals)
        return along(problem, axes, (rows, columns), folds)

    def partition(self, groups: int, random_state: Seed = 0) -> Partition:
        """Divide rows and columns together into groups (k-means on the map, as Dhillon 2001)."""
        check_is_fitted(self)
        points = np.concatenate([self.embedding_, self.column_embedding_])
        placed = np.isfinite(points).all(axis=1)
        rule = _check.Rule(
            lambda k: _check.whole(1).allows(k) and k <= placed.sum(),
            f"a whole number from 1 to the number of things placed ({placed.sum()})",
        )
        _check.check("partition", {"groups": groups}, {"groups": rule})
        seed = int(generator(random_state).integers(2**31))
        found = KMeans(groups, n_init=10, random_state=seed).fit_predict(points[placed])
        order = np.argsort(-np.bincount(found, minlength=groups), kind="stable")
        labels = np.full(len(points), -1)
        labels[placed] = np.argsort(order)[found]
        return Partition(labels[: len(self.embedding_)], labels[len(self.embedding_) :])
