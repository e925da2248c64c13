"""Which models the command offers, and which of its options each of them has."""

from __future__ import annotations

from typing import Any, NamedTuple

import click


class Choice(NamedTuple):
    """A model: its public name, and the settings that options of the command stand for."""

    name: str
    options: dict[str, str]


_RUNS = {"starts": "n_init", "tol": "tol", "max_iter": "max_iter", "seed": "random_state"}
MODELS = {
    "code": Choice(
        "CODE",
        {
            "variant": "variant",
            "weights": "weights",
            "weighting": "weighting",
            "penalty": "penalty",
            **_RUNS,
        },
    ),
    "ca": Choice("CorrespondenceAnalysis", {}),
    "lsi": Choice("LatentSemanticIndexing", {}),
    "bgp": Choice("BipartiteSpectral", {}),
    "acas": Choice("ACAS", {}),
    "coembed": Choice("CoEmbedding", {"seed": "random_state"}),
    "mkpe": Choice("MKPE", _RUNS),
}
SPECIFIC = {option for choice in MODELS.values() for option in choice.options}
ONLY = {"held_out": ("code",)}  # what is no setting, but not for all models either


def refuse_foreign(model: str) -> None:
    """Refuse options that were typed but are no settings of the model."""
    context = click.get_current_context()
    foreign = SPECIFIC - MODELS[model].options.keys()
    foreign |= {option for option, owners in ONLY.items() if model not in owners}
    for option in sorted(foreign):
        if context.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE:
            owners = [name for name, choice in MODELS.items() if option in choice.options]
            owners = owners or list(ONLY[option])
            flag = "--" + option.replace("_", "-")
            raise click.UsageError(f"{flag} is for --model {' or '.join(owners)}, not {model}.")


def estimator(model: str, options: dict[str, Any], further: dict[str, Any]) -> Any:
    """Return the estimator that the options describe; a setting it refuses ends the command."""
    import relmap
    from relmap.errors import InputError
    from relmap.models.base import checked_settings

    choice = MODELS[model]
    kind = getattr(relmap, choice.name)
    known = kind().get_params()
    for name in further:
        if name not in known or name in {"callbacks", "verbose", "n_components"}:
            offered = sorted(set(known) - {"callbacks", "verbose", "n_components"})
            raise click.UsageError(
                f"{choice.name} has no setting {name!r} to --set; "
                f"it has {', '.join(offered) or 'none'}."
            )
    settings = {setting: options[option] for option, setting in choice.options.items()}
    for option, setting in choice.options.items():
        if setting in further:
            flag = "--" + option.replace("_", "-")
            raise click.UsageError(f"{setting} has an option of its own: {flag}.")
    made = kind(n_components=options["dimensions"], **{**settings, **further})
    try:
        checked_settings(made)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    return made


class Setting(click.ParamType[tuple[str, Any]]):
    """NAME=VALUE: a number, several numbers with commas between, or a word."""

    name = "name=value"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, Any]:
        """Read what was typed."""
        if isinstance(value, tuple):
            return value
        name, equals, text = value.partition("=")
        if not (name and equals and text):
            self.fail(f"{value!r} is not of the form NAME=VALUE.", param, ctx)
        parts = tuple(_read(part) for part in text.split(","))
        return name.strip().replace("-", "_"), parts if len(parts) > 1 else parts[0]


def _read(text: str) -> Any:
    if text.strip().lower() in {"true", "false"}:
        return text.strip().lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()
