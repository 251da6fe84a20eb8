"""Retrievers, embedders and record formats, one file each; every one is found by its entry point."""
