"""File formats: what is read, and everything that can be wrong with it."""
