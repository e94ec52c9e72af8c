"""`python -m babelscope` is the command `babelscope`."""

from __future__ import annotations

from babelscope.cli import main

if __name__ == "__main__":
    main()
