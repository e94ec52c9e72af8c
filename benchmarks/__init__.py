"""Side by side with peers and with the bare model, as ratios within one run: `make bench` writes
docs/benchmarks.md.
"""
