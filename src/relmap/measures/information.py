"""How much of a table's information a map explains, read as CODE reads it."""

from __future__ import annotations

import warnings
from typing import Any

from scipy import sparse

from relmap import _check
from relmap._types import Floats, Mask, sums
from relmap.errors import InputError, RelmapWarning
from relmap.maps import Map
from relmap.measures.places import Places
from relmap.models.cooccurrence.likelihood import VARIANTS, Likelihood
from relmap.models.cooccurrence.problem import shares_of
from relmap.relations import Relations, Table


def explained_information(
    relation: Any,
    rows: Any,
    columns: Any = None,
    *,
    variant: str = "CM",
    weighting: str = "events",
) -> float:
    """Return what share of a table's information a map explains: 1 is all, 0 is independence.

    The map, whatever made it, is read by the model of `CODE`: p(y | x) = c_y e^{−d²} / Z_x for
    variant "CM", with squared distances d² as they are on the map. With ℓ the mean log-likelihood
    of an observed pair,

        (ℓ − ℓ_independence) / (ℓ_saturated − ℓ_independence),

    where ℓ_saturated is that of the table's own shares. So the unit of length matters: a map of
    another model may have to be scaled before it says much, and a map that is too wide is far below
    0. It is NaN if the table has no information.

    The counts may be others than those the map was made from: those held out by `Table.thin`, say.
    Their own row and column sums are used, and 1 is then out of reach, since chance is in them.

    Parameters
    ----------
    relation : Table, array or sparse matrix
        Counts. Things without counts are left out. Counts of things that are not placed are left
        out as well, with a warning.
    rows, columns : arrays of points, or one Map in place of `rows`
    variant, weighting : str
        As in `CODE`. Only "CM", "MM" and "MC" contain independence; others may be below 0 at best.

    Examples
    --------
    >>> from relmap import CODE, datasets, measures
    >>> table = datasets.load_housetasks()
    >>> kept, held_out = table.thin(0.5, random_state=0)
    >>> model = CODE(penalty="auto").fit(kept)
    >>> round(measures.explained_information(held_out, model.map_), 2)
    0.91
    """
    _check.check(
        "explained_information",
        {"variant": variant, "weighting": weighting},
        {"variant": _check.one_of(*VARIANTS), "weighting": _check.one_of("events", "rows")},
    )
    table = relation if isinstance(relation, Table) else Table(relation)
    places = Places.of(_squared(table, rows), rows, columns)
    counts, row_points, column_points = _seen(places)
    # as CODE: things of one kind pair with themselves only if the table has such pairs
    skip_self = places.same and not counts.diagonal().any()
    likelihood = Likelihood(shares_of(counts, weighting), variant, skip_self)
    if not likelihood.informative:
        return float("nan")
    independent, saturated = likelihood.bounds
    mean = -likelihood.value(row_points, column_points)
    return (mean - independent) / (saturated - independent)


def _squared(table: Table, shown: Any) -> Table:
    """Return a table of one kind with the same things on both sides, if the map has that kind."""
    kind = table.row_kind
    if kind != table.column_kind or not isinstance(shown, Map) or kind not in shown.kinds:
        return table
    names = Relations([table]).kinds[kind]
    cells = table.counts.tocoo()
    ends = names.find(table.rows)[cells.row], names.find(table.columns)[cells.col]
    counts = sparse.csr_array((cells.data, ends), shape=(len(names), len(names)))
    return Table(counts, names, names, kind, kind)


def _seen(places: Places) -> tuple[sparse.csr_array, Floats, Floats]:
    """Return the counts between things that are placed, and the points of those that have any."""
    counts = places.table.counts[places.placed[0]][:, places.placed[1]]
    left_out = places.table.total - counts.sum()
    if counts.nnz == 0:
        raise InputError("no placed row has a count with a placed column.")
    if counts.nnz < places.table.counts.nnz:
        warnings.warn(
            f"{left_out:g} of {places.table.total:g} counts are of rows or columns that are not "
            "placed; explained_information leaves them out.",
            RelmapWarning,
            stacklevel=3,
        )
    rows, columns = _with_counts(counts, same=places.same)
    return counts[rows][:, columns], places.points[0][rows], places.points[1][columns]


def _with_counts(counts: sparse.csr_array, *, same: bool) -> tuple[Mask, Mask]:
    """Tell which rows and columns have counts; things that are both need them in one role."""
    rows, columns = sums(counts, 1) > 0, sums(counts, 0) > 0
    return (rows | columns, rows | columns) if same else (rows, columns)
