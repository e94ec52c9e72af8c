"""Attacks on the package: kills, damage, full disks, hostile texts, wrong commands.

These modules are no tests: pytest does not collect them. `python -m torture` runs them.
"""
