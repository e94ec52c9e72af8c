"""One folder per question that a user asks of a model."""
