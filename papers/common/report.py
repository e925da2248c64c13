"""What every script does around its experiment: options, a picture, a page with a table."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from papers.common import pictures

DOCS = Path(__file__).resolve().parents[2] / "docs" / "papers"
QUICK = Path(tempfile.gettempdir()) / "relmap-papers-quick"


class Result(NamedTuple):
    """A figure (or None), what is said above and below the table, and the table."""

    figure: Any
    title: str
    setup: str
    theirs: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]


def run(script: str, repeat: Callable[[bool], Result]) -> None:
    """Repeat an experiment and write its picture and its page; with --quick a reduced one.

    The full one goes to the folder of docs/papers that is called like the script's own, the quick
    one to a temporary folder, so that trying a script spoils nothing.
    """
    parser = argparse.ArgumentParser(description=f"Repeats {Path(script).stem} of the paper.")
    parser.add_argument("--quick", action="store_true", help="a reduced version, within seconds")
    quick = parser.parse_args().quick
    start = time.perf_counter()
    result = repeat(quick)
    paper, name = Path(script).parent.name, Path(script).stem
    folder = (QUICK if quick else DOCS) / paper
    folder.mkdir(parents=True, exist_ok=True)
    text = page(result, name, quick=quick)
    (folder / f"{name}.md").write_text(text)
    if result.figure is not None:
        pictures.save(result.figure, folder / f"{name}.png")
    print(f"{text}\n{folder / name}.md, after {time.perf_counter() - start:.0f} seconds")


def page(result: Result, name: str, *, quick: bool) -> str:
    """Return the page in markdown."""
    picture = [] if result.figure is None else [f"![{result.title}]({name}.png)"]
    parts = [
        f"# {result.title}",
        *picture,
        *(["Reduced run (`--quick`)."] if quick else []),
        result.setup,
        markdown(result.header, result.rows),
        f"The paper: {result.theirs}",
    ]
    return "\n\n".join(parts) + "\n"


def markdown(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table, columns of numbers to the right."""
    columns = zip(*rows, strict=True)
    sides = ["---:" if all(map(numeric, cells)) else "---" for cells in columns]
    lines = [header, ["---", *sides[1:]], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def numeric(cell: Any) -> bool:
    """Tell whether a cell shows a number, or nothing."""
    return not str(cell).strip("*–−")[:1].strip("0123456789.")


def best(
    values: Sequence[float], form: str = "{:.0f}", of: Callable[..., float] = min
) -> list[str]:
    """Return numbers in a form, those that show as the smallest (or `max`) in bold."""
    shown = [form.format(value) for value in values]
    winner = form.format(of(values))
    return [f"**{text}**" if text == winner else text for text in shown]
