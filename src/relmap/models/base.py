"""What all models share: how input becomes a `Table`, and how later tables meet the fitted one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from relmap._check import Rule, check
from relmap._names import Names
from relmap._types import Floats, Integers
from relmap._version import __version__
from relmap.errors import InputError, RelmapWarning
from relmap.relations import Relations, Table, Triples
from relmap.relations.frames import is_frame

_NUMBERS = {"accept_sparse": "csr", "dtype": np.float64}


class Ruled(Protocol):
    """An estimator with a rule for every setting."""

    rules: ClassVar[dict[str, Rule]]

    def get_params(self, deep: bool = ...) -> dict[str, Any]:  # noqa: FBT001 (scikit-learn's)
        """Return the settings."""
        ...


def checked_settings(estimator: Ruled, **instead: Any) -> dict[str, Any]:
    """Hold an estimator's settings, and others instead of some, against its rules; return them."""
    settings: dict[str, Any] = {**estimator.get_params(deep=False), **instead}
    check(type(estimator).__name__, settings, estimator.rules)
    return settings


def fitted_table(estimator: BaseEstimator, X: Any) -> Table:
    """Return what `fit` was given as a Table; note its feature count and names.

    Arrays and sparse matrices pass scikit-learn's own checks, whose messages its users know.
    """
    if isinstance(X, (str, Path)):
        raise InputError(
            f"fit takes a table, not a file name; relmap.read_table({str(X)!r}) reads one."
        )
    X = _only_table(estimator, X)
    if not _named(X):
        return _with_counts(Table(validate_data(estimator, X, **_NUMBERS)))
    table = _with_counts(X if isinstance(X, Table) else Table.from_frame(X))
    estimator.n_features_in_ = table.shape[1]
    if table.columns.all_text:
        estimator.feature_names_in_ = np.array(table.columns[:], dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return table


def table_like(
    estimator: BaseEstimator, X: Any, rows: Names | None = None, columns: Names | None = None
) -> Table:
    """Return what a later method was given as a Table.

    Tables and frames bring names; arrays are taken to have the fitted rows or columns in their
    order, and must have as many.
    """
    X = _only_table(estimator, X)
    if _named(X):
        return X if isinstance(X, Table) else Table.from_frame(X)
    checked = (
        check_array(X, **_NUMBERS)
        if columns is None
        else validate_data(estimator, X, reset=False, **_NUMBERS)
    )
    if rows is not None and checked.shape[0] != len(rows):
        raise InputError(
            f"an array given here needs the {len(rows)} fitted rows; got {checked.shape[0]}. "
            "Pass a Table or a data frame to match rows by name."
        )
    return Table(checked, rows, columns)


def _with_counts(table: Table) -> Table:
    if table.counts.nnz == 0:
        raise InputError("the table is empty: all its counts are 0, so there is nothing to map.")
    return table


def _only_table(estimator: BaseEstimator, X: Any) -> Any:
    """Take the only table out of Relations; refuse several tables and three-way counts."""
    name = type(estimator).__name__
    if isinstance(X, (list, tuple)) and any(isinstance(x, (Table, Triples)) for x in X):
        raise InputError("a list of tables is no table; CODE().fit(Relations(tables)) maps them.")
    if isinstance(X, Relations):
        if len(X.tables) > 1:
            raise InputError(
                f"{name} takes one table here; got {len(X.tables)}. Pass one of them; "
                "CODE().fit(Relations(tables)) maps several together."
            )
        (X,) = X.tables
    if isinstance(X, Triples):
        raise InputError(
            f"{name} takes a table of two kinds here; got {X!r}. CODE().fit maps three kinds, "
            "and triples.views are tables of two that can be fitted beside it."
        )
    return X


def fitted_relations(estimator: BaseEstimator, X: Any) -> Relations:
    """Return what `fit` of a model for several tables was given as Relations."""
    if isinstance(X, Triples):
        X = Relations([X])
    if not isinstance(X, Relations) or (len(X.tables) == 1 and isinstance(X.tables[0], Table)):
        return Relations([fitted_table(estimator, X)])
    for table in X.tables:
        if table.counts.nnz == 0:
            raise InputError(
                f"the table of {' × '.join(table.kinds)} is empty: all its counts are 0."
            )
    estimator.n_features_in_ = X.tables[0].counts.shape[1]
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return X


def _named(X: Any) -> bool:
    return isinstance(X, Table) or is_frame(X)


def matched(given: Names, fitted: Names) -> tuple[Integers, Integers]:
    """Return the positions of common names in `given` and in `fitted`; warn of unknown ones."""
    common = given.known(fitted)
    if not common:
        raise InputError(
            f"none of the {len(given)} {given.what} names given was fitted (first given: "
            f"{given[0]!r}; first fitted: {fitted[0]!r})."
        )
    if len(common) < len(given):
        first = next(n for n in given if n not in fitted)
        warnings.warn(
            f"{len(given) - len(common)} of {len(given)} {given.what} names were not fitted "
            f"(first: {first!r}); their counts are left out.",
            RelmapWarning,
            stacklevel=4,
        )
    return given.find(common), fitted.find(common)


def moved(
    counts: sparse.csr_array, matches: tuple[Integers, Integers], width: int
) -> sparse.csr_array:
    """Move columns to their fitted positions among `width`; columns not given are empty."""
    given, fitted = matches
    taken = sparse.coo_array(counts[:, given])
    shape = (counts.shape[0], width)
    return sparse.csr_array((taken.data, (taken.row, fitted[taken.col])), shape=shape)


def spread(points: Floats, places: Integers) -> Floats:
    """Spread values over all rows (or columns) of a table, NaN where there is no place (−1)."""
    values = np.full((len(places), *points.shape[1:]), np.nan)
    values[places >= 0] = points[places[places >= 0]]
    return values


def described(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings as a map's header keeps them: what made the map, not who watched."""
    return {k: _written(v) for k, v in settings.items() if k not in {"verbose", "callbacks"}}


def _written(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return list(value) if all(np.isscalar(v) for v in value) else "given arrays"
    if isinstance(value, Mapping):
        return {str(key): _written(list(inner)) for key, inner in value.items()}
    return "given arrays" if np.ndim(value) else getattr(value, "__name__", type(value).__name__)


def provenance(data: Table | Triples | Relations) -> dict[str, Any]:
    """Return what a map's header says of the data."""
    tables = data.tables if isinstance(data, Relations) else (data,)
    sources = [table.origin.source for table in tables if table.origin.source]
    return {
        "relmap": __version__,
        "source": ", ".join(sources) or None,
        "table": repr(data),
        "sha256": data.fingerprint,
    }
