"""A fitted CODE: coordinates by name, new things, held-out counts, evidence, and the map."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from relmap._types import Floats, Integers, sums
from relmap.engines import descent, fields
from relmap.errors import ConvergenceWarning, InputError, RelmapWarning
from relmap.maps import Map
from relmap.models.base import described, matched, moved, provenance, spread
from relmap.models.cooccurrence.fit import End, Optimum, finish, optima, run_all
from relmap.models.cooccurrence.placing import placed
from relmap.models.cooccurrence.problem import MILD, Layout, Problem, shares_of
from relmap.relations import Relations, Table


@dataclass(frozen=True)
class CodeEvidence:
    """What was computed from the problem, after the fit, to show that the map is right.

    Attributes
    ----------
    status : Status
        How the best run ended; `status.advice` says what to make of it.
    descent : DescentEvidence
        Value and gradient of the loss at the final map.
    field : FieldEvidence
        Sampled kernel sums, computed again by the reference.
    placement : float
        Largest gradient of the rows (or columns) placed exactly at the end; 0 if none were.
    held : int
        How many of those lie so far out that only the documented leash keeps them.
    pieces : int
        Parts of the table that nothing connects; how far they are apart on the map means nothing.
    determined : bool
        False if the table has so few rows or columns that many other maps are as likely; a
        penalty singles out one.
    """

    status: descent.Status
    descent: descent.DescentEvidence
    field: fields.FieldEvidence
    placement: float
    held: int
    pieces: int
    determined: bool

    def holds(self, tolerance: float = 1e-2) -> bool:
        """Tell whether the map is a stationary point, with the value claimed, of right sums.

        `tolerance` is on `descent.gradient`: about the relative change of the loss still to be
        had if everything moved by the map's own size.
        """
        return self.descent.holds(tolerance) and self.field.holds() and self.placement <= 1e-6


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where the things of a table ended, and everything that follows from it."""

    table: Table
    layout: Layout
    problem: Problem
    end: End
    run: descent.Run
    optima: tuple[Optimum, ...]
    settings: dict[str, Any]

    @property
    def embedding(self) -> Floats:
        """Coordinates of the table's rows; NaN where there is no place."""
        return spread(self.end.rows, self.layout.rows)

    @property
    def column_embedding(self) -> Floats:
        """Coordinates of the table's columns; NaN where there is no place."""
        return spread(self.end.columns, self.layout.columns)

    @cached_property
    def log_likelihood(self) -> float:
        """Mean log-likelihood of an observed pair."""
        return -self.problem.likelihood.at(self.end.rows, self.end.columns).loss

    @property
    def explained_information(self) -> float:
        """Where the log-likelihood is between independence (0) and the table itself (1)."""
        likelihood = self.problem.likelihood
        independent, saturated = likelihood.bounds
        if not likelihood.informative:
            return np.nan
        return (self.log_likelihood - independent) / (saturated - independent)

    @cached_property
    def evidence(self) -> CodeEvidence:
        """Compute everything that can be checked."""
        likelihood, (rows, columns) = self.problem.likelihood, self.end[:2]
        final = self.problem.joined(rows, columns)
        pull = self.problem.penalty * float((self.problem.points(final) ** 2).sum())
        claim = replace(self.run, point=final, value=pull - self.log_likelihood)
        masses = likelihood.log_masses(rows, columns)[1]
        own = np.arange(len(rows)) if likelihood.skip_self else None
        sums = fields.KernelSums(rows, columns, masses, own=own)
        return CodeEvidence(
            status=self.run.status,
            descent=descent.check(descent.Descent(self._free_loss, final), claim),
            field=fields.check(sums, fields.solve(sums)),
            placement=self.end.gradient,
            held=int(self.end.held.sum()),
            pieces=len(Relations([self.table]).pieces()),
            determined=self.problem.determined,
        )

    def _free_loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the loss, with its gradient at things that are held taken for zero."""
        value, gradient = self.problem.loss(x)
        held, slopes = self.end.held, gradient.reshape(-1, self.problem.n_components)
        side = slopes[-len(held) :] if self.problem.likelihood.turned else slopes[: len(held)]
        side[held] = 0
        return value, slopes.ravel()

    def place(self, table: Table, side: str) -> Floats:
        """Place new rows (or columns) of a table; those without counts get NaN."""
        fitted = self.table if side == "rows" else self.table.T
        table = table if side == "rows" else table.T
        matches = matched(table.columns, fitted.columns)
        counts = moved(table.counts, matches, fitted.shape[1])
        places = self.layout.columns if side == "rows" else self.layout.rows
        known = np.flatnonzero(places >= 0)
        among = moved(counts, (known, places[known]), self.problem.sizes[side == "rows"])
        seen = np.flatnonzero(sums(among, 1) > 0)
        points = np.full((table.shape[0], self.problem.n_components), np.nan)
        if len(seen):
            shares = self._shares(among[seen], side)
            points[seen] = placed(self.problem, *self.end[:2], shares, side).points
        return points

    def _shares(self, counts: sparse.csr_array, side: str) -> sparse.csr_array:
        """Weigh new counts as the fitted ones were, so that a penalty pulls equally hard."""
        fitted = self.layout.counts(self.table)
        totals = sums(fitted, 1)
        if self.settings["weighting"] == "events":
            return counts / totals.sum()
        rows = int((totals > 0).sum())
        if side == "rows":
            own = sums(counts, 1)
            return sparse.csr_array(counts.multiply(1 / (rows * own[:, None])))
        per_row = np.divide(1, rows * totals, where=totals > 0, out=np.zeros_like(totals))
        return sparse.csr_array(counts.multiply(per_row[None, :]))

    def score(self, table: Table) -> float:
        """Return the mean log-likelihood of other counts of the same things."""
        rows = self._places(table.rows, self.table.rows, self.layout.rows)
        columns = self._places(table.columns, self.table.columns, self.layout.columns)
        pairs = table.counts.tocoo()
        first, second = rows[pairs.row], columns[pairs.col]
        placed_ = (first >= 0) & (second >= 0)
        if self.problem.likelihood.skip_self:
            placed_ &= first != second
        total, kept = pairs.data.sum(), pairs.data[placed_].sum()
        if kept == 0:
            raise InputError("score of CODE needs counts of rows and columns that were placed.")
        if kept < total:
            warnings.warn(
                f"{total - kept:g} of {total:g} events are of rows or columns that were not "
                "placed; they are left out of the score.",
                RelmapWarning,
                stacklevel=3,
            )
        counts = sparse.csr_array(
            (pairs.data[placed_], (first[placed_], second[placed_])), shape=self.problem.sizes
        )
        shares = sparse.coo_array(shares_of(counts, self.settings["weighting"]))
        log_m = self.problem.likelihood.log_probability(*self.end[:2], shares)
        return float(shares.data @ log_m)

    def _places(self, given: Any, fitted: Any, places: Integers) -> Integers:
        found = np.full(len(given), -1)
        here, there = matched(given, fitted)
        found[here] = places[there]
        return found

    def map(self) -> Map:
        """Put the names back on."""
        likelihood, names = self.problem.likelihood, self.layout.names
        shares = likelihood.row_shares, likelihood.column_shares
        if self.layout.shared:
            shares = ((shares[0] + shares[1]) / 2,) * 2
        points = (self.end.rows, self.end.columns)
        return Map(
            points=dict(zip(names, points, strict=False)),
            names=names,
            masses=dict(zip(names, shares, strict=False)),
            unplaced=self.layout.lost,
            status=self.run.status,
            evidence=self._summary(),
            model="CODE",
            settings=described(self.settings),
            provenance=provenance(self.table),
            library=self.table.origin.library,
        )

    def _summary(self) -> dict[str, Any]:
        evidence = self.evidence
        return {
            "log_likelihood": self.log_likelihood,
            "explained_information": self.explained_information,
            "gradient": evidence.descent.gradient,
            "field_error": evidence.field.total,
            "iterations": self.run.iterations,
            "starts": sum(o.found for o in self.optima),
            "best_found": self.optima[0].found,
            "held": evidence.held,
            "pieces": evidence.pieces,
            "determined": evidence.determined,
            "advice": self.run.status.advice,
        }


def fit(table: Table, settings: dict[str, Any]) -> Fitted:
    """Fit CODE to a table."""
    layout = Layout.of(table)
    problem = Problem.of(table, layout, settings)
    runs = run_all(problem, layout, settings)
    ends = optima(problem, runs)
    run = runs[ends[0].starts[0] - 1]
    end = finish(problem, run.point, turn=isinstance(settings["init"], str))
    fitted = Fitted(table, layout, problem, end, run, ends, settings)
    if run.status.good and not fitted.evidence.holds():
        fitted = replace(fitted, run=replace(run, status=descent.Status.DRIFTED))
    if not fitted.run.status.good:
        message = _not_converged(fitted.run.status, problem)
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    return fitted


def _not_converged(status: descent.Status, problem: Problem) -> str:
    message = f"CODE {status}. {status.advice}"
    if problem.penalty == 0:
        mild = MILD / len(problem.masses)
        message += f' If things drift far out, penalty="auto" (here {mild:.0e}) keeps them near.'
    return message
