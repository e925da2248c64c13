"""Co-occurrence: maps in which near means seen together more often than chance."""

from relmap.models.cooccurrence.code import CODE

__all__ = ["CODE"]
