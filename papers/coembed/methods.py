"""The five methods compared, each as one function: method(table, k, neighbours=5).

They return the points of rows and of columns. CODE and MKPE are run as their papers define them,
without penalties or kernels, from one start, and end after `STEPS` steps, converged or not, so that
all figures stay affordable; their `ConvergenceWarning` is silenced here for that reason. On the
points in the plane and half of CiteSeer, in two dimensions, both converge within 120 steps. On the
trials of four diseases CODE does, and MKPE needs 681; its Γ is then 605 and not 613.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from relmap import ACAS, CODE, MKPE, CoEmbedding, CorrespondenceAnalysis
from relmap.errors import ConvergenceWarning, NeighboursWarning, RankWarning

STEPS = 300

Points = tuple[np.ndarray, np.ndarray]
Method = Callable[..., Points]


def points(model: Any, table: Any) -> Points:
    """Fit and return where rows and columns are; a run may end early, axes may be fewer."""
    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, RankWarning, NeighboursWarning):
            warnings.simplefilter("ignore", kind)
        model.fit(table)
    return model.embedding_, model.column_embedding_


def ca(table: Any, k: int, neighbours: Any = 5) -> Points:  # noqa: ARG001 (has no neighbours)
    """Correspondence analysis with both sides in principal coordinates (equations 6 and 7)."""
    return points(CorrespondenceAnalysis(k, scaling="principal"), table)


def acas(table: Any, k: int, neighbours: Any = 5) -> Points:
    """ACAS with all settings searched."""
    return points(ACAS(k, neighbours=neighbours), table)


def code(table: Any, k: int, neighbours: Any = 5) -> Points:  # noqa: ARG001 (has no neighbours)
    """CODE, variant CM with all rows alike (equation 1 and what follows), without a penalty."""
    return points(CODE(k, weighting="rows", max_iter=STEPS), table)


def mkpe(table: Any, k: int, neighbours: Any = 5) -> Points:  # noqa: ARG001 (has no neighbours)
    """MKPE without kernels: only the relation between rows and columns is given."""
    return points(MKPE(k, max_iter=STEPS), table)


def coembedding(table: Any, k: int, neighbours: Any = 5) -> Points:
    """CoEmbedding with all settings searched."""
    return points(CoEmbedding(k, neighbours=neighbours), table)


METHODS: dict[str, Method] = {
    "CA": ca,
    "ACAS": acas,
    "CODE": code,
    "MKPE": mkpe,
    "CoEmbedding": coembedding,
}
