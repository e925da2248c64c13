"""How well distances on a map match given similarities: the loss of MKPE.

    J = w_b mean_ij (e^{−|x_i − y_j|²/σ²} − s_ij)² + w_k mean_ij (e^{−|x_i − x_j|²/σ²} − k_ij)² + …

Pulling together needs the similarities that are not 0 only; pushing apart is a field of the kernel
squared, e^{−2|…|²/σ²}. Nothing of the size rows × columns is stored unless it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from relmap._types import Floats, sums
from relmap.engines import fields

BLOCK = 2**18  # similarities at a time


class Slopes(NamedTuple):
    """The value of a mismatch, and its slopes in the points of both sides."""

    value: float
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Match:
    """Similarities between two sets of points (or within one), from 0 to 1."""

    similarities: sparse.csr_array
    within: bool = False

    def __call__(self, first: Floats, second: Floats) -> Slopes:
        """Return the mean squared difference to e^{−d²}; of one set `first` is `second`."""
        s = self.similarities
        pulled = self._pull(first, second)
        back = sparse.csr_array(pulled.T)
        pushed = self._push(first, second)
        value = pushed.value - 2 * pulled.sum() + float(s.data @ s.data)
        pull_first = sums(pulled, 1)[:, None] * first - pulled @ second
        pull_second = sums(back, 1)[:, None] * second - back @ first
        size = s.shape[0] * (s.shape[1] - self.within)
        return Slopes(
            value / size,
            (pushed.first + 4 * pull_first) / size,
            (pushed.second + 4 * pull_second) / size,
        )

    def _pull(self, first: Floats, second: Floats) -> sparse.csr_array:
        """Return s e^{−d²} where s is not 0."""
        s, data = self.similarities, np.empty(self.similarities.nnz)
        for start in range(0, s.nnz, BLOCK):
            cells = np.arange(start, min(start + BLOCK, s.nnz))
            rows = np.searchsorted(s.indptr, cells, side="right") - 1
            gaps = first[rows] - second[s.indices[cells]]
            data[cells] = s.data[cells] * np.exp(-np.einsum("cq,cq->c", gaps, gaps))
        return sparse.csr_array((data, s.indices, s.indptr), shape=s.shape)

    def _push(self, first: Floats, second: Floats) -> Slopes:
        """Return Σ e^{−2d²} over all pairs."""
        root = np.sqrt(2.0)
        value, slope = self._field(root * first, root * second)
        other = slope if self.within else self._field(root * second, root * first)[1]
        return Slopes(value, root * slope, root * other)

    def _field(self, targets: Floats, sources: Floats) -> tuple[float, Floats]:
        own = np.arange(len(targets)) if self.within else None
        problem = fields.KernelSums(targets, sources, own=own)
        found = fields.solve(problem)
        totals = np.exp(found.log_total)
        return float(totals.sum()), totals[:, None] * found.slope


def similarities(counts: sparse.csr_array) -> sparse.csr_array:
    """Return counts over the roots of the largest ones of their row and column: from 0 to 1."""
    rows, columns = (counts.max(axis=axis).toarray().ravel() for axis in (1, 0))
    return similar(counts, rows, columns)


def similar(counts: sparse.csr_array, rows: Floats, columns: Floats) -> sparse.csr_array:
    """Return counts over the roots of `rows` and `columns`, 1 at most."""
    lines = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    data = counts.data / np.sqrt(rows)[lines] / np.sqrt(columns)[counts.indices]
    parts = (np.minimum(data, 1.0), counts.indices, counts.indptr)
    return sparse.csr_array(parts, shape=counts.shape)
