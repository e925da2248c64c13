"""CODE: Euclidean embedding of co-occurrence data (Globerson, Chechik, Pereira, Tishby 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from relmap import _check
from relmap._types import Floats
from relmap.engines import descent
from relmap.maps import Map
from relmap.models.base import checked_settings, fitted_relations, table_like
from relmap.models.cooccurrence.fitted import fit
from relmap.models.cooccurrence.likelihood import VARIANTS
from relmap.relations import Relations, Triples

IS_MAP = _check.Rule(lambda v: isinstance(v, Map), "a Map")
PINS = _check.Rule(
    lambda v: isinstance(v, Mapping) and all(isinstance(p, Mapping) for p in v.values()),
    "a mapping such as {'word': {'bank': (0.5, 1.0)}}",
)


class CODE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Map rows and columns of one or more tables: near means seen together more than by chance.

    The chance of seeing row x with column y falls with the squared distance on the map,

        p(y | x) = c_y e^{−|φ(x) − ψ(y)|²} / Z_x        (variant "CM"),

    and the coordinates are those that make what was seen most likely. Distances mean something:
    at distance 1 a pair is 1/e times as likely as at distance 0. Several tables that share kinds
    (`Relations`) share the places of these kinds, and what is maximised is the weighted sum of
    their log-likelihoods. Three-way counts (`Triples`) are explained by the middle of two things:
    p(z | x, y) = v_z e^{−|ψ(z) − (φ(x) + χ(y))/2|²} / Z_xy.

    Do not use it when the table holds similarities or measurements instead of counts, nor to
    compare distances between pieces of a table that nothing connects.

    Parameters
    ----------
    n_components : int, default 2
        Dimensions of the map.
    variant : str, or one for each table, default "CM"
        How rows (first letter) and columns (second) enter: C conditioned on, M with the share
        that was observed, U without. "CM" explains which columns a row goes with, whatever their
        popularity; "MM" is its symmetric sister; the variants with U let popular things crowd the
        middle.
    weights : "equal", "size" or one number for each table, default "equal"
        What each table counts; "size" is one over its rows times its columns. They are scaled to
        sum 1.
    weighting : "events" or "rows", default "events"
        Whether every event counts the same, or every row (long and short documents alike).
    self_pairs : "auto" or bool, default "auto"
        Whether things of one kind may go with themselves. If not, such counts are left out and the
        model does not expect any; "auto" is whether the table has some.
    n_init : int, default 1
        Starts, run side by side; the first from `init`, the others random. The best end is kept,
        all are reported.
    init : "spectral", "random", (rows, columns) or Map, default "spectral"
        Correspondence analysis at its best scale, random points, two arrays of coordinates, or an
        earlier map, on which things are found by kind and name; new ones begin in the middle of
        what they go with.
    update : "free", "relaxed" or "frozen", default "free"
        What becomes of things on an earlier map: they move as they will, and the map is laid over
        the earlier one at the end; they are tied to their places by springs as stiff as their
        share of all counts; or they stay where they are, and only new things are placed.
    pins : mapping from kind to {name: coordinates}, optional
        Things that do not move.
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
        Called with a `Step` after every step, one at a time; returning True stops that run.

    Attributes
    ----------
    embedding_, column_embedding_ : arrays, n_rows × n_components and n_columns × n_components
        Coordinates in the (first) table's order; NaN for rows and columns without counts. `map_`
        has all kinds.
    log_likelihood_ : float
        Mean log-likelihood of an observed pair in nats, every constant included; of several
        tables, the weighted sum.
    explained_information_ : float
        Where that is between independence (0) and the tables themselves (1); NaN if they have no
        information. Below 0 it can only be for variants that do not contain independence.
    tables_ : tuple of TableFit
        Kinds, variant, weight, log-likelihood and explained information of every table.
    optima_ : tuple of Optimum
        The different ends of all starts, the best first, with their points laid over the best.
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
        "variant": _check.one_of(*VARIANTS) | _check.several(_check.one_of(*VARIANTS)),
        "weights": _check.one_of("equal", "size") | _check.several(_check.POSITIVE),
        "weighting": _check.one_of("events", "rows"),
        "self_pairs": _check.one_of("auto") | _check.FLAG,
        "n_init": _check.whole(1),
        "init": _check.one_of("spectral", "random") | _check.pair_of_arrays() | IS_MAP,
        "update": _check.one_of("free", "relaxed", "frozen"),
        "pins": _check.NONE | PINS,
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
        variant: Any = "CM",
        weights: Any = "equal",
        weighting: str = "events",
        self_pairs: bool | str = "auto",
        n_init: int = 1,
        init: Any = "spectral",
        update: str = "free",
        pins: Any = None,
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
        self.weights = weights
        self.weighting = weighting
        self.self_pairs = self_pairs
        self.n_init = n_init
        self.init = init
        self.update = update
        self.pins = pins
        self.solver = solver
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(self, X: Any, y: Any = None, *, weights: Any = None) -> CODE:  # noqa: ARG002
        """Find the map of a table (array, sparse matrix, data frame, `Table`) or of `Relations`.

        `weights` of the tables may be given here, too, for this fit instead of the setting.
        """
        settings = checked_settings(self, **({} if weights is None else {"weights": weights}))
        self._fitted = fitted = fit(fitted_relations(self, X), settings)
        self._n_features_out = self.n_components
        self.embedding_, self.column_embedding_ = fitted.side(0), fitted.side(-1)
        self.log_likelihood_ = fitted.log_likelihood
        self.explained_information_ = fitted.explained_information
        self.tables_, self.optima_ = fitted.tables, fitted.optima
        self.n_iter_ = fitted.run.iterations
        self.evidence_, self.map_ = fitted.evidence, fitted.map()
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Find the map and return the coordinates of the (first table's) rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> Floats:
        """Place new rows exactly where p(y | x) fits them best; nothing else moves.

        `X` has the fitted columns (a Table or frame by name: missing ones count 0, unknown ones
        are left out with a warning). The place is unique. Rows without counts get NaN. Of several
        fitted tables the first with the kinds of the Table `X` is meant; an array or a frame
        belongs to the first of all.
        """
        return self._placed(X, "rows")

    def transform_columns(self, X: Any) -> Floats:
        """Place new columns exactly where p(x | y) fits them best; nothing else moves.

        `X` has the fitted rows, and the new things as columns.
        """
        return self._placed(X, "columns")

    def _placed(self, X: Any, side: str) -> Floats:
        check_is_fitted(self)
        if isinstance(X, Relations) and len(X.tables) == 1:
            (X,) = X.tables
        number = self._fitted.later.index(X)
        names = self._fitted.relations.tables[number].names[-1 if side == "rows" else 0]
        known = {"columns" if side == "rows" else "rows": names}
        return self._fitted.later.place(table_like(self, X, **known), side, number)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """Return the mean log-likelihood per event of other counts of the fitted things.

        Meant for held-out counts, as `Table.thin` makes them; of `Relations`, the sum weighted as
        in the fit. Events of rows or columns that were not placed are left out, with a warning.
        """
        return self._score(X, independent=False)

    def score_independence(self, X: Any) -> float:
        """Return what `X` would score if rows and columns had nothing to do with each other.

        By the totals of the fitted tables. What `score` gives beyond this is what the map knows.
        """
        return self._score(X, independent=True)

    def _score(self, X: Any, *, independent: bool) -> float:
        check_is_fitted(self)
        if isinstance(X, Triples):
            X = Relations([X])
        if not isinstance(X, Relations):
            names = self._fitted.relations.tables[self._fitted.later.index(X)].names
            X = Relations([table_like(self, X, names[0], names[-1])])
        return self._fitted.later.score(X, independent=independent)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
