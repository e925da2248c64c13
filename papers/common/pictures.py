"""Pictures: panels of one size, co-embeddings scaled to the unit square, safe colours."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from PIL import Image

# Okabe and Ito's colours, told apart by all readers; the yellow is darkened to show on white
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#B8A800",
)  # fmt: skip
STYLES = ("-", "--", "-.", ":")
PANEL = 2.4  # inches

plt.rcParams.update({"font.size": 9, "axes.titlesize": 9, "legend.frameon": False})


def panels(rows: int, columns: int, *, foot: float = 0.35) -> tuple[Any, Any]:
    """Return a figure and its rows × columns axes, all of one size, with room below for a legend.

    The last inches, `foot`, belong to the legend.
    """
    width, height = PANEL * columns, (PANEL + 0.25) * rows + foot
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False)
    figure.subplots_adjust(
        left=0.2 / width,
        right=1 - 0.1 / width,
        top=1 - 0.3 / height,
        bottom=(foot + 0.1) / height,
        wspace=0.08,
        hspace=0.16,
    )
    return figure, axes


def show(
    axis: Any, title: str, points: Sequence[Any], classes: Sequence[Any], **style: Any
) -> None:
    """Draw two groups of points in one panel, scaled together to the unit square.

    Each group has a class for every point; None draws it grey. `marks` are the two signs; points
    drawn as "." lie below the others. `size` and `alpha` are those of the signs.
    """
    marks = style.get("marks", "o+")
    scaled = unit(points)
    for group, own, mark in zip(scaled, classes, marks, strict=True):
        colours = "0.6" if own is None else [COLOURS[(c - 1) % len(COLOURS)] for c in own]
        size = style.get("size", 14)
        axis.scatter(
            *group.T,
            s=size,
            **paint(mark, colours),
            alpha=style.get("alpha", 0.8),
            zorder=1 + (mark != "."),
        )
    axis.set_title(title, pad=3)
    axis.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xticks=[], yticks=[])
    axis.set_box_aspect(1)


def paint(mark: str, colours: Any) -> dict[str, Any]:
    """Return how a sign is drawn: "o" open, "+" and "." in the colour itself."""
    if mark == "o":
        return {"marker": "o", "facecolors": "none", "edgecolors": colours, "linewidths": 0.7}
    edge = 0.8 if mark == "+" else 0
    return {"marker": mark, "c": colours, "linewidths": edge}


def unit(points: Sequence[Any]) -> list[np.ndarray]:
    """Scale both groups by the range of their union, each axis by itself; a flat axis is 1/2."""
    planar = [np.column_stack([p, np.zeros((len(p), 2))])[:, :2] for p in points]
    both = np.concatenate(planar)
    low, high = np.nanmin(both, axis=0), np.nanmax(both, axis=0)
    span = np.where(high > low, high - low, 1)
    shift = np.where(high > low, 0, 0.5)
    return [(p - low) / span + shift for p in planar]


def legend(figure: Any, signs: Mapping[str, tuple[str, str]]) -> None:
    """Explain signs below the panels: label → (sign, colour)."""
    lines = [
        Line2D([], [], linestyle="", marker=mark, color=colour, label=label, fillstyle=fill)
        for label, (mark, colour) in signs.items()
        for fill in ["none" if mark == "o" and colour == "0.3" else "full"]
    ]
    figure.legend(handles=lines, loc="lower center", ncols=len(lines), handletextpad=0.2)


def charts(rows: int, columns: int, *, foot: float = 0) -> tuple[Any, Any]:
    """Return a figure and rows × columns axes for curves, with room below for a legend.

    So many inches more, `foot`, belong to a tall one.
    """
    width, height = 3.4 * columns, 3 * rows + 0.5 + foot
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False)
    figure.subplots_adjust(
        left=0.65 / width,
        right=1 - 0.15 / width,
        top=1 - 0.3 / height,
        bottom=((0.9 if columns > 1 else 1.1) + foot) / height,
        wspace=0.25,
        hspace=0.35,
    )
    return figure, axes


def explain(figure: Any, axis: Any) -> None:
    """Put the legend of one axis below all."""
    figure.legend(
        *axis.get_legend_handles_labels(),
        loc="lower center",
        ncols=max(2, int(figure.get_figwidth() / 1.3)),
    )


def curves(axis: Any, title: str, at: Sequence[float], lines: Mapping[str, Any]) -> None:
    """Draw one line per method over numbers, in the same colours and dashes everywhere."""
    for number, (name, values) in enumerate(lines.items()):
        axis.plot(
            at,
            values,
            color=COLOURS[number % len(COLOURS)],
            linestyle=STYLES[number % len(STYLES)],
            marker="os^Dvx*"[number % 7],
            markersize=4,
            label=name,
        )
    axis.set_title(title, pad=5)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", color="0.9")


def save(figure: Any, path: Path) -> None:
    """Write a PNG of 255 colours: a third of the size, and no difference to the eye."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    Image.open(drawn).convert("RGB").quantize(
        255, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    ).save(path, optimize=True)
    plt.close(figure)


def beside(axis: Any) -> None:
    """Make a chart fit among panels: smaller by the room of its numbers, with its own legend."""
    left, bottom, width, height = axis.get_position().bounds
    axis.set_position([left + 0.15 * width, bottom + 0.1 * height, 0.85 * width, 0.9 * height])
    axis.set_ylim(0, axis.get_ylim()[1] * 1.35)
    axis.legend(loc="upper right", ncols=2, fontsize=7, columnspacing=1, handlelength=1.8)


def bars(
    axis: Any, title: str, heights: Mapping[str, Any], names: Sequence[str], error: Any = None
) -> None:
    """Draw bars side by side, one colour per label, with names below and whiskers if given."""
    width = 0.8 / len(heights)
    for number, (label, values) in enumerate(heights.items()):
        at = np.arange(len(names)) + (number - (len(heights) - 1) / 2) * width
        colour = COLOURS[number % len(COLOURS)]
        axis.bar(at, values, width, color=colour, label=label, yerr=error, capsize=2)
    axis.set_title(title, pad=5)
    axis.set_xticks(np.arange(len(names)), names)
    axis.spines[["top", "right"]].set_visible(False)


def plates(columns: int, side: float, rows: int = 1, foot: float = 0.4) -> tuple[Any, Any]:
    """Return a figure and square axes of so many inches, with equal units on both sides."""
    gap, head = 0.15, 0.3
    width = columns * (side + gap) + gap
    height = rows * (side + head) + gap + foot
    figure = plt.figure(figsize=(width, height))
    axes = [
        figure.add_axes(
            (
                (gap + column * (side + gap)) / width,
                (foot + gap + (rows - 1 - row) * (side + head)) / height,
                side / width,
                side / height,
            ),
            xticks=[],
            yticks=[],
        )
        for row in range(rows)
        for column in range(columns)
    ]
    return figure, axes


def look(axis: Any, centre: Any, reach: float) -> None:
    """Show the square around a point, so far to every side."""
    (x, y), axis_reach = centre, (-reach, reach)
    axis.set(xlim=np.add(x, axis_reach), ylim=np.add(y, axis_reach))


def outline(axis: Any, centre: Any, reach: float, letter: str) -> None:
    """Draw the border of another panel's square, with its letter."""
    corner = np.subtract(centre, reach)
    axis.add_patch(
        plt.Rectangle(corner, 2 * reach, 2 * reach, fill=False, edgecolor="0.15", zorder=5)
    )
    x, y = corner[0], corner[1] + 2 * reach
    axis.annotate(
        letter,
        (x, y),
        (4, -4),
        textcoords="offset points",
        va="top",
        weight="bold",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        zorder=6,
    )


def write(
    axis: Any, points: Any, names: Sequence[str], most: int | None = None, **style: Any
) -> list[int]:
    """Write names where their points are, in the order given, leaving out what finds no room.

    Room is what is inside the panel and not yet taken by names written here before. Return which
    were written, `most` at most.
    """
    figure = axis.figure
    renderer = figure.canvas.get_renderer()
    frame = axis.get_window_extent(renderer)
    taken = getattr(axis, "taken", [])
    written = []
    for number, (point, name) in enumerate(zip(points, names, strict=True)):
        if len(written) == most:
            break
        if not np.all(np.isfinite(point)) or not frame.contains(*axis.transData.transform(point)):
            continue
        text = axis.text(*point, name, ha="center", va="center", zorder=4, **style)
        box = text.get_window_extent(renderer).padded(1)
        inside = frame.x0 < box.x0 and box.x1 < frame.x1 and frame.y0 < box.y0 < box.y1 < frame.y1
        if inside and not any(box.overlaps(other) for other in taken):
            taken.append(box)
            written.append(number)
        else:
            text.remove()
    axis.taken = taken
    return written


def rgb(colour: str) -> tuple[float, float, float]:
    """Return a colour as red, green and blue, 0 to 1."""
    return to_rgb(colour)


def halo() -> list[Any]:
    """Return a white border for letters, so that they can be read on signs."""
    return [withStroke(linewidth=2.2, foreground="white", alpha=0.85)]
