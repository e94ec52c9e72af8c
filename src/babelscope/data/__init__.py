"""Corpora as examples: files in common formats, public corpora, the built-in one, words, clusters."""
