"""The studies behind docs/results: `python -m results NAME` runs one and writes its page."""
