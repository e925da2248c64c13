"""The errors relmap raises. Every message says what was seen and what to do about it."""

from __future__ import annotations

__all__ = [
    "ConvergenceWarning",
    "InputError",
    "MapFileError",
    "MissingExtraError",
    "NeighboursWarning",
    "PiecesWarning",
    "RankWarning",
    "RelmapError",
    "RelmapWarning",
    "UnknownNameError",
]


class RelmapError(Exception):
    """Anything that relmap refuses to do; the parent of all errors below."""


class InputError(RelmapError, ValueError):
    """Data or a setting that cannot be used as it is."""


class UnknownNameError(RelmapError, LookupError):
    """A name that is on no map or in no table; the message suggests close ones."""


class MapFileError(RelmapError, ValueError):
    """A file that is not a map this version of relmap can read."""


class MissingExtraError(RelmapError, ImportError):
    """A feature that needs a library which is not installed."""


class RelmapWarning(UserWarning):
    """Something was done that the user should know of."""


class ConvergenceWarning(RelmapWarning):
    """A run ended before it converged; the best answer found was returned."""


class RankWarning(RelmapWarning):
    """The data have fewer axes than were asked for; the map has those there are."""


class PiecesWarning(RelmapWarning):
    """The data fall into pieces that nothing connects; how these lie to each other says nothing."""


class NeighboursWarning(RelmapWarning):
    """All rows and columns are near each other, so that no map keeps more of that than another."""
