"""The explorer: a local web page that explains texts live and browses the examples of a store.

Browsing imports no torch; models and the code that runs them are imported when one is served.
"""
