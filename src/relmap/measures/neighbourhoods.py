"""Averages over neighbourhoods of 1, 2, … k things, where equal distances share their places.

A neighbourhood of j things is worth the sum of some values over them, divided by what would be best
for j. The mean over j = 1 … k is linear in the values: the neighbour at place r weighs

    w_r = 1/k Σ_{j = r}^{k} 1 / best_j,        at places beyond k nothing.

Things at one distance have the mean weight of their places, as if they stood there in every order.
"""

from __future__ import annotations

import numpy as np

from relmap._types import Floats
from relmap.engines.nearness import TIED


def place_weights(best: Floats) -> Floats:
    """Return what the neighbours at places 1 … k weigh; `best` holds the best for 1 … k."""
    return np.cumsum(1 / best[::-1])[::-1] / len(best)


def mean_worth(squares: Floats, values: Floats, weights: Floats) -> float:
    """Return what the neighbourhoods of one thing are worth, on average over their sizes.

    `squares` are its squared distances from others, at least as many as there are weights, and
    `values` what these are worth.
    """
    k = len(weights)
    reach = np.partition(squares, k - 1)[k - 1]
    near = np.flatnonzero(squares <= reach * (1 + 2 * TIED))
    near = near[np.argsort(squares[near])]
    lined = squares[near]
    starts = np.flatnonzero(np.diff(lined, prepend=-1) > 2 * TIED * lined)
    shared = np.add.reduceat(np.append(weights, np.zeros(len(near) - k)), starts)
    shared /= np.diff(starts, append=len(near))
    return float(shared @ np.add.reduceat(values[near], starts))
