"""Rules for settings, as data: one table per model, one function, one shape of message."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from relmap.errors import InputError


@dataclass(frozen=True)
class Rule:
    """What a setting may be: a test, and the words that finish "must be …"."""

    allows: Callable[[Any], bool]
    words: str

    def __or__(self, other: Rule) -> Rule:
        return Rule(
            lambda value: self.allows(value) or other.allows(value),
            f"{self.words} or {other.words}",
        )


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_))


def whole(least: int) -> Rule:
    """Allow a whole number of at least `least`."""
    return Rule(
        lambda v: _is(v, numbers.Integral) and v >= least,
        f"a whole number of at least {least}",
    )


def number(least: float) -> Rule:
    """Allow a finite number of at least `least`."""
    return Rule(
        lambda v: _is(v, numbers.Real) and bool(np.isfinite(float(v))) and v >= least,
        f"a number of at least {least:g}",
    )


def between(low: float, high: float, *, open_below: bool = False) -> Rule:
    """Allow a number from `low` (or above it, if open) to `high`."""
    above = f"above {low:g} and up to" if open_below else f"from {low:g} to"
    return Rule(
        lambda v: _is(v, numbers.Real) and low <= v <= high and not (open_below and v == low),
        f"a number {above} {high:g}",
    )


def one_of(*values: str) -> Rule:
    """Allow one of some words."""
    return Rule(
        lambda v: isinstance(v, str) and v in values,
        ("one of " if len(values) > 1 else "") + ", ".join(map(repr, values)),
    )


def pair_of_arrays() -> Rule:
    """Allow two arrays, for rows and for columns."""
    return Rule(
        lambda v: isinstance(v, (tuple, list)) and len(v) == 2,
        "a pair of coordinate arrays (rows, columns)",
    )


def several(rule: Rule) -> Rule:
    """Allow a list of values that are allowed one by one."""
    return Rule(
        lambda v: (
            isinstance(v, (tuple, list, np.ndarray)) and len(v) > 0 and all(map(rule.allows, v))
        ),
        f"a list of such, each {rule.words}",
    )


POSITIVE = Rule(
    lambda v: _is(v, numbers.Real) and bool(np.isfinite(float(v))) and v > 0,
    "a number above 0",
)
FLAG = Rule(lambda v: isinstance(v, (bool, np.bool_)), "True or False")
NONE = Rule(lambda v: v is None, "None")
SQUARE = Rule(
    lambda v: getattr(v, "ndim", 0) == 2 and v.shape[0] == v.shape[1],
    "a square array, sparse or not",
)
SEED = Rule(
    lambda v: (
        v is None
        or (_is(v, numbers.Integral) and v >= 0)
        or isinstance(v, (np.random.Generator, np.random.RandomState))
    ),
    "None, a whole number of at least 0, or a NumPy random generator",
)
CALLBACKS = Rule(
    lambda v: v is None or callable(v) or (isinstance(v, (list, tuple)) and all(map(callable, v))),
    "None, a function or a list of functions",
)
NEIGHBOURS = whole(1) | Rule(
    lambda v: isinstance(v, tuple) and len(v) == 2 and all(map(whole(1).allows, v)),
    "a pair of such (rows near a column, columns near a row)",
)


def check(owner: str, settings: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Hold settings against their rules; the first that breaks one raises."""
    for name, rule in rules.items():
        if not rule.allows(settings[name]):
            raise InputError(f"{name} of {owner} must be {rule.words}; got {settings[name]!r}.")
