"""Witnessmark: what does this memory checkpoint still retrieve?"""
