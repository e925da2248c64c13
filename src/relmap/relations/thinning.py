"""Splitting counts at random, to fit on some events and test on the others."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from relmap._types import Floats, Seed, generator
from relmap.errors import InputError


def held_out(data: Floats, fraction: float, random_state: Seed, owner: str) -> Floats:
    """Return how many of each count's events are held out, each with probability `fraction`."""
    given: Any = fraction
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 < fraction < 1:
        raise InputError(f"fraction of {owner} must be between 0 and 1; got {fraction!r}.")
    whole = _whole(data, owner)
    return generator(random_state).binomial(whole, fraction).astype(np.float64)


def folds(data: Floats, count: int, wanted: int, random_state: Seed) -> Floats:
    """Deal the events of each count out to so many folds; return those wanted: counts × wanted."""
    left, rng = _whole(data, "held_out"), generator(random_state)
    dealt = np.empty((len(data), wanted))
    for fold in range(wanted):
        taken = rng.binomial(left, 1 / (count - fold))
        dealt[:, fold], left = taken, left - taken
    return dealt


def _whole(data: Floats, owner: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    whole = data.astype(np.int64)
    if (whole != data).any():
        value = data[np.argmax(whole != data)]
        raise InputError(
            f"{owner} splits whole counts, but this table has fractions (first: {value:g}). "
            "Round or rescale the counts first."
        )
    return whole
