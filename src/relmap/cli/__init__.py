"""The `relmap` command: one file per subcommand.

Only click is imported until a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import sys
import warnings

import click

from relmap._version import __version__
from relmap.cli.demo import demo
from relmap.cli.info import info
from relmap.cli.map import map_
from relmap.errors import RelmapError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="relmap")
def commands() -> None:
    """Turn relations into maps: tables of who goes with what, near meaning related."""


for command in (map_, info, demo):
    commands.add_command(command)


def main() -> None:
    """Run the command; what goes wrong is one line on standard error, never a traceback.

    Exit status 1: the data or a file could not be used. 2: the command line was wrong.
    """
    warnings.showwarning = _warn  # type: ignore[assignment]  # fewer arguments named
    warnings.simplefilter("always", UserWarning)
    try:
        commands.main(prog_name="relmap", standalone_mode=False)
    except click.exceptions.Exit as finished:
        sys.exit(finished.exit_code)
    except click.Abort:
        _end("interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.UsageError as error:
        where = f" (relmap {error.ctx.info_name} --help)" if error.ctx and error.ctx.parent else ""
        _end(error.format_message() + where, 2)
    except click.ClickException as error:
        _end(error.format_message(), 1)
    except RelmapError as error:
        _end(str(error), 1)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        _end(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1)
    except MemoryError:
        _end("not enough memory for this table", 1)


def _end(message: str, status: int) -> None:
    click.echo(f"relmap: {' '.join(message.split())}", err=True)
    sys.exit(status)


def _warn(message: Warning | str, *_: object) -> None:
    click.echo(f"relmap: note: {' '.join(str(message).split())}", err=True)
