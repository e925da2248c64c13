"""Splitting counts at random, to fit on some events and test on the others."""

from __future__ import annotations

import numpy as np

from relmap._types import Floats, Seed, generator
from relmap.errors import InputError


def held_out(data: Floats, fraction: float, random_state: Seed, owner: str) -> Floats:
    """Return how many of each count's events are held out, each with probability `fraction`."""
    if isinstance(fraction, bool) or not 0 < fraction < 1:
        raise InputError(f"fraction of {owner} must be between 0 and 1; got {fraction!r}.")
    whole = _whole(data, owner)
    return generator(random_state).binomial(whole, fraction).astype(np.float64)


def folds(data: Floats, count: int, random_state: Seed, owner: str) -> Floats:
    """Deal the events of each count out to so many folds: counts × folds."""
    left, rng = _whole(data, owner), generator(random_state)
    dealt = np.empty((len(data), count))
    for fold in range(count):
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
