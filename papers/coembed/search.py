"""Staged search beside the genetic search of the paper: what each finds, at what cost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from papers.coembed import synthetic
from papers.common.report import Result, run

from relmap import CoEmbedding, Table, datasets

SETUP = (
    "CoEmbedding with two axes and 5 neighbours (2 for housetasks, which has only 4 columns), its "
    "four settings searched in both ways, one seed each. Γ: near pairs lost, of so many; tries: "
    "settings evaluated; problems: different pairs (η₁, η₂), each of which costs a singular value "
    "problem. Each cell is staged / genetic."
)
THEIRS = (
    "it uses a genetic search (52 members, uniform crossover, until 50 generations bring nothing) "
    "and gives no numbers of tries or times of it."
)


def tables(quick: bool) -> Iterator[tuple[str, Table, int]]:
    """Yield name, relation and neighbours; when quick two small ones."""
    yield "housetasks", datasets.load_housetasks(), 2
    yield "author", datasets.load_author(), 5
    for name in () if quick else synthetic.SETS:
        yield name, synthetic.load(name).table, 5


def searched(table: Table, neighbours: int, search: str) -> tuple[Any, ...]:
    """Return Γ, tries, singular value problems and seconds of one search."""
    start = time.perf_counter()
    model = CoEmbedding(neighbours=neighbours, search=search).fit(table)
    seconds = time.perf_counter() - start
    etas = {(trial.settings["eta_rows"], trial.settings["eta_columns"]) for trial in model.search_}
    return model.lost_pairs_, len(model.search_), len(etas), seconds, model.near_pairs_


def repeat(quick: bool) -> Result:
    """Search both ways on every table and count who wins."""
    rows, found = [], []
    for name, table, neighbours in tables(quick):
        both = [searched(table, neighbours, search) for search in ("staged", "genetic")]
        found.append(both)
        lost, tries, problems, seconds = zip(*(one[:4] for one in both), strict=True)
        cells = [" / ".join(f"{v:,}" for v in pair) for pair in (lost, tries, problems)]
        took = " / ".join(f"{value:.1f}" for value in seconds)
        rows.append([name, both[0][4], *cells, took])
    header = ["table", "near pairs", "Γ", "tries", "problems", "seconds"]
    setup = f"{SETUP} {verdict(found)}"
    return Result(None, "Staged search and genetic search", setup, THEIRS, header, rows)


def verdict(found: list[list[tuple[Any, ...]]]) -> str:
    """Say how often either is better, and what both cost together."""
    better = sum(p[0] < g[0] for p, g in found), sum(g[0] < p[0] for p, g in found)
    cost = [sum(g[at] for _, g in found) / sum(p[at] for p, _ in found) for at in (1, 2, 3)]
    return (
        f"Staged loses fewer pairs on {better[0]} of {len(found)} tables, genetic on {better[1]}; "
        f"over all, genetic takes {cost[0]:.1f} times the tries, {cost[1]:.1f} times the singular "
        f"value problems and {cost[2]:.1f} times the seconds."
    )


if __name__ == "__main__":
    run(__file__, repeat)
