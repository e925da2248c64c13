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
from matplotlib.lines import Line2D
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


def charts(rows: int, columns: int) -> tuple[Any, Any]:
    """Return a figure and rows × columns axes for curves, with room below for a legend."""
    width, height = 3.4 * columns, 3 * rows + 0.5
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False)
    figure.subplots_adjust(
        left=0.65 / width,
        right=1 - 0.15 / width,
        top=1 - 0.3 / height,
        bottom=(0.9 if columns > 1 else 1.1) / height,
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
