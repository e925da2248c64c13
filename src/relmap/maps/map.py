"""`Map`: where things are. All that pictures, measures, files and commands ever see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from relmap._names import Name, Names, listed
from relmap._types import Floats, frozen
from relmap.errors import InputError, MapFileError, UnknownNameError
from relmap.maps import files, framing
from relmap.maps.align import procrustes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTES = ("evidence", "settings", "provenance")


class Neighbour(NamedTuple):
    """One of the things nearest to another."""

    name: Name
    kind: str
    distance: float


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """Points of one or more kinds of things in one space, where near means related.

    A map never changes: every method returns something new.

    Attributes
    ----------
    points : mapping from kind to array, n × q
    names : mapping from kind to Names
        What the points are called, in the order of `points`.
    masses : mapping from kind to array, n
        How much each point weighs: its share of all counts. Pictures draw heavier ones larger.
    unplaced : mapping from kind to tuple of names
        Things that the data say nothing about (empty rows or columns).
    status : str
        How the run that made the map ended ("converged", …).
    evidence : mapping
        How far the map may be trusted, as plain numbers and texts.
    model, settings, provenance
        What made the map, with which settings, from which data.
    """

    points: Mapping[str, Floats]
    names: Mapping[str, Names]
    masses: Mapping[str, Floats]
    unplaced: Mapping[str, tuple[Name, ...]] = field(default_factory=dict)
    status: str = "given"
    evidence: Mapping[str, Any] = field(default_factory=dict)
    model: str = "given"
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    library: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        clean: dict[str, Any] = {
            "points": {k: frozen(np.array(p, dtype=np.float64)) for k, p in self.points.items()},
            "names": {k: Names.of(n, k) for k, n in self.names.items()},
            "masses": {k: frozen(np.array(m, dtype=np.float64)) for k, m in self.masses.items()},
            "unplaced": {k: tuple(self.unplaced.get(k, ())) for k in self.points},
            **{name: files.plain(getattr(self, name)) for name in _NOTES},
        }
        for name, value in clean.items():
            object.__setattr__(self, name, MappingProxyType(value))
        self._check()

    def _check(self) -> None:
        if not self.points:
            raise InputError("a Map needs the points of at least one kind.")
        if not set(self.points) == set(self.names) == set(self.masses):
            raise InputError(
                "points, names and masses of a Map must be of the same kinds; got "
                f"{sorted(self.points)}, {sorted(self.names)} and {sorted(self.masses)}."
            )
        for kind, points in self.points.items():
            shape = (len(self.names[kind]), self.n_components)
            if points.shape != shape or self.masses[kind].shape != shape[:1]:
                raise InputError(
                    f"kind {kind!r} of a Map has {shape[0]} names, points of shape {points.shape} "
                    f"and masses of shape {self.masses[kind].shape}; they must agree."
                )
            if not (np.isfinite(points).all() and np.isfinite(self.masses[kind]).all()):
                raise InputError(f"points and masses of kind {kind!r} of a Map must be finite.")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of things on the map."""
        return tuple(self.points)

    @property
    def n_components(self) -> int:
        """The number of coordinates of each point."""
        first = next(iter(self.points.values()))
        return int(first.shape[1]) if first.ndim == 2 else 0

    def position(self, name: Any, kind: str | None = None) -> Floats:
        """Return the coordinates of a thing; `kind` is needed if several kinds have that name."""
        kind = self._kind_of(name, kind)
        return self.points[kind][self.names[kind].position(name)]

    def nearest(
        self,
        thing: Any,
        kind: str | None = None,
        k: int = 10,
        *,
        of: str | None = None,
    ) -> list[Neighbour]:
        """List the `k` things nearest to one, the nearest first.

        Parameters
        ----------
        thing : name, or coordinates (as `transform` returns for new things)
        kind : str, optional
            Which kind of neighbours to list; all kinds if not given.
        k : int
            How many.
        of : str, optional
            The kind of `thing` itself, where several kinds have that name.

        Examples
        --------
        >>> from relmap.datasets import load_smoke
        >>> from relmap import CODE
        >>> [n.name for n in CODE().fit(load_smoke()).map_.nearest("heavy", kind="staff", k=1)]
        ['junior employees']
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise InputError(f"k of Map.nearest must be a whole number of at least 1; got {k!r}.")
        own = None
        if isinstance(thing, (list, tuple, np.ndarray)):
            point = self._coordinates(thing)
        else:
            own = (self._kind_of(thing, of), thing)
            point = self.position(thing, own[0])
        found = [
            Neighbour(self.names[other][i], other, float(distance))
            for other in ([self._known(kind)] if kind is not None else self.kinds)
            for i, distance in self._closest(other, point, k + 1)
            if (other, self.names[other][i]) != own
        ]
        return sorted(found, key=lambda n: n.distance)[:k]

    def _coordinates(self, thing: Any) -> Floats:
        point = np.asarray(thing, dtype=np.float64)
        if point.shape == (1, self.n_components):  # what `transform` returns for one thing
            point = point[0]
        if point.shape != (self.n_components,) or not np.isfinite(point).all():
            raise InputError(
                f"coordinates on this map are {self.n_components} finite numbers; got {thing!r}."
            )
        return point

    def _closest(self, kind: str, point: Floats, k: int) -> list[tuple[int, float]]:
        distances = np.sqrt(((self.points[kind] - point) ** 2).sum(axis=1))
        order = np.argsort(distances, kind="stable")[:k]
        return [(int(i), float(distances[i])) for i in order]

    def _known(self, kind: str) -> str:
        if kind not in self.points:
            raise UnknownNameError(
                f"this map has no kind {kind!r}; it has {listed(map(repr, self.kinds))}."
            )
        return kind

    def _kind_of(self, name: Any, kind: str | None) -> str:
        if kind is not None:
            return self._known(kind)
        holders = [k for k in self.kinds if name in self.names[k]]
        if len(holders) == 1:
            return holders[0]
        if holders:
            raise InputError(
                f"{name!r} is the name of a {' and of a '.join(holders)}; say which one is meant "
                f"(position(…, kind={holders[0]!r}), nearest(…, of={holders[0]!r}))."
            )
        lost = [k for k, names in self.unplaced.items() if name in names]
        if lost:
            raise UnknownNameError(f"{lost[0]} {name!r} is not placed: it has no counts.")
        everything = {n: None for names in self.names.values() for n in names}
        Names(everything, "thing on the map").position(name)
        raise AssertionError  # the line above has raised

    def align(self, other: Map) -> Map:
        """Lay this map over another: shifted, turned and mirrored, never stretched.

        Things are matched by kind and name; `evidence["alignment"]` of the result says how many
        were and how far apart they still are (root mean square).
        """
        if not isinstance(other, Map):
            raise InputError(f"align takes a Map, such as model.map_; got {type(other).__name__}.")
        if self.n_components != other.n_components:
            raise InputError(
                f"maps in {self.n_components}-D and {other.n_components}-D cannot be laid over "
                "each other; make both with the same n_components."
            )
        common = {k: self.names[k].known(other.names.get(k, ())) for k in self.kinds}
        count = sum(map(len, common.values()))
        if not count:
            raise InputError(f"the two maps have nothing in common: {self!r} and {other!r}.")
        motion = procrustes(self._gathered(common), other._gathered(common))
        report = {"common": count, "root_mean_square": motion.distance}
        return replace(
            self,
            points={kind: motion(points) for kind, points in self.points.items()},
            evidence={**self.evidence, "alignment": report},
        )

    def _gathered(self, chosen: Mapping[str, list[Name]]) -> Floats:
        return np.concatenate(
            [self.points[k][self.names[k].find(names)] for k, names in chosen.items() if names]
        )

    def columns(self, kind: str | None = None) -> dict[str, list[Any]]:
        """Return kind, name, coordinates and mass of every point, as plain lists."""
        kinds = self.kinds if kind is None else (self._known(kind),)
        names = [name for k in kinds for name in self.names[k]]
        if not all(isinstance(name, int) for name in names):
            names = [str(name) for name in names]
        points = np.concatenate([self.points[k] for k in kinds])
        labels = framing.coordinate_names(self.n_components)
        return {
            "kind": [k for k in kinds for _ in self.names[k]],
            "name": names,
            **{label: points[:, i].tolist() for i, label in enumerate(labels)},
            "mass": np.concatenate([self.masses[k] for k in kinds]).tolist(),
        }

    def frame(self, kind: str | None = None, library: str | None = None) -> Any:
        """Return names, coordinates and masses as a data frame.

        It is of the library that the data came in, unless `library` ("pandas", "polars" or
        "pyarrow") says otherwise. Without `kind` all kinds follow each other.
        """
        return framing.frame(self.columns(kind), library or self.library)

    def save(self, path: str | Path) -> Path:
        """Write the map to one safe file (see `relmap.load`) and return its path."""
        if Path(path).suffix != ".relmap":
            raise InputError(
                f"the name of a map file ends in .relmap; got {str(path)!r}. For pictures there is "
                "Map.figure, for coordinates Map.frame."
            )
        files.write(Path(path), {f.name: getattr(self, f.name) for f in fields(self)})
        return Path(path)

    def figure(self, path_or_axes: Any = None, **options: Any) -> Figure:
        """Draw the map with matplotlib; see `relmap.views.figure` for the options."""
        drawn: Figure = import_module("relmap.views.figure").figure(self, path_or_axes, **options)
        return drawn  # imported by name and late: maps do not know views

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, f.name) for f in fields(self))
        return Map, tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Map):
            return NotImplemented
        arrays = all(
            set(mine) == set(yours) and all(np.array_equal(mine[k], yours[k]) for k in mine)
            for mine, yours in ((self.points, other.points), (self.masses, other.masses))
        )
        plain = ("names", "unplaced", "status", "evidence", "model", "settings", "provenance")
        return arrays and all(getattr(self, n) == getattr(other, n) for n in plain)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = listed(f"{kind} ({len(names):,})" for kind, names in self.names.items())
        lost = sum(map(len, self.unplaced.values()))
        note = f"; {lost:,} not placed" if lost else ""
        return f"Map of {sizes} in {self.n_components}-D by {self.model} ({self.status}{note})"


def load(path: str | Path) -> Map:
    """Read a map file. What is truncated, altered, newer or no map is refused with a reason."""
    try:
        return Map(**files.read(Path(path)))
    except (InputError, MapFileError) as error:
        reason = str(error)
    except RecursionError:
        reason = "its header is nested too deeply."
    raise MapFileError(f"{str(path)!r} cannot be read as a map: {reason}")
