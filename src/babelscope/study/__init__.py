"""Studies: the file, the grid of models, tasks, languages and seeds, the run, and its status."""
