"""The tasks of the corpus: meanings with labels or answers, put into words."""
