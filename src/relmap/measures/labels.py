"""The labels of things: on a map, found by name, or in a list, in order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from relmap._names import Names
from relmap._types import Floats, Integers
from relmap.errors import InputError
from relmap.maps import Map
from relmap.measures.places import points_of


def labelled(points: Any, labels: Any, kind: str | None) -> tuple[Floats, list[Any]]:
    """Return the points that are placed and have a label, and these labels."""
    if isinstance(points, Map):
        kinds = points.kinds if kind is None else (kind,)
        unknown = set(kinds) - set(points.kinds)
        if unknown:
            raise InputError(f"this map has no kind {kind!r}; it has {', '.join(points.kinds)}.")
        if not hasattr(labels, "items") and len(kinds) > 1:
            raise InputError(
                f"this map has the kinds {', '.join(kinds)}; give labels by name, or say which "
                f"kind they are of (kind={kinds[0]!r})."
            )
        found = np.concatenate([points.points[k] for k in kinds])
        given = [label for k in kinds for label in labels_in_order(labels, points.names[k])]
    else:
        if kind is not None:
            raise InputError(f"kind is for a Map; got {type(points).__name__} and kind={kind!r}.")
        if hasattr(labels, "items"):
            raise InputError(
                "labels by name are for a Map; for an array give a list in the order of its points."
            )
        found = points_of(points, "points")
        given = labels_in_order(labels, Names.numbered(len(found), "point"))
    keep = [i for i, label in enumerate(given) if is_label(label) and not np.isnan(found[i, 0])]
    return found[keep], [given[i] for i in keep]


def is_label(label: Any) -> bool:
    """Tell a label from None and NaN, which mean that there is none."""
    return label is not None and label == label  # noqa: PLR0124 (NaN is not itself)


def numbered(labels: Iterable[Any]) -> Integers:
    """Return the number of every label, in the order they come in."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


def classes_of(labels: Iterable[Any]) -> Integers:
    """Return the number of every label; there must be two at least."""
    classes = numbered(labels)
    found = len(np.unique(classes))
    if found < 2:
        raise InputError(
            f"things of at least two labels must have a point; got {found} "
            f"label{'s' * (found != 1)} on {len(classes):,} points."
        )
    return classes


def labels_in_order(labels: Any, names: Names) -> list[Any]:
    """Return the label of every name; None for what has none."""
    if hasattr(labels, "items"):  # a mapping, or a Series of pandas
        given = dict(labels.items())
        return [given.get(name) for name in names]
    listed = list(labels)
    if len(listed) != len(names):
        raise InputError(f"there are {len(names):,} {names.what}s, but {len(listed):,} labels.")
    return listed
