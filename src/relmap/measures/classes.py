"""Whether a map keeps classes apart that it was not told of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning as NotConverged
from sklearn.svm import LinearSVC

from relmap import _check
from relmap._types import Floats, Integers, Mask, Seed, generator
from relmap.engines.nearness import each_block
from relmap.errors import ConvergenceWarning, InputError
from relmap.measures.labels import classes_of, is_label, labelled, labels_in_order
from relmap.measures.places import Places

SOLVED = 1e-2  # LinearSVC's tolerance; its default takes twice as long for the same errors
STEPS = 100_000


def nearest_neighbour_error(
    points: Any,
    labels: Any,
    *,
    kind: str | None = None,
    folds: int | None = None,
    random_state: Seed = 0,
) -> float:
    """Return the share of things whose nearest labelled neighbour has another label.

    Parameters
    ----------
    points : array, n × q, or Map
    labels : list in the order of the points, or mapping from names (of a Map) to labels
        None and NaN mean no label; such things, and points that are NaN, are left out.
    kind : str, optional
        Of a Map, the one kind to look at; all that have a label by default.
    folds : int, optional
        Look for neighbours only in the other folds of so many, stratified by label, as in
        cross-validation; by default among all other things.
    random_state : int or generator
        Draws the folds.

    Examples
    --------
    >>> from relmap import measures
    >>> measures.nearest_neighbour_error([[0, 0], [0, 1], [5, 5], [5, 4]], ["a", "a", "b", "c"])
    0.5
    """
    _check.check(
        "nearest_neighbour_error",
        {"folds": folds, "random_state": random_state},
        {"folds": _check.whole(2) | _check.NONE, "random_state": _check.SEED},
    )
    found, given = labelled(points, labels, kind)
    classes = classes_of(given)
    if folds is None:
        return float(np.mean(classes[_nearest(found, found, same=True)] != classes))
    wrong = [
        classes[rest][_nearest(found[held], found[rest])] != classes[held]
        for rest, held in _folds(classes, folds, random_state)
    ]
    return float(np.concatenate(wrong).mean())


def selected_words_error(
    relation: Any,
    labels: Any,
    rows: Any,
    columns: Any = None,
    words: int = 20,
    *,
    folds: int = 10,
    random_state: Seed = 0,
) -> float:
    """Return how badly documents are classified by the words that are nearest to their classes.

    For each class, the `words` columns nearest to the mean point of its rows are taken. A linear
    support vector machine (hinge loss, C = 1, one class against the others, counts as they are)
    learns the classes from these columns alone; its error in cross-validation is returned. It
    is small if the map puts the words that tell a class beside the documents of that class.

    Parameters
    ----------
    relation : Table, array or sparse matrix
        Documents × words.
    labels : list in the order of the rows, or mapping from names of rows to labels
        None and NaN mean no label.
    rows, columns : arrays of points, or one Map in place of `rows`
    words : int
        How many columns to take per class.
    folds : int
        Of the cross-validation, stratified.
    random_state : int or generator
        Draws the folds.

    Examples
    --------
    >>> from relmap import CorrespondenceAnalysis, datasets, measures
    >>> table = datasets.load_author()
    >>> authors = [name.split("(")[-1] for name in table.rows]
    >>> m = CorrespondenceAnalysis().fit(table).map_
    >>> measures.selected_words_error(table, authors, m, words=5, folds=2)
    0.25
    """
    _check.check(
        "selected_words_error",
        {"words": words, "folds": folds, "random_state": random_state},
        {"words": _check.whole(1), "folds": _check.whole(2), "random_state": _check.SEED},
    )
    places = Places.of(relation, rows, columns)
    given = labels_in_order(labels, places.table.rows)
    known = [i for i in places.placed[0] if is_label(given[i])]
    classes = classes_of(given[i] for i in known)
    if np.bincount(classes).min() < 2:
        lonely = given[known[int(np.bincount(classes)[classes].argmin())]]
        raise InputError(f"only one placed row has the label {lonely!r}; nothing can learn it.")
    near = _nearest_words(places.rows[known], classes, places.points[1], words)
    chosen = _narrow(places.table.counts[known][:, np.unique(places.placed[1][near])])
    pairs = list(_folds(classes, folds, random_state))
    return float(np.concatenate(_wrong(chosen, classes, pairs)).mean())


def _folds(classes: Integers, folds: int, seed: Seed) -> Iterator[tuple[Integers, Integers]]:
    """Yield what is learned from and what is held out; every class is spread over all folds."""
    if folds > len(classes):
        raise InputError(
            f"folds must be at most the number of things ({len(classes)}); got {folds}."
        )
    order = generator(seed).permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    number = np.empty(len(classes), dtype=np.intp)
    number[order] = np.arange(len(classes)) % folds
    for fold in range(folds):
        yield np.flatnonzero(number != fold), np.flatnonzero(number == fold)


def _nearest_words(rows: Floats, classes: Integers, columns: Floats, words: int) -> Integers:
    """Return the columns nearest to the mean of every class."""
    centres = [rows[classes == c].mean(axis=0) for c in range(int(classes.max()) + 1)]
    return np.argsort(cdist(centres, columns), axis=1, kind="stable")[:, :words]


def _wrong(
    counts: sparse.csr_array, classes: Integers, folds: list[tuple[Integers, Integers]]
) -> list[Mask]:
    """Return what a machine learned from the rest gets wrong in every fold."""
    machine = LinearSVC(loss="hinge", C=1, tol=SOLVED, max_iter=STEPS, random_state=0)
    wrong, unsolved = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # told below, once
        for rest, held in folds:
            machine.fit(counts[rest], classes[rest])
            wrong.append(machine.predict(counts[held]) != classes[held])
            unsolved += int(machine.n_iter_ >= STEPS)
    if unsolved:
        warnings.warn(
            f"selected_words_error: in {unsolved} of {len(folds)} folds the classifier did not "
            f"converge in {STEPS:,} steps, as happens with large counts; the error is rough. "
            "Thin the table (table.thin) or pass the roots of its counts.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return wrong


def _narrow(counts: sparse.csr_array) -> sparse.csr_array:
    """Return the same with 32-bit indices, which is all that LinearSVC takes."""
    indices, indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return sparse.csr_array((counts.data, indices, indptr), shape=counts.shape)


def _nearest(targets: Floats, sources: Floats, *, same: bool = False) -> Integers:
    """Return the source nearest to every target; not itself, where they are the same."""
    nearest = np.empty(len(targets), dtype=np.intp)

    def look(start: int, block: Floats) -> None:
        height = np.arange(len(block))
        if same:
            block[height, start + height] = np.inf
        nearest[start + height] = block.argmin(axis=1)

    each_block(targets, sources, look)
    return nearest
