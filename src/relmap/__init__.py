"""relmap turns relations into maps: near on the map means related.

>>> import relmap
>>> relmap.Map  # doctest: +ELLIPSIS
<class 'relmap.maps.map.Map'>
"""

from importlib import import_module
from typing import TYPE_CHECKING

from relmap._version import __version__

if TYPE_CHECKING:
    from relmap import datasets, errors, measures
    from relmap.maps import Map, load
    from relmap.models.apart import apart
    from relmap.models.coembedding import (
        ACAS,
        MKPE,
        BipartiteSpectral,
        CoEmbedding,
        CorrespondenceAnalysis,
        LatentSemanticIndexing,
    )
    from relmap.models.cooccurrence import CODE, sweep
    from relmap.models.heldout import held_out
    from relmap.relations import Relations, Table, Triples, read_table

__all__ = [
    "ACAS",
    "CODE",
    "MKPE",
    "BipartiteSpectral",
    "CoEmbedding",
    "CorrespondenceAnalysis",
    "LatentSemanticIndexing",
    "Map",
    "Relations",
    "Table",
    "Triples",
    "__version__",
    "apart",
    "datasets",
    "errors",
    "held_out",
    "load",
    "measures",
    "read_table",
    "sweep",
]

_HOMES = {
    "ACAS": "relmap.models.coembedding",
    "BipartiteSpectral": "relmap.models.coembedding",
    "CODE": "relmap.models.cooccurrence",
    "CoEmbedding": "relmap.models.coembedding",
    "CorrespondenceAnalysis": "relmap.models.coembedding",
    "LatentSemanticIndexing": "relmap.models.coembedding",
    "MKPE": "relmap.models.coembedding",
    "Map": "relmap.maps",
    "Relations": "relmap.relations",
    "Table": "relmap.relations",
    "Triples": "relmap.relations",
    "apart": "relmap.models.apart",
    "held_out": "relmap.models.heldout",
    "load": "relmap.maps",
    "read_table": "relmap.relations",
    "sweep": "relmap.models.cooccurrence",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import relmap` costs nothing."""
    if name in {"datasets", "errors", "measures"}:
        return import_module(f"relmap.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'relmap' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
