"""Tasks and corpora as examples: files of common formats, and the built-in parallel corpus."""
