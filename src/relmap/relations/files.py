"""Finding the files of a table, and reading text line by line with errors that say where."""

from __future__ import annotations

import difflib
import glob
import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from relmap.errors import InputError

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".mtx": "mtx",
    ".npz": "npz",
}
_PACKED = {"csv", "tsv", "json", "mtx"}
_READABLE = (
    ".csv, .tsv, .jsonl, .ndjson, .json or .mtx (each also packed as .gz), .parquet and .npz"
)


class Files(NamedTuple):
    """Files of one format that make one table, and what to call them all."""

    paths: list[Path]
    format: str
    label: str

    @property
    def single(self) -> Path:
        """The only file, where one is needed."""
        if len(self.paths) > 1:
            raise InputError(
                f"a table with named columns of counts must be one file; {self.label} are "
                f"{len(self.paths)}. If their lines are events, say rows= and columns= (--rows, "
                "--columns)."
            )
        return self.paths[0]


class Whole(NamedTuple):
    """What a file that is the table itself holds."""

    counts: Any
    rows: list[Any] | None = None
    columns: list[Any] | None = None
    corner: str = ""
    """The header's first cell: what the rows are, if it says so."""


def find_files(path: Any) -> Files:
    """Find the files of a path, a pattern such as "logs/*.csv", or a list of paths."""
    if isinstance(path, (str, os.PathLike)):
        paths = _matching(os.fspath(path))
        label = Path(path).name
    elif isinstance(path, Iterable) and not isinstance(path, bytes):
        given = [_as_text(one) for one in path]
        paths = [found for one in given for found in _matching(one)]
        label = ", ".join(Path(one).name for one in given[:3]) + ", …" * (len(given) > 3)
    else:
        raise InputError(f"path must be a file name or a list of them; got {path!r}.")
    if not paths:
        raise InputError("path is an empty list; name at least one file.")
    if len(set(paths)) < len(paths):
        raise InputError(f"{label}: a file is named twice, so its events would count twice.")
    formats = {_format(one): one.name for one in paths}
    if len(formats) > 1:
        raise InputError(
            f"files of one table must have one format; got {' and '.join(formats.values())}."
        )
    return Files(paths, next(iter(formats)), label)


def _as_text(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"path must be a list of file names; one of them is {path!r}.")
    return str(os.fspath(path))


def _matching(pattern: str | bytes) -> list[Path]:
    """Return the files of a path or pattern, sorted; there is at least one."""
    if not isinstance(pattern, str) or not pattern or "\0" in pattern:
        raise InputError(f"path must be a file name; got {pattern!r}.")
    path = Path(pattern)
    if path.is_file():
        return [path]
    if path.is_dir():
        raise InputError(
            f"{pattern} is a directory; name a file in it, or a pattern such as "
            f"{str(path / '*.csv')!r}."
        )
    if "://" in pattern:
        raise InputError(f"{pattern} is an address, not a file; download it first.")
    if not glob.has_magic(pattern):
        raise InputError(f"there is no file {pattern!r}{_nearby(path)}")
    matching = glob.iglob(pattern, recursive=True)  # noqa: PTH207 (Path.glob wants a folder first)
    found = sorted(one for one in map(Path, matching) if one.is_file())
    if not found:
        raise InputError(f"no file matches {pattern!r} (looked in {Path.cwd()}).")
    return found


def _nearby(path: Path) -> str:
    """Suggest what a wrong path may have meant."""
    folder = path.parent
    if not folder.is_dir():
        return f": there is no folder {str(folder)!r}."
    others = sorted(one.name for one in folder.iterdir() if one.is_file())
    close = difflib.get_close_matches(path.name, others, n=3, cutoff=0.5)
    if close:
        return " in that folder; did you mean " + " or ".join(map(repr, close)) + "?"
    return f" (looked in {folder.resolve()})."


def _format(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    ending = (suffixes[:-1] if packed else suffixes)[-1:]
    found = _FORMATS.get(ending[0]) if ending else None
    if found is None or (packed and found not in _PACKED):
        shown = "".join(suffixes[-2:] if packed else suffixes[-1:]) or "no ending"
        raise InputError(
            f"{path.name} cannot be read ({shown}): relmap reads {_READABLE}. "
            "Save a spreadsheet as CSV."
        )
    return found


def is_packed(path: Path) -> bool:
    """Tell whether a file is gzipped, by its ending."""
    return path.suffix.lower() == ".gz"


def text_lines(path: Path) -> Iterator[str]:
    """Read a UTF-8 text file line by line, with the line ends."""
    with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
        try:
            for number, line in enumerate(stream, 1):
                yield _decoded(line, number, path)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{path.name} is not a whole gzip file: {error}.") from None


def _decoded(line: bytes, number: int, path: Path) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"line {number} of {path.name} is not UTF-8 text (byte 0x{line[error.start]:02x} at "
            f"place {error.start + 1}). Save the file as UTF-8."
        ) from None
