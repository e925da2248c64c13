"""A map as a picture on paper, drawn with matplotlib."""

from __future__ import annotations

import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from relmap.errors import InputError, MissingExtraError, RelmapWarning
from relmap.views import caption, drawing, scene
from relmap.views.caption import Caption, Words
from relmap.views.drawing import Sheet
from relmap.views.fonts import ABSENT, Typesetter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from relmap.maps.map import Map
    from relmap.views.scene import Scene
    from relmap.views.wishes import Labels

WIDTH = 7.5
"""How wide a figure is unless `size` says so, in inches; its height follows the map."""

MARGIN = 12.0
"""White space around a figure, in points."""

SMALLEST = 72.0
"""The least width and height of the frame, in points."""

_WRITTEN: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
_STYLE = {
    "svg.hashsalt": "relmap",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "text.usetex": False,
    "text.parse_math": False,
    "path.simplify": True,
    "axes.unicode_minus": False,
}


def figure(  # noqa: PLR0913 - one option per thing a reader may want otherwise
    of: Map,
    path_or_axes: str | Path | Axes | None = None,
    *,
    kinds: Iterable[str] | None = None,
    labels: Labels = "auto",
    axes: tuple[int, ...] | None = None,
    title: str | None = None,
    legend: bool = True,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
) -> Figure:
    """Draw a map: points by kind, as many names as can be read, equal axes.

    Distances mean the same in all directions; a square of the grid is as wide as the bar below
    says. Heavier things are larger (areas grow with the square root of the mass). A handful of
    points far away from all others is drawn as arrowheads at the border. The same map gives the
    same file, byte by byte.

    Parameters
    ----------
    of : Map
    path_or_axes : path or matplotlib Axes, optional
        A .png, .svg or .pdf file to write, or axes to draw into.
    kinds : list of str, optional
        The kinds to draw; all of them if not given.
    labels : "auto", int, list of names, False, or a mapping from kind to one of these
        Which points get their name: as many as there is good room for, at most a number, these,
        or none. The heaviest of each part of the map come first; a name that finds no room is
        left out, and the line below the picture says so.
    axes : tuple of one or two int, optional
        The coordinates to draw, counted from 0: the first two if not given. One coordinate is
        drawn as one row per kind; only left and right mean something then.
    title : str, optional
    legend : bool
        Whether kinds are explained above the picture.
    size : (width, height), optional
        In inches; if not given, the height follows the map.
    dpi : float, optional
        Pixels per inch of a PNG, 150 if not given.

    Returns
    -------
    Figure
        matplotlib's, not known to pyplot: it needs no screen and is freed like any object.
    """
    if find_spec("matplotlib") is None:
        raise MissingExtraError('Map.figure needs matplotlib: pip install "relmap[plot]"')
    import matplotlib.style

    _check(title, legend, size, dpi)
    target = _target(path_or_axes, size, dpi)
    drawn = scene.scene(of, kinds, labels, axes)
    words = Words.of(of, drawn, title, legend=legend)
    typesetter = Typesetter(_texts(drawn, words))
    captioned = partial(Caption.of, words, typesetter)
    with matplotlib.style.context(["default", _STYLE]):
        if target is None or isinstance(target, Path):
            frame = _paper(drawn, captioned, size, dpi or 150.0)
        else:
            frame = target
        _draw(frame, drawn, typesetter, captioned)
        if isinstance(target, Path):
            frame.figure.figure.savefig(target, metadata=_WRITTEN[target.suffix.lower()])
    _report(typesetter)
    return frame.figure.figure


def _draw(
    axes: Axes, drawn: Scene, typesetter: Typesetter, captioned: Callable[[float], Caption]
) -> None:
    around = captioned(_extent(axes)[0])
    below = caption.write(axes, around, drawn)
    root = axes.figure.figure
    if root.get_layout_engine() is not None:
        root.draw_without_rendering()  # the frame has its final size only after this
    sheet = Sheet(drawn, *_extent(axes))
    drawing.draw_frame(axes, sheet)
    caption.draw_scale(axes, sheet, typesetter)
    placed, owners = drawing.place_labels(sheet, typesetter)
    outside = drawing.draw_points(axes, sheet, owners)
    drawing.draw_labels(axes, sheet, typesetter, placed, owners)
    below.set_text(around.below(caption.notes(drawn, len(owners), outside)))


def _extent(axes: Axes) -> tuple[float, float]:
    """Return width and height of the space for axes, in points of print."""
    place, parent = axes.get_position(original=True), axes.figure.bbox
    points = 72 / axes.figure.figure.dpi
    return place.width * parent.width * points, place.height * parent.height * points


def _paper(
    drawn: Scene,
    captioned: Callable[[float], Caption],
    size: tuple[float, float] | None,
    dpi: float,
) -> Axes:
    """Return axes on a figure of our own, with room around them for the caption."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = (size[0] if size else WIDTH) * 72
    across = width - 2 * MARGIN
    words = captioned(across)
    around = words.height_above + words.height_below + MARGIN
    height = size[1] * 72 if size else across * drawn.shape + around
    if min(across, height - around) < SMALLEST:
        raise InputError(
            f"size of Map.figure must leave an inch of space for the map beside title and legend, "
            f"at least {(SMALLEST + 2 * MARGIN) / 72:.1f} × {(SMALLEST + around) / 72:.1f} inches "
            f"here; got {size!r}."
        )
    paper = Figure(figsize=(width / 72, height / 72), dpi=dpi, facecolor="white")
    FigureCanvasAgg(paper)
    low, high = (words.height_below + MARGIN / 2) / height, (height - around) / height
    return paper.add_axes((MARGIN / width, low, across / width, high))


def _target(given: Any, size: Any, dpi: Any) -> Path | Axes | None:
    """Return where to draw, after checking that it can be drawn there."""
    from matplotlib.axes import Axes

    if given is None:
        return None
    if isinstance(given, Axes):
        if size is not None or dpi is not None:
            raise InputError(
                "size and dpi of Map.figure are those of the axes that were given; leave them out."
            )
        if given.name != "rectilinear":
            raise InputError(f"axes for Map.figure must be flat and square; got {given.name} axes.")
        return given
    if not isinstance(given, (str, Path)):
        raise InputError(
            f"path_or_axes of Map.figure must be a path, matplotlib axes or nothing; got {given!r}."
        )
    path = Path(given)
    if path.suffix.lower() not in _WRITTEN:
        raise InputError(
            f"path of Map.figure must end in {', '.join(_WRITTEN)}; got {str(given)!r}."
        )
    if not path.parent.is_dir():
        raise InputError(f"path of Map.figure must be in a folder that exists; got {str(given)!r}.")
    return path


def _check(title: Any, legend: Any, size: Any, dpi: Any) -> None:
    if not isinstance(legend, bool):
        raise InputError(f"legend of Map.figure must be True or False; got {legend!r}.")
    if title is not None and not isinstance(title, str):
        raise InputError(f"title of Map.figure must be text or None; got {title!r}.")
    lengths = size if isinstance(size, (tuple, list)) else ()
    if size is not None and not (len(lengths) == 2 and all(_between(x, 1, 50) for x in lengths)):
        raise InputError(
            f"size of Map.figure must be width and height in inches, from 1 to 50; got {size!r}."
        )
    if dpi is not None and not _between(dpi, 20, 1200):
        raise InputError(f"dpi of Map.figure must be a number from 20 to 1200; got {dpi!r}.")


def _between(value: Any, low: float, high: float) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and value is not True
    return number and low <= value <= high


def _texts(drawn: Scene, words: Words) -> Iterator[str]:
    """Return all texts that may be drawn."""
    yield from (words.title, *words.legend, *words.facts)
    for layer in drawn.layers:
        yield from (layer.text(int(point)) for point in layer.order)


def _report(typesetter: Typesetter) -> None:
    lost = list(typesetter.absent)
    if lost:
        some = ", ".join(map(repr, lost[:10])) + (", …" if len(lost) > 10 else "")
        warnings.warn(
            f"no installed font has {some} ({len(lost)} character{'s' * (len(lost) > 1)}); "
            f"{ABSENT} is drawn instead. Installing a font such as Noto Sans CJK helps.",
            RelmapWarning,
            stacklevel=4,
        )
