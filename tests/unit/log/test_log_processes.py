"""Processes that append at once lose nothing, and a killed one leaves a valid log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from witnessmark.log import Log, verify_log
from witnessmark.models.log import RunAbandoned, RunStarted

_WRITER = """
import sys
from pathlib import Path
from evidence_samples import started
from witnessmark.log import Log
from witnessmark.models.log import RunAbandoned

name, count = sys.argv[2], int(sys.argv[3])
with Log.open(Path(sys.argv[1])) as log:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        start = log.append(started())
        log.append(RunAbandoned(start=start, reason=f"{name} {number}"))
        print(number, flush=True)
"""


def _writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def _start(*writers: subprocess.Popen[str]) -> None:
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "l.log"
    Log.create(path, "demo").close()
    with ExitStack() as stack:
        writers = [stack.enter_context(_writer(path, name, 60)) for name in ("a", "b", "c")]
        _start(*writers)
        for writer in writers:
            writer.communicate(timeout=60)
            assert writer.returncode == 0
    check = verify_log(path)
    assert (check.head.size, check.file_bytes, check.open_runs) == (1 + 3 * 60 * 2, "equal", ())
    with Log.open(path) as log:
        entries = dict(log.entries())
    for name in ("a", "b", "c"):
        ends = [item for item in entries.values() if isinstance(item, RunAbandoned) and item.reason.startswith(name)]
        assert [item.reason for item in ends] == [f"{name} {number}" for number in range(60)]
        assert all(isinstance(entries[item.start], RunStarted) for item in ends)


def test_a_kill_during_append_leaves_a_valid_log(tmp_path: Path) -> None:
    path = tmp_path / "l.log"
    Log.create(path, "demo").close()
    ended = 0
    for attempt in range(5):
        with _writer(path, "a", 100_000) as writer:
            _start(writer)
            assert writer.stdout is not None
            for _ in range(3 + 7 * attempt):
                writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
            rest = [line for line in writer.stdout if line.endswith("\n")]
            assert writer.wait(timeout=60) == -signal.SIGKILL
        check = verify_log(path)
        with Log.open(path) as log:
            ends = sum(isinstance(entry, RunAbandoned) for _, entry in log.entries())
        # What the process reported as appended is there, whatever it was doing when it was killed.
        assert ends >= ended + 3 + 7 * attempt + len(rest)
        assert verify_log(path, kept=[check.head]).file_bytes == "equal"
        ended = ends
    with Log.open(path) as log:
        log.append(RunStarted.model_validate(log.entry(1).model_dump()))
    assert verify_log(path).file_bytes == "equal"
