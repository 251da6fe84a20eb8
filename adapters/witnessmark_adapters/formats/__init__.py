"""Record formats: memory as people already keep it, one file a format."""
