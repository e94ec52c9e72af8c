"""Random meanings: the same stream for every language."""
