"""What is drawn of a map, whatever draws it: layers of points, and which labels matter most."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from relmap.views import extent, wishes
from relmap.views.colours import Look, look

if TYPE_CHECKING:
    from collections.abc import Iterable

    from relmap._names import Names
    from relmap._types import Floats, Integers
    from relmap.maps.map import Map

FEW = 40
"""A kind of so few things is labelled first."""

LONGEST = 30
"""Names longer than this are shortened."""

LANES = 0.3
"""How far apart the rows of a map on one axis are drawn, as a share of its length."""

CELLS = 6
"""Labels are spread over this many by this many parts of the picture."""


@dataclass(frozen=True, eq=False)
class Layer:
    """The things of one kind.

    Attributes
    ----------
    kind : str
    names : Names
    points : array, n × 2
    sizes : array, n
        Diameters relative to a point of middling mass.
    stress : array, n
        How much a label stands out by its mass: from 0 (as all others) to 1.
    look : Look
    order : array of positions
        What may be labelled, the most important first.
    most : int
        How many labels at most.
    """

    kind: str
    names: Names
    points: Floats
    sizes: Floats
    stress: Floats
    look: Look
    order: Integers
    most: int

    @cached_property
    def patience(self) -> float:
        """How long labels of this kind wait for their turn, as a factor."""
        if len(self.names) > FEW and all(str(name).isdecimal() for name in self.names):
            return 100.0
        return 0.1 if len(self.names) <= FEW else 1.0

    def text(self, position: int) -> str:
        """Return the label of a point."""
        return shown(self.names[position])


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is drawn of a map.

    Attributes
    ----------
    layers : tuple of Layer
    box : array of 4
        What the frame must hold: x from, y from, x to, y to. Points far away are not in it.
    axes : tuple of int
        Which coordinates of the map are shown. If it is one, each kind has a row of its own.
    most : int or None
        How many labels at most; None leaves it to the space there is.
    """

    layers: tuple[Layer, ...]
    box: Floats
    axes: tuple[int, ...]
    most: int | None

    @property
    def count(self) -> int:
        """How many points there are."""
        return sum(len(layer.points) for layer in self.layers)

    @property
    def shape(self) -> float:
        """The height of a good frame as a share of its width."""
        across, up = self.box[2:] - self.box[:2]
        return float(max(up / max(across, up), 0.45))

    @property
    def labelled(self) -> int:
        """How many labels were asked for."""
        return sum(layer.most for layer in self.layers)

    def ranking(self) -> list[tuple[int, int]]:
        """Return (layer, point) of all labels, the most important first, no kind starved.

        A kind gets labels in proportion to the square root of how many it asks for; one of a few
        things is labelled first, one whose names are only numbers last.
        """
        turns = [
            ((i + 0.5) / np.sqrt(max(layer.most, 1)) * layer.patience, number, int(point))
            for number, layer in enumerate(self.layers)
            for i, point in enumerate(layer.order)
        ]
        return [(number, point) for _, number, point in sorted(turns)]


def scene(
    of: Map,
    kinds: Iterable[str] | None = None,
    labels: wishes.Labels = "auto",
    axes: tuple[int, ...] | None = None,
) -> Scene:
    """Decide what is drawn of a map; the arguments are those of `relmap.views.figure.figure`."""
    chosen, axes = wishes.kinds(of, kinds), wishes.axes(of, axes)
    orders = wishes.labels(of, chosen, labels)
    points, box = _projected([of.points[kind][:, list(axes)] for kind in chosen])
    sizes = _sizes([of.masses[kind] for kind in chosen])
    layers = tuple(
        Layer(
            kind=kind,
            names=of.names[kind],
            points=points[i],
            sizes=sizes[i],
            stress=_stress(of.masses[kind]),
            look=look(of.kinds.index(kind)),
            order=_order(orders[kind], of.masses[kind], points[i], box),
            most=_count(orders[kind]),
        )
        for i, kind in enumerate(chosen)
    )
    asked = sum(layer.most for layer in layers)
    return Scene(layers, box, axes, wishes.most(labels, asked))


def shown(name: Any) -> str:
    """Return a name as it is drawn: on one line, without control characters, not too long."""
    kept = ("\ufffd" if unicodedata.category(c) == "Cs" else c for c in str(name))
    text = "".join(" " if unicodedata.category(c) == "Cc" else c for c in kept)
    text = " ".join(text.split()) or '""'
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _projected(points: list[Floats]) -> tuple[list[Floats], Floats]:
    """Return the points of each kind in the plane, and the box that the frame must hold."""
    everything = np.concatenate(points)
    inside = extent.within(everything)
    if everything.shape[1] == 1:
        start, end = extent.limits(everything[inside])
        lanes = [np.full_like(p, -i * LANES * (end - start)) for i, p in enumerate(points)]
        points = [np.hstack([p, lane]) for p, lane in zip(points, lanes, strict=True)]
    return points, extent.limits(np.concatenate(points)[inside])


def _sizes(masses: list[Floats]) -> list[Floats]:
    """Return diameters: areas as square roots of masses, so that six powers of ten can be seen."""
    positive = np.concatenate(masses)
    positive = positive[positive > 0]
    middling = float(np.median(positive)) if len(positive) else 1.0
    return [np.clip(np.maximum(m / middling, 0.0) ** 0.25, 0.6, 1.7) for m in masses]


def _stress(masses: Floats) -> Floats:
    """Return where masses lie between the least and the greatest, on a scale of logarithms."""
    positive = masses[masses > 0]
    if not len(positive):
        return np.zeros(len(masses))
    least, range_ = float(positive.min()), float(np.log(positive.max() / positive.min()))
    # Over less than a hundredfold range nothing is stressed to the full.
    share: Floats = np.log(np.maximum(masses, least) / least) / max(range_, np.log(100))
    return share


def _count(wish: int | list[int]) -> int:
    return len(wish) if isinstance(wish, list) else wish


def _order(wish: int | list[int], masses: Floats, points: Floats, box: Floats) -> Integers:
    """Order points by mass, but let the heaviest of each part of the map come early.

    A point's turn is the square root of its rank by mass times its rank in its part.
    """
    if isinstance(wish, list):
        return np.array(wish, dtype=np.intp)
    ranked = np.argsort(-masses, kind="stable")
    share = (points[ranked] - box[:2]) / (box[2:] - box[:2]).max()
    parts = np.clip(share * CELLS, 0, CELLS - 1).astype(np.intp) @ (1, CELLS)
    turns = np.sqrt(np.arange(len(ranked)) + 1.0) * (_occurrence(parts) + 1.0)
    return ranked[np.argsort(turns, kind="stable")][: len(ranked) if wish else 0]


def _occurrence(values: Integers) -> Integers:
    """Return how often each value has occurred before."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(values) else order
    before = np.empty_like(order)
    before[order] = np.arange(len(values)) - np.repeat(starts, np.diff(np.r_[starts, len(values)]))
    return before
