"""Names of things: what the user calls the rows, columns and points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias, overload

import numpy as np

from relmap.errors import InputError, UnknownNameError

Name: TypeAlias = str | int


def listed(words: Iterable[str]) -> str:
    """Return words as they are said: "doc, word and author"."""
    *most, last = words
    return " and ".join([", ".join(most), last] if most else [last])


def _clean(name: Any, position: int, what: str) -> Name:
    """Keep strings and integers, write anything else (dates, floats, tuples) as its text."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, (bool, np.bool_)):
        return int(name)
    if str(name) in {"None", "nan", "NaT", "<NA>"}:
        raise InputError(f"{what} number {position + 1} has no name (it is {name!r}).")
    return str(name)


class Names(Sequence[Name]):
    """An immutable list of distinct names that knows where each one is.

    Strings and integers are kept as they are (so 7 and "7" are two names); anything else is
    written as text.
    """

    __slots__ = ("_items", "_positions", "what")

    def __init__(self, names: Iterable[Any], what: str = "row") -> None:
        self.what = what
        self._items: tuple[Name, ...] = tuple(_clean(n, i, what) for i, n in enumerate(names))
        self._positions: dict[Name, int] = {n: i for i, n in enumerate(self._items)}
        if len(self._positions) < len(self._items):
            raise InputError(self._repetition())

    def _repetition(self) -> str:
        first = next(n for i, n in enumerate(self._items) if self._positions[n] != i)
        count = len(self._items) - len(self._positions)
        return (
            f"{self.what} names must be distinct, but {first!r} occurs more than once "
            f"({count} repetition{'s' * (count > 1)} in all). Rename them, or pass the events "
            "themselves to Table.from_events, which adds up what repeats."
        )

    @classmethod
    def numbered(cls, count: int, what: str = "row") -> Names:
        """Return the names 0, 1, 2, … for things that were given none."""
        return cls(range(count), what)

    @classmethod
    def collected(
        cls, items: Iterable[Any], what: str
    ) -> tuple[Names, np.ndarray[Any, np.dtype[np.intp]]]:
        """Return the different names among some, in order of appearance, and which each one is."""
        clean = [_clean(item, i, what) for i, item in enumerate(items)]
        names = cls(dict.fromkeys(clean), what)
        return names, names.find(clean)

    @classmethod
    def of(cls, names: Iterable[Any], what: str) -> Names:
        """Return `names` themselves if they are such a list already."""
        if isinstance(names, Names) and names.what == what:
            return names
        return cls(names, what)

    def known(self, names: Iterable[Name]) -> list[Name]:
        """Return those of `names` that are in this list, in the order of this list."""
        return sorted((n for n in names if n in self._positions), key=self._positions.__getitem__)

    def position(self, name: Any) -> int:
        """Return where `name` stands; an unknown one raises with the closest names there are."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise UnknownNameError(f"no {self.what} is called {name!r}{self._hint(name)}") from None

    def _hint(self, name: Any) -> str:
        text = str(name)
        for other in (text, int(text) if text.isdecimal() and len(text) < 19 else name):
            if other != name and other in self:
                return f"; the {'text' if isinstance(other, str) else 'number'} {other!r} is there."
        texts = {str(n).casefold(): n for n in self._items}
        close = difflib.get_close_matches(str(name).casefold(), texts, n=3)
        if close:
            return "; did you mean " + " or ".join(repr(texts[c]) for c in close) + "?"
        return f" ({len(self):,} names are known)."

    def find(self, names: Iterable[Any]) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Return the positions of several names."""
        return np.fromiter((self.position(n) for n in names), dtype=np.intp)

    def take(self, positions: Iterable[Any]) -> Names:
        """Return the names at some positions, in that order."""
        return Names((self._items[int(i)] for i in positions), self.what)

    @property
    def all_text(self) -> bool:
        """Whether every name is a string."""
        return all(isinstance(n, str) for n in self._items)

    @overload
    def __getitem__(self, index: int) -> Name: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Name, ...]: ...
    def __getitem__(self, index: int | slice) -> Name | tuple[Name, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Name]:
        return iter(self._items)

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._positions
        except TypeError:
            return False

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Names):
            return self._items == other._items
        if isinstance(other, (list, tuple)):
            return self._items == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        shown = ", ".join(repr(n) for n in self._items[:4])
        return f"Names([{shown}{', …' if len(self) > 4 else ''}], {len(self)} {self.what} names)"
