"""The table of tasks: what it costs to read, what each row promises, and that nobody else knows a
task by its name.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
import transformers

import babelscope
from babelscope.model.tasks import FILL_MASK, TASKS, accepts, loader, task_functions, task_of_class
from babelscope.model.tasks.functions import TaskFunctions

SOURCE = Path(babelscope.__file__).parent
OUTSIDE = sorted(
    file for file in SOURCE.rglob("*.py") if "tasks" not in file.relative_to(SOURCE).parts
)


@pytest.mark.parametrize("file", OUTSIDE, ids=lambda file: str(file.relative_to(SOURCE)))
def test_nobody_else_compares_a_task_with_a_name(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Compare | ast.match_case):
            constants = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
            named = {value for value in constants if isinstance(value, str)} & {
                *TASKS,
                FILL_MASK.name,
            }
            assert not named, f"line {getattr(node, 'lineno', 0)} compares with {named}"


def test_reading_the_table_loads_no_torch() -> None:
    code = (
        "import sys; from babelscope.model.tasks import TASKS; print(list(TASKS)); "
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout


def test_listing_the_tasks_loads_no_torch() -> None:
    code = (
        "import sys; from babelscope.cli import app\n"
        "try: app(['tasks', '--json'])\n"
        "except SystemExit: assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    ).stdout
    assert [row["name"] for row in json.loads(shown)] == list(TASKS)


@pytest.mark.parametrize("row", [*TASKS.values(), FILL_MASK], ids=lambda row: row.name)
def test_every_row_has_functions_and_classes_that_load_it(row: babelscope.model.tasks.Task) -> None:
    assert isinstance(task_functions(row), TaskFunctions)
    assert row.inputs
    assert row.target
    for end, auto in {**row.heads, **(row.borrowed or {})}.items():
        assert hasattr(transformers, auto)
        assert loader(row, (f"Some{end}",)) == auto
        assert accepts(row, (f"Some{end}",))
    for end in row.heads:
        assert task_of_class(f"Some{end}") is row
    assert accepts(row, ("BertModel",))
    assert row.texts in (None, row.fewest)


def test_a_head_of_another_task_is_not_accepted() -> None:
    assert not accepts(TASKS["question-answering"], ("BertForSequenceClassification",))
    assert not accepts(TASKS["text-classification"], ("GPT2LMHeadModel",))
