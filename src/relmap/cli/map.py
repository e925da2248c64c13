"""`relmap map`: from a file to a map, a picture or a list of coordinates."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from relmap.cli.inputs import Kinds, asked, read
from relmap.cli.models import MODELS, Setting, estimator, refuse_foreign
from relmap.cli.output import OUTPUTS, check_outputs, has_matplotlib, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relmap._progress import Callback
    from relmap.relations import Table

VARIANTS = ("CM", "CU", "MC", "MM", "MU", "UC", "UM", "UU")


class Penalty(click.ParamType[float | str]):
    """A number of at least 0, or auto."""

    name = "number or auto"

    def convert(self, value: Any, param: Any, ctx: Any) -> float | str:
        """Read what was typed."""
        try:
            number = float("nan" if value == "auto" else value)
        except ValueError:
            number = -1.0
        if number < 0 or number == float("inf"):
            self.fail(f"{value!r} is not a number of at least 0, or auto.", param, ctx)
        return "auto" if value == "auto" else number


class Variant(click.ParamType[Any]):
    """Two letters of CODE in any case; several with commas between, one for each table."""

    name = "variant"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Read what was typed."""
        if not isinstance(value, str):
            return value
        words = [word.strip().upper() for word in value.split(",")]
        for word in words:
            if word not in VARIANTS:
                self.fail(f"{word!r} is not one of {', '.join(VARIANTS)}.", param, ctx)
        return words if len(words) > 1 else words[0]


class Weights(click.ParamType[Any]):
    """The words equal or size, or a number above 0 for each table with commas between."""

    name = "weights"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Read what was typed."""
        if value in {"equal", "size"} or not isinstance(value, str):
            return value
        try:
            numbers = [float(word) for word in value.split(",")]
        except ValueError:
            numbers = [0.0]
        if not all(0 < number < float("inf") for number in numbers):
            self.fail(f"{value!r} is not equal, size or numbers above 0 such as 1,2.", param, ctx)
        return numbers


@click.command("map", short_help="Map the rows and columns of a table together.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "--rows", multiple=True, metavar="COLUMN", help="Column of the file that names the rows."
)
@click.option(
    "--columns", multiple=True, metavar="COLUMN", help="Column of the file that names the columns."
)
@click.option(
    "--weight", multiple=True, metavar="COLUMN", help="Column that says how often; 1 if not given."
)
@click.option(
    "--kinds",
    type=Kinds(),
    multiple=True,
    help="What the rows and columns are, such as user:movie. By default what --rows and --columns "
    "are called, or the first cell of a wide table.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help=f"Where to write the map, by its ending: {', '.join(OUTPUTS)}. May be given repeatedly. "
    "[default: INPUT's name with .png and .relmap, in this folder]",
)
@click.option(
    "--model",
    type=click.Choice(list(MODELS)),
    default="code",
    show_default=True,
    help="How to map: code (near means seen together), ca (correspondence analysis), lsi (latent "
    "semantic indexing), bgp (bipartite cuts), acas, coembed (both chosen by the near pairs kept), "
    "mkpe (distances match similarities).",
)
@click.option(
    "--set",
    "further",
    type=Setting(),
    multiple=True,
    help="Another setting of the model by its name in Python, such as --model ca --set "
    "scaling=rows. May be given repeatedly.",
)
@click.option(
    "--apart",
    "by_pieces",
    is_flag=True,
    help="Map every piece that nothing connects by itself, and lay the maps side by side.",
)
@click.option(
    "--dimensions", type=click.IntRange(1), default=2, show_default=True, help="Of the map."
)
@click.option(
    "--variant",
    type=Variant(),
    default="CM",
    show_default=True,
    metavar="LETTERS",
    help="Of code: how rows (first letter) and columns (second) enter: C conditioned on, M with "
    f"their observed share, U without. One of {', '.join(VARIANTS)}, or one for each table with "
    "commas between.",
)
@click.option(
    "--weights",
    type=Weights(),
    default="equal",
    show_default=True,
    metavar="WEIGHTS",
    help="Of code: what each of several tables counts: equal, size (one over rows times columns), "
    "or numbers with commas between.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 0.5, min_open=True),
    metavar="FRACTION",
    help="Of code: also fit without this share of the events, five times, and say how well they "
    "are foretold.",
)
@click.option(
    "--weighting",
    type=click.Choice(["events", "rows"]),
    default="events",
    show_default=True,
    help="Of code: whether every event counts the same, or every row.",
)
@click.option(
    "--starts",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Of code, mkpe: how many starts to try; the best is kept.",
)
@click.option(
    "--penalty",
    type=Penalty(),
    default="auto",
    show_default=True,
    help="Of code: keeps near what would drift far out: a number, 0 for none, or auto (0.02 over "
    "the number of rows and columns).",
)
@click.option(
    "--tol",
    type=click.FloatRange(0),
    default=1e-8,
    show_default=True,
    help="Of code, mkpe: stop when steps gain less than this.",
)
@click.option(
    "--max-iter",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Of code, mkpe: steps at most.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Of code, coembed, mkpe: repeats what is random.",
)
@click.option("--title", metavar="TEXT", help="Title of the picture.")
@click.option("--labels", type=click.IntRange(0), metavar="N", help="Names in the picture at most.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing unless something is wrong.")
def map_(inputs: tuple[str, ...], outputs: tuple[str, ...], *, quiet: bool, **options: Any) -> None:
    """Map the rows and columns of a table together: near means seen together.

    INPUT is a file of events (--rows and --columns name its columns), a wide table whose first
    column names the rows, or a matrix (.mtx, .npz); events and wide tables may be .csv, .tsv or
    .parquet, events also .jsonl. Several files of events, or a pattern such as "logs/*.csv", are
    read as one table.

    Several tables that share a kind, such as documents and words, authors and words, come onto one
    map (--model code): give --rows, --columns, --weight and --kinds once for each, in the order of
    the inputs, or once for all. Wide tables and matrices are always several.

    \b
    Examples:
      relmap map reviews.csv --rows user --columns movie -o movies.png
      relmap map survey.csv -o survey.relmap -o coordinates.csv
      relmap map papers.csv pens.csv --rows paper --columns word \\
        --rows author --columns word --weights size -o nips.png
    """  # noqa: D301 (click's mark for lines that are not to be joined)
    how = (options[name] for name in ("rows", "columns", "weight", "kinds"))
    asks = asked(inputs, *how)
    targets = check_outputs(outputs or _default_outputs(inputs[0]), inputs)
    refuse_foreign(options["model"])
    if len(asks) > 1 and (options["model"] != "code" or options["by_pieces"]):
        what = "--apart" if options["by_pieces"] else f"--model {options['model']}"
        raise click.UsageError(f"{what} is for one table; the inputs are {len(asks)}.")
    model = estimator(options["model"], options, dict(options["further"]))
    from relmap.maps.telling import highlights
    from relmap.models.apart import apart

    tables = read(asks)
    if not quiet:
        click.echo(repr(tables))
    with _progress(quiet=quiet) as callbacks:
        if "callbacks" in model.get_params():
            model.set_params(callbacks=callbacks)
        if options["held_out"]:
            click.echo(_foretold(model, tables, options["held_out"], options["seed"]))
        by_pieces = options["by_pieces"]
        found = apart(model, cast("Table", tables)) if by_pieces else model.fit(tables).map_
    if not quiet:
        click.echo("\n  ".join([repr(found), *highlights(found)]))
    for path in targets:
        write(found, path, title=options["title"], labels=options["labels"])
        if not quiet:
            click.echo(f"wrote {path}")


def _foretold(model: Any, tables: Any, fraction: float, seed: int) -> str:
    """Return in two lines how well events that were held out are foretold."""
    from relmap.models.heldout import held_out

    found = held_out(model, tables, fraction=fraction, random_state=seed)
    best = found.best
    return (
        f"Held out {fraction:.3g} of the events, {found.repeats} times: log-likelihood per event "
        f"{best.log_likelihood:.5f} ± {best.standard_error:.5f},\n"
        f"  {best.log_likelihood - found.independence:+.5f} against independence"
    )


def _default_outputs(source: str) -> tuple[str, ...]:
    stem = Path(source).name.split(".")[0].replace("*", "") or "map"
    if has_matplotlib():
        return f"{stem}.png", f"{stem}.relmap"
    click.echo('relmap: note: no picture without matplotlib: pip install "relmap[plot]"', err=True)
    return (f"{stem}.relmap",)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[list[Callback]]:
    """Show a progress bar, if there is somebody to see it."""
    if quiet or not sys.stderr.isatty():
        yield []
        return
    from relmap._progress import Bar

    bar = Bar("mapping")
    try:
        yield [bar]
    finally:
        bar.close()
