"""Map files: one safetensors file with a JSON header. Nothing in it can run.

Layout of format 1 (all numbers little-endian, everything readable without Python):

- metadata key "relmap": JSON object with the keys of `_HEADER` below;
- metadata key "sha256": of that JSON text followed by the data section, in hexadecimal;
- for the i-th kind of "kinds": tensors "points/i" (F64, n × q), "masses/i" (F64, n),
  "names/i" and "unplaced/i" (U8: a JSON list of strings and integers in UTF-8).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from relmap._names import Name
from relmap.errors import InputError, MapFileError

FORMAT = 1
_HEADER = {
    "format": int,
    "kinds": list,
    "model": str,
    "settings": dict,
    "status": str,
    "evidence": dict,
    "provenance": dict,
}
_LARGEST_HEADER = 64 * 2**20
_Tensors = dict[str, npt.NDArray[Any]]


def write(path: Path, fields: Mapping[str, Any]) -> None:
    """Write the fields of a map; the file appears whole or not at all."""
    kinds = list(fields["points"])
    header = {key: plain(fields[key]) for key in _HEADER if key in fields}
    header |= {"format": FORMAT, "kinds": kinds}
    tensors: _Tensors = {}
    for i, kind in enumerate(kinds):
        tensors[f"points/{i}"] = np.ascontiguousarray(fields["points"][kind])
        tensors[f"masses/{i}"] = np.ascontiguousarray(fields["masses"][kind])
        tensors[f"names/{i}"] = _packed(list(fields["names"][kind]))
        tensors[f"unplaced/{i}"] = _packed(list(fields["unplaced"][kind]))
    replace_file(path, _encoded(tensors, json.dumps(header, allow_nan=False)))


def _encoded(tensors: _Tensors, text: str) -> bytes:
    """Return the bytes of a file.

    The safetensors library reads them but does not write them: it keeps metadata in no fixed
    order, and the same map shall give the same bytes.
    """
    types = {"float64": "F64", "uint8": "U8"}
    outer: dict[str, Any] = {}
    data = b""
    for name, tensor in tensors.items():
        content = tensor.astype(tensor.dtype.newbyteorder("<")).tobytes()
        outer[name] = {
            "dtype": types[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content
    metadata = {"relmap": text, "sha256": _digest(text, data)}
    head = json.dumps({"__metadata__": metadata, **outer}).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + data


def _digest(text: str, data: bytes) -> str:
    """Return the checksum of a header and of the data section."""
    return hashlib.sha256(text.encode() + data).hexdigest()


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: finite numbers, texts, lists, objects, null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return repr(value)


def replace_file(path: Path, content: bytes) -> None:
    """Write `content` beside `path` and move it there in one step."""
    if not path.parent.is_dir():
        raise InputError(f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}.")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read(path: Path) -> dict[str, Any]:
    """Return the fields of a map, checked as far as they can be without the map."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:  # the second for a path that cannot be one
        reason = getattr(error, "strerror", None) or str(error)
        raise MapFileError(f"{reason.lower()}.") from None
    header = _header(content)
    tensors = _tensors(content, header)
    points, masses, names, unplaced = (
        {kind: tensors[f"{part}/{i}"] for i, kind in enumerate(header["kinds"])}
        for part in ("points", "masses", "names", "unplaced")
    )
    return {
        **{key: header[key] for key in _HEADER if key not in {"format", "kinds"}},
        "points": points,
        "masses": masses,
        "names": {kind: _unpacked(packed) for kind, packed in names.items()},
        "unplaced": {kind: tuple(_unpacked(packed)) for kind, packed in unplaced.items()},
    }


def _header(content: bytes) -> dict[str, Any]:
    """Read and check the JSON header before anything else is trusted."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > min(len(content) - 8, _LARGEST_HEADER):
        raise MapFileError("it is truncated, or no relmap file at all.")
    outer = _json(content[8 : 8 + size])
    metadata = outer.get("__metadata__") if isinstance(outer, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("relmap"), str):
        raise MapFileError("it has no relmap header; it was written by another program.")
    header = _json(metadata["relmap"])
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise MapFileError("its relmap header has no format version.")
    if header["format"] > FORMAT:
        raise MapFileError(
            f"it is of format {header['format']}, this relmap reads up to {FORMAT}: update relmap."
        )
    wrong = [k for k, t in _HEADER.items() if type(header.get(k)) is not t]
    extra = sorted((set(header) - set(_HEADER)) | (set(metadata) - {"relmap", "sha256"}))
    if wrong or extra or header["format"] < 1:
        raise MapFileError(f"its header is not of format 1 (wrong: {wrong}, unknown: {extra}).")
    if metadata.get("sha256") != _digest(metadata["relmap"], content[8 + size :]):
        raise MapFileError("its checksum is wrong: it was damaged or altered.")
    kinds = header["kinds"]
    if not all(isinstance(k, str) for k in kinds) or len(set(kinds)) < len(kinds):
        raise MapFileError("its kinds are not a list of distinct names.")
    return header


def _tensors(content: bytes, header: dict[str, Any]) -> _Tensors:
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    try:
        tensors: _Tensors = from_bytes(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise MapFileError(f"its data do not fit its header ({error}).") from None
    dtypes = {"points": np.float64, "masses": np.float64, "names": np.uint8, "unplaced": np.uint8}
    expected = {f"{part}/{i}": d for part, d in dtypes.items() for i in range(len(header["kinds"]))}
    if set(tensors) != set(expected):
        odd = sorted(set(tensors) ^ set(expected))
        raise MapFileError(f"its data have missing or unknown parts: {', '.join(odd[:5])}.")
    for name, tensor in tensors.items():
        if tensor.dtype != expected[name]:
            raise MapFileError(f"its part {name} is of type {tensor.dtype}.")
    return tensors


def _json(content: bytes | str) -> Any:
    try:
        text = content if isinstance(content, str) else content.decode()
        return json.loads(text, object_pairs_hook=_distinct)
    except MapFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise MapFileError(f"its JSON is damaged ({type(error).__name__}: {error}).") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise MapFileError("its JSON has repeated keys.")
    return found


def _packed(names: list[Name]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)


def _unpacked(packed: npt.NDArray[np.uint8]) -> list[Name]:
    names = _json(packed.tobytes())
    if not isinstance(names, list) or not all(type(n) in {str, int} for n in names):
        raise MapFileError("its names are not a list of texts and integers.")
    return names
