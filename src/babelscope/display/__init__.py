"""What people see: highlighted text, charts, tables, the terminal. Imports no torch."""
