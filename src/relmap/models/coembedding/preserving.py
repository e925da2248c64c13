"""MKPE as a problem for the descent engine, its runs, and new things on its map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from relmap._progress import watching
from relmap._types import Floats, Integers, generator
from relmap.engines import descent, spectral
from relmap.errors import InputError
from relmap.maps.align import principal
from relmap.models.coembedding.axes import leading
from relmap.models.coembedding.core import Analysis, Core
from relmap.models.coembedding.matching import Match, similar, similarities

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the kernel, of which the best one starts
PLACED = descent.Stop(tol=1e-14, max_iter=200)


@dataclass(frozen=True, eq=False)
class Side:
    """One kind of things: how free numbers become their points, and how alike they are."""

    count: int
    kernel: sparse.csr_array | None = None

    @cached_property
    def scale(self) -> float:
        """What points are multiplied by to have mean square 1, or near it, on every axis."""
        if self.kernel is None:
            return float(np.sqrt(self.count))
        return self.count / float(np.sqrt(self.kernel.multiply(self.kernel).sum()))

    def points(self, factor: Floats) -> Floats:
        """Return points from orthonormal columns."""
        return self.scale * (factor if self.kernel is None else self.kernel @ factor)

    def pulled_back(self, slopes: Floats) -> Floats:
        """Return slopes in the orthonormal columns."""
        return self.scale * (slopes if self.kernel is None else self.kernel.T @ slopes)


@dataclass(frozen=True, eq=False)
class Problem:
    """Points of rows and columns, and σ, as one vector; the loss as its function."""

    core: Core
    sides: tuple[Side, Side]
    matches: tuple[tuple[int, int, Match, float], ...]
    rank: int

    @classmethod
    def of(cls, core: Core, settings: dict[str, Any]) -> Problem:
        """Write down the problem of a table and kernels."""
        kernels = (
            _kernel(settings["row_kernel"], core.rows, "row_kernel"),
            _kernel(settings["column_kernel"], core.columns, "column_kernel"),
        )
        rows, columns = (
            Side(size, kernel) for size, kernel in zip(core.counts.shape, kernels, strict=True)
        )
        between = (0, 1, Match(similarities(core.counts)), 1.0)
        within = [
            (i, i, Match(_without_diagonal(kernel), within=True), settings["within"])
            for i, kernel in enumerate(kernels)
            if kernel is not None and settings["within"] > 0 and kernel.shape[0] > 1
        ]
        rank = min(settings["n_components"], *core.counts.shape)
        return cls(core, (rows, columns), (between, *within), rank)

    def parted(self, x: Floats) -> tuple[descent.Polar, descent.Polar, float]:
        """Read a vector as two orthonormal factors and σ."""
        n = self.sides[0].count
        free = x[:-1].reshape(-1, self.rank)
        return descent.Polar.of(free[:n]), descent.Polar.of(free[n:]), float(np.exp(x[-1]))

    def points(self, x: Floats) -> tuple[Floats, Floats, float]:
        """Read a vector as points of rows and of columns, and σ."""
        rows, columns, width = self.parted(x)
        return self.sides[0].points(rows.factor), self.sides[1].points(columns.factor), width

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the mismatch and its gradient."""
        *polars, width = self.parted(x)
        points = [
            side.points(polar.factor) / width
            for side, polar in zip(self.sides, polars, strict=True)
        ]
        slopes, value = [np.zeros_like(p) for p in points], 0.0
        for first, second, match, weight in self.matches:
            found = match(points[first], points[second])
            value += weight * found.value
            slopes[first] += weight * found.first
            slopes[second] += weight * found.second
        free = [
            polar.pulled_back(side.pulled_back(slope / width))
            for side, polar, slope in zip(self.sides, polars, slopes, strict=True)
        ]
        in_width = -sum(float((p * s).sum()) for p, s in zip(points, slopes, strict=True))
        return value, np.concatenate([*(f.ravel() for f in free), [in_width]])

    def start(self, rng: np.random.Generator | None) -> Floats:
        """Return the axes of correspondence analysis, or random points, at the best width."""
        sizes = [side.count for side in self.sides]
        free = [np.eye(size, self.rank) for size in sizes]
        if rng is not None:
            free = [rng.normal(size=f.shape) for f in free]
        elif min(sizes) > self.rank:
            problem = spectral.ScaledMatrix.residuals(self.core.shares, self.rank)
            axes = leading(problem)
            if len(axes.values) == self.rank and axes.values.all():
                free = [axes.left * problem.row_scale[:, None]]
                free.append(axes.right * problem.column_scale[:, None])
        factors = np.concatenate([descent.Polar.of(f).factor for f in free]).ravel()
        starts = (np.append(factors, np.log(width)) for width in WIDTHS)
        return min(starts, key=lambda x: self.loss(x)[0])


def _kernel(given: Any, places: Integers, name: str) -> sparse.csr_array | None:
    """Return the kernel of the things in the core, 1 on the diagonal."""
    if given is None:
        return None
    kernel = sparse.csr_array(given, dtype=np.float64)
    size, known = len(places), np.flatnonzero(places >= 0)
    if kernel.shape != (size, size):
        raise InputError(
            f"{name} of MKPE must be {size} × {size}, as the table has so many; "
            f"got {kernel.shape[0]} × {kernel.shape[1]}."
        )
    kernel = kernel[known][:, known]
    diagonal, lopsided = kernel.diagonal(), abs(kernel - kernel.T).max()
    wrong = (
        "numbers that are not finite" if not np.isfinite(kernel.data).all()
        else "negative entries" if (kernel.data < 0).any()
        else "zeros on its diagonal" if not (diagonal > 0).all()
        else "entries that differ from their mirror image" if lopsided > 1e-8 * diagonal.max()
        else None
    )  # fmt: skip
    if wrong:
        raise InputError(f"{name} of MKPE must be symmetric similarities, but it has {wrong}.")
    return similar(kernel, diagonal, diagonal)


def _without_diagonal(kernel: sparse.csr_array) -> sparse.csr_array:
    rest = sparse.csr_array(kernel - sparse.diags_array(kernel.diagonal()))
    rest.eliminate_zeros()
    return rest


def best_run(problem: Problem, settings: dict[str, Any]) -> descent.Run:
    """Run every start and keep the best end."""
    rng, count = generator(settings["random_state"]), settings["n_init"]
    runs = []
    with watching(settings, "MKPE") as callbacks:
        for number in range(1, count + 1):
            start = problem.start(rng if number > 1 else None)
            stop = descent.Stop(settings["tol"], settings["max_iter"], callbacks, number, count)
            runs.append(descent.solve(descent.Descent(problem.loss, start), stop))
    return min(runs, key=lambda run: run.value)


def analysis(problem: Problem, run: descent.Run) -> Analysis:
    """Return the map at the end of a run, turned to its main directions."""
    rows, columns, width = problem.points(run.point)
    both = np.concatenate([rows, columns])
    motion = principal(both, np.ones(len(both)), shift=False)
    rows, columns = motion(rows), motion(columns)
    counts = problem.core.counts
    row_tops, column_tops = (counts.max(axis=axis).toarray().ravel() for axis in (1, 0))
    evidence = descent.check(descent.Descent(problem.loss, run.point), run)
    told = {"loss": max(0.0, float(run.value)), "width": width, "n_iter": run.iterations}
    return Analysis(
        rows,
        columns,
        partial(_placed, fixed=columns, tops=column_tops, width=width),
        partial(_placed, fixed=rows, tops=row_tops, width=width),
        evidence=evidence,
        status=run.status,
        advice="" if run.status.good else run.status.advice,
        attributes={f"{name}_": value for name, value in told.items()},
        summary={**told, "gradient": evidence.gradient},
    )


def _placed(counts: sparse.csr_array, fixed: Floats, tops: Floats, width: float) -> Floats:
    """Place each line where its own share of the mismatch is smallest, from its mean place."""
    alike = similar(counts, counts.max(axis=1).toarray().ravel(), np.where(tops > 0, tops, 1))
    lines = (alike[[i]].toarray()[0] for i in range(alike.shape[0]))
    return np.array([_place(line, fixed / width) * width for line in lines])


def _place(wanted: Floats, fixed: Floats) -> Floats:
    def loss(point: Floats) -> tuple[float, Floats]:
        gaps = point - fixed
        near = np.exp(-(gaps**2).sum(axis=1))
        missing = near - wanted
        return float(missing @ missing), -4 * (missing * near) @ gaps

    start = wanted @ fixed / wanted.sum()
    return descent.solve(descent.Descent(loss, start), PLACED).point
