"""Points and labels of a scene, drawn into matplotlib's axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from relmap.views import extent
from relmap.views.labels import Ground, Placed, place

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from relmap._types import Floats, Mask
    from relmap.views.fonts import Typesetter
    from relmap.views.scene import Layer, Scene

ARROW = 4.0
"""Radius of the arrowheads that stand for points outside the frame, in points of print."""

FEW = 60
"""Up to so many points all get a label where there is room."""

_INKED = 0.08
"""The share of the frame that markers would cover if none overlapped."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A scene on paper: the frame's size in points of print, and the part of the plane in it."""

    scene: Scene
    width: float
    height: float

    @property
    def box(self) -> Floats:
        """The part of the plane that is shown, the same scale on both axes."""
        margin = 0.05 * min(self.width, self.height) + 8.0
        return extent.fitted(self.scene.box, self.width, self.height, margin)

    @property
    def step(self) -> float:
        """The width of the grid's squares."""
        box = self.box
        return extent.round_length(float(box[2] - box[0]) / 5)

    @property
    def room(self) -> int:
        """How many labels there should be if nobody asks for a number."""
        generous = round(self.width * self.height / 1900)
        return self.scene.count if self.scene.count <= FEW else generous

    def anchors(self, layer: Layer) -> tuple[Floats, Mask]:
        """Return where points are drawn, and which of them lie outside, as arrowheads."""
        inset = (ARROW + 1.0) * self._unit() * np.array([1, 1, -1, -1])
        box = self.box + inset
        outside: Mask = np.any((layer.points < box[:2]) | (layer.points > box[2:]), axis=1)
        return extent.onto_border(layer.points, box), outside

    def on_paper(self, points: Floats) -> Floats:
        """Return where points are, in points of print from the lower left corner."""
        placed: Floats = (points - self.box[:2]) / self._unit()
        return placed

    def diameters(self, layer: Layer) -> Floats:
        """Return how wide the markers of a layer are, in points of print."""
        share = _INKED * self.width * self.height / max(self.scene.count, 1)
        return layer.sizes * float(np.clip(np.sqrt(4 / np.pi * share), 1.8, 7.5))

    def ground(self) -> Ground:
        """Return what labels are laid on."""
        centres, radii = [], []
        for layer in self.scene.layers:
            anchors, outside = self.anchors(layer)
            centres.append(self.on_paper(anchors))
            radii.append(np.where(outside, ARROW, self.diameters(layer) / 2))
        kinds = np.repeat(np.arange(len(radii)), [len(part) for part in radii])
        return Ground(
            self.width, self.height, np.concatenate(centres), np.concatenate(radii), kinds
        )

    def _unit(self) -> float:
        box = self.box
        return float(box[2] - box[0]) / self.width


def draw_frame(axes: Axes, sheet: Sheet) -> None:
    """Set equal limits and draw a light grid, whose squares the scale below explains."""
    box, step = sheet.box, sheet.step
    axes.set(xlim=box[[0, 2]], ylim=box[[1, 3]], facecolor="white")
    axes.set_aspect("equal", adjustable="box")
    ticks = [
        np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
        for low, high in ((box[0], box[2]), (box[1], box[3]))
    ]
    axes.set_xticks(ticks[0], labels=[])
    axes.set_yticks(ticks[1] if len(sheet.scene.axes) == 2 else [], labels=[])
    axes.tick_params(length=0)
    axes.grid(visible=True, color="#ededed", linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set(color="#c8c8c8", linewidth=0.6)


def place_labels(sheet: Sheet, typesetter: Typesetter) -> tuple[Placed, list[tuple[int, int]]]:
    """Find room for labels; return it with the layer and point that each belongs to."""
    layers = sheet.scene.layers
    starts = np.cumsum([0, *(len(layer.points) for layer in layers)])
    owners = {
        int(starts[number]) + point: (number, point) for number, point in sheet.scene.ranking()
    }

    def size(position: int) -> tuple[float, float]:
        number, point = owners[position]
        text, font = _label(sheet, typesetter, number, point)
        return typesetter.size(typesetter.drawable(text), font)

    total = sheet.room if sheet.scene.most is None else sheet.scene.most
    placed = place(sheet.ground(), owners, size, [*(layer.most for layer in layers), total])
    return placed, [owners[int(position)] for position in placed.points]


def _label(sheet: Sheet, typesetter: Typesetter, number: int, point: int) -> tuple[str, Any]:
    layer = sheet.scene.layers[number]
    base = 9.5 if sheet.scene.count <= 30 else 8.5 if sheet.scene.count <= 120 else 7.5
    size = base * (0.94 + 0.36 * float(layer.stress[point]) ** 2)
    return layer.text(point), typesetter.font(round(size, 1))


def draw_points(axes: Axes, sheet: Sheet, labelled: list[tuple[int, int]]) -> int:
    """Draw markers and arrowheads; return how many points lie outside the frame."""
    total = 0
    count = max(sheet.scene.count, 1)
    faint = float(np.clip(0.9 - 0.17 * np.log10(count / 200), 0.45, 0.9))
    numbers = range(len(sheet.scene.layers))
    for number in sorted(numbers, key=lambda i: -len(sheet.scene.layers[i].points)):
        layer = sheet.scene.layers[number]
        anchors, outside = sheet.anchors(layer)
        named = np.zeros(len(anchors), dtype=bool)
        named[[point for owner, point in labelled if owner == number]] = True
        _markers(axes, sheet, layer, ~named & ~outside, faint)
        _markers(axes, sheet, layer, named & ~outside, max(faint, 0.95))
        _arrows(axes, sheet, layer, anchors[outside])
        total += int(outside.sum())
    return total


def _markers(axes: Axes, sheet: Sheet, layer: Layer, chosen: Mask, alpha: float) -> None:
    heavy_first = np.flatnonzero(chosen)[np.argsort(-layer.sizes[chosen], kind="stable")]
    across, up = layer.points[heavy_first].T
    axes.scatter(
        across,
        up,
        s=(layer.look.scale * sheet.diameters(layer)[heavy_first]) ** 2,
        c=layer.look.colour,
        marker=layer.look.marker,
        alpha=alpha,
        linewidths=0.5 if alpha > 0.75 else 0.0,
        edgecolors="white",
        zorder=3 if alpha >= 0.95 else 2,
    )


def _arrows(axes: Axes, sheet: Sheet, layer: Layer, anchors: Floats) -> None:
    """Draw arrowheads at the border that point away from the middle of the frame."""
    from matplotlib.collections import PolyCollection
    from matplotlib.transforms import Affine2D

    way = anchors - (sheet.box[:2] + sheet.box[2:]) / 2
    way = way / np.maximum(np.hypot(*way.T), np.finfo(float).tiny)[:, None]
    across = way[:, ::-1] * (-1, 1)
    corners = [way, -0.7 * way + 0.75 * across, -0.7 * way - 0.75 * across]
    arrows = PolyCollection(
        list(ARROW * np.stack(corners, axis=1)),
        offsets=anchors,
        offset_transform=axes.transData,
        facecolors=layer.look.colour,
        linewidths=0,
        zorder=3,
    )
    arrows.set_transform(Affine2D().scale(1 / 72) + axes.figure.figure.dpi_scale_trans)
    axes.add_collection(arrows, autolim=False)


def draw_labels(
    axes: Axes,
    sheet: Sheet,
    typesetter: Typesetter,
    placed: Placed,
    owners: list[tuple[int, int]],
) -> None:
    """Draw labels where room was found, with leader lines to those away from their points."""
    from matplotlib.patheffects import withStroke

    middles = (placed.boxes[:, :2] + placed.boxes[:, 2:]) / 2
    halo = [withStroke(linewidth=2.0, foreground="white")]
    anchors = [sheet.anchors(layer)[0] for layer in sheet.scene.layers]
    for (number, point), middle in zip(owners, middles, strict=True):
        text, font = _label(sheet, typesetter, number, point)
        anchor = anchors[number][point]
        axes.annotate(
            typesetter.written(text),
            xy=anchor,
            xytext=middle - sheet.on_paper(anchor),
            textcoords="offset points",
            ha="center",
            va="center",
            font=font,
            color=sheet.scene.layers[number].look.ink,
            path_effects=halo,
            parse_math=False,
            usetex=False,
            annotation_clip=False,
            zorder=5,
        ).set_in_layout(False)
    _leaders(axes, sheet, placed, owners, anchors)


def _leaders(
    axes: Axes,
    sheet: Sheet,
    placed: Placed,
    owners: list[tuple[int, int]],
    anchors: list[Floats],
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.transforms import Affine2D

    drawn = np.flatnonzero(~np.isnan(placed.leaders[:, 0]))
    ends = np.array([anchors[number][point] for number, point in owners]).reshape(-1, 2)[drawn]
    lines = placed.leaders[drawn].reshape(-1, 2, 2) - sheet.on_paper(ends)[:, None]
    leaders = LineCollection(
        list(lines),
        offsets=ends,
        offset_transform=axes.transData,
        colors=[sheet.scene.layers[owners[i][0]].look.ink for i in drawn],
        linewidths=0.5,
        alpha=0.6,
        zorder=4,
    )
    leaders.set_transform(Affine2D().scale(1 / 72) + axes.figure.figure.dpi_scale_trans)
    axes.add_collection(leaders, autolim=False)
