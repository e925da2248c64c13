"""How a long run tells what it is doing: it calls callbacks, and prints nothing itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
        self._run = 0

    def __call__(self, step: Step) -> None:
        """Advance to a step; a new run starts the bar again."""
        if step.run != self._run:
            self._run = step.run
            self._bar.reset(total=step.limit)
            if step.runs > 1:
                self._bar.set_description(f"start {step.run} of {step.runs}", refresh=False)
        self._bar.set_postfix_str(f"loss {step.value:.6g}", refresh=False)
        self._bar.update(step.iteration - self._bar.n)

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


@contextmanager
def watching(settings: Mapping[str, Any], description: str) -> Iterator[Sequence[Callback]]:
    """Give the callbacks that an estimator's settings `callbacks` and `verbose` ask for."""
    given = settings["callbacks"]
    callbacks: list[Callback] = list(given) if isinstance(given, (list, tuple)) else []
    if callable(given):
        callbacks.append(given)
    bar = Bar(description) if settings["verbose"] == 1 else None
    if bar:
        callbacks.append(bar)
    elif settings["verbose"]:
        callbacks.append(Lines())
    try:
        yield callbacks
    finally:
        if bar:
            bar.close()
