"""Latent semantic indexing: the leading axes of a table as it is."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from relmap import _check
from relmap.engines.spectral import ScaledMatrix
from relmap.models.coembedding.axes import Fold, along, leading
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.estimator import CoMap


class LatentSemanticIndexing(CoMap):
    """Map rows and columns by the leading axes of a table, neither centred nor scaled.

        R ≈ U Θ Vᵀ,      rows U Θ,  columns V Θ.

    The first axis mostly tells how often things were seen, the next ones what they were seen with.
    Angles from the origin count more than distances. Coordinates are in the unit of the counts; a
    table of weights (TF/IDF) is as welcome as one of counts. It is what scikit-learn's
    TruncatedSVD computes, with the columns on the same map. Use `CorrespondenceAnalysis` where
    popularity shall not show, `CODE` where near shall mean related.

    Parameters
    ----------
    n_components : int, default 2
        Axes at most.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × q and n_columns × q
        Coordinates; NaN for rows and columns without counts.
    singular_values_ : array, q
        The diagonal of Θ.
    map_ : Map
    evidence_ : SpectralEvidence

    Examples
    --------
    >>> from relmap import LatentSemanticIndexing, datasets
    >>> model = LatentSemanticIndexing().fit(datasets.load_smoke())
    >>> [float(round(value, 3)) for value in model.singular_values_]
    [55.818, 15.255]
    """

    rules: ClassVar = {"n_components": _check.whole(1)}

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        n, m = core.counts.shape
        rank = min(settings["n_components"], n, m)
        problem = ScaledMatrix(core.counts, np.ones(n), np.ones(m), None, None, rank)
        axes = leading(problem)
        places = axes.left * axes.values, axes.right * axes.values
        return along(problem, axes, places, (Fold(axes.right), Fold(axes.left)))
