"""The estimator that all co-embeddings are: from a table to places, from places to a map."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from relmap._check import Rule
from relmap._names import Names
from relmap._types import Floats, sums
from relmap.errors import ConvergenceWarning, PiecesWarning, RankWarning
from relmap.maps import Map
from relmap.models.base import (
    checked_settings,
    described,
    fitted_table,
    matched,
    moved,
    provenance,
    spread,
    table_like,
)
from relmap.models.coembedding.core import Analysis, Core
from relmap.relations import Table


class CoMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A map of the rows and columns of one table, side by side; a model says how it is found."""

    rules: ClassVar[dict[str, Rule]]
    _pieces: ClassVar[str | None] = "how they lie to each other says nothing"
    """What is true of a map of several pieces; None if the model can tell how far apart they are.
    """

    n_components: int

    @abstractmethod
    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        """Find places."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Find the map of a table: array, sparse matrix, data frame or `Table`."""
        settings = checked_settings(self)
        table = fitted_table(self, X)
        core = Core.of(table)
        analysis = self._analyse(core, settings)
        self._fitted = fitted = Fitted(type(self).__name__, table, core, analysis, settings)
        self.embedding_ = spread(analysis.rows, core.rows)
        self.column_embedding_ = spread(analysis.columns, core.columns)
        self._n_features_out = analysis.rows.shape[1]
        self.evidence_, self.map_ = analysis.evidence, fitted.map
        for name, value in analysis.attributes.items():
            setattr(self, name, value)
        _tell(fitted, self._pieces)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Find the map and return the coordinates of the rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> Floats:
        """Place new rows among the fitted columns; nothing else moves, fitted rows come out same.

        `X` has the fitted columns (a Table or frame by name: missing ones count 0, unknown ones
        are left out with a warning). Rows without counts get NaN.
        """
        check_is_fitted(self)
        return self._fitted.place(table_like(self, X, columns=self._fitted.table.columns), "rows")

    def transform_columns(self, X: Any) -> Floats:
        """Place new columns among the fitted rows; nothing else moves.

        `X` has the fitted rows, and the new things as columns.
        """
        check_is_fitted(self)
        return self._fitted.place(table_like(self, X, rows=self._fitted.table.rows), "columns")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class Fitted:
    """Where the things of a table ended, and everything that follows from it."""

    def __init__(
        self, model: str, table: Table, core: Core, analysis: Analysis, settings: dict[str, Any]
    ) -> None:
        self.model, self.table, self.core = model, table, core
        self.analysis, self.settings = analysis, settings

    def place(self, table: Table, side: str) -> Floats:
        """Place new rows (or columns) of a table; those without counts get NaN."""
        rows = side == "rows"
        fitted, table = (self.table, table) if rows else (self.table.T, table.T)
        places = self.core.columns if rows else self.core.rows
        fold = self.analysis.place_rows if rows else self.analysis.place_columns
        counts = moved(table.counts, matched(table.columns, fitted.columns), fitted.shape[1])
        known = np.flatnonzero(places >= 0)
        among = moved(counts, (known, places[known]), self.core.counts.shape[rows])
        seen = np.flatnonzero(sums(among, 1) > 0)
        points = np.full((table.shape[0], self.analysis.rows.shape[1]), np.nan)
        if len(seen):
            points[seen] = fold(among[seen])
        return points

    @cached_property
    def map(self) -> Map:
        """Put the names back on."""
        table, analysis, core, shares = self.table, self.analysis, self.core, self.core.shares
        kinds = _roles(table)
        sides = (
            (kinds[0], table.rows, core.rows, analysis.rows, sums(shares, 1)),
            (kinds[1], table.columns, core.columns, analysis.columns, sums(shares, 0)),
        )
        return Map(
            points={side[0]: side[3] for side in sides},
            names={kind: _some(names, at >= 0, kind) for kind, names, at, *_ in sides},
            masses={side[0]: side[4] for side in sides},
            unplaced={kind: _some(names, at < 0, kind)[:] for kind, names, at, *_ in sides},
            status=analysis.status,
            evidence={**analysis.summary, "pieces": core.piece_count, "advice": analysis.advice},
            model=self.model,
            settings=described(self.settings),
            provenance=provenance(table),
            library=table.origin.library,
        )


SPENT = "{axes} can only tell them apart"  # what `_pieces` is where these axes come first


def _roles(table: Table) -> tuple[str, str]:
    """Return the kinds of the two sides; things of one kind stand on the map in both roles."""
    if table.row_kind == table.column_kind:
        return f"{table.row_kind} as row", f"{table.column_kind} as column"
    return table.row_kind, table.column_kind


def _some(names: Names, mask: Any, kind: str) -> Names:
    if mask.all():
        return Names.of(names, kind)
    return Names((names[int(i)] for i in np.flatnonzero(mask)), kind)


def _tell(fitted: Fitted, of_pieces: str | None) -> None:
    """Warn of what the user should know of the places."""
    analysis, pieces = fitted.analysis, fitted.core.piece_count
    asked, found = fitted.settings["n_components"], analysis.rows.shape[1]
    if not (analysis.rows.any() or analysis.columns.any()):
        why = (
            "its rows are all alike" if pieces == 1 else "in each of its pieces rows are all alike"
        )
        _warn(RankWarning, fitted, f"this table has no axis ({why}); all is one place.")
    elif found < asked:
        has = f"{found} ax{'is' if found == 1 else 'es'}"
        _warn(RankWarning, fitted, f"n_components={asked}, but this table has {has}.")
    if of_pieces and pieces > 1:
        axes = "axis 1" if pieces == 2 else f"axes 1 to {pieces - 1:,}"
        _warn(
            PiecesWarning,
            fitted,
            f"the table falls into {pieces:,} pieces that nothing connects; "
            f"{of_pieces.format(axes=axes)}. relmap.apart(model, table), on the command line "
            "--apart, maps each piece by itself and lays them side by side.",
        )
    if analysis.advice:
        _warn(ConvergenceWarning, fitted, f"{analysis.status}. {analysis.advice}")


def _warn(kind: type[Warning], fitted: Fitted, message: str) -> None:
    warnings.warn(f"{fitted.model}: {message}", kind, stacklevel=4)
