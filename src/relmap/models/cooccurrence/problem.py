"""CODE as a problem for the descent engine: the loss of several tables as a function of a vector.

    L = Σ_k w_k L_k + penalty · Σ|x|² + Σ s |x − a|²,

L_k being the loss of one table. Springs s tie things to where an earlier map had them (a). What is
pinned is at its a, whatever the vector says, and has no slope.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from relmap._types import Floats, Integers, Mask, sums
from relmap.engines.descent import Descent
from relmap.errors import InputError
from relmap.models.cooccurrence.layout import Layout, Link
from relmap.models.cooccurrence.likelihood import Likelihood
from relmap.relations import Triples

WIDEST = 1e12  # weights that differ by more cannot be told from none
MILD = 0.02
"""A penalty of this over the number of things keeps a map readable and costs little."""


def shares_of(counts: sparse.csr_array, weighting: str) -> sparse.csr_array:
    """Return p̄: the counts as shares of all events, or with every seen row weighing the same."""
    data = counts.data / counts.data.max()  # so that sums of huge counts stay finite
    if weighting == "rows":
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        data = data / np.bincount(rows, data, minlength=counts.shape[0])[rows]
    return sparse.csr_array((data / data.sum(), counts.indices, counts.indptr), shape=counts.shape)


@dataclass(frozen=True, eq=False)
class Term:
    """The loss of one table, and how its rows and columns get their coordinates from the places.

    `totals` are the counts of every row.
    """

    totals: Floats
    likelihood: Likelihood
    ends: tuple[sparse.csr_array, sparse.csr_array]
    weight: float

    @cached_property
    def back(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """From slopes in rows and columns to slopes in places."""
        rows, columns = (sparse.csr_array(end.T) for end in self.ends)
        return rows, columns

    def parted(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the coordinates of rows and columns."""
        return self.ends[0] @ points, self.ends[1] @ points

    @property
    def lines(self) -> tuple[Floats, Floats]:
        """The share of every row and every column."""
        return self.likelihood.row_shares, self.likelihood.column_shares

    @property
    def masses(self) -> Floats:
        """How much of the table every place carries: 1 in all for every thing of an event."""
        (rows, columns), (r, c) = self.back, self.lines
        found: Floats = (rows > 0) @ r + (columns > 0) @ c
        return found

    @property
    def stiffness(self) -> Floats:
        """How strongly, but for a factor, the loss bends in every place."""
        (rows, columns), (r, c) = self.back, self.lines
        found: Floats = rows.power(2) @ r + columns.power(2) @ c
        return found

    @property
    def conditioned(self) -> int | None:
        """The side that is conditioned on: 0 for rows, 1 for columns, None if neither is."""
        variant = self.likelihood.variant
        return variant.index("C") if "C" in variant else None

    @property
    def loose(self) -> str | None:
        """The side whose every row (or column) has a best place of its own, if there is one."""
        side = self.conditioned
        if side is None or self.likelihood.skip_self:
            return None
        plain = self.ends[side].nnz == self.ends[side].shape[0]
        return ("rows", "columns")[side] if plain else None


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the loss of all tables over all coordinates, written as one vector."""

    terms: tuple[Term, ...]
    n_components: int
    penalty: float
    pinned: Mask
    springs: Floats
    anchors: Floats

    @classmethod
    def of(cls, layout: Layout, settings: dict[str, Any]) -> Problem:
        """Write down the problem of some tables."""
        links = layout.links
        variants = _variants(settings["variant"], layout)
        weights = _weights(settings["weights"], sizes(links))
        terms = tuple(
            _term(*parts, settings) for parts in zip(links, variants, weights, strict=True)
        )
        penalty = settings["penalty"]
        if penalty == "auto":
            penalty = MILD / layout.size
        q, n = settings["n_components"], layout.size
        free = np.zeros(n, dtype=bool)
        return cls(terms, q, float(penalty), free, np.zeros(n), np.zeros((n, q)))

    def pinning(self, pinned: Mask, places: Floats) -> Problem:
        """Return the problem in which some things are at their places and do not move."""
        anchors = np.where(pinned[:, None], places, self.anchors)
        return replace(self, pinned=self.pinned | pinned, anchors=anchors)

    @property
    def unpinned(self) -> Problem:
        """The problem in which everything moves."""
        return replace(self, pinned=np.zeros_like(self.pinned))

    def tied(self, springs: Floats, anchors: Floats) -> Problem:
        """Return the problem in which some things are tied to places."""
        return replace(self, springs=springs, anchors=anchors)

    @property
    def size(self) -> int:
        """How many things are embedded."""
        return len(self.pinned)

    @property
    def anchored(self) -> bool:
        """Whether something keeps the map from being shifted and turned."""
        return bool(self.pinned.any() or self.springs.any())

    @property
    def informative(self) -> bool:
        """Whether any table has rows and columns that depend on each other."""
        return any(term.likelihood.informative for term in self.terms)

    @property
    def _links(self) -> sparse.csr_array:
        """Which things go with which, from rows to columns, in shares of all tables."""
        found = [
            term.weight * (term.back[0].sign() @ term.likelihood.shares @ term.ends[1].sign())
            for term in self.terms
        ]
        return sparse.csr_array(sum(found[1:], found[0]))

    @property
    def graph(self) -> sparse.csr_array:
        """The same in both directions."""
        links = self._links
        return sparse.csr_array(links + links.T)

    @cached_property
    def pieces(self) -> tuple[int, Integers]:
        """How many pieces nothing connects, and in which of them each thing is."""
        count, labels = connected_components(self._links, directed=False)
        return int(count), labels

    @cached_property
    def sides(self) -> Integers:
        """On how many sides of how many tables each thing takes part."""
        return np.sum([np.diff(b.indptr) > 0 for t in self.terms for b in t.back], axis=0)

    @cached_property
    def masses(self) -> Floats:
        """The share of every thing, weighted over the tables; every table gives 2 in all, or 3."""
        return np.sum([term.weight * term.masses for term in self.terms], axis=0)

    @cached_property
    def _units(self) -> Floats:
        """√stiffness of every thing: in coordinates times this the loss bends equally for all."""
        bends = np.sum([term.weight * term.stiffness for term in self.terms], axis=0)
        return np.sqrt(bends + self.penalty + self.springs)[:, None]

    def joined(self, points: Floats) -> Floats:
        """Write coordinates as one vector."""
        return (self._units * points).ravel()

    def points(self, x: Floats) -> Floats:
        """Read a vector as coordinates of all things."""
        points: Floats = x.reshape(-1, self.n_components) / self._units
        points[self.pinned] = self.anchors[self.pinned]
        return points

    def likelihoods(self, points: Floats) -> list[float]:
        """Return the mean log-likelihood of an observed pair in every table."""
        return [-term.likelihood.value(*term.parted(points)) for term in self.terms]

    def log_likelihood(self, points: Floats) -> float:
        """Return these, weighted."""
        found = zip(self.terms, self.likelihoods(points), strict=True)
        return float(sum(term.weight * value for term, value in found))

    def value(self, points: Floats) -> float:
        """Return the penalised loss of a map."""
        return self.pull(points) - self.log_likelihood(points)

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the penalised loss of a vector and its gradient."""
        points = self.points(x)
        value = self.pull(points)
        slopes = 2 * self.penalty * points + 2 * self.springs[:, None] * (points - self.anchors)
        for term in self.terms:
            at = term.likelihood.at(*term.parted(points))
            value += term.weight * at.loss
            slopes += term.weight * (term.back[0] @ at.rows + term.back[1] @ at.columns)
        slopes[self.pinned] = 0
        return value, (slopes / self._units).ravel()

    def pull(self, points: Floats) -> float:
        """Return what the penalty and the springs add to the loss."""
        stretched = self.springs @ ((points - self.anchors) ** 2).sum(axis=1)
        return float(self.penalty * (points**2).sum() + stretched)

    def descent(self, start: Floats) -> Descent:
        """Return the problem for the descent engine."""
        return Descent(self.loss, start)


def _term(link: Link, variant: str, weight: float, settings: dict[str, Any]) -> Term:
    # things of one kind pair with themselves only if the table has such pairs, or if told so
    loops = settings["self_pairs"]
    loops = link.counts.diagonal().any() if isinstance(loops, str) else loops
    skip_self = link.same and not loops
    shares = shares_of(link.counts, settings["weighting"])
    likelihood = Likelihood(shares, variant, skip_self)
    return Term(sums(link.counts, 1), likelihood, (link.rows, link.columns), weight)


def _variants(variant: Any, layout: Layout) -> list[str]:
    tables = layout.relations.tables
    listed = [variant] * len(tables) if isinstance(variant, str) else list(variant)
    if len(listed) != len(tables):
        raise InputError(
            f"variant of CODE must be one word, or one for each table ({len(tables)}); "
            f"got {len(listed)}."
        )
    for table, one in zip(tables, listed, strict=True):
        if isinstance(table, Triples) and one[0] != "C":
            raise InputError(
                f"three-way counts are explained pair by pair: variant 'CM' or 'CU', not {one!r}."
            )
    return listed


def sizes(links: list[Link]) -> Floats:
    """Return rows times columns of every table, of those that take part."""
    return np.array([float(np.prod(link.counts.shape)) for link in links])


def _weights(weights: Any, sizes: Floats) -> Floats:
    """Return what each table weighs; 1 in all."""
    if isinstance(weights, str):
        found = np.ones(len(sizes)) if weights == "equal" else 1 / sizes
    else:
        found = np.asarray(weights, dtype=np.float64)
        if found.shape != sizes.shape:
            raise InputError(
                f"weights of CODE must be one number for each table ({len(sizes)}); "
                f"got {found.size}."
            )
    if found.max() > WIDEST * found.min():
        raise InputError(
            f"weights of CODE differ by more than a factor of {WIDEST:g}; got {weights!r}. Leave "
            "out a table that is to count nothing."
        )
    return found / found.sum()
