"""The border check of a table's numbers: sparse, finite, not negative, nothing repeated."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from relmap._names import Names
from relmap._types import Integers, Mask
from relmap.errors import InputError

LARGEST = 1e100


def fingerprint(named: Any, counts: sparse.csr_array, *more: Integers) -> str:
    """Return the SHA-256 of counts, of what they are called, and of further positions."""
    digest = hashlib.sha256(repr(named).encode())
    for array, dtype in (
        *((positions, "<i8") for positions in more),
        (counts.indptr, "<i8"),
        (counts.indices, "<i8"),
        (counts.data, "<f8"),
    ):
        digest.update(np.ascontiguousarray(array, dtype=dtype).data)
    return digest.hexdigest()


def clean_counts(counts: Any, rows: Names | None, columns: Names | None) -> sparse.csr_array:
    """Return `counts` as a canonical sparse array of our own, or say what is wrong with it."""
    matrix = _sparse(counts)
    matrix.sum_duplicates()
    _refuse(~np.isfinite(matrix.data), matrix, rows, columns, _NOT_FINITE)
    _refuse(matrix.data < 0, matrix, rows, columns, _NEGATIVE)
    _refuse(matrix.data > LARGEST, matrix, rows, columns, _HUGE)
    matrix.eliminate_zeros()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    return matrix


_NOT_FINITE = (
    "Input contains NaN or infinity: {count} of its cells (first: {where}, {value}). "
    "A count that is not known cannot be used; put 0 where nothing was seen."
)
_HUGE = (
    "Numbers above 1e100 in data: {count} of its cells (first: {where}, {value}). "
    "Their squares and sums would overflow; divide all counts by the largest."
)
_NEGATIVE = (
    "Negative values in data: {count} of its cells (first: {where}, {value}). "
    "Counts must be 0 or more; if these are similarities or differences, shift or clip them first."
)


def _sparse(counts: Any) -> sparse.csr_array:
    if sparse.issparse(counts):
        if counts.ndim != 2:
            raise InputError(f"a table needs two dimensions; got shape {counts.shape}.")
        return sparse.csr_array(_numbers(counts), dtype=np.float64, copy=True)
    dense = np.asarray(counts)
    if dense.ndim != 2:
        raise InputError(
            f"a table needs two dimensions, rows and columns; got shape {dense.shape}. "
            "Reshape your data with .reshape(-1, 1) for one column or .reshape(1, -1) for one row."
        )
    return sparse.csr_array(_numbers(dense).astype(np.float64))


def _numbers(values: Any) -> Any:
    """Refuse what is not a real number."""
    if values.dtype.kind == "c":
        raise InputError("Complex data not supported: counts must be real numbers.")
    if values.dtype.kind in "biuf":
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"counts must be numbers; got {values.dtype} values: {error}.") from None


def _refuse(
    bad: Mask, matrix: sparse.csr_array, rows: Names | None, columns: Names | None, message: str
) -> None:
    if not bad.any():
        return
    first = int(np.argmax(bad))
    row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
    column = int(matrix.indices[first])
    where = f"row {_called(rows, row)}, column {_called(columns, column)}"
    raise InputError(message.format(count=int(bad.sum()), where=where, value=matrix.data[first]))


def _called(names: Names | None, position: int) -> str:
    return repr(names[position]) if names and position < len(names) else str(position)
