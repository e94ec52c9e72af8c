"""The straight line: explain, measure, and the grid that does both for many models, languages and
methods.
"""
