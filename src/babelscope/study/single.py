"""A study of one analysis: what the single commands run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from babelscope.analyses import ANALYSES
from babelscope.analyses.spec import AnalysisSpec
from babelscope.errors import InputError
from babelscope.store import open_store
from babelscope.study.config import Study, parse_block, parse_study
from babelscope.study.run import UNWATCHED, Outcome, Watch, run


def single_study(
    analysis: str,
    values: Mapping[str, Any],
    *,
    spec: Path | None = None,
    settings: Sequence[str] = (),
) -> Study:
    """The study that one command asks for: `values`, the block in the file `spec`, then `settings`.

    A setting is `key=value`. The key is a field of the analysis's block, or a dotted path from the
    top of the study file (`task.target=gold` is not one, `tasks.0.target=gold` is); the value is
    YAML.
    """
    merged = {**values, analysis: {**_block(spec), **(values.get(analysis) or {})}}
    known = set(Study.model_fields) | set(ANALYSES)
    for setting in settings:
        path, value = _setting(setting)
        _assign(merged, path if path[0] in known else [analysis, *path], value)
    return parse_study(merged, f"babelscope {analysis}")


def single_spec(
    analysis: str,
    values: Mapping[str, Any],
    *,
    spec: Path | None = None,
    settings: Sequence[str] = (),
) -> AnalysisSpec:
    """The block of one analysis without a study: `values`, the file `spec`, then `settings`."""
    merged = {**_block(spec), **values}
    for setting in settings:
        _assign(merged, *_setting(setting))
    return parse_block(analysis, merged, f"babelscope {analysis}")


def _setting(setting: str) -> tuple[list[str], Any]:
    """The path and the value of `key=value`."""
    key, equals, text = setting.partition("=")
    if not equals:
        raise InputError(f"--set {setting}: write KEY=VALUE")
    return key.split("."), _value(setting, text)


def _block(spec: Path | None) -> dict[str, Any]:
    if spec is None:
        return {}
    try:
        block = yaml.safe_load(spec.read_text("utf-8"))
    except RecursionError:
        raise InputError(f"--spec {spec}: it is nested too deeply") from None
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"--spec {spec}: cannot be read as YAML: {error}") from error
    if not isinstance(block, dict):
        raise InputError(
            f"--spec {spec}: expected a mapping of fields; found {type(block).__name__}"
        )
    return block


def _value(setting: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"--set {setting}: the value is not YAML") from error


def _assign(values: Any, path: Sequence[str], value: Any) -> None:
    for at, step in enumerate(path[:-1]):
        if isinstance(values, list):
            inner = values[_index(values, path, at)]
        else:
            inner = values.setdefault(step, {})
        if not isinstance(inner, dict | list):
            raise InputError(f"--set {'.'.join(path)}: {'.'.join(path[: at + 1])} has no fields")
        values = inner
    last = len(path) - 1
    if isinstance(values, list):
        values[_index(values, path, last)] = value
    else:
        values[path[last]] = value


def _index(values: Sequence[Any], path: Sequence[str], at: int) -> int:
    """The position that a step of a path names in a list."""
    if not path[at].isdecimal() or int(path[at]) >= len(values):
        raise InputError(
            f"--set {'.'.join(path)}: {'.'.join(path[:at])} is a list of {len(values)}; write a "
            f"number from 0 to {len(values) - 1} instead of {path[at]!r}"
        )
    return int(path[at])


@contextmanager
def run_single(
    study: Study, store: Path | None = None, *, watch: Watch = UNWATCHED, workers: int = 1
) -> Iterator[tuple[Outcome, Path]]:
    """Runs the study into the store, or into a temporary one that is gone afterwards."""
    if store is not None:
        yield run(study, store, watch=watch, workers=workers), store
        return
    with tempfile.TemporaryDirectory(prefix="babelscope-") as folder:
        open_store(folder)
        yield run(study, folder, watch=watch, workers=workers), Path(folder)
