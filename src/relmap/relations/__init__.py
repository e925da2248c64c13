"""What the user has: tables of counts, alone or sharing kinds, and how they are read."""

from relmap.relations.read import read_table
from relmap.relations.relations import Relations
from relmap.relations.table import Table
from relmap.relations.triples import Triples

__all__ = ["Relations", "Table", "Triples", "read_table"]
