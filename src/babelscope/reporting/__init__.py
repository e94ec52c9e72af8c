"""The report: a page, tables and figures rendered from a store. Imports no torch."""
