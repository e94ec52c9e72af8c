"""Every peer in an environment of its own, beside ours in one run: same model, same texts, same
targets.

`rows.py` says which peers and what is compared, `environments.py` makes their environments,
`jobs.py` writes what is explained, `scripts/` runs inside the environments, `processes.py` talks to
them, `compare.py` times and compares, `tables.py` writes the section of docs/benchmarks.md.
"""
