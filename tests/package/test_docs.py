"""What is written is true: examples run, links resolve, every option has its line."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import click
import pytest

import relmap
from relmap.cli import commands

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MODULES = sorted(
    m.name for m in pkgutil.walk_packages(relmap.__path__, "relmap.") if "__main__" not in m.name
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_on_pages_run(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        exec(compile(block, page.name, "exec"), {})  # noqa: S102


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_on_pages_resolve(page):
    for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert (page.parent / link).exists(), link


def test_every_experiment_has_its_page():
    scripts = [*ROOT.glob("papers/*/figure*.py"), *ROOT.glob("papers/*/table*.py")]
    assert scripts or not (ROOT / "papers").exists()
    for script in scripts:
        overview = ROOT / "docs" / "papers" / f"{script.parent.name}.md"
        assert f"{script.parent.name}/{script.stem}.md" in overview.read_text(), script
        assert (overview.with_suffix("") / f"{script.stem}.md").exists(), script


def options():
    for name, command in commands.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield from ((name, word) for word in parameter.opts)


@pytest.mark.parametrize(("command", "option"), list(options()))
def test_every_option_is_documented(command, option):
    page = (ROOT / "docs" / "command-line.md").read_text()
    section = page.split(f"## relmap {command}")[1].split("\n## ")[0]
    assert re.search(rf"`{re.escape(option)}[ `]", section), option


@pytest.mark.parametrize(("command", "option"), list(options()))
def test_every_option_explains_itself(command, option):
    parameters = commands.commands[command].params
    assert next(p for p in parameters if option in p.opts).help


def test_every_public_name_is_on_a_page():
    text = "".join(page.read_text() for page in PAGES)
    for name in set(relmap.__all__) - {"__version__", "errors"}:
        assert f"{name}" in text, name


def test_every_error_is_a_relmap_error():
    from relmap import errors

    for name in errors.__all__:
        kind = getattr(errors, name)
        assert kind.__doc__
        assert issubclass(kind, errors.RelmapError | errors.RelmapWarning)
