"""The methods of section 8.2, each as one function of a table and the number of dimensions.

| name | here |
|---|---|
| CODE | `CODE(weighting="rows")`, variant CM, the best of some starts |
| CA | `CorrespondenceAnalysis(scaling="symmetric")`, that of the paper's appendix |
| Isomap | scikit-learn's, 10 neighbours, by Euclidean distances and by the cosine |
| MDS-e, MDS-c | classical scaling of Euclidean distances, and of one minus the cosine |
| SVD, SVD-l | U√S of the shares, and of log(1 + count), as its table 1 says |

All but SVD-l start from the shares of words in each document. The paper does not say which
distances its Isomap takes, nor which of the two multidimensional scalings of MATLAB's toolbox was
run.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from papers.code.newsgroups import shares
from scipy import sparse
from scipy.sparse.linalg import eigsh, svds
from sklearn.manifold import Isomap
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances

from relmap import CODE, CorrespondenceAnalysis, Table
from relmap.errors import ConvergenceWarning

STARTS = 3
TOLERANCE = 1e-6  # 1e-8 takes two to seven times as long; purities move by less than a point
NEIGHBOURS = 10

Points = tuple[np.ndarray, np.ndarray | None]
Method = Callable[..., Points]


def code(table: Table, q: int, variant: str = "CM", starts: int = STARTS) -> Points:
    """CODE with all documents alike; the first start is CA's map, the others are drawn."""
    model = CODE(q, variant=variant, weighting="rows", n_init=starts, tol=TOLERANCE, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # things that drift far out
        model.fit(table)
    return model.embedding_, model.column_embedding_


def ca(table: Table, q: int) -> Points:
    """Correspondence analysis of the shares."""
    model = CorrespondenceAnalysis(q, scaling="symmetric").fit(shares(table))
    return model.embedding_, model.column_embedding_


def isomap(distances: Callable[[Any], np.ndarray]) -> Method:
    """Isomap by some distances between documents."""

    def place(table: Table, q: int) -> Points:
        model = Isomap(n_components=q, n_neighbors=NEIGHBOURS, metric="precomputed")
        return model.fit_transform(distances(shares(table).counts)), None

    return place


def scaling(distances: Callable[[Any], np.ndarray]) -> Method:
    """Classical multidimensional scaling: the leading axes of the centred squared distances."""

    def place(table: Table, q: int) -> Points:
        inner = distances(shares(table).counts) ** 2 / -2
        inner -= inner.mean(axis=0)
        inner -= inner.mean(axis=1, keepdims=True)
        values, vectors = eigsh(inner, q, which="LA", v0=np.ones(len(inner)))
        return vectors * np.sqrt(np.maximum(values, 0)), None

    return place


def svd(prepare: Callable[[Table], sparse.csr_array]) -> Method:
    """Leading axes of a matrix: singular vectors times the roots of singular values."""

    def place(table: Table, q: int) -> Points:
        matrix = prepare(table)
        left, values, _ = svds(matrix, q, v0=np.ones(min(matrix.shape)))
        return left * np.sqrt(values), None

    return place


METHODS: dict[str, Method] = {
    "CODE": code,
    "Isomap": isomap(euclidean_distances),
    "Isomap-c": isomap(cosine_distances),
    "CA": ca,
    "MDS-e": scaling(euclidean_distances),
    "MDS-c": scaling(cosine_distances),
    "SVD": svd(lambda table: shares(table).counts),
    "SVD-l": svd(lambda table: table.counts.log1p()),
}
