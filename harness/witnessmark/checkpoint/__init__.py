"""Checkpoint directories: build, open, compare."""
