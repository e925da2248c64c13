"""MKPE: multiple kernel preserving embedding (Gönen 2014)."""

from __future__ import annotations

from typing import Any, ClassVar

from relmap import _check
from relmap._types import Floats
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.estimator import CoMap
from relmap.models.coembedding.preserving import Problem, analysis, best_run


class MKPE(CoMap):
    """Map rows and columns so that a Gaussian of their distances matches given similarities.

    With similarities s between rows and columns, and kernels k within the rows and within the
    columns where there are such, points minimise

        mean (e^{−|x_i − y_j|²/σ²} − s_ij)² + within · [mean (e^{−|x_i − x_j|²/σ²} − k_ij)² + …],

    the rows being X = K A n/‖K‖ with AᵀA = I (without a kernel X = √n A), and likewise the columns;
    σ is found along with them. s are the counts over the roots of the largest counts of their row
    and their column, kernels are scaled to 1 on the diagonal. Things whose lines of the kernel are
    equal land in one place.

    Made for things with kernels of their own; from the table alone it says little of how rows lie
    among each other.

    Parameters
    ----------
    n_components : int, default 2
        Coordinates of the map; at most as many as there are rows and columns.
    row_kernel, column_kernel : arrays n × n and m × m, sparse or not, optional
        Similarities within the rows and within the columns, not negative, in the table's order.
    within : float, default 1
        How much the kernels count against the table.
    n_init : int, default 1
        Starts: correspondence analysis, then random ones. The best end is kept.
    tol : float, default 1e-8
        Ends a run when five steps together gain less than 5 · tol · (1 + loss).
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
    embedding_, column_embedding_ : arrays, n_rows × q and n_columns × q
        Coordinates; NaN for rows and columns without counts.
    loss_ : float
        The mismatch that is left.
    width_ : float
        σ.
    n_iter_ : int
        Steps of the best run.
    map_ : Map
    evidence_ : DescentEvidence

    Examples
    --------
    >>> from relmap import MKPE, datasets
    >>> model = MKPE().fit(datasets.load_housetasks())
    >>> model.map_.nearest("repairs", kind="who", k=1)[0].name
    'husband'
    """

    _pieces = None
    rules: ClassVar = {
        "n_components": _check.whole(1),
        "row_kernel": _check.NONE | _check.SQUARE,
        "column_kernel": _check.NONE | _check.SQUARE,
        "within": _check.number(0),
        "n_init": _check.whole(1),
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
        row_kernel: Any = None,
        column_kernel: Any = None,
        within: float = 1.0,
        n_init: int = 1,
        tol: float = 1e-8,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_components = n_components
        self.row_kernel = row_kernel
        self.column_kernel = column_kernel
        self.within = within
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def transform(self, X: Any) -> Floats:
        """Place new rows where their own mismatch is smallest, among the fitted columns.

        Nothing else moves. Fitted rows come out near their places, not in them: there they share
        axes that are kept orthonormal. Rows without counts get NaN.
        """
        return super().transform(X)

    def transform_columns(self, X: Any) -> Floats:
        """Place new columns where their own mismatch is smallest, among the fitted rows."""
        return super().transform_columns(X)

    def _analyse(self, core: Core, settings: dict[str, Any]) -> Analysis:
        problem = Problem.of(core, settings)
        return analysis(problem, best_run(problem, settings))
