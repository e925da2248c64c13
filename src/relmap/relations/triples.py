"""`Triples`: how often three things were seen together, of three kinds."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from relmap._names import Names
from relmap._types import Floats, Integers, Seed, sums
from relmap.errors import InputError
from relmap.relations import frames
from relmap.relations.counts import LARGEST, clean_counts, fingerprint
from relmap.relations.table import Origin, Table
from relmap.relations.thinning import held_out


class Triples:
    """Counts of events of three things: who did what where.

    The third is what a model explains by the first two: its table is one of observed pairs (first,
    second) × thirds, and a pair lies in the middle of its two things. It goes into `Relations`,
    alone or beside tables that share kinds with it.

    Parameters
    ----------
    first, second, third : names, one of each per event
    weight : numbers, optional
        How often each event was seen; once if not given. Repeated events are added up.
    kinds : three words
        What the things are; all different.

    Attributes
    ----------
    names : tuple of three Names
    counts : sparse array, pairs × thirds
    pairs : tuple of two arrays
        The positions, in `names`, of every pair's first and second thing.

    Examples
    --------
    >>> from relmap import Triples
    >>> Triples(["ann", "ann", "bo"], ["home", "work", "work"], ["tea", "coffee", "coffee"],
    ...         kinds=("person", "place", "drink"))
    Triples of person (2), place (2) → drink (2): 3 counts of 3 pairs
    """

    def __init__(
        self,
        first: Iterable[Any],
        second: Iterable[Any],
        third: Iterable[Any],
        weight: Any = None,
        *,
        kinds: tuple[str, str, str] = ("first", "second", "third"),
    ) -> None:
        self._kinds = _kinds(kinds)
        listed = [list(names) for names in (first, second, third)]
        sizes = [len(names) for names in listed]
        if len(set(sizes)) > 1:
            raise InputError(
                "Triples needs as many first, second and third names; got "
                f"{', '.join(map(str, sizes))}."
            )
        if not sizes[0]:
            raise InputError("Triples needs at least one event; got none.")
        values = np.ones(sizes[0]) if weight is None else _weights(list(weight), sizes[0])
        found = [Names.collected(*parts) for parts in zip(listed, self._kinds, strict=True)]
        self._names, at = tuple(names for names, _ in found), [places for _, places in found]
        keys = at[0] * len(self._names[1]) + at[1]
        pairs, where = np.unique(keys, return_inverse=True)
        self._pairs = pairs // len(self._names[1]), pairs % len(self._names[1])
        shape = (len(pairs), len(self._names[2]))
        table = sparse.coo_array((values, (where, at[2])), shape=shape)
        self._counts = clean_counts(table, None, self._names[2])
        self._origin = Origin()

    @classmethod
    def from_events(
        cls,
        frame: Any,
        first: str,
        second: str,
        third: str,
        weight: str | None = None,
        *,
        kinds: tuple[str, str, str] | None = None,
    ) -> Triples:
        """Count events: a line of `frame` (of any library) holds the names of three things.

        The kinds are the names of the frame's columns if not given.
        """
        wanted = [first, second, third] + ([weight] if weight else [])
        library, columns = frames.chosen(frame, wanted)
        made = cls(*columns, kinds=kinds or (first, second, third))
        made._origin = Origin(library)
        return made

    @property
    def kinds(self) -> tuple[str, str, str]:
        """What the things are."""
        return self._kinds

    @property
    def names(self) -> tuple[Names, ...]:
        """The names of each kind."""
        return self._names

    @property
    def pairs(self) -> tuple[Integers, Integers]:
        """The positions of every pair's first and second thing."""
        return self._pairs

    @property
    def counts(self) -> sparse.csr_array:
        """How often each pair was seen with each third thing, pairs × thirds."""
        return self._counts

    @property
    def origin(self) -> Origin:
        """Where the events came from."""
        return self._origin

    @property
    def total(self) -> float:
        """The sum of all counts."""
        return float(self._counts.sum())

    @property
    def fingerprint(self) -> str:
        """SHA-256 of counts, names and kinds."""
        named = (self._kinds, [n[:] for n in self._names])
        return fingerprint(named, self._counts, *self._pairs)

    @property
    def views(self) -> tuple[Table, Table]:
        """The two tables (first × third, second × third) that the triples add up to."""
        return self._view(0), self._view(1)

    def _view(self, side: int) -> Table:
        pairs = self._pairs[side]
        shape = len(self._names[side]), len(pairs)
        adding = sparse.csr_array(
            (np.ones(len(pairs)), (pairs, np.arange(len(pairs)))), shape=shape
        )
        names, kinds = self._names, self._kinds
        return Table(adding @ self._counts, names[side], names[2], kinds[side], kinds[2])

    def thin(self, fraction: float, random_state: Seed = None) -> tuple[Triples, Triples]:
        """Split the counts at random into two: to fit and to test; see `Table.thin`."""
        held = held_out(self._counts.data, fraction, random_state, "Triples.thin")
        return self.with_data(self._counts.data - held), self.with_data(held)

    def with_data(self, data: Floats) -> Triples:
        """Return the same events with other counts."""
        made = object.__new__(Triples)
        made.__dict__.update(self.__dict__)
        made._counts = clean_counts(
            sparse.csr_array(
                (data, self._counts.indices, self._counts.indptr), shape=self._counts.shape
            ),
            None,
            self._names[2],
        )
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Triples) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        sizes = [f"{k} ({len(n):,})" for k, n in zip(self._kinds, self._names, strict=True)]
        pairs = int((sums(self._counts, 1) > 0).sum())
        return (
            f"Triples of {sizes[0]}, {sizes[1]} → {sizes[2]}: {self.total:,.15g} counts of "
            f"{pairs:,} pairs"
        )


def _weights(given: list[Any], size: int) -> Floats:
    if len(given) != size:
        raise InputError(f"Triples has {size} events, but {len(given)} weights.")
    for number, weight in enumerate(given, 1):
        if not isinstance(weight, (Real, np.bool_)) or not 0 <= float(weight) <= LARGEST:
            raise InputError(
                f"weights of Triples must be numbers from 0 to {LARGEST:g}; event {number} has "
                f"{weight!r}."
            )
    return np.array(given, dtype=np.float64)


def _kinds(kinds: Any) -> tuple[str, str, str]:
    listed = tuple(kinds) if isinstance(kinds, (tuple, list)) else ()
    words = all(isinstance(kind, str) and kind for kind in listed)
    if len(listed) != 3 or not words or len(set(listed)) < 3:
        raise InputError(f"kinds of Triples must be three different words; got {kinds!r}.")
    return listed[0], listed[1], listed[2]
