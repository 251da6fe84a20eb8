"""The ``witnessmark`` command: finds the commands and turns errors into exit codes.

- A command's module is imported when the command is used, so that ``--help`` stays fast.
- What we raise on purpose is exit 4, click's usage errors are exit 2, anything else is a bug of ours: exit 70.
"""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import click

from witnessmark.errors import WitnessmarkError

__all__ = ["COMMANDS", "Command", "cli", "main"]


class Command(NamedTuple):
    """Where a command lives."""

    module: str
    """Module below ``witnessmark.cli`` that holds the click command, under the attribute ``command``."""
    summary: str
    """The first line of its help."""


COMMANDS: dict[str, Command] = {
    "demo": Command("demo", "Build, pin, assess and gate shipped memory with four planted regressions."),
    "assess": Command("assess", "Assess a candidate checkpoint against a baseline."),
    "gate": Command("gate", "Say whether assessments satisfy a policy."),
    "verify": Command("verify", "Check a run directory or an artifact, and recompute it."),
    "moved": Command("moved", "Show what moved between the answers of baseline and candidate in RUN."),
    "rerun": Command("rerun", "Run RUN again and say what was reproduced."),
    "policy": Command("policy", "Make gate policies."),
    "digest": Command("digest", "Print the digest of a file's canonical JSON and of its bytes."),
    "checkpoint": Command("checkpoint", "Build checkpoint directories from records, show them, compare them."),
    "vectors": Command("vectors", "Run reference vectors."),
    "applicability": Command("applicability", "Ask whether stored evidence is still applicable."),
    "suite": Command("suite", "Check probe suites, and say how strong they are."),
    "adapters": Command("adapters", "Look at the adapters, embedders and record formats that are installed."),
    "profile": Command("profile", "Write down what a retriever really is, show that, compare it."),
    "records": Command(
        "records", "Check memory records (AMR 0.1, atproto): strength, links, citations, how much can be verified."
    ),
    "sign": Command("sign", "Sign the run directory RUN: candidate checkpoint, assessment and transcript."),
    "withhold": Command("withhold", "Withhold the material of the run directory RUN."),
    "log": Command("log", "Keep a log of runs, gate evaluations and approvals that nobody can change unseen."),
    "audit": Command("audit", "List the approvals in a log that went against the evidence."),
}


class _Commands(click.Group):
    """A group whose commands are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = import_module(f"witnessmark.cli.{entry.module}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"witnessmark.cli.{entry.module}.command is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if COMMANDS:
            with formatter.section("Commands"):
                formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Defaults for every option; the nearest witnessmark.yaml in or above this folder if left out.",
)
@click.version_option(version=version("witnessmark"), prog_name="witnessmark")
@click.pass_context
def cli(context: click.Context, config: Path | None) -> None:
    """Find out what a memory checkpoint still retrieves, before it goes live.

    Exit codes: 0 pass, satisfied, verified; 1 fail, not satisfied; 2 usage error; 3 indeterminate;
    4 invalid input or evidence, nothing was written; 70 a bug of ours.
    """
    from witnessmark.cli.config import find_config, load_defaults

    path = config if config is not None else find_config(Path.cwd())
    if path is not None:
        context.default_map = load_defaults(path, cli)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    from witnessmark.cli.exits import INTERRUPTED, Exit

    try:
        code = cli.main(args=arguments, prog_name="witnessmark", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return int(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except WitnessmarkError as error:
        for problem in error.problems:
            click.echo(f"error[{problem.code}]: {problem}", err=True)
        return int(Exit.INVALID)
    except BrokenPipeError:
        return 141
    except Exception:
        traceback.print_exc()
        click.echo("This is a bug in witnessmark, not a verdict. Please report it with the lines above.", err=True)
        return int(Exit.BUG)
    return int(code) if isinstance(code, int) else int(Exit.OK)
