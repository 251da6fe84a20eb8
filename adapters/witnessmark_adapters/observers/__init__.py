"""Observers: what is there now. Each looks once when it is asked and says so where it cannot tell."""
