"""Whether what lies near a thing is of its class, in neighbourhoods of all sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from relmap import _check
from relmap._types import Floats
from relmap.engines.nearness import each_block
from relmap.errors import InputError
from relmap.measures.labels import classes_of, labelled
from relmap.measures.neighbourhoods import mean_worth, place_weights


def neighbour_purity(
    points: Any, labels: Any, k: int | None = None, *, kind: str | None = None
) -> float:
    """Return the share of near things that have the same label, over neighbourhoods of all sizes.

    For each thing, the share of its j nearest others with its label is averaged over j = 1 … k,
    then over things. By default k is, for each thing, the number of others with its label: then a
    map on which those always come first has 1, however large the classes are, and things that are
    alone with their label are left out. A map that knows nothing has about the chance that two
    things have the same label. Things at one distance share their places evenly.

    Parameters
    ----------
    points : array, n × q, or Map
    labels : list in the order of the points, or mapping from names (of a Map) to labels
        None and NaN mean no label; such things, and points that are NaN, are left out.
    k : int, optional
        The largest neighbourhood, the same for all; with fewer others of a label than that, 1 is
        out of reach.
    kind : str, optional
        Of a Map, the one kind to look at; all that have a label by default.

    Examples
    --------
    >>> from relmap import measures
    >>> measures.neighbour_purity([[0], [1], [5], [7]], ["a", "a", "b", "b"])
    1.0
    >>> measures.neighbour_purity([[0], [1], [5], [7]], ["a", "b", "b", "a"], k=2)
    0.125
    """
    _check.check("neighbour_purity", {"k": k}, {"k": _check.whole(1) | _check.NONE})
    found, given = labelled(points, labels, kind)
    classes = classes_of(given)
    if k is not None and k >= len(classes):
        raise InputError(
            f"k must be at most the number of other things ({len(classes) - 1:,}); got {k:,}."
        )
    others = np.bincount(classes) - 1
    weights = [place_weights(np.arange(1.0, (k or size) + 1)) for size in others]
    asked = np.flatnonzero(others[classes] > 0) if k is None else np.arange(len(classes))
    if not len(asked):
        raise InputError("no two things have the same label, so that there is nothing to find.")
    purities = np.empty(len(asked))

    def look(start: int, block: Floats) -> None:
        for at, squares in enumerate(block, start):
            own = classes[asked[at]]
            squares[asked[at]] = np.inf  # a thing is not its own neighbour
            purities[at] = mean_worth(squares, (classes == own).astype(float), weights[own])

    each_block(found[asked], found, look)
    return float(purities.mean())


def normalised_purity(scores: Any) -> Floats:
    """Rescale scores, tasks × methods, so that in each task the worst has 0 and the best 1.

    Then tasks that differ in how hard they are may be averaged. A task in which all methods score
    alike tells nothing and is NaN.

    Examples
    --------
    >>> from relmap import measures
    >>> measures.normalised_purity([[0.5, 0.75, 1.0], [0.3, 0.1, 0.2]]).round(12).tolist()
    [[0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]
    """
    given = np.asarray(scores, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] < 2 or not np.isfinite(given).all():
        raise InputError(
            "scores must be finite numbers, tasks × methods, of two methods at least; got "
            f"{'NaN or infinity' if given.ndim == 2 and given.shape[1] > 1 else given.shape}."
        )
    worst = given.min(axis=1, keepdims=True)
    span = given.max(axis=1, keepdims=True) - worst
    alike = np.full_like(given, np.nan)
    return np.divide(given - worst, span, out=alike, where=span > 0)
