"""Tables that come after the fit: new things are placed, and counts scored, on a map that stays."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from relmap._types import Floats, Integers, sums
from relmap.errors import InputError, RelmapWarning
from relmap.models.base import matched, moved
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.placing import placed
from relmap.models.cooccurrence.problem import Problem, shares_of
from relmap.relations import Relations, Table, Triples


@dataclass(frozen=True, eq=False)
class Later:
    """The map of some fitted tables, and how these were weighted."""

    layout: Layout
    problem: Problem
    points: Floats
    weighting: str

    @property
    def relations(self) -> Relations:
        """The fitted tables."""
        return self.layout.relations

    def index(self, given: Any) -> int:
        """Find the fitted table that a later one is about: the first that has its kinds.

        With one table fitted it is that, whatever the kinds are called.
        """
        tables = self.relations.tables
        if not isinstance(given, (Table, Triples)):
            return 0
        for number, table in enumerate(tables):
            if table.kinds == given.kinds:
                return number
        if len(tables) == 1 and isinstance(tables[0], Table) and isinstance(given, Table):
            return 0
        known = ", ".join(" × ".join(link) for link in self.relations.links)
        raise InputError(
            f"no fitted table is about {' × '.join(given.kinds)}; there are {known}. Name the "
            "kinds of the table alike (row_kind=, column_kind=)."
        )

    def place(self, given: Table, side: str, number: int) -> Floats:
        """Place new rows (or columns) of a table; those without counts get NaN."""
        fitted = self.relations.tables[number]
        if isinstance(fitted, Triples):
            raise InputError("new things are placed by tables; three-way counts place none.")
        term, which = self.problem.terms[number], int(side == "rows")
        given = given if side == "rows" else given.T
        names, kind = fitted.names[which], fitted.kinds[which]
        places = self.layout.places(kind, names)
        line = np.full(self.layout.size, -1)
        line[term.ends[which].indices] = np.arange(term.ends[which].shape[0])
        lines = np.where(places >= 0, line[places], -1)
        counts = moved(given.counts, matched(given.columns, names), len(names))
        known = np.flatnonzero(lines >= 0)
        among = moved(counts, (known, lines[known]), term.ends[which].shape[0])
        seen = np.flatnonzero(sums(among, 1) > 0)
        points = np.full((given.shape[0], self.problem.n_components), np.nan)
        if len(seen):
            shares = self._shares(among[seen], side, number)
            points[seen] = placed(self.problem, term, self.points, shares, side).points
        return points

    def _shares(self, counts: sparse.csr_array, side: str, number: int) -> sparse.csr_array:
        """Weigh new counts as the fitted ones were, so that a penalty pulls equally hard."""
        totals = self.problem.terms[number].totals
        if self.weighting == "events":
            return counts / totals.sum()
        rows = int((totals > 0).sum())
        if side == "rows":
            own = sums(counts, 1)
            return sparse.csr_array(counts.multiply(1 / (rows * own[:, None])))
        per_row = np.divide(1, rows * totals, where=totals > 0, out=np.zeros_like(totals))
        return sparse.csr_array(counts.multiply(per_row[None, :]))

    def score(self, given: Relations, *, independent: bool = False) -> float:
        """Return the mean log-likelihood of other counts of the same things, weighted as fitted.

        Tables that link the same kinds as all fitted ones, in their order, belong to these.
        `independent`: by the totals of the fitted tables alone, as if rows and columns had nothing
        to do with each other.
        """
        total = weights = 0.0
        alike = given.links == self.relations.links
        for position, table in enumerate(given.tables):
            number = position if alike else self.index(table)
            weight = self.problem.terms[number].weight
            total += weight * self._score(table, number, independent=independent)
            weights += weight
        return float(total / weights)

    def _score(self, given: Table | Triples, number: int, *, independent: bool) -> float:
        fitted, term = self.relations.tables[number], self.problem.terms[number]
        lines = [_lines(term.ends[side], *self._ends(fitted, given, side)) for side in (0, 1)]
        pairs = given.counts.tocoo()
        first, second = lines[0][pairs.row], lines[1][pairs.col]
        placed_ = (first >= 0) & (second >= 0)
        if term.likelihood.skip_self:
            placed_ &= first != second
        total, kept = pairs.data.sum(), pairs.data[placed_].sum()
        if kept == 0:
            raise InputError("score of CODE needs counts of rows and columns that were placed.")
        if kept < total:
            warnings.warn(
                f"{total - kept:g} of {total:g} events are of rows or columns that were not "
                "placed; they are left out of the score.",
                RelmapWarning,
                stacklevel=5,
            )
        counts = sparse.csr_array(
            (pairs.data[placed_], (first[placed_], second[placed_])),
            shape=term.likelihood.shares.shape,
        )
        shares = sparse.coo_array(shares_of(counts, self.weighting))
        if independent:
            rows, columns = term.lines
            with np.errstate(divide="ignore"):
                log_m = np.log(rows[shares.row]) + np.log(columns[shares.col])
        else:
            log_m = term.likelihood.log_probability(*term.parted(self.points), shares)
        return float(shares.data @ log_m)

    def _ends(self, fitted: Any, given: Any, side: int) -> list[Integers]:
        """Return the places of a later table's rows or columns; two for each row of triples."""
        if isinstance(fitted, Triples) and side == 0:
            pairs = [(k, given.pairs[k]) for k in (0, 1)]
        else:
            which = 2 * side if isinstance(fitted, Triples) else side
            pairs = [(which, np.arange(len(given.names[which])))]
        ends = []
        for which, positions in pairs:
            here, there = matched(given.names[which], fitted.names[which])
            found = np.full(len(given.names[which]), -1)
            found[here] = self.layout.places(fitted.kinds[which], fitted.names[which])[there]
            ends.append(found[positions])
        return ends


def _lines(end: sparse.csr_array, *places: Integers) -> Integers:
    """Return the line of a table that lies at some places (one, or two for a pair); −1 if none."""
    size = end.shape[1]
    lowest, highest = (end.indices[i] for i in (end.indptr[:-1], end.indptr[1:] - 1))
    first, second = places[0], places[-1]
    known = lowest.astype(np.int64) * size + highest
    wanted = np.minimum(first, second) * size + np.maximum(first, second)
    order = np.argsort(known)
    found = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(order) - 1)]
    there = (known[found] == wanted) & (first >= 0) & (second >= 0)
    return np.where(there, found, -1)
