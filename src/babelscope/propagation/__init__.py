"""Backward rules: relevance propagation on an unmodified model."""
