"""The package as it is imported: quick, quiet, and explained."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import relmap
from relmap import errors

SOURCE = Path(relmap.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
HEAVY = ("numpy", "scipy", "sklearn", "matplotlib", "pandas", "polars", "duckdb", "narwhals")


def python(code, *options):
    environment = {"PYTHONPATH": str(SOURCE.parent), "PATH": ""}
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip


def test_importing_costs_next_to_nothing():
    code = f"import sys, relmap; print([m for m in {HEAVY} if m in sys.modules])"
    assert python(code).stdout == "[]\n"
    timed = "import time; t = time.perf_counter(); import relmap; print(time.perf_counter() - t)"
    assert min(float(python(timed).stdout) for _ in range(3)) < 0.5


def test_the_numerical_part_needs_no_pictures_and_no_frames():
    """Only what scikit-learn loads by itself (pandas, where it is installed) comes along."""
    code = """
import sys, relmap
relmap.CODE().fit([[1, 2], [3, 1]]).map_.nearest(0, of="row")
print([m for m in ("matplotlib", "polars", "duckdb", "dask") if m in sys.modules])
"""
    assert python(code).stdout == "[]\n"


public = [name for name in relmap.__all__ if name not in {"datasets", "errors"}]


@pytest.mark.parametrize("name", [name for name in public if name != "__version__"])
def test_every_public_name_is_there_and_explained(name):
    thing = getattr(relmap, name)
    assert inspect.getdoc(thing)
    assert name in dir(relmap)


def test_a_name_that_is_not_public_is_no_attribute():
    with pytest.raises(AttributeError, match="module 'relmap' has no attribute 'nothing'"):
        _ = relmap.nothing
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", relmap.__version__)


def test_every_public_method_of_public_classes_is_explained():
    for thing in (getattr(relmap, name) for name in public):
        if inspect.isclass(thing):
            for name, member in vars(thing).items():
                if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert inspect.getdoc(getattr(thing, name)), f"{thing.__name__}.{name}"


def test_every_error_is_of_the_family_and_listed():
    found = {
        name for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, Exception)
    }  # fmt: skip
    assert found == set(errors.__all__)
    for name in found:
        thing = getattr(errors, name)
        assert issubclass(thing, (errors.RelmapError, errors.RelmapWarning))
        assert thing.__doc__


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_prints(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if "cli" in path.relative_to(SOURCE).parts:
        pytest.skip("commands may write")
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert not [call.lineno for call in calls if isinstance(call, ast.Name) and call.id == "print"]
    assert ast.get_docstring(tree) or path.name == "_version.py"


def test_the_typed_marker_ships():
    assert (SOURCE / "py.typed").exists()
