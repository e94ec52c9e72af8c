"""METHODS and METRICS are data: what each row says is what its function does, and reading them
costs no torch.
"""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.row import Method, MethodFunction
from babelscope.metrics import METRICS
from babelscope.metrics.row import Metric, MetricFunction
from babelscope.model.targets import QUANTITIES
from babelscope.options import choose, defaults, resolve_options

ROWS = [*METHODS.values(), *METRICS.values()]
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def parameters(row: Method | Metric) -> list[inspect.Parameter]:
    return list(inspect.signature(row.function).parameters.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_options_are_those_of_the_function(row: Method | Metric) -> None:
    keywords = {each.name: each.default for each in parameters(row) if each.kind is KEYWORD}
    seeded = isinstance(row, Method) and row.seeded
    assert ("seed" in keywords) == seeded
    keywords.pop("seed", None)
    assert row.options == keywords
    assert [*row.options] == [*keywords], "in the order in which commands and pages list them"
    assert {type(value) for value in row.options.values()} == {
        type(value) for value in keywords.values()
    }
    assert resolve_options(row, {}) == defaults(row) == {**row.options, **defaults(row)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_function_keeps_to_its_protocol(row: Method | Metric) -> None:
    protocol = MethodFunction if isinstance(row, Method) else MetricFunction
    expected = inspect.signature(protocol.__call__)
    positional = [each for each in parameters(row) if each.kind is not KEYWORD]
    shared = [
        each
        for each in list(expected.parameters.values())[1:]
        if each.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    one_pass = isinstance(row, Method) and row.one_pass
    aimed = "Sequence[AnyTarget]" if one_pass else "Sequence[Target]"
    assert [(each.name, each.annotation) for each in positional] == [
        (each.name, aimed if each.name == "targets" else each.annotation) for each in shared
    ]
    assert inspect.signature(row.function).return_annotation == expected.return_annotation


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_has_its_formula_laws_and_few_options(row: Method | Metric) -> None:
    assert "*Laws*" in (inspect.getdoc(row.function) or "")
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in parameters(row))
    assert sum(each.kind is KEYWORD for each in parameters(row)) <= 5
    assert row.function.__name__ == row.name  # type: ignore[attr-defined]


def test_no_name_means_two_things() -> None:
    names = [*METHODS, *METRICS, *QUANTITIES, *(row.formerly for row in ROWS if row.formerly)]
    assert len({*METHODS, *METRICS, *QUANTITIES}) == len(METHODS) + len(METRICS) + len(QUANTITIES)
    assert {name for name in names if names.count(name) > 1} == {"log_odds", "position"}, (
        "former metrics"
    )


@pytest.mark.parametrize(
    ("former", "name"), [("log_odds", "lodds"), ("position", "chance_corrected")]
)
def test_a_former_name_is_refused_with_the_new_one(former: str, name: str) -> None:
    with pytest.raises(InputError, match=f"the metric '{former}' is now called '{name}'"):
        choose(METRICS, former, "metric")
    assert choose(METRICS, name, "metric").formerly == former


@pytest.mark.parametrize("table", [METHODS, METRICS], ids=["methods", "metrics"])
def test_the_table_is_indexed_by_name(table: dict[str, Method] | dict[str, Metric]) -> None:
    assert all(name == row.name for name, row in table.items())


def test_reading_the_tables_imports_neither_torch_nor_a_family_and_is_quick() -> None:
    code = """
import sys, time
start = time.process_time()
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
elapsed = time.process_time() - start
heavy = ("torch", "numpy", "scipy", "transformers")
loaded = {name for name in sys.modules if name.startswith(heavy)}
families = {row.module for row in (*METHODS.values(), *METRICS.values())} & set(sys.modules)
assert not loaded and not families, (loaded, families)
assert elapsed < 0.5, elapsed
"""
    subprocess.run([sys.executable, "-c", code], check=True)
