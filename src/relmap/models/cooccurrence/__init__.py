"""Co-occurrence: maps in which near means seen together more often than chance."""

from relmap.models.cooccurrence.code import CODE
from relmap.models.cooccurrence.weighing import sweep

__all__ = ["CODE", "sweep"]
