"""Whether the columns that lie near a row are those that go with it or with its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from relmap import _check
from relmap._types import Floats, Integers
from relmap.engines.nearness import each_block
from relmap.errors import InputError
from relmap.measures.labels import is_label, labels_in_order, numbered
from relmap.measures.neighbourhoods import mean_worth, place_weights
from relmap.measures.places import Places

Asked = Callable[[int], tuple[Floats, Floats]]
"""From the number of a row: what each placed column is worth to it, and the weights of places."""


def class_words(
    relation: Any,
    labels: Any,
    rows: Any,
    columns: Any = None,
    k: int = 100,
    *,
    given: str = "class",
) -> float:
    """Return how probable the columns near a row are in the row's class, 1 at best.

    A column's probability in a class is its share of all that the rows of the class hold. For each
    row, the probabilities of its j nearest columns are added up and divided by the largest sum that
    any j columns have; that is averaged over j = 1 … k, then over rows. It is large if documents
    lie beside the words that are common in their class, be they common in others as well or not;
    `given="column"` asks whether the words near a document tell its class. Columns at one distance
    share their places evenly; columns that are not placed are never near.

    Parameters
    ----------
    relation : Table, array or sparse matrix
        Documents × words. Long rows weigh more in their class; divide rows by their sums if all
        shall weigh the same.
    labels : list in the order of the rows, or mapping from names of rows to labels
        None and NaN mean no label; such rows, and rows not placed, are not asked.
    rows, columns : arrays of points, or one Map in place of `rows`
    k : int
        The largest neighbourhood.
    given : "class" or "column", default "class"
        Whether the probability is that of the column in the class, or that of the class among all
        that the column holds in rows with a label.

    Examples
    --------
    >>> from relmap import CorrespondenceAnalysis, datasets, measures
    >>> table = datasets.load_housetasks()
    >>> who = [task in ("Laundry", "Main_meal", "Dinner") for task in table.rows]
    >>> round(measures.class_words(table, who, CorrespondenceAnalysis().fit(table).map_, k=2), 2)
    0.76
    """
    _check.check(
        "class_words",
        {"k": k, "given": given},
        {"k": _check.whole(1), "given": _check.one_of("class", "column")},
    )
    places = Places.of(relation, rows, columns)
    listed = labels_in_order(labels, places.table.rows)
    known = [i for i in range(len(listed)) if is_label(listed[i])]
    classes = np.full(len(listed), -1)
    classes[known] = numbered(listed[i] for i in known)
    asked = places.placed[0][classes[places.placed[0]] >= 0]
    if not len(asked):
        raise InputError("no row that is placed has a label.")
    sums = _sums(places.table.counts[known], classes[known])
    empty = sums.sum(axis=1)[classes[asked]] == 0
    if empty.any():
        first = listed[asked[empty.argmax()]]
        raise InputError(f"the rows with the label {first!r} are all empty.")
    shares = _shares(sums, 1 if given == "class" else 0)
    _no_more_than(k, places)
    best = np.cumsum(-np.sort(-shares, axis=1)[:, :k], axis=1)
    weights = [place_weights(most) for most in best]
    here = shares[:, places.placed[1]]
    return _mean(places, asked, lambda i: (here[classes[i]], weights[classes[i]]))


def authorship(relation: Any, rows: Any, columns: Any = None, k: int | None = None) -> float:
    """Return the share of a row's own columns among those nearest to it, 1 at best.

    Own are the columns with which a row has an entry, as a document has authors; how large it is
    does not matter. For each row, the number of its own among its j nearest columns is divided by
    the number it could be, all or j; that is averaged over j = 1 … k, then over rows. A map that
    knows nothing has about a half if k is the number of columns. Columns at one distance share
    their places evenly; columns that are not placed are never near; rows without entries, and rows
    not placed, are left out.

    Parameters
    ----------
    relation : Table, array or sparse matrix
        Documents × authors; on a map of more kinds, those of the relation are looked at.
    rows, columns : arrays of points, or one Map in place of `rows`
    k : int, optional
        The largest neighbourhood; all placed columns by default.

    Examples
    --------
    >>> from relmap import measures
    >>> measures.authorship([[1, 1, 0], [0, 0, 1]], [[0], [4]], [[1], [2], [3]])
    1.0
    """
    _check.check("authorship", {"k": k}, {"k": _check.whole(1) | _check.NONE})
    places = Places.of(relation, rows, columns)
    own = sparse.csr_array(places.table.counts > 0).astype(float)
    totals = np.diff(own.indptr)
    asked = places.placed[0][totals[places.placed[0]] > 0]
    if not len(asked):
        raise InputError("no placed row of the relation has an entry, so that nothing is its own.")
    k = _no_more_than(k, places)
    sizes = np.arange(1.0, k + 1)
    weights = {a: place_weights(np.minimum(sizes, a)) for a in set(totals[asked].tolist())}
    here = own[:, places.placed[1]]
    return _mean(places, asked, lambda i: (here[[i]].toarray()[0], weights[int(totals[i])]))


def _sums(counts: sparse.csr_array, classes: Integers) -> Floats:
    """Return what the rows of every class hold of every column."""
    member = sparse.csr_array((np.ones(len(classes)), (classes, np.arange(len(classes)))))
    sums: Floats = (member @ counts).toarray()
    return sums


def _shares(sums: Floats, axis: int) -> Floats:
    """Return the parts of the totals along an axis; 0 where a total is."""
    totals = sums.sum(axis=axis, keepdims=True)
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)


def _no_more_than(k: int | None, places: Places) -> int:
    """Return k, by default all columns that can be near a row."""
    most = len(places.placed[1]) - places.same
    if k is not None and k > most:
        raise InputError(
            f"k must be at most the number of columns that can be near a row ({most:,}); got {k:,}."
        )
    return k or most


def _mean(places: Places, asked: Integers, worth: Asked) -> float:
    """Return what the columns near the rows asked are worth, on average."""
    found = np.empty(len(asked))

    def look(start: int, block: Floats) -> None:
        for at, squares in enumerate(block, start):
            if places.same:
                squares[np.searchsorted(places.placed[1], asked[at])] = np.inf  # not its own
            found[at] = mean_worth(squares, *worth(asked[at]))

    each_block(places.rows[asked], places.points[1], look)
    return float(found.mean())
