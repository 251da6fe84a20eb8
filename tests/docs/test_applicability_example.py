"""The worked example of docs/applicability.md, run as it stands there, on a real git repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "applicability.md"
STEP = re.compile(r"```sh\n(?P<script>.*?)```\n```text\n(?P<output>.*?)```\n", re.DOTALL)


def test_every_step_prints_what_the_document_says(tmp_path: Path) -> None:
    steps = list(STEP.finditer(DOCUMENT.read_text(encoding="utf-8")))
    identity = {
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", "Someone"), ("EMAIL", "someone@example.test"))
    }
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        **identity,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    outcomes = []
    for step in steps:
        done = subprocess.run(
            ["bash", "-u", "-c", step["script"]],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert all(line.startswith("note: ") for line in done.stderr.splitlines()), done.stderr
        assert re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", done.stdout) == step["output"]
        outcomes.append(done.stdout.split()[0])
    assert outcomes == ["MATCH", "REVALIDATE", "MATCH", "DRIFT", "ORPHAN", "REJECT"]
