"""How a long run tells what it is doing: it calls callbacks, and prints nothing itself."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Step:
    """One step of a run, as callbacks see it.

    Attributes
    ----------
    run, runs : int
        Which start this is (from 1), of how many.
    iteration, evaluations : int
        Steps taken and function values computed so far.
    value : float
        What is being minimised.
    gradient : float
        The largest entry of the gradient, in size.
    limit : int
        The iteration at which the run would be ended.
    """

    iteration: int
    evaluations: int
    value: float
    gradient: float
    limit: int
    run: int = 1
    runs: int = 1


Callback: TypeAlias = Callable[[Step], bool | None]
"""Called after every step; the run stops early if it returns True."""


class Bar:
    """A callback that draws a progress bar on standard error (tqdm)."""

    def __init__(self, description: str = "", **options: Any) -> None:
        from tqdm import tqdm

        self._bar: Any = tqdm(desc=description, file=sys.stderr, leave=False, **options)
        self._steps: dict[int, int] = {}
        self._best = math.inf

    def __call__(self, step: Step) -> None:
        """Advance to a step: of all runs together, with the least value of any."""
        if not self._steps or step.iteration <= self._steps.get(step.run, 0):  # a new fit
            self._bar.reset(total=step.limit * step.runs)
            self._steps, self._best = {}, math.inf
        self._steps[step.run] = step.iteration
        self._best = min(self._best, step.value)
        if step.runs > 1:
            begun = f"{len(self._steps)} of {step.runs} starts begun"
            self._bar.set_description(begun, refresh=False)
        self._bar.set_postfix_str(f"loss {self._best:.6g}", refresh=False)
        self._bar.update(sum(self._steps.values()) - self._bar.n)

    def __deepcopy__(self, memo: object) -> Bar:
        """Stay the bar that it is: copies of a model show their steps on the same one."""
        return self

    def close(self) -> None:
        """Take the bar away."""
        self._bar.close()


class Lines:
    """A callback that writes a line every `every` steps, for `verbose` runs."""

    def __init__(self, every: int = 10) -> None:
        self.every = every

    def __call__(self, step: Step) -> None:
        """Write the step if it is due."""
        if step.iteration % self.every == 0:
            sys.stderr.write(
                f"start {step.run}/{step.runs}  iteration {step.iteration:4d}  "
                f"loss {step.value:.8f}  gradient {step.gradient:.2e}\n"
            )


def tell(callbacks: Iterable[Callback], step: Step) -> bool:
    """Show a step to all callbacks; say whether one of them asks to stop."""
    answers = [callback(step) for callback in callbacks]  # all are told, whatever the first says
    return any(answer is True for answer in answers)


class _InTurn:
    """Callbacks of runs side by side: called one after the other, and no more once all is over."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks, self._lock, self._over = callbacks, Lock(), False

    def __call__(self, step: Step) -> bool:
        """Show a step to all; say whether one of them asks to stop, or the runs are given up."""
        with self._lock:
            return self._over or tell(self._callbacks, step)

    def end(self) -> None:
        """Wait for who is being told, and stop whatever still runs at its next step."""
        with self._lock:
            self._over = True


@contextmanager
def watching(settings: Mapping[str, Any], description: str) -> Iterator[Sequence[Callback]]:
    """Give the callbacks that an estimator's settings `callbacks` and `verbose` ask for.

    Runs side by side may share them: they are never called at the same time.
    """
    given = settings["callbacks"]
    callbacks: list[Callback] = list(given) if isinstance(given, (list, tuple)) else []
    if callable(given):
        callbacks.append(given)
    bar = Bar(description) if settings["verbose"] == 1 else None
    if bar:
        callbacks.append(bar)
    elif settings["verbose"]:
        callbacks.append(Lines())
    shared = _InTurn(callbacks)
    try:
        yield [shared]
    finally:
        shared.end()
        if bar:
            bar.close()
