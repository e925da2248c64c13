"""L-BFGS and nonlinear conjugate gradients, as SciPy has them, under one stopping rule.

SciPy's own rules differ between its methods (one step's decrease, the largest entry of the
gradient); here both end by `Stop`, which looks at five steps and so is not fooled by one short one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from relmap._progress import Step, tell
from relmap._types import Floats
from relmap.engines.descent.polish import polished
from relmap.engines.descent.problem import Descent, Run, Status, Stop

WINDOW = 5
FLAT = 1e-12  # a gradient with no entry above this is zero
NEARLY_FLAT = 1e-7  # relative to value or first slope: a line search may fail for want of digits


def lbfgs(problem: Descent, stop: Stop) -> Run:
    """Limited-memory BFGS with 20 pairs kept: the default, several times faster than `cg`."""
    return _run(problem, stop, "L-BFGS-B", {"maxcor": 20, "ftol": 0.0, "maxls": 40})


def cg(problem: Descent, stop: Stop) -> Run:
    """Polak–Ribière conjugate gradients, as the CODE paper used."""
    return _run(problem, stop, "CG", {})


def _run(problem: Descent, stop: Stop, method: str, options: dict[str, Any]) -> Run:
    watch = _Watch(problem, stop)
    if not watch.over:
        limits = {"maxiter": stop.max_iter, "gtol": FLAT, **options}
        if method == "L-BFGS-B":
            limits["maxfun"] = 40 * stop.max_iter
        with np.errstate(over="ignore", invalid="ignore"):  # a trial step may go too far
            minimize(
                watch.evaluate,
                problem.start,
                jac=True,
                method=method,
                callback=watch.after_step,
                options=limits,
            )
        watch.finish()
    return watch.run()


class _Watch:
    """Sees every evaluation and step of a run, and says when it is over."""

    def __init__(self, problem: Descent, stop: Stop) -> None:
        self.problem, self.stop = problem, stop
        self.evaluations = 0
        self.best: tuple[float, Floats, Floats] = (np.inf, problem.start, problem.start)
        self.status: Status | None = None
        self.trace: list[tuple[float, float]] = []
        value, gradient = self.evaluate(problem.start)
        self.best = (value, problem.start.copy(), gradient)
        self.trace.append((1, value))
        self.steepest_start = np.abs(gradient).max(initial=0)
        if not np.isfinite(value):
            self.status = Status.BROKE_DOWN
        elif np.abs(gradient).max(initial=0) <= FLAT:
            self.status = Status.CONVERGED

    @property
    def over(self) -> bool:
        return self.status is not None

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        self.evaluations += 1
        value, gradient = self.problem.function(x)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            # A line search steps back from here. It interpolates, so the wall must be finite; and
            # it must be higher than where the search began, or it could be accepted.
            base = self.trace[-1][1] if self.trace else np.inf
            return base + (1 + abs(base)), np.zeros_like(x)
        if value < self.best[0]:
            self.best = (value, x.copy(), gradient)
        return value, gradient

    def after_step(self, intermediate_result: OptimizeResult) -> None:
        self.trace.append((self.evaluations, float(intermediate_result.fun)))
        step = Step(
            iteration=len(self.trace) - 1,
            evaluations=self.evaluations,
            value=self.best[0],
            gradient=float(np.abs(self.best[2]).max(initial=0)),
            limit=self.stop.max_iter,
            run=self.stop.run,
            runs=self.stop.runs,
        )
        if tell(self.stop.callbacks, step):
            self.status = Status.STOPPED
        elif self._settled():
            self.status = Status.CONVERGED
        if self.over:
            raise StopIteration

    def _settled(self) -> bool:
        if len(self.trace) <= WINDOW:
            return False
        before, now = self.trace[-1 - WINDOW][1], self.trace[-1][1]
        return before - now <= WINDOW * self.stop.tol * (1 + abs(now))

    def finish(self) -> None:
        """Name the ending where no rule of ours was the reason.

        SciPy's word is not taken: L-BFGS-B calls a line search that found nothing a convergence.
        """
        if self.over:
            return
        steepest = np.abs(self.best[2]).max(initial=0)
        if len(self.trace) > self.stop.max_iter:
            self.status = Status.REACHED_MAX_ITER
        elif steepest <= NEARLY_FLAT * max(1 + abs(self.best[0]), self.steepest_start):
            self.status = Status.CONVERGED
            self.best = polished(self.problem, self.best)
        else:
            self.status = Status.STALLED

    def run(self) -> Run:
        value, point, gradient = self.best
        assert self.status is not None  # noqa: S101 (set by every way that leads here)
        return Run(point, value, gradient, self.status, np.array(self.trace))
