"""Figure 2: co-embeddings of dots, circles and R15 by the five methods."""

from papers.coembed.planes import compare
from papers.common.report import Result, run

THEIRS = (
    "the co-embedding of the proposed method looks most like the original; the other methods keep "
    "the main layout, but often not how near clusters are to each other. MKPE does badly, as it "
    "is given no similarities within the groups."
)


def repeat(quick: bool) -> Result:
    """Compare the three sets; one when quick."""
    return compare(["dots"] if quick else ["dots", "circles", "R15"], 2, THEIRS)


if __name__ == "__main__":
    run(__file__, repeat)
