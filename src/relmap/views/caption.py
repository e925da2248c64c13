"""The words around a picture: title, legend, where the map comes from, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from relmap.maps.telling import highlights
from relmap.views.scene import Scene, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

    from relmap.maps.map import Map
    from relmap.views.drawing import Sheet
    from relmap.views.fonts import Typesetter

GREY = "#6b6b6b"
TITLE, LEGEND, SMALL = 13.0, 9.0, 7.5
"""Sizes of title, legend and the words below, in points."""

_LINE, _ROW = 1.35, 1.6
_BAR = 0.3
"""The share of the width that is kept for the scale."""


class Words(NamedTuple):
    """What is said of a map: title, legend (one entry per kind), and where the map comes from."""

    title: str
    legend: tuple[str, ...]
    facts: tuple[str, ...]

    @classmethod
    def of(cls, of: Map, scene: Scene, title: str | None, *, legend: bool) -> Words:
        """Collect what is to be said."""
        layers = scene.layers if legend else ()
        entries = (f"{shown(layer.kind)} ({len(layer.points):,})" for layer in layers)
        return cls(title or "", tuple(entries), tuple(_facts(of, scene)))


@dataclass(frozen=True)
class Caption:
    """Words broken into lines around a frame of a width.

    Attributes
    ----------
    title, legend, facts : list of str
        Their lines; for the legend, its entries.
    columns : int
        In how many columns the legend stands.
    width : float
        Of the lines below the frame.
    typesetter : Typesetter
    """

    title: list[str]
    legend: list[str]
    facts: list[str]
    columns: int
    width: float
    typesetter: Typesetter

    @classmethod
    def of(cls, words: Words, typesetter: Typesetter, width: float) -> Caption:
        """Break words into lines that fit a width, in points."""
        entry_font, heading = typesetter.font(LEGEND), typesetter.heading(TITLE, words.title)
        entries = [typesetter.written(entry) for entry in words.legend]
        widest = max((typesetter.size(entry, entry_font)[0] for entry in entries), default=1.0)
        below = width * (1 - _BAR)
        return cls(
            title=typesetter.packed(words.title.split(), heading, width, " "),
            legend=entries,
            facts=typesetter.packed(words.facts, typesetter.font(SMALL), below, " · "),
            columns=max(1, min(len(entries), int(width / (widest + 3.5 * LEGEND)))),
            width=below,
            typesetter=typesetter,
        )

    def below(self, said: list[str]) -> str:
        """Return the lines below the frame, with some notes."""
        font = self.typesetter.font(SMALL)
        return "\n".join(self.facts + self.typesetter.packed(said, font, self.width, " · "))

    @property
    def rows(self) -> int:
        """How many rows the legend has."""
        return -(-len(self.legend) // self.columns)

    @property
    def height_above(self) -> float:
        """The height needed above the frame, in points."""
        return self.rows * LEGEND * _ROW + len(self.title) * TITLE * _LINE + 10.0

    @property
    def height_below(self) -> float:
        """The height needed below the frame, in points; there is a line for notes."""
        return (len(self.facts) + 1) * SMALL * _LINE + 10.0


def _facts(of: Map, scene: Scene) -> list[str]:
    facts = [shown(text) for text in (of.model, of.status) if text != "given"]
    shown_of_it = highlights(of)
    if shown_of_it and of.n_components > len(scene.axes):
        shown_of_it[-1] += f" in {of.n_components}-D"
    facts += shown_of_it
    if of.n_components > len(scene.axes):
        numbers = " and ".join(str(axis + 1) for axis in scene.axes)
        facts.append(f"ax{'es' if len(scene.axes) > 1 else 'is'} {numbers} of {of.n_components}")
    pieces = of.evidence.get("pieces")
    if isinstance(pieces, int) and pieces > 1:
        facts.append(f"{pieces:,} pieces that nothing connects")
    if of.evidence.get("determined") is False:
        facts.append("other maps are as likely")
    lost = sum(len(of.unplaced[layer.kind]) for layer in scene.layers)
    if lost:
        facts.append(f"{lost:,} without data, not placed")
    return facts


def notes(scene: Scene, labels: int, outside: int) -> list[str]:
    """Say what the picture leaves out."""
    said = []
    if labels < scene.labelled:
        said.append(f"labels shown: {labels:,} of {scene.labelled:,}")
    if outside == 1:
        said.append("1 point lies outside the frame (arrowhead)")
    elif outside:
        said.append(f"{outside:,} points lie outside the frame (arrowheads)")
    return said


def write(axes: Axes, caption: Caption, scene: Scene) -> Annotation:
    """Write title, legend and facts around axes; return the still empty line for notes."""
    typesetter = caption.typesetter
    if caption.title:
        axes.set_title(
            "\n".join(caption.title),
            loc="left",
            pad=caption.rows * LEGEND * _ROW + 6.0,
            font=typesetter.heading(TITLE, "".join(caption.title)),
            color="#222222",
            parse_math=False,
        )
    if caption.legend:
        _legend(axes, caption, scene, typesetter.font(LEGEND))
    return axes.annotate(
        caption.below(["\u00a0"]),
        xy=(0, 0),
        xycoords="axes fraction",
        xytext=(0, -6),
        textcoords="offset points",
        va="top",
        linespacing=_LINE,
        font=typesetter.font(SMALL),
        color=GREY,
        parse_math=False,
        annotation_clip=False,
    )


def _legend(axes: Axes, caption: Caption, scene: Scene, font: Any) -> None:
    from matplotlib.lines import Line2D

    looks = [layer.look for layer in scene.layers]
    handles = [
        Line2D([], [], linestyle="", marker=k.marker, color=k.colour, markersize=6.5 * k.scale)
        for k in looks
    ]
    legend = axes.legend(
        handles,
        [str(number) for number in range(len(looks))],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=caption.columns,
        frameon=False,
        prop=font,
        borderaxespad=0.3,
        borderpad=0,
        handlelength=0.9,
        handletextpad=0.5,
        columnspacing=1.6,
    )
    for text, entry, look in zip(legend.get_texts(), caption.legend, looks, strict=True):
        # matplotlib drops entries that begin with "_" unless they are set afterwards.
        text.set(text=entry, color=look.ink, parse_math=False)


def draw_scale(axes: Axes, sheet: Sheet, typesetter: Typesetter) -> None:
    """Draw a bar as long as the grid's squares are wide, with its length."""
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0, -10 / 72, axes.figure.figure.dpi_scale_trans)
    below = axes.get_xaxis_transform() + down
    end = float(sheet.box[2])
    axes.plot(
        [end - sheet.step, end],
        [0, 0],
        transform=below,
        color=GREY,
        linewidth=0.8,
        marker="|",
        markersize=4,
        clip_on=False,
        scalex=False,
        scaley=False,
    )
    axes.annotate(
        f"{sheet.step:g}",
        xy=(end - sheet.step, 0),
        xycoords=below,
        xytext=(-5, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        font=typesetter.font(SMALL),
        color=GREY,
        annotation_clip=False,
    )
