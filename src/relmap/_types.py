"""Names for the types that many signatures share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def generator(seed: Seed) -> np.random.Generator:
    """Return the random generator that a `random_state` argument stands for."""
    if isinstance(seed, np.random.RandomState):
        return np.random.default_rng(seed.randint(0, 2**31, size=4, dtype=np.int64))
    return np.random.default_rng(seed)


def frozen(array: Any) -> Any:
    """Return a view of `array` that cannot be written to."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def sums(matrix: Any, axis: int) -> Floats:
    """Return the sums of a sparse matrix along an axis: one per row for 1, one per column for 0."""
    return np.asarray(matrix.sum(axis=axis), dtype=np.float64).ravel()
