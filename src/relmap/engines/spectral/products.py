"""Products with a sparse matrix on several threads, the same bits for any number of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from relmap._threads import each
from relmap._types import Floats

CELLS = 400_000  # of a block: less work is not worth a thread
MOST = 8  # blocks, each with an own sum of the size of a column vector


class Products:
    """S x and Sᵀ y, in blocks of rows that depend on S alone; S itself is not copied."""

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.shape = matrix.shape
        count = int(np.clip(matrix.nnz // CELLS, 1, MOST))
        wanted = np.linspace(0, matrix.nnz, count + 1)[1:-1]
        cuts = [0, *np.searchsorted(matrix.indptr, wanted).tolist(), matrix.shape[0]]
        self.spans = [slice(a, b) for a, b in pairwise(cuts)]
        self.blocks = [_rows(matrix, span) for span in self.spans]
        self.transposed = [block.T for block in self.blocks]

    def times(self, x: Floats) -> Floats:
        """Return S x."""
        if len(self.blocks) == 1:
            return self.blocks[0] @ x
        out = np.empty((self.shape[0], *x.shape[1:]))

        def work(i: int) -> None:
            out[self.spans[i]] = self.blocks[i] @ x

        each(work, range(len(self.blocks)))
        return out

    def transposed_times(self, y: Floats) -> Floats:
        """Return Sᵀ y."""
        if len(self.blocks) == 1:
            return self.transposed[0] @ y
        parts = np.empty((len(self.blocks), self.shape[1], *y.shape[1:]))

        def work(i: int) -> None:
            parts[i] = self.transposed[i] @ y[self.spans[i]]

        each(work, range(len(self.blocks)))
        return parts.sum(axis=0)


def _rows(matrix: sparse.csr_array, span: slice) -> sparse.csr_array:
    start, stop = matrix.indptr[span.start], matrix.indptr[span.stop]
    parts = (
        matrix.data[start:stop],
        matrix.indices[start:stop],
        matrix.indptr[span.start : span.stop + 1] - start,
    )
    return sparse.csr_array(parts, shape=(span.stop - span.start, matrix.shape[1]))
