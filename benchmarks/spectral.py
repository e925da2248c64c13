"""Correspondence analysis beside its peers, in one run on the same table.

Needs the extra "peers" (prince, scikit-network). Counts are drawn from 30 topics, with common and
rare words as in texts. Truth is the dense spectrum of AᵀA.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
import warnings

import numpy as np
from scipy import sparse

from relmap import CorrespondenceAnalysis, Table
from relmap.engines.spectral import ScaledMatrix


def topics(n: int, m: int, events: int, seed: int = 0) -> sparse.csr_array:
    """Draw events: a row by its size, one of its few topics, a column of that topic."""
    rng = np.random.default_rng(seed)
    sizes = rng.lognormal(0, 0.5, n)
    commonness = (1 + np.arange(m)) ** -0.8
    rows = rng.choice(n, events, p=sizes / sizes.sum())
    kinds = np.where(rng.random(events) < 0.6, rows % 30, rng.integers(0, 30, events))
    columns = np.empty(events, dtype=np.int64)
    for kind in range(30):
        mine = kinds == kind
        weights = commonness * rng.gamma(0.3, size=m)
        columns[mine] = rng.choice(m, mine.sum(), p=weights / weights.sum())
    table = sparse.csr_array((np.ones(events), (rows, columns)), shape=(n, m))
    table.sum_duplicates()
    return table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]


def timed(work, repeats=1):
    """Return the answer and the shortest time."""
    shortest = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        answer = work()
        shortest = min(shortest, time.perf_counter() - start)
    return answer, shortest


def beside_prince_and_scikit_network() -> None:
    import pandas as pd
    import prince
    from sknetwork.embedding import GSVD

    counts = topics(20_000, 5_000, 1_300_000)
    size = counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes
    print(f"{counts.shape[0]:,} × {counts.shape[1]:,}, {counts.nnz:,} cells, {size / 1e6:.0f} MB")
    gram = ScaledMatrix.residuals(counts / counts.sum(), 1)
    dense = gram.times(np.eye(counts.shape[1]))
    truth = np.linalg.eigvalsh(dense.T @ dense)[::-1][:2]
    del dense
    table = Table(counts)
    model, ours = timed(lambda: CorrespondenceAnalysis(2).fit(table), 5)
    matrix = sparse.csr_matrix(counts)
    gsvd, other = timed(lambda: GSVD(3, regularization=0, normalized=False).fit(matrix), 5)
    frame = pd.DataFrame(counts.toarray())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer, slow = timed(lambda: prince.CA(n_components=2, random_state=0).fit(frame))
    tracemalloc.start()
    CorrespondenceAnalysis(2).fit(table)
    extra = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    for name, seconds, values in (
        ("relmap", ours, model.inertias_),
        ("scikit-network GSVD", other, gsvd.singular_values_[1:] ** 2),
        ("prince", slow, peer.eigenvalues_),
    ):
        error = np.abs(np.asarray(values)[:2] / truth - 1).max()
        print(
            f"  {name:20s} {seconds:6.2f} s  {seconds / ours:5.1f} ×   inertias off by {error:.0e}"
        )
    print(f"  relmap's extra memory: {extra / size:.1f} × the table")


def ten_million(q: int = 10) -> None:
    counts = topics(300_000, 60_000, 12_000_000)
    model, seconds = timed(lambda: CorrespondenceAnalysis(q).fit(Table(counts)))
    worst = max(model.evidence_.residuals)
    print(f"{counts.nnz:,} cells, q = {q}: {seconds:.1f} s, residual {worst:.0e}")


if __name__ == "__main__":
    beside_prince_and_scikit_network()
    if "--quick" not in sys.argv:
        ten_million()
