"""The run of a CODE fit: its starts, their different ends, and the last exact step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from relmap._progress import watching
from relmap._threads import each
from relmap._types import Floats, Mask, generator
from relmap.engines import descent
from relmap.errors import InputError
from relmap.maps import Map
from relmap.maps.align import principal, procrustes
from relmap.models.cooccurrence import starts
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.leeway import balanced
from relmap.models.cooccurrence.packing import packed
from relmap.models.cooccurrence.placing import placed
from relmap.models.cooccurrence.problem import Problem

RELAXED = 1.0  # how stiff springs are beside what a thing's own counts weigh
ROUNDING = 1e-6  # a map of no larger size is one place: its chances differ by 1e-12
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
        Root mean square distance of its points from those of the best optimum.
    points : array
        Its points in the order of the map, kind after kind, laid over those of the best optimum
        (unless things are pinned or tied, which keeps both where they are).
    """

    log_likelihood: float
    found: int
    values: tuple[float, ...]
    starts: tuple[int, ...]
    distance: float
    points: Floats


class End(NamedTuple):
    """Where the best run ended after the last exact step, centred and turned.

    Attributes
    ----------
    points : array
        Coordinates of everything that is embedded.
    held : array of bool
        Which things that were placed exactly lie so far out that they had to be held.
    gradient : float
        The largest gradient of what was placed exactly and not held.
    """

    points: Floats
    held: Mask
    gradient: float


class Beginning(NamedTuple):
    """The problem with what is pinned or tied, its first start, and what it is laid over.

    `known` are the things of an earlier map or with pins, `places` where these have them.
    """

    problem: Problem
    start: Floats | None
    known: Mask
    places: Floats


def begin(problem: Problem, layout: Layout, settings: dict[str, Any]) -> Beginning:
    """Take up what the user says of where things are: pins, an earlier map, arrays."""
    q, init = problem.n_components, settings["init"]
    start, known = None, np.zeros(problem.size, dtype=bool)
    places = np.zeros((problem.size, q))
    if settings["update"] != "free" and not isinstance(init, Map):
        raise InputError(
            f"update={settings['update']!r} of CODE needs an earlier map as init; got "
            f"{repr(init) if isinstance(init, str) else 'arrays'}."
        )
    if isinstance(init, Map):
        known, places = starts.on_map(layout, init, q)
        start = starts.filled(problem, known, places, generator(settings["random_state"]))
        if settings["update"] == "frozen":
            problem = problem.pinning(known, places)
        elif settings["update"] == "relaxed":
            problem = problem.tied(RELAXED * problem.masses * known, places)
    elif not isinstance(init, str):
        start = starts.given(problem, layout, init)
    if settings["pins"]:
        pinned, wanted = starts.pins(layout, settings["pins"], q)
        problem = problem.pinning(pinned, wanted)
        places = np.where(pinned[:, None], wanted, places)
        known = known | pinned
        if start is not None:
            start = np.where(pinned[:, None], wanted, start)
    return Beginning(problem, start, known, places)


def run_all(beginning: Beginning, settings: dict[str, Any]) -> list[descent.Run]:
    """Run every start, the first from `init`, the others from random points, side by side."""
    problem, seed = beginning.problem, generator(settings["random_state"])
    n_init = settings["n_init"]
    begun = [_start(beginning, settings["init"], seed)]
    begun += [_start(beginning, "random", seed) for _ in range(1, n_init)]
    runs: dict[int, descent.Run] = {}
    with watching(settings, "CODE") as callbacks:

        def run(number: int) -> None:
            stop = descent.Stop(
                settings["tol"], settings["max_iter"], callbacks, run=number, runs=n_init
            )
            start = problem.joined(begun[number - 1])
            runs[number] = descent.solve(problem.descent(start), stop, settings["solver"])

        each(run, range(1, n_init + 1))
    return [runs[number] for number in range(1, n_init + 1)]


def _start(beginning: Beginning, init: Any, seed: np.random.Generator) -> Floats:
    problem = beginning.problem
    if not isinstance(init, str):
        assert beginning.start is not None  # noqa: S101 (begin has made it)
        return beginning.start
    if init == "spectral":  # at its own scale, before it is laid over what is pinned
        start = starts.from_axes(problem.unpinned, seed)
    else:
        start = starts.random(problem, seed)
    if not problem.anchored:
        return start
    return starts.laid_on(start, beginning.known, beginning.places)


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
    points = [balanced(problem, problem.points(runs[group[0]].point)) for group in groups]
    if not problem.anchored:
        points = [procrustes(one, points[0])(one) for one in points]
    likelihoods = [problem.log_likelihood(problem.points(run.point)) for run in runs]
    return tuple(
        Optimum(
            log_likelihood=likelihoods[group[0]],
            found=len(group),
            values=tuple(likelihoods[i] for i in group),
            starts=tuple(i + 1 for i in group),
            distance=float(np.sqrt(((points[number] - points[0]) ** 2).sum(axis=1).mean())),
            points=points[number],
        )
        for number, group in enumerate(groups)
    )


def finish(beginning: Beginning, point: Floats, *, turn: bool) -> End:
    """Take the last step and bring the map into its standard position.

    In the conditional variants the side that is conditioned on has a unique best place given the
    other, so it is put there: the same place where `transform` would put it. Without a penalty
    the loss does not know where the middle is, nor how far apart unconnected pieces are, nor the
    two sides of pairs that nothing else tells of; then the map is centred, the pieces are brought
    together and the sides are given one centre. A map that began at an earlier one is laid
    over that.
    """
    problem = beginning.problem
    points = balanced(problem, problem.points(point))
    if not problem.anchored:
        if not problem.informative:
            points = np.zeros_like(points)
        elif problem.penalty == 0:
            points = packed(problem, points)
    points, held, gradient = _placed_exactly(problem, points)
    shift = problem.penalty == 0
    if problem.anchored:
        pass
    elif beginning.known.any():
        known = beginning.known
        motion = procrustes(points[known], beginning.places[known], shift=shift)
        points = motion(points)
    elif turn:
        points = principal(points, problem.masses, shift=shift)(points)
    if np.abs(points).max() <= ROUNDING:
        points = np.zeros_like(points)
    return End(points, held, gradient)


def _placed_exactly(problem: Problem, points: Floats) -> tuple[Floats, Mask, float]:
    """Put everything that has a unique best place, given all others, into it."""
    held, gradient, found = np.zeros(problem.size, dtype=bool), 0.0, points.copy()
    free = (problem.sides == 1) & ~problem.pinned & (problem.springs == 0)
    for term in problem.terms:
        if term.loose is None:
            continue
        side = ("rows", "columns").index(term.loose)
        places = term.ends[side].indices
        lines = np.flatnonzero(free[places])
        if len(lines):
            shares = term.likelihood.shares
            chosen = (shares if side == 0 else sparse.csr_array(shares.T))[lines]
            last = placed(problem, term, points, chosen, term.loose)
            found[places[lines]] = last.points
            held[places[lines]] = last.held
            gradient = max(gradient, float(last.gradients[~last.held].max(initial=0)))
    return found, held, gradient
