"""The studies behind docs/results: `python -m experiments NAME` runs one and writes its page."""
