"""Everything the laws in tests/laws are held against. To add

- a model: one `Case(...)` line in MODELS; every law then runs on it;
- a method of an engine: nothing, the engine's own METHODS are read; its reference must be named in
  REFERENCES; a new kernel likewise comes with fields.KERNELS;
- a kind of table that must be survived: a function in TABLES, marked by what holds on it;
- a problem for an engine: a function in FIELDS, MATRICES or DESCENTS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import rosen, rosen_der

from relmap import (
    ACAS,
    CODE,
    MKPE,
    BipartiteSpectral,
    CoEmbedding,
    CorrespondenceAnalysis,
    LatentSemanticIndexing,
    Table,
)
from relmap.engines import descent, fields, spectral
from relmap.errors import NeighboursWarning, PiecesWarning, RankWarning
from relmap.views.figure import figure

# Tables --------------------------------------------------------------------------------------

SMOKE = [[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]]
STAFF = ["senior managers", "junior managers", "senior employees", "junior employees",
         "secretaries"]  # fmt: skip
SMOKING = ["none", "light", "medium", "heavy"]


def smoke() -> Table:
    """Greenacre's smokers: a small full table."""
    return Table(SMOKE, STAFF, SMOKING, "staff", "smoking")


def words() -> Table:
    """Poisson counts around a two-dimensional truth: 30 × 20, a quarter of the cells empty."""
    rng = np.random.default_rng(5)
    rows, columns = rng.normal(0, 0.7, (30, 2)), rng.normal(0, 0.7, (20, 2))
    squares = ((rows[:, None] - columns) ** 2).sum(axis=2)
    counts = rng.poisson(12 * np.exp(-squares))
    names = [f"doc {i}" for i in range(30)], [f"word {j}" for j in range(20)]
    return Table(sparse.csr_array(counts), *names, "document", "word")


def scattered() -> Table:
    """Few counts, so that some rows were seen on the rim only and have no finite best place."""
    rng = np.random.default_rng(5)
    rows, columns = rng.normal(0, 1, (30, 2)), rng.normal(0, 1, (20, 2))
    squares = ((rows[:, None] - columns) ** 2).sum(axis=2)
    counts = rng.poisson(6 * np.exp(-squares))
    counts[0], counts[:, 0] = counts[0] + 1, counts[:, 0] + 1
    return Table(sparse.csr_array(counts))


def with_empty() -> Table:
    """`smoke` with a row and two columns that were never seen."""
    counts = np.zeros((6, 6))
    counts[np.ix_([0, 1, 3, 4, 5], [0, 2, 3, 5])] = SMOKE
    rows, columns = [*STAFF[:2], "nobody", *STAFF[2:]], ["none", "pipe", *SMOKING[1:3], "cigar"]
    return Table(counts, rows, [*columns, "heavy"], "staff", "smoking")


def pieces() -> Table:
    """Three blocks that nothing connects, one of them a single cell."""
    return Table(sparse.block_diag([SMOKE, [[3, 1], [1, 4]], [[2]]]))


def friends() -> Table:
    """Links within one kind: two triangles and a bridge."""
    links = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)]
    square = np.zeros((6, 6))
    for i, j in links:
        square[i, j] = square[j, i] = 1
    return Table.from_graph(square, names=list("abcdef"))


ORDINARY: dict[str, Callable[[], Table]] = {"smoke": smoke, "words": words}
DEGENERATE: dict[str, Callable[[], Table]] = {
    "scattered": scattered,
    "empty lines": with_empty,
    "pieces": pieces,
    "one kind": friends,
    "one row": lambda: Table([[3, 1, 2]]),
    "one column": lambda: Table([[3], [1], [2]]),
    "one cell": lambda: Table([[5]]),
    "one seen cell": lambda: Table([[0, 0, 0], [0, 7, 0]]),
    "all equal": lambda: Table(np.full((4, 5), 2)),
    "diagonal": lambda: Table(np.eye(4)),
    "equal rows": lambda: Table([[4, 1, 2], [4, 1, 2], [1, 5, 1]]),
    "huge": lambda: Table(1e9 * np.array(SMOKE)),
    "huge beside one": lambda: Table([[1e9, 1], [1, 1e9], [1, 1]]),
    "fractions": lambda: Table(np.array(SMOKE) / 97),
    "tiny": lambda: Table(1e-9 * np.array(SMOKE)),
    "wide": lambda: Table(np.random.default_rng(0).poisson(0.7, (3, 60)) + np.eye(3, 60)),
}
TABLES = ORDINARY | DEGENERATE
# Where a place may change and next to nothing with it: it is the chances that are compared.
FLAT = {"scattered", "pieces", "diagonal", "huge beside one", "wide", "equal rows"}

# Models --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A model with some settings, and what is said of it.

    `exact_sides` are the sides whose fitted places `transform` must give back; `fine` are
    settings that make its optimum sharp; `endless` are tables on which the best map is infinitely
    large; `wrong` holds values that each setting must refuse; `value` is what the model is judged
    by; `tells` are warnings that some tables deserve. Coordinates grow with the `power` of the
    unit of the counts. `twice`: things of one kind are on the map as rows and as columns.
    """

    name: str
    model: type
    settings: Mapping[str, Any] = field(default_factory=dict)
    fine: Mapping[str, Any] = field(default_factory=dict)
    endless: tuple[str, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    wrong: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    two_sided: bool = True
    exact_sides: tuple[str, ...] = ()
    expected_failures: Mapping[str, str] = field(default_factory=dict)
    value: Callable[[Any], float] = lambda model: model.log_likelihood_
    tells: tuple[type[Warning], ...] = ()
    power: float = 0.0
    twice: bool = False

    def make(self, **settings: Any) -> Any:
        """Return a new model."""
        return self.model(**{**self.settings, **settings})


_CODE: dict[str, Any] = {
    "model": CODE,
    "fine": {"tol": 0, "max_iter": 5000},
    "rules": CODE.rules,
    "wrong": {
        "n_components": (0, -1, 1.5, "2", None, True, np.nan),
        "variant": ("CC", "cm", "", None, 3, [], ["CM", "CC"]),
        "weights": ("rows", None, 1.0, [], [1, 0], [1, -1], [np.nan], ["1"]),
        "weighting": ("columns", None, 1),
        "self_pairs": ("yes", None, 1),
        "n_init": (0, 2.0, None, True),
        "init": ("pca", None, 3, (1,), np.zeros((2, 2))),
        "update": ("moving", None, 1),
        "pins": ("staff", 3, [1], {"staff": [1, 2]}),
        "solver": ("newton", None),
        "penalty": (-1e-9, np.nan, np.inf, "0", None, True),
        "tol": (-1e-9, np.nan, np.inf, None),
        "max_iter": (0, 1.0, None),
        "random_state": (-1, 1.5, "seed"),
        "verbose": (-1, 0.5, None),
        "callbacks": (3, [3], "tell"),
    },
}
MODELS = [
    Case("CODE", **_CODE, exact_sides=("rows",)),
    Case("CODE CU", **_CODE, settings={"variant": "CU"}, exact_sides=("rows",)),
    Case("CODE MC", **_CODE, settings={"variant": "MC"}, exact_sides=("columns",)),
    Case("CODE UC by rows", **_CODE, settings={"variant": "UC", "weighting": "rows"},
         exact_sides=("columns",)),
    Case("CODE MM", **_CODE, settings={"variant": "MM"}, endless=("smoke",)),
    Case("CODE UU 1-D", **_CODE, settings={"variant": "UU", "n_components": 1}),
    Case("CODE penalised", **_CODE, settings={"penalty": 1e-3, "n_init": 2, "random_state": 0},
         exact_sides=("rows",)),
    Case(
        "CODE penalised MC by rows",
        **_CODE,
        settings={"penalty": 1e-3, "variant": "MC", "weighting": "rows"},
        exact_sides=("columns",),
    ),
    Case("CODE cg", **_CODE, settings={"solver": "cg"}, exact_sides=("rows",)),
    Case("CODE 3-D", **_CODE, settings={"n_components": 3}, exact_sides=("rows",)),
]  # fmt: skip


def _top(model: Any) -> float:
    return float(model.singular_values_[0])


_SPECTRAL: dict[str, Any] = {
    "exact_sides": ("rows", "columns"),
    "value": _top,
    "tells": (RankWarning, PiecesWarning, NeighboursWarning),
    "twice": True,
}
_COUNT = {"n_components": (0, -1, 1.5, "2", None, True, np.nan)}
_CA: dict[str, Any] = {
    "model": CorrespondenceAnalysis,
    "rules": CorrespondenceAnalysis.rules,
    "wrong": {**_COUNT, "scaling": ("both", None, 1)},
    **_SPECTRAL,
}
_NEIGHBOURS = (0, 1.5, None, (1,), (0, 2), [3, 3], "5")
_ACAS: dict[str, Any] = {
    "model": ACAS,
    "rules": ACAS.rules,
    "wrong": {
        **_COUNT,
        "p": (0.5, -1, np.nan, None, "inf"),
        "alpha": (-0.1, 2.1, np.nan, None, "0"),
        "beta": (-0.1, 3.1, np.nan, None),
        "neighbours": _NEIGHBOURS,
    },
    **_SPECTRAL,
}
_COEMBEDDING: dict[str, Any] = {
    "model": CoEmbedding,
    "rules": CoEmbedding.rules,
    "wrong": {
        **_COUNT,
        "eta_rows": (-0.1, 10.1, np.nan, None, "1"),
        "eta_columns": (-0.1, 10.1, np.nan, None),
        "xi": (0, 3.1, np.nan, None),
        "gamma": (-0.1, 3.1, np.nan, None),
        "neighbours": _NEIGHBOURS,
        "search": ("random", None),
        "random_state": (-1, 1.5, "seed"),
        "verbose": (-1, 0.5, None),
        "callbacks": (3, [3], "tell"),
    },
    **_SPECTRAL,
}
_FIXED = {"eta_rows": 2.0, "eta_columns": 0.5, "xi": 1.2, "gamma": 0.5}
_NOT_PROJECTED = (
    "new things are placed where their own mismatch is smallest; fitted ones share axes that are "
    "kept orthonormal, and so lie elsewhere"
)
MODELS += [
    Case("CA", **_CA),
    Case("CA rows", **_CA, settings={"scaling": "rows", "n_components": 1}),
    Case("CA principal", **_CA, settings={"scaling": "principal", "n_components": 3}),
    Case("LSI", LatentSemanticIndexing, rules=LatentSemanticIndexing.rules, wrong=_COUNT, power=1,
         **_SPECTRAL),
    Case("BGP", BipartiteSpectral, rules=BipartiteSpectral.rules, wrong=_COUNT, **_SPECTRAL),
    Case("ACAS", **_ACAS, settings={"p": 1, "beta": 1.0, "neighbours": 2}),
    Case("ACAS shaped", **_ACAS, settings={"p": 2, "alpha": 0.7, "beta": 1.5}),
    Case("ACAS largest", **_ACAS, settings={"p": np.inf, "alpha": 0.3, "beta": 1}),
    Case("CoEmbedding", **_COEMBEDDING,
         settings={"eta_rows": 1.0, "eta_columns": 1.5, "neighbours": 2}),
    Case("CoEmbedding weighted", **_COEMBEDDING, settings=_FIXED),
    Case("CoEmbedding extreme", **_COEMBEDDING,
         settings={**_FIXED, "eta_rows": 10.0, "eta_columns": 0.0, "n_components": 3}),
    Case(
        "MKPE",
        MKPE,
        fine={"tol": 0, "max_iter": 5000},
        rules=MKPE.rules,
        wrong={
            **_COUNT,
            "row_kernel": (3, "rbf", np.ones(4), np.ones((2, 3))),
            "column_kernel": (3, "rbf", np.ones(4), np.ones((2, 3))),
            "within": (-1, np.nan, None, "1"),
            "n_init": (0, 2.0, None, True),
            "tol": (-1e-9, np.nan, np.inf, None),
            "max_iter": (0, 1.0, None),
            "random_state": (-1, 1.5, "seed"),
            "verbose": (-1, 0.5, None),
            "callbacks": (3, [3], "tell"),
        },
        value=lambda model: model.loss_,
        tells=(RankWarning,),
        twice=True,
        expected_failures={
            "check_transformer_general": _NOT_PROJECTED,
            "check_transformer_data_not_an_array": _NOT_PROJECTED,
        },
    ),
]  # fmt: skip

# Engines -------------------------------------------------------------------------------------

REFERENCES = {"spectral": "dense"}
DIMENSIONS = {"direct": (1, 2, 3, 7), "nufft": (1, 2, 3), "nearby": (2, 7)}  # for fields


def _kernel_sums(q: int, n: int = 60, m: int = 50, **options: Any) -> fields.KernelSums:
    rng = np.random.default_rng(q)
    weights = rng.normal(size=(m, 3))
    log_masses = rng.normal(size=m)
    return fields.KernelSums(
        rng.normal(size=(n, q)), rng.normal(size=(m, q)), log_masses, weights, **options
    )


def ordinary_field(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """Targets among the sources."""
    return _kernel_sums(q, kernel=kernel)


def far_field(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """Some targets so far out that e^{−d²} is no number any more."""
    problem = _kernel_sums(q, kernel=kernel)
    problem.targets[::4] *= 30
    problem.targets[1::4] += 100
    return problem


def field_without_self(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """Targets that are the sources and do not see themselves."""
    problem = _kernel_sums(q, kernel=kernel)
    own = np.arange(len(problem.sources))
    return replace(problem, targets=problem.sources, own=own)


def some_without_self(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """Targets of which every third is a source, in another order."""
    problem = _kernel_sums(q, kernel=kernel)
    own = np.full(len(problem.targets), -1)
    own[::3] = np.random.default_rng(1).permutation(len(problem.sources))[: len(own[::3])]
    problem.targets[::3] = problem.sources[own[::3]]
    return replace(problem, own=own)


def plain_field(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """No masses, no weights, a single source in the last place."""
    problem = _kernel_sums(q, m=1, kernel=kernel)
    return fields.KernelSums(problem.targets, problem.sources, kernel=kernel)


def uneven_field(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """Masses over e^{1400}, and some of zero."""
    problem = _kernel_sums(q, kernel=kernel)
    masses = np.linspace(-700, 690 if kernel.exponential else 300, len(problem.sources))
    masses[3] = -np.inf
    return fields.KernelSums(problem.targets, problem.sources, masses, problem.weights, kernel)


def many_blocks(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """More sources and targets than fit one block."""
    return _kernel_sums(q, 400, 4200, kernel=kernel)


def spread_out(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """A map many times as wide as a Gaussian, thin at its rim."""
    problem = _kernel_sums(q, 1000, 2500, kernel=kernel)
    scale = {1: 20.0, 2: 3.0}.get(q, 1.0)
    return replace(problem, targets=scale * problem.targets, sources=scale * problem.sources)


def few_heavy(q: int, kernel: fields.Kernel) -> fields.KernelSums:
    """Far out are a few sources with e^{200} times the mass of all others together."""
    problem = _kernel_sums(q, 300, 600, kernel=kernel)
    problem.sources[:3] += 14
    assert problem.log_masses is not None
    problem.log_masses[:3] += 200
    return problem


FIELDS: dict[str, Callable[[int, fields.Kernel], fields.KernelSums]] = {
    "ordinary": ordinary_field,
    "far": far_field,
    "without self": field_without_self,
    "some without self": some_without_self,
    "plain": plain_field,
    "uneven": uneven_field,
    "many blocks": many_blocks,
    "spread out": spread_out,
    "few heavy": few_heavy,
}


def _residuals(counts: Any, rank: int, smoothing: float = 0.0) -> spectral.ScaledMatrix:
    shares = sparse.csr_array(counts, dtype=float)
    return spectral.ScaledMatrix.residuals(shares / shares.sum(), rank, smoothing=smoothing)


def _ragged() -> spectral.ScaledMatrix:
    rng = np.random.default_rng(1)
    matrix = sparse.random_array((90, 70), density=0.1, rng=rng, format="csr")
    scales = rng.uniform(0.5, 2, 90), rng.uniform(0.5, 2, 70)
    return spectral.ScaledMatrix(
        matrix, *scales, rng.normal(size=(90, 2)), rng.normal(size=(70, 2)), 6
    )


def _without_pieces() -> spectral.ScaledMatrix:
    """Three pieces, the trivial axis of each taken away."""
    other = np.random.default_rng(7).poisson(2, (20, 30)) + 1
    counts = sparse.csr_array(sparse.block_diag([words().counts, other, SMOKE]))
    r, c = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    plain = spectral.ScaledMatrix(counts, r**-0.5, c**-0.5, None, None, 4)
    sides = np.repeat([0, 1, 2], [30, 20, 5]), np.repeat([0, 1, 2], [20, 30, 4])
    return plain.without(np.sqrt(r), np.sqrt(c), np.concatenate(sides))


MATRICES: dict[str, Callable[[], spectral.ScaledMatrix]] = {
    "smoke": lambda: _residuals(SMOKE, 2),
    "words": lambda: _residuals(words().counts, 4),
    "words, smoothed": lambda: _residuals(words().counts, 4, 0.5),
    "wide": lambda: _residuals(words().T.counts, 3),
    "ragged": _ragged,
    "pieces": _without_pieces,
}


@dataclass(frozen=True)
class Valley:
    """A function to be minimised, and where its minimum is."""

    problem: descent.Descent
    minimum: np.ndarray


def quadratic() -> Valley:
    """A convex quadratic of condition number 1000."""
    rng = np.random.default_rng(2)
    basis = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    curvature = (basis * np.logspace(-1, 2, 12)) @ basis.T
    minimum = rng.normal(size=12)

    def function(x: np.ndarray) -> tuple[float, np.ndarray]:
        slope = curvature @ (x - minimum)
        return float(0.5 * (x - minimum) @ slope - 3), slope

    return Valley(descent.Descent(function, np.zeros(12)), minimum)


def rosenbrock() -> Valley:
    """Rosenbrock's curved valley in four dimensions."""
    start = np.array([-1.2, 1.0, -1.2, 1.0])
    return Valley(descent.Descent(lambda x: (rosen(x), rosen_der(x)), start), np.ones(4))


def cliffs() -> Valley:
    """−log x + x: no number at all left of 0, where a long first step leads."""

    def function(x: np.ndarray) -> tuple[float, np.ndarray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return float((x - np.log(x)).sum()), 1 - 1 / x

    return Valley(descent.Descent(function, np.array([50.0, 0.01])), np.ones(2))


DESCENTS = {"quadratic": quadratic, "rosenbrock": rosenbrock, "cliffs": cliffs}

# Views ---------------------------------------------------------------------------------------

VIEWS: dict[str, Callable[..., Any]] = {"figure": figure}
