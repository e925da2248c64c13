"""How wide a text is, and which installed fonts have its characters."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

BASE = "DejaVu Sans"
"""Comes with matplotlib, so that a map looks the same on every machine."""

ABSENT = "□"
"""Drawn for a character that no installed font has."""

_NOT_FOR_TEXT = ("Last Resort", "cmb10", "cmex10", "cmmi10", "cmr10", "cmss10", "cmsy10", "cmtt10")


class Typesetter:
    """Measures texts and keeps track of characters that cannot be drawn.

    Parameters
    ----------
    texts : iterable of str
        Everything that may be drawn; fonts are looked for until all characters are found.

    Attributes
    ----------
    families : list of str
        The fonts used, the first that has a character.
    absent : dict of str
        The characters that were to be seen and are in no font, in order.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        self.families, self._absent = _families({c for text in texts for c in text})
        self.absent: dict[str, None] = {}
        self._usual: dict[tuple[Any, Any], tuple[float, float]] = {}
        self._renderer: Any = cast("Any", RendererAgg)(1, 1, 72 * 4)

    def drawable(self, text: str) -> str:
        """Put a box in the place of what no font has; signs that are never seen are dropped."""
        lost = self._lost(text)
        return "".join((ABSENT if c in lost else "") if c in self._absent else c for c in text)

    def written(self, text: str) -> str:
        """Return what is drawn of a text that will be seen, and remember what is lost of it."""
        self.absent.update(dict.fromkeys(self._lost(text)))
        return self.drawable(text)

    def _lost(self, text: str) -> list[str]:
        unseen = {"Cf", "Mn"}
        return [c for c in text if c in self._absent and unicodedata.category(c) not in unseen]

    def font(self, size: float) -> Any:
        """Return matplotlib's description of a font of a size in points."""
        from matplotlib.font_manager import FontProperties

        return FontProperties(family=self.families, size=size)

    def heading(self, size: float, text: str) -> Any:
        """Return a bold font, or a plain one if the bold one lacks a character of a text."""
        from matplotlib.font_manager import findfont

        font = self.font(size)
        bold = font.copy()
        bold.set_weight("bold")
        drawn = set(map(ord, self.drawable(text)))
        return bold if drawn <= _characters(findfont(bold)) else font

    def size(self, text: str, font: Any) -> tuple[float, float]:
        """Return width and height of one line of text, in points."""
        width, height, depth = self._measured(text, font)
        key = (font.get_size(), font.get_weight())
        if key not in self._usual:  # matplotlib makes no line lower than "lp"
            self._usual[key] = self._measured("lp", font)[1:]
        usual, usual_depth = self._usual[key]
        return width / 4, (max(height - depth, usual - usual_depth) + max(depth, usual_depth)) / 4

    def _measured(self, text: str, font: Any) -> tuple[float, float, float]:
        width, height, depth = self._renderer.get_text_width_height_descent(
            text, font, ismath=False
        )
        return float(width), float(height), float(depth)

    def packed(self, items: Iterable[str], font: Any, width: float, between: str) -> list[str]:
        """Join items into as few lines as fit into a width."""
        lines: list[str] = []
        for text in items:
            item = self.written(text)
            while len(item) > 1 and self.size(item, font)[0] > width:
                item = item[:-2] + "…"
            joined = f"{lines[-1]}{between}{item}" if lines else item
            if lines and self.size(joined, font)[0] <= width:
                lines[-1] = joined
            else:
                lines.append(item)
        return lines


def _families(wanted: set[str]) -> tuple[list[str], frozenset[str]]:
    """Return the families that have the wanted characters between them, and what is left over."""
    from matplotlib.font_manager import findfont, fontManager

    families = [BASE]
    left = {ord(c) for c in wanted} - _characters(findfont(BASE))
    entries = {entry.name: entry.fname for entry in fontManager.ttflist if _upright(entry)}
    for name in sorted(entries, key=lambda name: (not name.startswith("Noto"), name)):
        if not left:
            break
        found = left & _characters(entries[name])
        if found:
            families.append(name)
            left -= found
    return families, frozenset(map(chr, left))


def _upright(entry: Any) -> bool:
    plain = entry.style == "normal" and entry.weight in {400, "normal", "regular"}
    return plain and not entry.name.startswith(_NOT_FOR_TEXT)


@cache
def _characters(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
