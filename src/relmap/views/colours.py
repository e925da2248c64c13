"""One colour and one marker per kind, told apart by every eye and on grey paper.

The palette was chosen so that any two of its colours differ by at least 25 units of CIELAB to
normal eyes and to eyes without red, green or blue cones (Machado, Oliveira and Fernandes 2009), and
by at least 10 units in lightness alone. Six colours are as many as allow that on white; later kinds
repeat them with another marker.
"""

from __future__ import annotations

from typing import NamedTuple

PALETTE = ("#1f5aa6", "#e68a1c", "#701a2e", "#8fcfb0", "#8f6f2f", "#241645")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""matplotlib's names: disc, square, triangle, diamond, triangle down, plus, cross."""

_SCALES = (1.0, 0.9, 1.1, 0.85, 1.1, 1.1, 1.1)

READABLE = 5.5
"""The least contrast of text with white; WCAG asks for 4.5."""


class Look(NamedTuple):
    """How one kind is drawn: colours of points and labels, marker, and its size beside a disc."""

    colour: str
    ink: str
    marker: str
    scale: float


def look(position: int) -> Look:
    """Return how the kind at a position among a map's kinds is drawn."""
    colour = PALETTE[position % len(PALETTE)]
    shape = position % len(MARKERS)
    return Look(colour, ink(colour), MARKERS[shape], _SCALES[shape])


def ink(colour: str) -> str:
    """Darken a colour, keeping its hue, until text in it can be read on white."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    share = 1.0
    while contrast(red * share, green * share, blue * share) < READABLE:
        share -= 0.02
    return "#" + "".join(f"{round(255 * share * part):02x}" for part in (red, green, blue))


def contrast(red: float, green: float, blue: float) -> float:
    """Return the contrast of a colour with white, from 1 (none) to 21 (black)."""
    light = 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)
    return 1.05 / (light + 0.05)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
