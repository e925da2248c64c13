"""Where CODE starts: axes of the tables at their best scale, random, given, or an earlier map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar

from relmap._names import listed
from relmap._types import Floats, Mask, sums
from relmap.engines import spectral
from relmap.errors import InputError
from relmap.maps import Map
from relmap.maps.align import procrustes
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.problem import Problem

SPREAD = 0.1  # standard deviation of random starts, as small as the paper's
SMOOTHINGS = (0.0, 0.1)
FAINT = 1e-9  # an axis with a smaller singular value is no axis
FARTHEST = 1e4  # a pair so far apart is e^{−10⁸} times as likely as one in one place
ROUNDS = 20  # in which what is on no map yet finds the middle of what it goes with


def random(problem: Problem, generator: np.random.Generator) -> Floats:
    """Return points N(0, 0.1²)."""
    return generator.normal(0, SPREAD, (problem.size, problem.n_components))


def from_axes(problem: Problem, generator: np.random.Generator) -> Floats:
    """Return correspondence analysis coordinates, times the number that minimises the loss.

    The plain analysis, D^{−½} U Σ^{½}, gives its axes to rare things that only go with each other
    where a table has such; the smoothed one does not. The better of the two is taken.
    """
    noise = generator.normal(0, SPREAD / 10, (problem.size, problem.n_components))
    starts = [_scaled(problem, _axes(problem, noise, smoothing)) for smoothing in SMOOTHINGS]
    return min(starts, key=problem.value)


def _axes(problem: Problem, noise: Floats, smoothing: float) -> Floats:
    """Return the coordinates on the leading axes; faint noise where the tables have fewer."""
    term = problem.terms[0]
    two_kinds = len(problem.terms) == 1 and problem.sides.max() == 1
    points = noise.copy()
    if two_kinds and term.ends[0].nnz + term.ends[1].nnz == problem.size:
        vectors, values = _of_table(term.likelihood.shares, problem.n_components, smoothing)
        for back, side in zip(term.back, vectors, strict=True):
            places = np.flatnonzero(np.diff(back.indptr))
            points[np.ix_(places, np.arange(len(values)))] = back[places] @ side
        return points
    vectors, values = _of_graph(problem.graph, problem.n_components, smoothing)
    points[:, : len(values)] = vectors[0]
    return points


Sides = tuple[list[Floats], Floats]


def _of_table(shares: sparse.csr_array, q: int, smoothing: float) -> Sides:
    """Return the coordinates of rows and columns in correspondence analysis, and the values."""
    rank = min(q, *(size - 1 for size in shares.shape))
    if rank <= 0:
        return [np.zeros((size, 0)) for size in shares.shape], np.zeros(0)
    matrix = spectral.ScaledMatrix.residuals(shares, rank, smoothing=smoothing)
    axes = spectral.solve(matrix)
    real = axes.values > FAINT
    values = axes.values[real]
    return [
        vectors[:, real] * np.sqrt(values) * scale[:, None]
        for vectors, scale in ((axes.left, matrix.row_scale), (axes.right, matrix.column_scale))
    ], values


def _of_graph(graph: sparse.csr_array, q: int, smoothing: float) -> Sides:
    """Do the same for links among all things of several tables.

    The eigenvalues λ of D^{−½} B D^{−½} that tell of the tables are the largest; adding D to B
    makes them (1 + λ)/2, the largest singular values.
    """
    lazy = sparse.csr_array(graph + sparse.diags_array(sums(graph, 1)))
    (vectors, _), values = _of_table(lazy / lazy.sum(), q, smoothing)
    eigenvalues = 2 * values - 1
    real = eigenvalues > FAINT
    scale = np.sqrt(eigenvalues[real] / values[real])
    return [vectors[:, real] * scale], eigenvalues[real]


def _scaled(problem: Problem, start: Floats) -> Floats:
    """Multiply a start by the one number that minimises the loss."""
    best = minimize_scalar(
        lambda log_scale: problem.value(np.exp(log_scale) * start),
        bounds=(np.log(0.02), np.log(5.0)),
        method="bounded",
        options={"xatol": 0.02},
    )
    return np.exp(best.x) * start


def given(problem: Problem, layout: Layout, arrays: Any) -> Floats:
    """Return the user's coordinates of the rows and columns of the only table."""
    q = problem.n_components
    table, points = layout.relations.tables[0], np.zeros((problem.size, q))
    if len(layout.relations.tables) > 1 or len(table.kinds) > 2:
        raise InputError(
            "init of CODE may be two arrays for one table of two kinds only; for others it is a "
            "Map, 'spectral' or 'random'."
        )
    for what, array, kind, names in zip(
        ("rows", "columns"), arrays, table.kinds, table.names, strict=True
    ):
        values, places = np.asarray(array, dtype=np.float64), layout.places(kind, names)
        if values.shape != (len(places), q):
            raise InputError(
                f"init of CODE must give the {what} coordinates of shape {(len(places), q)}; "
                f"got {values.shape}."
            )
        if not np.isfinite(values[places >= 0]).all():
            raise InputError(f"init of CODE must be finite, but the {what} have NaN or infinity.")
        points[places[places >= 0]] = values[places >= 0]
    return points


def on_map(layout: Layout, earlier: Map, q: int) -> tuple[Mask, Floats]:
    """Return which things are on an earlier map, and where."""
    if earlier.n_components != q:
        raise InputError(
            f"init of CODE is a map in {earlier.n_components}-D, but n_components is {q}."
        )
    known, points = np.zeros(layout.size, dtype=bool), np.zeros((layout.size, q))
    for kind, names in layout.names.items():
        if kind in earlier.kinds:
            common = names.known(earlier.names[kind])
            places = layout.places(kind, common)
            known[places] = True
            points[places] = earlier.points[kind][earlier.names[kind].find(common)]
    if not known.any():
        raise InputError(f"init of CODE has nothing in common with the tables: {earlier!r}.")
    return known, points


def pins(layout: Layout, wanted: Mapping[str, Mapping[Any, Any]], q: int) -> tuple[Mask, Floats]:
    """Return which things are pinned, and where."""
    pinned, points = np.zeros(layout.size, dtype=bool), np.zeros((layout.size, q))
    for kind, places in wanted.items():
        if kind not in layout.names:
            raise InputError(
                f"pins of CODE are for {listed(map(repr, layout.names))}; got {kind!r}."
            )
        for name, place in places.items():
            layout.relations.kinds[kind].position(name)  # says what is called like it
            (number,) = layout.places(kind, [name])
            at = np.asarray(place)
            if number < 0:
                raise InputError(f"{kind} {name!r} cannot be pinned: it has no counts.")
            numbers = at.shape == (q,) and at.dtype.kind in "iuf"
            if not numbers or not (np.abs(at) <= FARTHEST).all():
                raise InputError(
                    f"{kind} {name!r} must be pinned to {q} numbers of at most {FARTHEST:g}; got "
                    f"{place!r}."
                )
            pinned[number], points[number] = True, at
    return pinned, points


def filled(problem: Problem, known: Mask, points: Floats, generator: np.random.Generator) -> Floats:
    """Start what is not known in the middle of what it goes with.

    What goes with nothing known starts around the middle of all, not in one place: there it would
    stay, having no slope.
    """
    found, points, graph = known.copy(), points.copy(), problem.graph
    for _ in range(ROUNDS):
        if found.all():
            return points
        links = graph @ sparse.diags_array(found.astype(np.float64))
        totals = sums(links, 1)
        new = ~found & (totals > 0)
        if not new.any():
            break
        points[new] = (links @ points)[new] / totals[new, None]
        found |= new
    points[~found] = points[known].mean(axis=0) + random(problem, generator)[~found]
    return points


def laid_on(points: Floats, known: Mask, places: Floats) -> Floats:
    """Shift and turn a start so that known things come near their places, and put them there."""
    moved = procrustes(points[known], places[known])(points)
    moved[known] = places[known]
    return moved
