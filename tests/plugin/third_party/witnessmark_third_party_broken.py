"""A provider that does not import."""

raise RuntimeError("this provider is broken on purpose")
