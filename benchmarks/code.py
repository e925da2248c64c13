"""How long CODE takes on documents × words, and what its coordinates and its start are worth.

Uses the Reuters sample of ../shared if it is there, else a made table of the same size.
"""

import resource
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from relmap import CODE, Table
from relmap.engines import descent
from relmap.models.cooccurrence import starts
from relmap.models.cooccurrence.problem import Layout, Problem

SHARED = Path(__file__).parents[2] / "shared/data/reuters395_lda/doc_word.npz"


def table():
    """Return 395 documents × 4,258 words."""
    if SHARED.exists():
        return Table(sparse.load_npz(SHARED), row_kind="document", column_kind="word")
    rng = np.random.default_rng(0)
    rows, columns = rng.standard_normal((395, 2)), rng.standard_normal((4258, 2))
    squares = ((rows[:, None] - columns[None]) ** 2).sum(axis=2)
    rates = np.exp(-squares) * rng.pareto(1.0, 4258)
    return Table(rng.poisson(84_000 * rates / rates.sum()), row_kind="document", column_kind="word")


class Plain(Problem):
    """The same loss in plain coordinates: every thing weighs the same."""

    @property
    def _units(self):
        return np.ones((len(self.masses), 1))


def run(kind, method):
    """Descend from the same start in one kind of coordinates and return run and seconds."""
    settings = {"weighting": "rows", "variant": "CM", "n_components": 2, "penalty": 0.0}
    documents = table()
    problem = kind.of(documents, Layout.of(documents), settings)
    start = time.perf_counter()
    first = starts.from_axes(problem, np.random.default_rng(0))
    stop = descent.Stop(tol=1e-8, max_iter=2000)
    result = descent.solve(problem.descent(first), stop, method)
    return result, time.perf_counter() - start


def main():
    """Print the comparison and one whole fit."""
    documents = table()
    print(documents)
    print(f"{'coordinates':>12} {'method':>7} {'evaluations':>12} {'loss':>12} {'seconds':>8}")
    for kind in (Problem, Plain):
        for method in descent.METHODS:
            result, took = run(kind, method)
            name = "× √mass" if kind is Problem else "plain"
            print(
                f"{name:>12} {method:>7} {result.evaluations:12} {result.value:12.7f} {took:8.2f}"
            )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CODE(weighting="rows").fit(documents)
    took = time.perf_counter() - start
    print(f"fit: {took:.2f} s, {model.map_}, {model.explained_information_:.4f} explained")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
