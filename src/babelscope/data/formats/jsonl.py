"""JSONL: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem
from babelscope.data.formats.records import encoded, record
from babelscope.types import Example


def rows(file: Path) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """The objects of a file with their lines; blank lines are skipped."""
    for item in lines(file):
        if isinstance(item, Problem):
            yield item
            continue
        number, line = item
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            reason = f"broken JSON at character {error.pos}: {error.msg}"
            yield Problem(str(file), number, "", reason, "one JSON object per line")
            continue
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            reason = "JSON that is nested too deeply" if deep else "a number of too many digits"
            yield Problem(str(file), number, "", reason, "one JSON object per line")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield Problem(str(file), number, "", f"a JSON {type(row).__name__}", "an object")


def write(examples: Iterable[Example], out: BufferedIOBase) -> int:
    """Writes the examples with all their gold; the number of them."""
    count = 0
    for example in examples:
        out.write(line(example).encode() + b"\n")
        count += 1
    return count


def line(example: Example) -> str:
    """The example as one line, without its end; a lone surrogate is refused."""
    text = json.dumps(record(example), ensure_ascii=False)
    encoded(example, text)
    return text
