"""``python -m witnessmark.schemas [--check]``: write the shipped schemas, or tell which of them are out of date."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from witnessmark.schemas import FORMATS, schema_text

__all__ = ["main", "outdated", "write"]

FOLDER = Path(__file__).parent


def outdated(folder: Path = FOLDER) -> list[str]:
    """Return the names of files in ``folder`` that are missing, differ from the models or belong to no format."""
    wanted = {f"{name}.schema.json": schema_text(name) for name in FORMATS}
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.schema.json")}
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))


def write(folder: Path = FOLDER) -> None:
    """Write every schema to ``folder``."""
    for name in FORMATS:
        (folder / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8", newline="\n")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 and name the files that differ from the models.")
def main(*, check: bool) -> None:
    """Write the JSON Schemas that the package ships."""
    if not check:
        write()
        return
    names = outdated()
    for name in names:
        click.echo(f"out of date: {name}", err=True)
    sys.exit(1 if names else 0)


if __name__ == "__main__":
    main()
