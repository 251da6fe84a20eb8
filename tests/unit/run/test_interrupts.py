"""Interrupts while a process starts: whichever thread takes the signal, nothing is raised before the start is over."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from witnessmark.run.interrupts import interrupts_later

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals for single threads")


def test_an_interrupt_that_another_thread_takes_is_raised_at_the_end() -> None:
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    steps: list[str] = []

    try:
        with pytest.raises(KeyboardInterrupt):
            with interrupts_later():
                steps.append("in")
                assert other.ident is not None
                signal.pthread_kill(other.ident, signal.SIGINT)
                for _ in range(1000):
                    over.wait(0.0001)
                steps.append("through")
            steps.append("after")
    finally:
        over.set()
        other.join()

    assert steps == ["in", "through"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_changes() -> None:
    before = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with interrupts_later():
        pass
    assert (signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())) == before


def test_in_another_thread_only_the_mask_is_held() -> None:
    masks: list[set[int]] = []

    def start() -> None:
        with interrupts_later():
            masks.append(set(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
        masks.append(set(signal.pthread_sigmask(signal.SIG_BLOCK, ())))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert masks == [{signal.SIGINT}, set()]


def test_a_process_started_meanwhile_ends_silently() -> None:
    code = (
        "import os, signal; os.kill(os.getpid(), signal.SIGINT);"
        "from witnessmark.run.interrupts import end_when_interrupted; end_when_interrupted(); print('still here')"
    )
    with interrupts_later():
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (-signal.SIGINT, "", "")
