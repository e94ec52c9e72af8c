"""The experiments behind docs/results: `python -m experiments NAME` runs one and writes its page.

An experiment is a YAML file that says what is run (a study, several under `studies`, or parameters
that the `Spec` of its module checks), at most 60 lines of Python that turn results into what is
shown, and a template.
"""
