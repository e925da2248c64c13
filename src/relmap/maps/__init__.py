"""What comes out: maps, how one is laid over another, and their files."""

from relmap.maps.map import Map, Neighbour, load

__all__ = ["Map", "Neighbour", "load"]
