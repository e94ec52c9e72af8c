"""Output for people: highlighted text, charts, tables, the terminal. Imports no torch."""
