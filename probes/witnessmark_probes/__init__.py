"""Probe suites and templates, as data; reach them with ``importlib.resources`` or as ``builtin:NAME``."""
