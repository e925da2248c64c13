"""Placing a point among fixed ones so that it sees, on average, what it was seen with.

A new row x that was seen with the columns y in the shares p(y|x) has the model
p(y|φ) ∝ b_y e^{−|φ − ψ_y|²}. Its negative log-likelihood is, but for constants,

    h(φ) = |φ|² − 2 φ·ψ̄ + log Σ_y e^{ℓ_y} e^{−|φ − ψ_y|²},      ψ̄ = Σ_y p(y|x) ψ_y,   ℓ = log b,

a convex function (|φ|² cancels in the sum) with gradient 2(⟨ψ⟩ − ψ̄) and Hessian 4 Cov(ψ): the
place is unique and Newton's method finds it to machine precision.

Departure from the plain maximum: where ψ̄ lies on the rim of the sources (a row seen with one
outlying column only) the best place is infinitely far out, and Newton's steps do not get shorter
while the gradient fades. Such a point is held: a ridge μ|φ − c|², just strong enough, keeps it at
the distance from the sources' centre c at which the farthest source, of radius ρ, is at least
`ODDS` nats likelier than one at c, but no less than `REACH` ρ. Points with a finite place are
not touched by it, however far out they are, as long as double precision can tell that they have
one. Which points were held is part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relmap._types import Floats, Integers, Mask
from relmap.engines.fields.choose import solve
from relmap.engines.fields.problem import KernelSums

REACH, ODDS = 2.0, 10.0
NARROW = 0.02  # sources within less than this are not told apart by going farther out
STEPS = 100
TIGHTENINGS = 60
PRECISION = 1e-11
DRIFT = 1e-3
SLACK = 1e-12  # a weaker leash than this is none


@dataclass(frozen=True, eq=False)
class Placing:
    """The problem: points that see the sources (m × q, masses e^ℓ) with given means (n × q).

    `ridge` (n) adds ridge·|φ|² to each point's h. `tolerance` is the relative error allowed in the
    sums over the sources, and so in the gradients that are left.
    """

    means: Floats
    sources: Floats
    log_masses: Floats
    ridge: Floats
    tolerance: float = 1e-12

    @property
    def centre(self) -> Floats:
        """The mean of the sources."""
        return self.sources.mean(axis=0)

    @property
    def radius(self) -> float:
        """How far from the centre points that would run off are held."""
        farthest = float(np.sqrt(((self.sources - self.centre) ** 2).sum(axis=1).max()))
        return max(REACH * farthest, ODDS / (2 * max(farthest, NARROW))) if farthest > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Placement:
    """The points, the norm of h's gradient at each, and which of them had to be held."""

    points: Floats
    gradients: Floats
    held: Mask


def place(problem: Placing) -> Placement:
    """Find every point's place."""
    newton = _Newton(problem)
    newton.descend(np.arange(len(problem.means)))
    away = np.flatnonzero(newton.adrift() & (newton.distances > problem.radius))
    if len(away) and problem.radius > 0:  # sources all in one place pull nowhere
        _hold(newton, away)
    return Placement(newton.points, newton.gradients, newton.leash > 0)


def _hold(newton: _Newton, rows: Integers) -> None:
    """Raise each row's leash μ until it comes to rest at the radius.

    |φ(μ) − c| falls as μ grows; Newton's method on 1/radius − 1/|φ(μ) − c|, which is almost
    linear in μ, inside a bracket that only shrinks. A row that stays inside without a leash
    needs none.
    """
    radius = newton.problem.radius
    low, high = np.zeros(len(rows)), np.full(len(rows), np.inf)
    newton.restart(rows)
    for _ in range(TIGHTENINGS):
        newton.descend(rows)
        leash, excess = newton.leash[rows], newton.distances[rows] / radius - 1
        low, high = np.where(excess > 0, leash, low), np.where(excess > 0, high, leash)
        newton.leash[rows[(excess < 0) & (leash <= SLACK)]] = 0
        open_ = (np.abs(excess) > PRECISION) & (newton.leash[rows] > 0)
        if not open_.any():
            break
        rows, low, high, leash = rows[open_], low[open_], high[open_], leash[open_]
        proposed = leash + newton.tightening(rows, radius)
        middle = np.where(np.isinf(high), 10 * leash, np.sqrt(np.maximum(low, 1e-3 * high) * high))
        newton.leash[rows] = np.where((proposed > low) & (proposed < high), proposed, middle)
    newton.descend(np.flatnonzero(newton.leash == 0))


class _Newton:
    """Damped Newton steps for many points at once, each with its own step length."""

    def __init__(self, problem: Placing) -> None:
        self.problem = problem
        n, q = problem.means.shape
        self.upper = np.triu_indices(q)
        s = problem.sources - problem.centre
        self.weights = np.column_stack([s, s[:, self.upper[0]] * s[:, self.upper[1]]])
        self.points = problem.means.copy()
        self.leash = np.zeros(n)
        self.gradients = np.full(n, np.inf)
        self.aim = max(PRECISION, problem.tolerance) * (1 + problem.radius)
        self.stride = 4 * (1 + problem.radius)

    @property
    def distances(self) -> Floats:
        """How far each point is from the centre."""
        return np.sqrt(((self.points - self.problem.centre) ** 2).sum(axis=1))

    def restart(self, rows: Integers) -> None:
        """Put runaway rows back on the rim, with the leash that would balance them there."""
        centre, radius = self.problem.centre, self.problem.radius
        out = self.points[rows] - centre
        out *= radius / np.sqrt((out**2).sum(axis=1, keepdims=True))
        self.points[rows] = centre + out
        _, gradient, _ = self.look(rows, self.points[rows])
        pull = -(gradient * out).sum(axis=1) / (2 * radius**2)
        self.leash[rows] = np.maximum(pull, 10 * SLACK)

    def look(self, rows: Integers, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Return h, its gradient and its Hessian at some points."""
        p, q = self.problem, points.shape[1]
        field = solve(
            KernelSums(points, p.sources, p.log_masses, self.weights, tolerance=p.tolerance)
        )
        mean = field.means[:, :q]
        covariance = np.empty((len(rows), q, q))
        covariance[:, self.upper[0], self.upper[1]] = field.means[:, q:]
        covariance[:, self.upper[1], self.upper[0]] = field.means[:, q:]
        covariance -= mean[:, :, None] * mean[:, None, :]
        ridge, leash, out = p.ridge[rows], self.leash[rows], points - p.centre
        value = (points * (points - 2 * p.means[rows])).sum(axis=1) + field.log_total
        value += ridge * (points**2).sum(axis=1) + leash * (out**2).sum(axis=1)
        gradient = 2 * (mean + p.centre - p.means[rows])
        gradient += 2 * (ridge[:, None] * points + leash[:, None] * out)
        hessian = 4 * covariance + 2 * (ridge + leash)[:, None, None] * np.eye(q)
        return value, gradient, hessian

    def descend(self, rows: Integers) -> None:
        """Take steps until the gradients vanish."""
        if not len(rows):
            return
        value, gradient, hessian = self.look(rows, self.points[rows])
        length = np.ones(len(rows))
        for _ in range(STEPS):
            self.gradients[rows] = np.sqrt((gradient**2).sum(axis=1))
            open_ = (self.gradients[rows] > self.aim) & (length > 1e-9)
            if not open_.any():
                return
            rows, length = rows[open_], length[open_]
            value, gradient, hessian = value[open_], gradient[open_], hessian[open_]
            step = self.step(hessian, gradient)
            trial = self.points[rows] + length[:, None] * step
            with np.errstate(over="ignore", invalid="ignore"):  # a trial may go too far
                tried = self.look(rows, trial)
            slope = (gradient * step).sum(axis=1)
            slack = max(1e-13, self.problem.tolerance) * (1 + np.abs(value))
            better = tried[0] <= value + 1e-4 * length * slope + slack
            self.points[rows[better]] = trial[better]
            value[better], gradient[better] = tried[0][better], tried[1][better]
            hessian[better] = tried[2][better]
            length = np.where(better, np.minimum(1.0, 2 * length), length / 4)

    def step(self, hessian: Floats, gradient: Floats) -> Floats:
        """Return −(H + λI)⁻¹ g; λ = |g|/`stride` limits the step and vanishes with the gradient."""
        damping = np.sqrt((gradient**2).sum(axis=1)) / self.stride
        return -_solved(hessian + damping[:, None, None] * np.eye(gradient.shape[1]), gradient)

    def adrift(self) -> Mask:
        """Tell which points would still take long steps although their gradient has faded."""
        rows = np.arange(len(self.points))
        _, gradient, hessian = self.look(rows, self.points)
        steps = np.sqrt((self.step(hessian, gradient) ** 2).sum(axis=1))
        return steps > DRIFT * (1 + self.distances)

    def tightening(self, rows: Integers, radius: float) -> Floats:
        """Return how much to add to each leash so that its point comes to the radius."""
        _, _, hessian = self.look(rows, self.points[rows])
        out = self.points[rows] - self.problem.centre
        square = (out**2).sum(axis=1)
        give = 2 * (out * _solved(hessian, out)).sum(axis=1)
        return (np.sqrt(square) - radius) / radius * square / give


def _solved(hessian: Floats, right: Floats) -> Floats:
    """Return H⁻¹ times a vector; a floor keeps directions in which H vanishes finite."""
    q = hessian.shape[1]
    floor = 1e-12 * np.trace(hessian, axis1=1, axis2=2) / q + 1e-300
    regular = hessian + floor[:, None, None] * np.eye(q)
    return np.linalg.solve(regular, right[:, :, None])[:, :, 0]
