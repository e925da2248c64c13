"""The run of a CODE fit: its starts, their different ends, and the last exact step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from relmap._progress import watching
from relmap._types import Floats, Mask, generator
from relmap.engines import descent
from relmap.maps.align import principal, procrustes
from relmap.models.cooccurrence import starts
from relmap.models.cooccurrence.packing import packed
from relmap.models.cooccurrence.placing import placed
from relmap.models.cooccurrence.problem import Layout, Problem

ROUNDING = 1e-9  # a map of no larger size is one place
SAME = 1e-5  # ends whose log-likelihoods differ less, relatively, are the same optimum


class Optimum(NamedTuple):
    """One of the different ends that the starts led to.

    Attributes
    ----------
    log_likelihood : float
        Mean log-likelihood of the best start that ended here.
    found : int
        How many starts ended here.
    values : tuple of float
        Their log-likelihoods.
    starts : tuple of int
        Their numbers, counted from 1; start 1 is the one from `init`.
    distance : float
        Root mean square distance of its points from those of the best optimum, laid over them.
    """

    log_likelihood: float
    found: int
    values: tuple[float, ...]
    starts: tuple[int, ...]
    distance: float


class End(NamedTuple):
    """Where the best run ended after the last exact step, centred and turned.

    Attributes
    ----------
    rows, columns : arrays
        Coordinates of what is embedded.
    held : array of bool
        Which of the things that were placed exactly lie so far out that they had to be held.
    gradient : float
        The largest gradient of what was placed exactly and not held.
    """

    rows: Floats
    columns: Floats
    held: Mask
    gradient: float


def run_all(problem: Problem, layout: Layout, settings: dict[str, Any]) -> list[descent.Run]:
    """Run every start, the first from `init`, the others from random points."""
    seed = generator(settings["random_state"])
    n_init = settings["n_init"]
    with watching(settings, "CODE") as callbacks:
        runs = []
        for number in range(1, n_init + 1):
            start = _start(problem, layout, settings["init"] if number == 1 else "random", seed)
            stop = descent.Stop(
                settings["tol"], settings["max_iter"], callbacks, run=number, runs=n_init
            )
            runs.append(descent.solve(problem.descent(start), stop, settings["solver"]))
    return runs


def _start(problem: Problem, layout: Layout, init: Any, seed: np.random.Generator) -> Floats:
    if not isinstance(init, str):
        return starts.given(problem, layout, init)
    return starts.from_axes(problem, seed) if init == "spectral" else starts.random(problem, seed)


def optima(problem: Problem, runs: Sequence[descent.Run]) -> tuple[Optimum, ...]:
    """Sort the ends of all runs into different optima, the best first."""
    order = sorted(range(len(runs)), key=lambda i: runs[i].value)
    groups: list[list[int]] = []
    for i in order:
        best = runs[groups[-1][0]].value if groups else np.inf
        if groups and runs[i].value - best <= SAME * (1 + abs(best)):
            groups[-1].append(i)
        else:
            groups.append([i])
    points = [np.concatenate(problem.parted(runs[group[0]].point)) for group in groups]
    likelihoods = [-problem.likelihood.at(*problem.parted(run.point)).loss for run in runs]
    return tuple(
        Optimum(
            log_likelihood=likelihoods[group[0]],
            found=len(group),
            values=tuple(likelihoods[i] for i in group),
            starts=tuple(i + 1 for i in group),
            distance=procrustes(points[number], points[0]).distance,
        )
        for number, group in enumerate(groups)
    )


def finish(problem: Problem, point: Floats, *, turn: bool) -> End:
    """Take the last step and bring the map into its standard position.

    In the conditional variants the side that is conditioned on has a unique best place given the
    other, so it is put there: the same place where `transform` would put it. Without a penalty
    the loss does not know where the middle is, nor how far apart unconnected pieces are; then the
    map is centred and the pieces are brought together.
    """
    rows, columns = problem.parted(point)
    if not problem.likelihood.informative:
        rows, columns = np.zeros_like(rows), np.zeros_like(columns)
    elif problem.penalty == 0:
        rows, columns = packed(problem, rows, columns)
    held, gradient = np.zeros(0, dtype=bool), 0.0
    likelihood = problem.likelihood
    if "C" in likelihood.variant and not problem.shared:
        last = placed(problem, rows, columns, *_conditioned(problem))
        rows, columns = (rows, last.points) if likelihood.turned else (last.points, columns)
        held, gradient = last.held, float(last.gradients[~last.held].max(initial=0))
    if turn:
        masses = np.concatenate([likelihood.row_shares, likelihood.column_shares])
        motion = principal(np.concatenate([rows, columns]), masses, shift=problem.penalty == 0)
        rows, columns = motion(rows), motion(columns)
    if max(np.abs(rows).max(), np.abs(columns).max()) <= ROUNDING:
        rows, columns = np.zeros_like(rows), np.zeros_like(columns)
    return End(rows, columns, held, gradient)


def _conditioned(problem: Problem) -> tuple[Any, str]:
    likelihood = problem.likelihood
    return (likelihood.shares.T, "columns") if likelihood.turned else (likelihood.shares, "rows")
