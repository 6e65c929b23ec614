"""Tool calls in a model's own words: how its template writes them, how answers are read, and how they are enforced."""
