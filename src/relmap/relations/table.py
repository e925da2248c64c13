"""`Table`: how often each row goes with each column, with the names of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from relmap._names import Name, Names
from relmap._types import Floats, Integers, Seed, sums
from relmap.errors import InputError
from relmap.relations import documents, frames, graphs
from relmap.relations.counts import clean_counts, fingerprint
from relmap.relations.pieces import pieces
from relmap.relations.thinning import held_out


class Origin(NamedTuple):
    """Where a table came from: the frame library to answer in, and a file or other source."""

    library: str | None = None
    source: str | None = None


class Table:
    """Counts of two kinds of named things: documents and words, sites and species.

    A cell says how often its row was seen with its column. Inside it is sparse: what was never
    seen together takes no room. Rows and columns without any count are kept and listed in
    `empty_rows` and `empty_columns`. A table never changes; every method returns a new one.

    Parameters
    ----------
    counts : array, scipy sparse matrix or array, or data frame; n_rows × n_columns
        Finite, not negative and not above 1e100; repeated entries of a sparse matrix are added up.
    rows, columns : names, optional
        Strings or integers, all different; numbered from 0 if not given. A frame brings its own
        (see `from_frame`).
    row_kind, column_kind : str
        What the rows and the columns are ("user", "movie"). Tables that share a kind can be
        linked by `Relations`.

    Examples
    --------
    >>> Table([[3, 0], [1, 2]], rows=["ann", "bo"], columns=["tea", "milk"])
    Table of row (2) × column (2): 6 counts in 3 of 4 cells (75 %)
    """

    def __init__(
        self,
        counts: Any,
        rows: Iterable[Any] | None = None,
        columns: Iterable[Any] | None = None,
        row_kind: str = "row",
        column_kind: str = "column",
    ) -> None:
        self._origin = Origin()
        if frames.is_frame(counts):
            wide = frames.wide(counts)
            self._origin = Origin(wide.library)
            counts = wide.counts
            rows = wide.rows if rows is None else rows
            columns = wide.columns if columns is None else columns
        self._kinds = _kind(row_kind), _kind(column_kind)
        given = tuple(
            None if names is None else Names.of(names, kind)
            for names, kind in zip((rows, columns), self._kinds, strict=True)
        )
        self._counts = clean_counts(counts, *given)
        self._rows, self._columns = (
            _fitting(names, size, kind)
            for names, size, kind in zip(given, self._counts.shape, self._kinds, strict=True)
        )

    # Ways in ---------------------------------------------------------------------------------

    @classmethod
    def from_events(
        cls,
        frame: Any,
        rows: str,
        columns: str,
        weight: str | None = None,
        *,
        row_kind: str | None = None,
        column_kind: str | None = None,
    ) -> Table:
        """Count events: one line of `frame` says that a row was seen with a column.

        Parameters
        ----------
        frame : pandas, polars (eager or lazy), pyarrow or DuckDB table
        rows, columns : str
            The frame's columns that hold the two names of each event.
        weight : str, optional
            The frame's column that says how often; every line counts once if not given.
        row_kind, column_kind : str, optional
            What the rows and columns are called; the names of the frame's columns by default.
        """
        grouped = frames.events(frame, rows, columns, weight)
        table = cls(*grouped.table, row_kind or rows, column_kind or columns)
        return table.with_origin(library=grouped.library)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        rows: str | None = None,
        *,
        row_kind: str | None = None,
        column_kind: str | None = None,
    ) -> Table:
        """Take a wide frame: a line per row, a column of numbers per column.

        `rows` names the frame's column that holds the row names. Without it pandas' index is
        used; in other libraries the first column if it is text, else the rows are numbered. The
        kinds are what the frame calls its rows and columns (as a crosstab of pandas does), else
        "row" and "column".
        """
        wide = frames.wide(frame, rows)
        kinds = row_kind or wide.kinds[0] or "row", column_kind or wide.kinds[1] or "column"
        return cls(*wide.table, *kinds).with_origin(library=wide.library)

    @classmethod
    def from_documents(
        cls,
        texts: Iterable[str],
        names: Iterable[Any] | None = None,
        *,
        row_kind: str = "document",
        column_kind: str = "word",
        **settings: Any,
    ) -> Table:
        """Count the words of texts; `settings` go to scikit-learn's `CountVectorizer`."""
        return cls(*documents.count_words(texts, names, settings), row_kind, column_kind)

    @classmethod
    def from_graph(
        cls,
        graph: Any,
        rows: Iterable[Any] | None = None,
        *,
        names: Iterable[Any] | None = None,
        weight: str = "weight",
        row_kind: str | None = None,
        column_kind: str | None = None,
    ) -> Table:
        """Take the links of a networkx graph or of a square sparse adjacency matrix.

        Without `rows` every node is a row and a column, both of the kind "node". With `rows`
        (the nodes on one side of a bipartite graph) the others become the columns. `names` are
        the nodes of a matrix; `weight` is the link attribute that counts (1 where it is absent).
        """
        counts, row_names, column_names = graphs.links(graph, rows, names, weight)
        kinds = ("node", "node") if rows is None else ("row", "column")
        return cls(counts, row_names, column_names, row_kind or kinds[0], column_kind or kinds[1])

    # What it holds ---------------------------------------------------------------------------

    @property
    def counts(self) -> sparse.csr_array:
        """The counts, n_rows × n_columns, float64; not to be written to."""
        return self._counts

    @property
    def rows(self) -> Names:
        """The names of the rows."""
        return self._rows

    @property
    def columns(self) -> Names:
        """The names of the columns."""
        return self._columns

    @property
    def names(self) -> tuple[Names, Names]:
        """The names of the rows and of the columns."""
        return self._rows, self._columns

    @property
    def row_kind(self) -> str:
        """What the rows are."""
        return self._kinds[0]

    @property
    def column_kind(self) -> str:
        """What the columns are."""
        return self._kinds[1]

    @property
    def kinds(self) -> tuple[str, str]:
        """What the rows and what the columns are."""
        return self._kinds

    @property
    def origin(self) -> Origin:
        """Where the table came from."""
        return self._origin

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self._rows), len(self._columns)

    @property
    def total(self) -> float:
        """The sum of all counts."""
        return float(self._counts.sum())

    @property
    def row_totals(self) -> Floats:
        """How often each row was seen."""
        return sums(self._counts, 1)

    @property
    def column_totals(self) -> Floats:
        """How often each column was seen."""
        return sums(self._counts, 0)

    @property
    def empty_rows(self) -> tuple[Name, ...]:
        """The names of rows that were never seen with any column."""
        return self._rows.take(np.flatnonzero(self.row_totals == 0))[:]

    @property
    def empty_columns(self) -> tuple[Name, ...]:
        """The names of columns that were never seen with any row."""
        return self._columns.take(np.flatnonzero(self.column_totals == 0))[:]

    @property
    def views(self) -> tuple[Table, ...]:
        """The tables of two kinds that this one adds up to: itself."""
        return (self,)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of counts, names and kinds: equal tables have equal fingerprints."""
        named = (self._kinds, self._rows[:], self._columns[:])
        return fingerprint(named, self._counts)

    # Other tables made from it ---------------------------------------------------------------

    @property
    def T(self) -> Table:  # noqa: N802 (as in NumPy)
        """The table with rows and columns exchanged."""
        flipped = Table(self._counts.T, self._columns, self._rows, *reversed(self._kinds))
        return flipped.with_origin(*self._origin)

    def select(self, rows: Any = None, columns: Any = None) -> Table:
        """Keep some rows and columns, given as names in the order wanted, or as a mask."""
        chosen_rows = _chosen(self._rows, rows)
        chosen_columns = _chosen(self._columns, columns)
        return Table(
            self._counts[chosen_rows][:, chosen_columns],
            self._rows.take(chosen_rows),
            self._columns.take(chosen_columns),
            *self._kinds,
        ).with_origin(*self._origin)

    def blocks(self) -> list[Table]:
        """Split into pieces that share no row and no column, the one with most counts first.

        Empty rows and columns belong to no block. A map cannot say how far blocks are from each
        other: nothing in the table links them.
        """
        parts = [
            self.select(
                self._rows.known(piece.get(self.row_kind, ())),
                self._columns.known(piece.get(self.column_kind, ())),
            )
            for piece in pieces([self])
        ]
        return sorted(parts, key=lambda part: -part.total)

    def thin(self, fraction: float, random_state: Seed = None) -> tuple[Table, Table]:
        """Split the counts at random into two tables of the same shape: to fit and to test.

        Every single event goes to the second table with probability `fraction` (each cell is
        split binomially), so the two are independent samples of the same relation.
        """
        data = self._counts.data
        held = held_out(data, fraction, random_state, "Table.thin")
        return self.with_data(data - held), self.with_data(held)

    def with_origin(self, library: str | None = None, source: str | None = None) -> Table:
        """Return the same table with a note of where it came from."""
        table = object.__new__(Table)
        table.__dict__.update(self.__dict__)
        table._origin = Origin(library, source)
        return table

    def with_data(self, data: Floats) -> Table:
        """Return the same table with other counts in the cells that have some."""
        counts = sparse.csr_array(
            (data, self._counts.indices, self._counts.indptr), shape=self.shape
        )
        table = Table(counts, self._rows, self._columns, *self._kinds)
        return table.with_origin(*self._origin)

    # How it looks ----------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        (n, m), cells = self.shape, self._counts.nnz
        digits = 15 if self.total.is_integer() else 6
        text = (
            f"Table of {self.row_kind} ({n:,}) × {self.column_kind} ({m:,}): "
            f"{self.total:,.{digits}g} counts in {cells:,} of {n * m:,} cells "
            f"({100 * cells / (n * m):.3g} %)"
        )
        empty = zip(self._kinds, (self.empty_rows, self.empty_columns), strict=True)
        lost = [f"{kind} ({len(names):,})" for kind, names in empty if names]
        return text + ("; empty: " + ", ".join(lost) if lost else "")


def _kind(kind: Any) -> str:
    if not isinstance(kind, str) or not kind:
        raise InputError(f"a kind must be a word such as 'user' or 'movie'; got {kind!r}.")
    return kind


def _fitting(names: Names | None, size: int, kind: str) -> Names:
    if size == 0:
        raise InputError(f"a table needs at least one {kind}; this one has 0 {kind} entries.")
    if names is None:
        return Names.numbered(size, kind)
    if len(names) != size:
        raise InputError(f"got {len(names)} {kind} names for {size} {kind} entries of the counts.")
    return names


def _chosen(names: Names, choice: Any) -> Integers:
    """Positions of a choice given as a mask or as names."""
    if choice is None:
        return np.arange(len(names))
    if isinstance(choice, (str, int)):
        choice = [choice]
    mask = np.asarray(choice)
    if mask.dtype != np.bool_:
        return names.find(choice if isinstance(choice, Sequence) else list(choice))
    if mask.shape != (len(names),):
        raise InputError(f"a mask must have {len(names)} entries, one each; got {mask.shape}.")
    return np.flatnonzero(mask)
