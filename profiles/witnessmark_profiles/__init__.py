"""Pinned retriever profiles, as data; reach them with ``importlib.resources`` or as ``builtin:NAME``."""
