"""The problem: a smooth function with its gradient, and where to start; and how a run ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from relmap._progress import Callback
from relmap._types import Floats

ValueAndGradient = Callable[[Floats], tuple[float, Floats]]


@dataclass(frozen=True, eq=False)
class Descent:
    """Minimise `function` (x ↦ value and gradient) from `start`."""

    function: ValueAndGradient
    start: Floats


@dataclass(frozen=True)
class Stop:
    """When a run ends, and who is told of every step.

    Attributes
    ----------
    tol : float
        Converged when the last five steps together lowered the value by less than
        5 · tol · (1 + |value|).
    max_iter : int
        The largest number of steps.
    callbacks : sequence of callables
        Called with a `Step` after every step; one that returns True ends the run.
    run, runs : int
        Which start this is, of how many; only passed on to the callbacks.
    """

    tol: float = 1e-8
    max_iter: int = 1000
    callbacks: Sequence[Callback] = ()
    run: int = 1
    runs: int = 1


class Status(StrEnum):
    """How a run ended."""

    CONVERGED = "converged"
    REACHED_MAX_ITER = "reached max_iter"
    DRIFTED = "drifted"
    STALLED = "stalled"
    STOPPED = "stopped by a callback"
    BROKE_DOWN = "broke down"

    @property
    def advice(self) -> str:
        """One sentence on what to make of it."""
        return _ADVICE[self]

    @property
    def good(self) -> bool:
        """Whether the run came to its natural end."""
        return self is Status.CONVERGED


_ADVICE = {
    Status.CONVERGED: "The last steps changed next to nothing.",
    Status.REACHED_MAX_ITER: (
        "The map was still improving: raise max_iter, or raise tol if it is good enough."
    ),
    Status.DRIFTED: (
        "The last steps changed next to nothing, but the gradient is not zero: something runs off "
        "and there may be no finite best point."
    ),
    Status.STALLED: (
        "No step along the gradient lowered the value any more although it is not zero: try "
        "another start (n_init, init) or the other solver."
    ),
    Status.STOPPED: "A callback asked to stop; the best point until then was kept.",
    Status.BROKE_DOWN: (
        "The value stopped being a finite number: look for extreme counts or start coordinates."
    ),
}


@dataclass(frozen=True, eq=False)
class Run:
    """Where a run ended and how.

    Attributes
    ----------
    point, value, gradient
        The best point found, and value and gradient there.
    status : Status
    trace : array, (1 + iterations) × 2
        Evaluations made so far and value, at the start and after each step.
    """

    point: Floats
    value: float
    gradient: Floats
    status: Status
    trace: Floats

    @property
    def iterations(self) -> int:
        """How many steps were taken."""
        return len(self.trace) - 1

    @property
    def evaluations(self) -> int:
        """How often value and gradient were computed."""
        return int(self.trace[-1, 0])
