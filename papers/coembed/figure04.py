"""Figure 4: co-embeddings of compound and ring by the five methods."""

from papers.coembed.planes import compare
from papers.common.report import Result, run

THEIRS = (
    "on both sets CODE, ACAS and CA do not keep the co-clusters, while the proposed method keeps "
    "the shapes and what lies beside what. MKPE does badly here too."
)


def repeat(quick: bool) -> Result:
    """Compare the two sets; one when quick."""
    return compare(["compound"] if quick else ["compound", "ring"], 4, THEIRS)


if __name__ == "__main__":
    run(__file__, repeat)
