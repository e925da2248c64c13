"""CODE: Euclidean embedding of co-occurrence data (Globerson, Chechik, Pereira, Tishby 2007)."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from relmap import _check
from relmap._types import Floats
from relmap.engines import descent
from relmap.models.base import checked_settings, fitted_table, table_like
from relmap.models.cooccurrence.fitted import fit
from relmap.models.cooccurrence.likelihood import VARIANTS


class CODE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Map rows and columns of a table together: near means seen together more than by chance.

    The chance of seeing row x with column y falls with the squared distance on the map,

        p(y | x) = c_y e^{−|φ(x) − ψ(y)|²} / Z_x        (variant "CM"),

    and the coordinates are those that make what was seen most likely. Distances mean something:
    at distance 1 a pair is 1/e times as likely as at distance 0.

    Do not use it when the table holds similarities or measurements instead of counts, nor to
    compare distances between pieces of a table that nothing connects.

    Parameters
    ----------
    n_components : int, default 2
        Dimensions of the map.
    variant : str, default "CM"
        How rows (first letter) and columns (second) enter: C conditioned on, M with the share
        that was observed, U without. "CM" explains which columns a row goes with, whatever their
        popularity; "MM" is its symmetric sister; the variants with U let popular things crowd the
        middle.
    weighting : "events" or "rows", default "events"
        Whether every event counts the same, or every row (long and short documents alike).
    n_init : int, default 1
        Starts; the first from `init`, the others random. The best end is kept, all are reported.
    init : "spectral", "random" or (rows, columns), default "spectral"
        Correspondence analysis at its best scale, random points, or two arrays of coordinates.
    solver : "lbfgs" or "cg", default "lbfgs"
        The second is what the paper used; it needs several times as many steps.
    penalty : float or "auto", default 0
        Adds penalty · Σ|coordinates|² to the loss: keeps near what would drift far out without
        being much likelier there. "auto" is 0.02 over the number of rows and columns.
    tol : float, default 1e-8
        Ends the run when five steps together gain less than 5 · tol · (1 + loss).
    max_iter : int, default 1000
        Steps at most.
    random_state : int, generator or None, default None
        Makes random starts repeatable.
    verbose : int, default 0
        1 shows a progress bar, 2 or more writes lines instead.
    callbacks : function or list of functions, optional
        Called with a `Step` after every step; returning True stops the run.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × n_components and n_columns × n_components
        Coordinates; NaN for rows and columns without counts.
    log_likelihood_ : float
        Mean log-likelihood of an observed pair in nats, every constant included.
    explained_information_ : float
        Where that is between independence (0) and the table itself (1); NaN if the table has no
        information. Below 0 it can only be for variants that do not contain independence.
    optima_ : tuple of Optimum
        The different ends of all starts, the best first.
    map_ : Map
    evidence_ : CodeEvidence
        What was recomputed to show that the map is right.
    n_iter_ : int
        Steps of the best run.

    Examples
    --------
    >>> from relmap import CODE, Table
    >>> table = Table([[8, 1], [1, 6]], rows=["ann", "bo"], columns=["tea", "milk"])
    >>> CODE().fit(table).map_.nearest("ann", kind="column", k=1)[0].name
    'tea'
    """

    rules: ClassVar = {
        "n_components": _check.whole(1),
        "variant": _check.one_of(*VARIANTS),
        "weighting": _check.one_of("events", "rows"),
        "n_init": _check.whole(1),
        "init": _check.one_of("spectral", "random") | _check.pair_of_arrays(),
        "solver": _check.one_of(*descent.METHODS),
        "penalty": _check.number(0) | _check.one_of("auto"),
        "tol": _check.number(0),
        "max_iter": _check.whole(1),
        "random_state": _check.SEED,
        "verbose": _check.whole(0),
        "callbacks": _check.CALLBACKS,
    }

    def __init__(  # noqa: PLR0913 (an estimator's settings)
        self,
        n_components: int = 2,
        *,
        variant: str = "CM",
        weighting: str = "events",
        n_init: int = 1,
        init: Any = "spectral",
        solver: str = "lbfgs",
        penalty: float | str = 0.0,
        tol: float = 1e-8,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_components = n_components
        self.variant = variant
        self.weighting = weighting
        self.n_init = n_init
        self.init = init
        self.solver = solver
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(self, X: Any, y: Any = None) -> CODE:  # noqa: ARG002 (scikit-learn's signature)
        """Find the map of a table: array, sparse matrix, data frame or `Table`."""
        settings = checked_settings(self)
        self._fitted = fitted = fit(fitted_table(self, X), settings)
        self._n_features_out = self.n_components
        self.embedding_, self.column_embedding_ = fitted.embedding, fitted.column_embedding
        self.log_likelihood_ = fitted.log_likelihood
        self.explained_information_ = fitted.explained_information
        self.optima_, self.n_iter_ = fitted.optima, fitted.run.iterations
        self.evidence_, self.map_ = fitted.evidence, fitted.map()
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Find the map and return the coordinates of the rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> Floats:
        """Place new rows exactly where p(y | x) fits them best; nothing else moves.

        `X` has the fitted columns (a Table or frame by name: missing ones count 0, unknown ones
        are left out with a warning). The place is unique. Rows without counts get NaN.
        """
        check_is_fitted(self)
        return self._fitted.place(table_like(self, X, columns=self._fitted.table.columns), "rows")

    def transform_columns(self, X: Any) -> Floats:
        """Place new columns exactly where p(x | y) fits them best; nothing else moves.

        `X` has the fitted rows, and the new things as columns.
        """
        check_is_fitted(self)
        return self._fitted.place(table_like(self, X, rows=self._fitted.table.rows), "columns")

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """Return the mean log-likelihood per event of other counts of the fitted rows and columns.

        Meant for held-out counts, as `Table.thin` makes them. Events of rows or columns that
        were not placed are left out, with a warning.
        """
        check_is_fitted(self)
        fitted = self._fitted
        return fitted.score(table_like(self, X, fitted.table.rows, fitted.table.columns))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
