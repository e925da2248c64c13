"""A map file comes back as it was, or is refused with a sentence; nothing else may happen."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relmap import load
from relmap.errors import InputError, MapFileError
from relmap.maps import Map
from relmap.maps.files import FORMAT

GOLDEN = Path(__file__).parents[1] / "data" / "golden_format1.relmap"
ODD = ["ünï códe 日本 🗺", "=1+1", "007", 7, -3, 10**30, "a\nb\t", "", " ", "\ud800", "7", '"\\']


def golden():
    """What tests/data/golden_format1.relmap holds, written down again."""
    return Map(
        points={"word": [[0.5, -1.25], [1e-300, 3.0]], "paper": [[0.1, 0.2], [1 / 3, -1e300]]},
        names={"word": ["ünï\n", 7], "paper": ["=1+1", "7"]},
        masses={"word": [0.25, 0.75], "paper": [1, 0]},
        unplaced={"word": ["007", -3]},
        status="converged",
        evidence={"log_likelihood": -2.5, "starts": 3, "held": None, "deep": {"list": [1, "a"]}},
        model="CODE",
        settings={"variant": "CM", "tol": 1e-8, "penalty": 0.0},
        provenance={"relmap": "0", "source": None},
    )


def small(**rest):
    return Map(points={"a": [[1.0, 2]]}, names={"a": ["x"]}, masses={"a": [1]}, **rest)


# There and back ------------------------------------------------------------------------------


def test_odd_names_come_back(tmp_path):
    n = len(ODD)
    m = Map(
        points={"k\ud800\n": np.arange(3.0 * n).reshape(n, 3)}, names={"k\ud800\n": ODD},
        masses={"k\ud800\n": np.ones(n)}, unplaced={"k\ud800\n": ODD[::-1]},
    )  # fmt: skip
    again = load(m.save(tmp_path / "ödd names.relmap"))
    assert again == m
    assert [type(a) for a in again.names["k\ud800\n"]] == [type(a) for a in ODD]


plain_names = st.lists(st.one_of(st.text(), st.integers()), unique=True, max_size=5)
numbers = st.floats(allow_nan=False, allow_infinity=False)
notes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_map_comes_back_bit_for_bit(tmp_path, data):
    q = data.draw(st.integers(1, 4))
    kinds = data.draw(st.lists(st.text(), unique=True, min_size=1, max_size=3))
    names = {kind: data.draw(plain_names) for kind in kinds}

    def array(*shape):
        size = int(np.prod(shape))
        values = data.draw(st.lists(numbers, min_size=size, max_size=size))
        return np.array(values).reshape(shape)

    m = Map(
        points={kind: array(len(names[kind]), q) for kind in kinds},
        names=names,
        masses={kind: array(len(names[kind])) for kind in kinds},
        unplaced={kinds[0]: data.draw(plain_names)},
        evidence=data.draw(st.dictionaries(st.text(), notes, max_size=3)),
        status=data.draw(st.text()),
    )
    path = m.save(tmp_path / "any.relmap")
    again = load(path)
    assert again == m
    first = path.read_bytes()
    assert again.save(path).read_bytes() == first


def test_the_golden_file_is_read_and_written_as_ever(tmp_path):
    """Format 1 for good: if this fails, a format has changed that people have files of."""
    found = load(GOLDEN)
    assert found == golden()
    assert found.save(tmp_path / "again.relmap").read_bytes() == GOLDEN.read_bytes()
    assert golden().save(tmp_path / "anew.relmap").read_bytes() == GOLDEN.read_bytes()


def test_saving_replaces_a_file_whole_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "a.relmap"
    path.write_text("something else")
    assert small().save(str(path)) == path
    assert load(str(path)) == small()
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match=r"cannot write .* there is no folder"):
        small().save(tmp_path / "nowhere" / "a.relmap")


# What is refused -----------------------------------------------------------------------------


def pack(header, tensors=None, relmap=None, metadata=None):
    """Write a file of the format by hand, with anything in it."""
    if tensors is None:
        tensors = parts()
    data, entries = b"", {}
    for name, (dtype, shape, content) in tensors.items():
        entries[name] = {
            "dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)],
        }  # fmt: skip
        data += content
    text = relmap if relmap is not None else json.dumps(header)
    digest = hashlib.sha256(text.encode("utf-8", "replace") + data).hexdigest()
    outer = {"__metadata__": {"relmap": text, "sha256": digest} | (metadata or {})} | entries
    return framed(json.dumps(outer).encode(), data)


def framed(outer, data=b""):
    outer += b" " * (-len(outer) % 8)
    return len(outer).to_bytes(8, "little") + outer + data


def header(**change):
    right = {
        "format": FORMAT, "kinds": ["a"], "model": "given", "settings": {}, "status": "given",
        "evidence": {}, "provenance": {},
    }  # fmt: skip
    return {k: v for k, v in (right | change).items() if v is not ...}


def parts(**change):
    def f64(*values):
        return np.array(values, dtype="<f8").tobytes()

    right = {
        "points/0": ("F64", [1, 2], f64(1, 2)),
        "masses/0": ("F64", [1], f64(1)),
        "names/0": ("U8", [5], b'["x"]'),
        "unplaced/0": ("U8", [2], b"[]"),
    }
    change = {name.replace("_", "/"): value for name, value in change.items()}
    return {k: v for k, v in (right | change).items() if v is not ...}


def names(text):
    return ("U8", [len(text)], text)


def test_what_is_packed_by_hand_is_a_map(tmp_path):
    (tmp_path / "hand").write_bytes(pack(header()))
    assert load(tmp_path / "hand") == small()


nan = np.array([np.nan, 0]).tobytes()
DEEP = 5000
HOSTILE = {
    "empty file": b"",
    "short": b"\x01\x02",
    "text": b"kind,name,x,y\n" * 20,
    "zeros": bytes(64),
    "no json": framed(b"{]"),
    "a list": framed(b"[]"),
    "no utf-8": framed(b'{"\xff": 1}'),
    "no metadata": framed(b"{}"),
    "other metadata": framed(b'{"__metadata__": {"format": "pt"}}'),
    "metadata no object": framed(b'{"__metadata__": 3}'),
    "relmap no text": framed(b'{"__metadata__": {"relmap": {}}}'),
    "relmap a surrogate": framed(b'{"__metadata__": {"relmap": "\\ud800"}}'),
    "header absurd": (2**60).to_bytes(8, "little") + b"{}" * 50,
    "header all ones": b"\xff" * 80,
    "no format": pack(header(format=...)),
    "format a text": pack(header(format="1")),
    "format true": pack(header(format=True)),
    "format 0": pack(header(format=0)),
    "format newer": pack(header(format=FORMAT + 1)),
    "format huge": pack(None, relmap='{"format": ' + "9" * 6000 + "}"),
    "header no object": pack([1]),
    "kinds no list": pack(header(kinds="a")),
    "kinds no texts": pack(header(kinds=[1])),
    "kinds twice": pack(header(kinds=["a", "a"])),
    "kinds none": pack(header(kinds=[]), {}),
    "kinds more": pack(header(kinds=["a", "b"])),
    "status missing": pack(header(status=...)),
    "status a number": pack(header(status=3)),
    "unknown key": pack(header(secret=1)),
    "unknown metadata": pack(header(), metadata={"other": "1"}),
    "repeated key": pack(None, relmap=json.dumps(header())[:-1] + ', "status": "x"}'),
    "repeated outer": framed(b'{"__metadata__": {"relmap": "{}", "relmap": "{}"}}'),
    "deep header": pack(None, relmap='{"evidence": ' + "[" * DEEP + "]" * DEEP + "}"),
    "deep evidence": pack(None, relmap=json.dumps(header(evidence={"a": 0})).replace(
        "0}", "[" * 900 + "]" * 900 + "}")),
    "deep outer": framed(b'{"a":' * DEEP + b"1" + b"}" * DEEP),
    "extra tensor": pack(header(), parts(other=names(b"[]"))),
    "no points": pack(header(), parts(points_0=...)),
    "no names": pack(header(), parts(names_0=...)),
    "no unplaced": pack(header(), parts(unplaced_0=...)),
    "points single": pack(header(), parts(points_0=("F32", [1, 2], bytes(8)))),
    "points integers": pack(header(), parts(points_0=("I64", [1, 2], bytes(16)))),
    "points bfloat": pack(header(), parts(points_0=("BF16", [1, 2], bytes(4)))),
    "points float8": pack(header(), parts(points_0=("F8_E4M3", [1, 2], bytes(2)))),
    "points float4": pack(header(), parts(points_0=("F4", [1, 2], bytes(1)))),
    "points complex": pack(header(), parts(points_0=("C64", [1, 2], bytes(16)))),
    "points unknown type": pack(header(), parts(points_0=("X99", [1, 2], bytes(16)))),
    "points flat": pack(header(), parts(points_0=("F64", [2], bytes(16)))),
    "points a number": pack(header(), parts(points_0=("F64", [], bytes(8)))),
    "points NaN": pack(header(), parts(points_0=("F64", [1, 2], nan))),
    "masses NaN": pack(header(), parts(masses_0=("F64", [1], nan[:8]))),
    "shape too large": pack(header(), parts(points_0=("F64", [2**40, 2**40], bytes(16)))),
    "shape negative": pack(header(), parts(points_0=("F64", [-1, 2], bytes(16)))),
    "names too many": pack(header(), parts(names_0=names(b'["x", "y"]'))),
    "names twice": pack(header(), parts(
        names_0=names(b'["x", "x"]'), points_0=("F64", [2, 2], bytes(32)),
        masses_0=("F64", [2], bytes(16)))),
    "names no json": pack(header(), parts(names_0=names(b"[x]"))),
    "names no list": pack(header(), parts(names_0=names(b'{"x": 1}'))),
    "names of floats": pack(header(), parts(names_0=names(b"[1.5]"))),
    "names true": pack(header(), parts(names_0=names(b"[true]"))),
    "names deep": pack(header(), parts(names_0=names(b"[" * DEEP + b"]" * DEEP))),
    "names no utf-8": pack(header(), parts(names_0=names(b'["\xff"]'))),
    "names a huge number": pack(header(), parts(names_0=names(b"[" + b"9" * 6000 + b"]"))),
}  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_by_name_and_reason(tmp_path, content):
    path = tmp_path / "bad file.relmap"
    path.write_bytes(content)
    with pytest.raises(MapFileError, match=re.escape(repr(str(path)))) as caught:
        load(path)
    assert re.fullmatch(r"'.*' cannot be read as a map: \S(.|\n)*\.", str(caught.value))


def test_a_newer_format_says_so(tmp_path):
    path = tmp_path / "new"
    path.write_bytes(HOSTILE["format newer"])
    with pytest.raises(MapFileError, match="it is of format 2, this relmap reads up to 1: update"):
        load(path)


@pytest.mark.parametrize("change", [-8, -1, 1, 8, 2**40])
@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("part", ["points/0", "names/0"])
def test_wrong_offsets_are_refused(tmp_path, part, end, change):
    content = pack(header())
    size = int.from_bytes(content[:8], "little")
    outer = json.loads(content[8 : 8 + size])
    outer[part]["data_offsets"][end] += change
    path = tmp_path / "offsets"
    path.write_bytes(framed(json.dumps(outer).encode(), content[8 + size :]))
    with pytest.raises(MapFileError):
        load(path)


def test_a_truncated_or_lengthened_file_is_refused(tmp_path):
    content, path = GOLDEN.read_bytes(), tmp_path / "cut"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(MapFileError, match="cannot be read as a map"):
            load(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(MapFileError):
        load(path)


@pytest.mark.parametrize("name", ["missing.relmap", ".", "no/such/folder", "nul\0byte"])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(MapFileError, match=r"cannot be read as a map: [a-z ]+\.$"):
        load(tmp_path / name)


def try_to_load(path, content):
    """Either a map that is whole, or a MapFileError; anything else is a failure."""
    path.write_bytes(content)
    try:
        found = load(path)
    except MapFileError:
        return
    assert load(found.save(path.with_suffix(".relmap"))) == found
    assert all(np.isfinite(points).all() for points in found.points.values())


def test_every_flipped_bit_is_refused(tmp_path):
    content, path = GOLDEN.read_bytes(), tmp_path / "flipped"
    for i in range(len(content)):
        spoiled = bytearray(content)
        spoiled[i] ^= 1 << (i % 8)
        path.write_bytes(bytes(spoiled))
        with pytest.raises(MapFileError):
            load(path)


def test_a_coordinate_that_was_altered_is_noticed(tmp_path):
    content = bytearray(pack(header()))
    content[content.index(np.array([1.0, 2.0]).tobytes())] ^= 1
    (tmp_path / "altered").write_bytes(bytes(content))
    with pytest.raises(MapFileError, match="its checksum is wrong"):
        load(tmp_path / "altered")


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_random_damage_is_refused_or_a_whole_map(tmp_path, data):
    content = bytearray(GOLDEN.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(content)))
        stop = min(len(content), start + data.draw(st.integers(0, 12)))
        content[start:stop] = data.draw(st.binary(max_size=12))
    try_to_load(tmp_path / "damaged", bytes(content))


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(
        st.sampled_from(["format", "kinds", "model", "status", "evidence", "settings"]),
        st.one_of(notes, st.just(1), st.just(["a"])), max_size=3,
    )
)  # fmt: skip
def test_headers_of_anything_are_refused_or_a_whole_map(tmp_path, change):
    try_to_load(tmp_path / "header", pack(header(**change)))


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=100).map(str.encode).map(framed)))
def test_bytes_of_anything_are_refused(tmp_path, content):
    try_to_load(tmp_path / "bytes", content)
