"""How long CODE takes, and what its coordinates, its start and linear time are worth.

On the newsgroups and the Reuters sample of ../shared if they are there, else on made tables of the
same size; with `large`, also on 100,000 × 100,000 things with ten million events.
"""

import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from relmap import CODE, Relations, Table
from relmap.engines import descent, fields
from relmap.models.cooccurrence import starts
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.problem import Problem

SHARED = Path(__file__).parents[2] / "shared/data"


def made(n, m, events, seed=0):
    """Draw events around a truth in two dimensions, rows alike and columns of all popularities."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.standard_normal((n, 2)), rng.standard_normal((m, 2))
    popular = np.cumsum(rng.pareto(1.5, m) + 0.1)
    found, left = [], events
    while left > 0:
        i = rng.integers(0, n, 4_000_000)
        j = np.searchsorted(popular, popular[-1] * rng.random(len(i)))
        seen = rng.random(len(i)) < np.exp(-((rows[i] - columns[j]) ** 2).sum(axis=1))
        keys, times = np.unique(i[seen][:left] * m + j[seen][:left], return_counts=True)
        found.append(sparse.csr_array((times.astype(float), (keys // m, keys % m)), shape=(n, m)))
        left -= int(times.sum())
    return Table(sum(found[1:], found[0]), row_kind="document", column_kind="word")


def reuters():
    """Return 395 documents × 4,258 words."""
    path = SHARED / "reuters395_lda/doc_word.npz"
    if not path.exists():
        return made(395, 4258, 84_000)
    return Table(sparse.load_npz(path), row_kind="document", column_kind="word")


def newsgroups():
    """Return 18,774 documents × 2,000 words: the most frequent but for the first hundred."""
    path = SHARED / "newsgroups20_bydate/counts.npz"
    if not path.exists():
        return made(18_774, 2_000, 1_500_000)
    counts = sparse.csr_array(sparse.load_npz(path)).astype(float)
    order = np.argsort(-counts.sum(axis=0), kind="stable")[100:2100]
    return Table(counts[:, order], row_kind="document", column_kind="word")


class Plain(Problem):
    """The same loss in plain coordinates: every thing weighs the same."""

    @property
    def _units(self):
        return np.ones((self.size, 1))


def run(kind, documents, method, max_iter):
    """Descend from the same start in one kind of coordinates and return run and seconds."""
    settings = CODE(weighting="rows").get_params()
    problem = kind.of(Layout(Relations([documents])), settings)
    first = starts.from_axes(problem, np.random.default_rng(0))
    start = time.perf_counter()
    stop = descent.Stop(tol=1e-8, max_iter=max_iter)
    result = descent.solve(problem.descent(problem.joined(first)), stop, method)
    return result, time.perf_counter() - start


def compare(documents, max_iter):
    """Print what the paper's conjugate gradients and plain coordinates cost."""
    print(documents)
    print(
        f"{'coordinates':>12} {'method':>7} {'evaluations':>12} {'loss':>12} {'to 1e-6':>8} "
        f"{'seconds':>8}"
    )
    for kind in (Problem, Plain):
        for method in descent.METHODS:
            result, took = run(kind, documents, method, max_iter)
            name = "× √mass" if kind is Problem else "plain"
            evaluations, values = result.trace.T
            settled = np.flatnonzero(values[5:] >= values[:-5] - 5e-6 * (1 + np.abs(values[5:])))
            enough = int(evaluations[settled[0] + 5]) if len(settled) else "more"
            print(
                f"{name:>12} {method:>7} {result.evaluations:12} {result.value:12.7f} "
                f"{enough:>8} {took:8.2f}"
            )


def fit(documents, **settings):
    """Print one whole fit."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CODE(**settings).fit(documents)
    took = time.perf_counter() - start
    told = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    print(f"CODE({told}): {took:.1f} s, {model.n_iter_} steps, {model.map_.status}, "
          f"{model.explained_information_:.4f} explained, log-likelihood "
          f"{model.log_likelihood_:.6f}")  # fmt: skip
    print(
        f"  peak memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
    )


def evaluation(documents):
    """Print what one value with its gradient costs, directly and in linear time."""
    problem = Problem.of(Layout(Relations([documents])), CODE().get_params())
    x = problem.joined(starts.from_axes(problem, np.random.default_rng(0)))
    times = {}
    choose = fields.choose.__globals__["COSTS"]
    for name in fields.METHODS:
        kept = dict(choose)
        for other in kept.keys() - {name}:
            choose[other] = lambda _: np.inf
        problem.loss(x)
        start = time.perf_counter()
        for _ in range(5):
            problem.loss(x)
        times[name] = (time.perf_counter() - start) / 5
        choose.update(kept)
    print("one value and gradient: " + ", ".join(f"{k} {1e3 * v:.0f} ms" for k, v in times.items()))


def main():
    """Print everything."""
    compare(reuters(), 2000)
    documents = newsgroups()
    evaluation(documents)
    compare(documents, 300)
    for weighting in ("events", "rows"):
        for tol in (1e-6, 1e-8):
            fit(documents, weighting=weighting, tol=tol)
    if "large" in sys.argv:
        start = time.perf_counter()
        large = made(100_000, 100_000, 10_000_000)
        counts = large.counts
        size = (counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes) / 2**20
        print(f"{large} made in {time.perf_counter() - start:.0f} s, {size:.0f} MiB")
        fit(large, tol=1e-6)


if __name__ == "__main__":
    main()
