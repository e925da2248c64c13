"""`Relations`: several tables about things of shared kinds."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from relmap._names import Name, Names
from relmap.errors import InputError, RelmapWarning
from relmap.relations.pieces import pieces
from relmap.relations.table import Table
from relmap.relations.triples import Triples


class Relations:
    """Tables that share kinds: documents × words and authors × words share the words.

    Things are matched by kind and name, never by position, so the tables may list them in any
    order and need not list the same ones.

    Attributes
    ----------
    tables : tuple of Table
    kinds : mapping from kind to Names
        Every name of that kind, in the order of first appearance.

    Examples
    --------
    >>> likes = Table([[2]], rows=["ann"], columns=["tea"], row_kind="person", column_kind="drink")
    >>> sold = Table([[5]], rows=["inn"], columns=["tea"], row_kind="shop", column_kind="drink")
    >>> Relations([likes, sold])
    Relations of person (1), drink (1), shop (1)
      person × drink: 2 counts in 1 of 1 cells
      shop × drink: 5 counts in 1 of 1 cells
    """

    def __init__(self, tables: Iterable[Table | Triples]) -> None:
        if isinstance(tables, (Table, Triples)):
            tables = [tables]
        self.tables: tuple[Table | Triples, ...] = tuple(tables)
        if not self.tables:
            raise InputError("Relations needs at least one table; got none.")
        for table in self.tables:
            if not isinstance(table, (Table, Triples)):
                raise InputError(
                    f"Relations takes a list of Tables and Triples; got a {type(table).__name__}."
                )
        self.kinds: Mapping[str, Names] = MappingProxyType(self._union())
        self._warn_of_types()

    def _union(self) -> dict[str, Names]:
        found: dict[str, dict[Name, None]] = {}
        for table in self.tables:
            for kind, names in zip(table.kinds, table.names, strict=True):
                found.setdefault(kind, {}).update(dict.fromkeys(names))
        return {kind: Names(names, kind) for kind, names in found.items()}

    def _warn_of_types(self) -> None:
        """Tell of names that are a number in one table and the same text in another."""
        for kind, names in self.kinds.items():
            texts = {name for name in names if isinstance(name, str)}
            twice = [n for n in names if not isinstance(n, str) and str(n) in texts]
            if texts and twice and len(self.tables) > 1:
                warnings.warn(
                    f"{len(twice):,} of {len(names):,} {kind} names are numbers in one table and "
                    f"texts in another (first: {twice[0]!r} and {str(twice[0])!r}); they are "
                    "different things here. Read them alike if they are not.",
                    RelmapWarning,
                    stacklevel=3,
                )

    @property
    def sizes(self) -> dict[str, int]:
        """How many things of each kind there are."""
        return {kind: len(names) for kind, names in self.kinds.items()}

    @property
    def links(self) -> list[tuple[str, ...]]:
        """The kinds that each table links, two or three, in the order of the tables."""
        return [table.kinds for table in self.tables]

    @property
    def empty(self) -> dict[str, tuple[Name, ...]]:
        """The names, per kind, that have no count in any table."""
        seen: dict[str, set[Name]] = {kind: set() for kind in self.kinds}
        for piece in self.pieces():
            for kind, names in piece.items():
                seen[kind] |= names
        return {
            kind: tuple(n for n in names if n not in seen[kind])
            for kind, names in self.kinds.items()
        }

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the tables' own: equal relations have equal fingerprints."""
        parts = "\n".join(table.fingerprint for table in self.tables)
        return hashlib.sha256(parts.encode()).hexdigest()

    def pieces(self) -> list[dict[str, set[Name]]]:
        """Split into pieces that nothing connects, the largest first, as names per kind.

        A map cannot say how far pieces are from each other. Things without any count belong to
        no piece; they are in `empty`.
        """
        return pieces([view for table in self.tables for view in table.views])

    def __reduce__(self) -> tuple[Any, ...]:
        return Relations, (self.tables,)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{kind} ({size:,})" for kind, size in self.sizes.items())
        lines = [f"Relations of {sizes}"]
        for t in self.tables:
            if isinstance(t, Triples):
                lines.append(f"  {repr(t).removeprefix('Triples of ')}")
                continue
            cells = f"{t.counts.nnz:,} of {t.shape[0] * t.shape[1]:,} cells"
            lines.append(f"  {t.row_kind} × {t.column_kind}: {t.total:,.15g} counts in {cells}")
        parts = len(self.pieces())
        if parts > 1:
            lines.append(f"  in {parts:,} pieces that nothing connects")
        return "\n".join(lines)
