"""Figure 9: authorship on maps of papers, authors and words, by how much each table weighs."""

from __future__ import annotations

from typing import Any

import numpy as np
from papers.code import nips
from papers.code.figure05 import percent, surroundings
from papers.code.newsgroups import shares
from papers.common import pictures
from papers.common.report import Result, run
from scipy import sparse
from scipy.optimize import minimize

from relmap import CODE, Relations, Table, sweep
from relmap.measures import authorship
from relmap.models.cooccurrence.likelihood import Likelihood

SETUP = (
    "The tables of [figure 8](figure08.md) on one map, papers × words weighing α / (words · "
    "papers) and authors × words (1 − α) / (words · authors). *Authorship* is that of the {texts} "
    "papers that have any of the {authors} authors: how many of a paper's authors are among those "
    "nearest to it. *Up* and *down* are sweeps, each map beginning at the last, with α growing and "
    "falling; *fresh* are maps that begin at correspondence analysis. *Plain* is what {steps} "
    "steps of conjugate gradients in the coordinates reach from a random start, without the exact "
    "last step of CODE. Lines are the authorship of two maps of one table, with the third kind "
    "placed afterwards, and that of a map with its papers shuffled. On the right and in the last "
    "columns, of the maps *down*: how many of the ten nearest papers are of the same section, in "
    "all and of control and reinforcement learning (CN). The axis of α is logistic."
)
THEIRS = (
    "the measure is roughly constant for a very large range of α, and degrades quickly only close "
    "to 0 and 1; maps look alike for a wide range. Its caption has 1 − α divided by authors · "
    "documents, its text authors × words weigh 1 / (words · authors), as any table its own size. "
    "The latter is taken here: the former would mean the same maps, the one at 0.5 standing at "
    "{printed:.2f}."
)
ALPHAS = (
    0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5,
    0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 0.997, 0.999, 0.9999,
)  # fmt: skip
TICKS = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
TOLERANCE = 1e-8  # with 1e-6 a sweep hardly moves: each map begins near its end
STEPS = 100


def repeat(quick: bool) -> Result:
    """Sweep the weights up and down; few of them, and few words, when quick."""
    words, alphas = (300, ALPHAS[3::3]) if quick else (nips.WORDS, ALPHAS)
    (papers, topics), authors = nips.papers(words), nips.authors(words=words)
    relations, wrote = Relations([papers, authors]), nips.written(papers, authors)
    model = CODE(weighting="rows", tol=1e-4 if quick else TOLERANCE)
    down = sweep(model, relations, alphas[::-1])[::-1]
    maps = {
        "up": sweep(model, relations, alphas),
        "down": down,
        "fresh": [sweep(model, relations, [alpha])[0] for alpha in alphas],
    }
    found = {name: [authorship(wrote, m.map_) for m in own] for name, own in maps.items()}
    found["plain"] = [authorship(wrote, *plain(relations, alpha)) for alpha in alphas]
    pure = {"all sections": [], "CN": []}
    for m in down:
        labels, own = surroundings(m.map_.points["paper"], topics)
        pure["all sections"].append(own.mean())
        pure["CN"].append(own[labels == "CN"].mean())
    lines = [
        [f"α = {alpha:g}", *(f"{v:.3f}" for v in four), *map(percent, two)]
        for alpha, four, two in zip(
            alphas,
            zip(*found.values(), strict=True),
            zip(*pure.values(), strict=True),
            strict=True,
        )
    ]
    limits = separate(model, papers, authors, wrote)
    lines += [[name, f"{value:.3f}", *[""] * 5] for name, value in limits.items()]
    figure = drawn(alphas, {name: found[name] for name in ("up", "down", "plain")}, limits, pure)
    setup = SETUP.format(
        texts=f"{(wrote.counts.sum(axis=1) > 0).sum():,}", authors=len(authors.rows), steps=STEPS
    )
    odds = len(papers.rows) / len(papers.columns)
    theirs = THEIRS.format(printed=odds / (1 + odds))
    title = "Figure 9: authorship by the weights of the tables"
    return Result(figure, title, setup, theirs, ["", *found, *pure], lines)


def plain(relations: Relations, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return papers and authors after some steps of conjugate gradients from a random start."""
    papers, authors = relations.tables
    likelihoods = [
        Likelihood(sparse.csr_array(shares(table).counts / len(table.rows)), "CM")
        for table in (papers, authors)
    ]
    weights = np.array([alpha / len(papers.rows), (1 - alpha) / len(authors.rows)])
    weights /= weights.sum()
    sizes = [len(papers.rows), len(authors.rows), len(papers.columns)]
    ends = np.cumsum(sizes)[:2]

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        *rows, columns = np.split(x.reshape(-1, 2), ends)
        at = [one.at(own, columns) for one, own in zip(likelihoods, rows, strict=True)]
        slopes = [w * one.rows for w, one in zip(weights, at, strict=True)]
        slopes.append(sum(w * one.columns for w, one in zip(weights, at, strict=True)))
        value = sum(w * one.loss for w, one in zip(weights, at, strict=True))
        return value, np.concatenate(slopes).ravel()

    start = np.random.default_rng(0).normal(0, 0.1, 2 * sum(sizes))
    options = {"maxiter": STEPS, "gtol": 0}
    end = minimize(loss, start, jac=True, method="CG", options=options).x
    return tuple(np.split(end.reshape(-1, 2), ends)[:2])


def separate(model: CODE, papers: Table, authors: Table, wrote: Table) -> dict[str, float]:
    """Return the authorship of maps of one table with the third kind placed, and by chance."""
    of_papers = model.fit(papers)
    places = of_papers.embedding_, of_papers.transform(authors)
    first = authorship(wrote, *places)
    generator = np.random.default_rng(0)
    shuffled = [authorship(wrote, generator.permutation(places[0]), places[1]) for _ in range(10)]
    of_authors = model.fit(authors)
    second = authorship(wrote, of_authors.transform(papers), of_authors.embedding_)
    return {"authors placed": first, "papers placed": second, "by chance": np.mean(shuffled)}


def drawn(alphas: Any, found: Any, limits: Any, pure: Any) -> Any:
    """Draw authorship on the left, sections on the right."""
    figure, (axes,) = pictures.charts(1, 2)
    pictures.curves(axes[0], "authorship", alphas, found)
    for name, value in limits.items():
        axes[0].axhline(value, color="0.5", linewidth=0.8, zorder=1)
        above = name != "authors placed"
        axes[0].annotate(
            name,
            (0.83, value),
            (0, 2 if above else -3),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="bottom" if above else "top",
            fontsize=7,
            color="0.35",
        )
    axes[0].set_ylim(0.5, 0.9)
    pictures.curves(axes[1], "papers of the same section near a paper", alphas, pure)
    axes[1].set_ylim(0, 0.6)
    for axis in axes:
        axis.set(xlabel="α, the weight of papers × words", xscale="logit")
        axis.set_xticks(TICKS, [f"{tick:g}".lstrip("0") for tick in TICKS], fontsize=7)
        axis.minorticks_off()
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3)
    return figure


if __name__ == "__main__":
    run(__file__, repeat)
