"""A fitted CODE: coordinates by name, new things, held-out counts, evidence, and the map."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from relmap._types import Floats
from relmap.engines import descent, fields
from relmap.errors import ConvergenceWarning
from relmap.maps import Map
from relmap.models.base import described, provenance, spread
from relmap.models.cooccurrence.fit import Beginning, End, Optimum, begin, finish, optima, run_all
from relmap.models.cooccurrence.later import Later
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.leeway import determined
from relmap.models.cooccurrence.problem import MILD, Problem, Term
from relmap.relations import Relations


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
        Sampled kernel sums, computed again by the reference; the worst of all tables.
    placement : float
        Largest gradient of what was placed exactly at the end; 0 if nothing was.
    held : int
        How many of those lie so far out that only the documented leash keeps them.
    pieces : int
        Parts of the tables that nothing connects; how far they are apart means nothing.
    determined : bool
        False if many other maps are as likely: the table has too few rows or columns, or nothing
        but three-way counts tells of their first and second things. A penalty singles out one.
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


class TableFit(NamedTuple):
    """How one table was explained.

    Attributes
    ----------
    kinds : tuple of str
    variant : str
    weight : float
        What the table counted in the loss; 1 for all together.
    log_likelihood, explained_information : float
        As the model's own, of this table.
    """

    kinds: tuple[str, ...]
    variant: str
    weight: float
    log_likelihood: float
    explained_information: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where the things of some tables ended, and everything that follows from it."""

    layout: Layout
    problem: Problem
    end: End
    run: descent.Run
    optima: tuple[Optimum, ...]
    settings: dict[str, Any]

    @property
    def relations(self) -> Relations:
        """The tables."""
        return self.layout.relations

    @property
    def later(self) -> Later:
        """What becomes of tables that come later."""
        return Later(self.layout, self.problem, self.end.points, self.settings["weighting"])

    def side(self, which: int) -> Floats:
        """Coordinates of the first table's rows (0) or columns (−1); NaN where there is no place.

        The rows of three-way counts are their first things, the columns the third.
        """
        table = self.relations.tables[0]
        kind, names = table.kinds[which], table.names[which]
        return spread(self.end.points, self.layout.places(kind, names))

    @cached_property
    def tables(self) -> tuple[TableFit, ...]:
        """How each table was explained."""
        found = zip(
            self.relations.tables, self.problem.terms, self.problem.likelihoods(self.end.points),
            strict=True,
        )  # fmt: skip
        return tuple(
            TableFit(
                table.kinds,
                term.likelihood.variant,
                float(term.weight),
                value,
                _share(value, *term.likelihood.bounds) if term.likelihood.informative else np.nan,
            )
            for table, term, value in found
        )

    @property
    def log_likelihood(self) -> float:
        """Mean log-likelihood of an observed pair, weighted over the tables."""
        return float(sum(fit.weight * fit.log_likelihood for fit in self.tables))

    @property
    def explained_information(self) -> float:
        """Where the log-likelihood is between independence (0) and the tables themselves (1)."""
        if not self.problem.informative:
            return np.nan
        weights = np.array([term.weight for term in self.problem.terms])
        bounds = weights @ np.array([term.likelihood.bounds for term in self.problem.terms])
        return _share(self.log_likelihood, *bounds.tolist())

    @cached_property
    def evidence(self) -> CodeEvidence:
        """Compute everything that can be checked."""
        problem, points = self.problem, self.end.points
        final = problem.joined(points)
        claim = replace(self.run, point=final, value=problem.pull(points) - self.log_likelihood)
        checks = [check for term in problem.terms for check in _checked(term, points)]
        return CodeEvidence(
            status=self.run.status,
            descent=descent.check(descent.Descent(self._free_loss, final), claim),
            field=max(checks, key=lambda c: np.nan_to_num(c.largest, nan=np.inf)),
            placement=self.end.gradient,
            held=int(self.end.held.sum()),
            pieces=problem.pieces[0],
            determined=determined(problem),
        )

    def _free_loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the loss, with its gradient at things that are held taken for zero."""
        value, gradient = self.problem.loss(x)
        slopes = gradient.reshape(-1, self.problem.n_components)
        slopes[self.end.held] = 0
        return value, slopes.ravel()

    def map(self) -> Map:
        """Put the names back on."""
        layout, masses = self.layout, self.problem.masses
        tables = self.relations.tables
        return Map(
            points={kind: self.end.points[span] for kind, span in layout.spans.items()},
            names=layout.names,
            masses={k: masses[span] / masses[span].sum() for k, span in layout.spans.items()},
            unplaced=layout.lost,
            status=self.run.status,
            evidence=self._summary(),
            model="CODE",
            settings=described(self.settings),
            provenance=provenance(tables[0] if len(tables) == 1 else self.relations),
            library=tables[0].origin.library,
        )

    def _summary(self) -> dict[str, Any]:
        evidence = self.evidence
        several = {}
        if len(self.tables) > 1:
            several["tables"] = [
                {**fit._asdict(), "kinds": " × ".join(fit.kinds)} for fit in self.tables
            ]
        return {
            "log_likelihood": self.log_likelihood,
            "explained_information": self.explained_information,
            **several,
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


def _share(value: float, independent: float, saturated: float) -> float:
    return (value - independent) / (saturated - independent)


def _checked(term: Term, points: Floats) -> Iterator[fields.FieldEvidence]:
    """Compute some of the sums of a table again, in both directions."""
    for problem in term.likelihood.sums(*term.parted(points)):
        yield fields.check(problem, fields.solve(problem))


def fit(relations: Relations, settings: dict[str, Any]) -> Fitted:
    """Fit CODE to one table or several."""
    layout = Layout(relations, loops=bool(settings["self_pairs"]))
    beginning = begin(Problem.of(layout, settings), layout, settings)
    runs = run_all(beginning, settings)
    ends = optima(beginning.problem, runs)
    run = runs[ends[0].starts[0] - 1]
    end = finish(beginning, run.point, turn=isinstance(settings["init"], str))
    fitted = Fitted(layout, beginning.problem, end, run, ends, settings)
    if run.status.good and not fitted.evidence.holds():
        fitted = replace(fitted, run=replace(run, status=descent.Status.DRIFTED))
    if not fitted.run.status.good:
        message = _not_converged(fitted.run.status, beginning)
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    return fitted


def _not_converged(status: descent.Status, beginning: Beginning) -> str:
    message = f"CODE {status}. {status.advice}"
    if beginning.problem.penalty == 0:
        mild = MILD / beginning.problem.size
        message += f' If things drift far out, penalty="auto" (here {mild:.0e}) keeps them near.'
    return message
