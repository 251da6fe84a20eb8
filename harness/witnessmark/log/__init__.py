"""The append-only log: what was run, evaluated and approved, in an order that nobody can change unseen."""

from __future__ import annotations

from witnessmark.log.registration import Registration
from witnessmark.log.runs import logged_runs
from witnessmark.log.store import Log
from witnessmark.log.verify import LogCheck, ReadLog, read_log, verify_log

__all__ = ["Log", "LogCheck", "ReadLog", "Registration", "logged_runs", "read_log", "verify_log"]
