"""Figure 9: CoEmbedding of dots, compound and ring with more and more neighbours."""

from papers.coembed import synthetic
from papers.coembed.methods import coembedding
from papers.coembed.neighbours import SHOWN, choices
from papers.common import pictures
from papers.common.report import Result, run

from relmap.measures import conformity, mean_rank

SETUP = (
    "CoEmbedding with so many neighbours: 10, 10 % and 50 % of each group, all but 10, all. Each "
    "cell is Γ, always counted with 5 neighbours, and the mean rank of the 10 closest columns."
)
THEIRS = (
    "few neighbours, up to 10 % of each group, give much the same maps. All but 10 mostly distort "
    "the shapes, and with all of them the map collapses: some classes shrink to points."
)


def repeat(quick: bool) -> Result:
    """Map the three sets with every choice; only dots when quick."""
    names = ["dots"] if quick else ["dots", "compound", "ring"]
    figure, axes = pictures.panels(len(names), 1 + len(SHOWN))
    cells = []
    for line, name in zip(axes, names, strict=True):
        plane = synthetic.load(name)
        pictures.show(line[0], f"{name}: original", plane.points, plane.classes)
        cells.append([name])
        for axis, choice in zip(line[1:], SHOWN, strict=True):
            points = coembedding(plane.table, 2, choices(*plane.sizes)[choice])
            pictures.show(axis, f"{name}: {choice}", points, plane.classes)
            lost, rank = conformity(plane.table, *points), mean_rank(plane.table, *points)
            cells[-1].append(f"{lost:,} / {rank:.0f}")
    pictures.legend(figure, {"group X": ("o", "0.3"), "group Y": ("+", "0.3")})
    title = "Figure 9: points with more neighbours"
    return Result(figure, title, SETUP, THEIRS, ["set", *SHOWN], cells)


if __name__ == "__main__":
    run(__file__, repeat)
