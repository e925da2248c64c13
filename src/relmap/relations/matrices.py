"""Files of bare matrices: Matrix Market and SciPy's sparse .npz."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from scipy import io, sparse

from relmap.errors import InputError
from relmap.relations.files import Whole

if TYPE_CHECKING:
    from pathlib import Path


def read_mtx(path: Path) -> Whole:
    """Read a Matrix Market file; its rows and columns have numbers for names."""
    try:
        return Whole(io.mmread(path))
    except (ValueError, OverflowError, EOFError, OSError, zlib.error) as error:
        detail = str(error).rstrip(".")
        raise InputError(f"{path.name} cannot be read as Matrix Market: {detail}.") from None


def read_npz(path: Path) -> Whole:
    """Read what `scipy.sparse.save_npz` wrote; nothing in the file is ever executed."""
    try:
        with zipfile.ZipFile(path):
            matrix: Any = sparse.load_npz(path)
        if matrix.format in {"csr", "csc", "bsr"}:
            # Wrong positions would be followed into foreign memory.
            matrix.check_format(full_check=True)
    except _NOT_SPARSE as error:
        detail = str(error).rstrip(".")
        raise InputError(
            f"{path.name} is not a sparse matrix as scipy.sparse.save_npz writes it: {detail}. "
            "Load other arrays with numpy and pass them to Table."
        ) from None
    return Whole(matrix)


_NOT_SPARSE = (
    ValueError, TypeError, KeyError, IndexError, EOFError, OSError, NotImplementedError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
