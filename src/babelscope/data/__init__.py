"""Corpora as examples: file formats, public corpora, the built-in one, words, clusters."""
