"""What the user wants to see, checked: which kinds, which axes, which labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from relmap._names import Names
from relmap.errors import InputError

if TYPE_CHECKING:
    from relmap.maps.map import Map

Labels: TypeAlias = str | int | Iterable[Any] | Mapping[str, Any]


def kinds(of: Map, wanted: Iterable[str] | None) -> tuple[str, ...]:
    """Return the kinds to draw."""
    if wanted is None:
        return of.kinds
    listed = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    chosen = tuple(dict.fromkeys(wanted)) if listed else ()
    if not chosen or not set(chosen) <= set(of.kinds):
        raise InputError(
            f"kinds of Map.figure must be a list of kinds of this map "
            f"({', '.join(map(repr, of.kinds))}); got {wanted!r}."
        )
    return chosen


def axes(of: Map, wanted: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the coordinates to draw: one or two of them."""
    count = of.n_components
    if not count:
        raise InputError("Map.figure draws maps with at least one coordinate; this one has none.")
    if wanted is None:
        return tuple(range(min(count, 2)))
    chosen = tuple(wanted) if isinstance(wanted, (tuple, list)) else ()
    known = all(_whole(axis) and 0 <= axis < count for axis in chosen)
    if not known or len(chosen) not in {1, 2} or len(set(chosen)) < len(chosen):
        raise InputError(
            f"axes of Map.figure must be one or two different numbers from 0 to {count - 1}, "
            f"such as {tuple(range(min(count, 2)))}; got {wanted!r}."
        )
    return tuple(int(axis) for axis in chosen)


def labels(of: Map, chosen: tuple[str, ...], wanted: Labels) -> dict[str, int | list[int]]:
    """Return for each kind how many of its points may be labelled, or which ones."""
    if isinstance(wanted, Mapping):
        if not set(wanted) <= set(chosen):
            raise _refused(wanted, f"; the kinds drawn are {', '.join(map(repr, chosen))}")
        single = {kind: labels(of, (kind,), wish)[kind] for kind, wish in wanted.items()}
        limit = {k: min(int(n), len(of.names[k])) for k, n in wanted.items() if _whole(n)}
        return {**dict.fromkeys(chosen, 0), **single, **limit}
    if wanted is False or (_whole(wanted) and wanted >= 0):
        return {kind: len(of.names[kind]) if wanted else 0 for kind in chosen}
    if isinstance(wanted, Iterable) and not isinstance(wanted, str):
        return _listed(of, chosen, list(wanted))
    if wanted != "auto":
        raise _refused(wanted)
    return {kind: len(of.names[kind]) for kind in chosen}


def most(wanted: Labels, asked: int) -> int | None:
    """Return how many labels there may be in all; None leaves it to the space there is."""
    wishes = wanted.values() if isinstance(wanted, Mapping) else (wanted,)
    if any(isinstance(wish, str) for wish in wishes):
        return None
    return min(int(wanted), asked) if _whole(wanted) else asked


def _listed(of: Map, chosen: tuple[str, ...], wanted: list[Any]) -> dict[str, int | list[int]]:
    everything = {name: None for kind in chosen for name in of.names[kind]}
    Names(everything, "thing drawn").find(wanted)
    distinct = dict.fromkeys(wanted)
    return {k: [of.names[k].position(n) for n in distinct if n in of.names[k]] for k in chosen}


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _refused(wanted: Any, hint: str = "") -> InputError:
    return InputError(
        'labels of Map.figure must be "auto", a number, a list of names, False, or one of these '
        f"for each kind, such as {{'word': 50}}{hint}; got {wanted!r}."
    )
