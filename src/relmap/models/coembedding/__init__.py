"""Maps by leading axes: correspondence analysis and its relatives."""

from relmap.models.coembedding.acas import ACAS
from relmap.models.coembedding.bipartite import BipartiteSpectral
from relmap.models.coembedding.coembedding import CoEmbedding
from relmap.models.coembedding.correspondence import CorrespondenceAnalysis
from relmap.models.coembedding.lsi import LatentSemanticIndexing
from relmap.models.coembedding.mkpe import MKPE

__all__ = [
    "ACAS",
    "MKPE",
    "BipartiteSpectral",
    "CoEmbedding",
    "CorrespondenceAnalysis",
    "LatentSemanticIndexing",
]
