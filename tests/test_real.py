"""The table of methods on real models, here with a tiny one: what it measures and what it
refuses."""

from __future__ import annotations

import copy
import sys
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest

from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.model.encode import encode
from babelscope.model.inference_state import InferenceState
from babelscope.model.load import Model
from babelscope.types import Example
from conftest import TEXTS, tiny
from real import measures, models, packages, tables
from real.__main__ import check

EXAMPLES = [Example(f"t{at}", (text,)) for at, text in enumerate(TEXTS[:2])]


def single() -> Model:
    """BERT in float32."""
    model = tiny("bert")
    return replace(model, hf=copy.deepcopy(model.hf).float(), inference=InferenceState())


def test_the_deviation_is_a_share_of_the_largest_score() -> None:
    """Scores 1, -4 and 2 against 1, -4 and 1: a difference of 1 over 4."""
    (first,) = explain(tiny("bert"), "the food was", "random")
    first = replace(first, scores=(1.0, -4.0, 2.0))
    assert measures.deviation(first, replace(first, scores=(1.0, -4.0, 1.0))) == 0.25
    assert measures.deviation(first, replace(first, scores=(1.0, -4.0, nan))) == inf
    assert measures.deviation(first, replace(first, target="other")) == inf


def test_a_method_on_a_model_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    model = measures.variants(single())
    row = measures.measured(model, "deeplift", EXAMPLES)
    assert (row.texts, row.precision_used, row.unflagged) == (2, "float32", ())
    # Quotients of small differences in float32 instead of float64 would give 2.5e-4
    assert 0 < row.precision < 3e-5, "the copy in float64 is another one"
    assert 0 < row.sensitivity < 1e-3, "the weights of the last copies are others"
    monkeypatch.setitem(measures.TOLERANCES, "precision", 0.0)
    row = measures.measured(model, "deeplift", EXAMPLES)
    assert row.unflagged == ("precision",)
    assert len(tables.faults([row])) == 1


def test_the_precision_that_is_used_is_stated() -> None:
    assert measures.precision_used(single(), "lrp") == "float64"
    assert measures.precision_used(single(), "attnlrp") == "float32"


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    row = measures.Row("gte-small", "lime", "float32", 3, 58, inf, 0.0, nan, 1e-7, 2, 1, (), "", 2)
    rows = {("gte-small", "lime"): row}
    tables.write(tmp_path, rows)
    (stored,) = tables.read(tmp_path / "rows.json").values()
    assert repr(stored) == repr(row)
    cells = "| `lime` | 3 (58) | float32 | **inf** | 0 | - | 1.0e-07 | 1 of 3 | none |"
    assert cells in (tmp_path / "table.md").read_text()
    (tmp_path / "rows.json").write_text("[{}]")
    with pytest.raises(InputError, match="delete it"):
        tables.read(tmp_path / "rows.json")


def test_what_does_not_exist_is_refused_before_a_download() -> None:
    with pytest.raises(InputError, match="no model 'bert'"):
        check(["bert"], ["lrp"], 2)
    with pytest.raises(InputError, match="no method 'lpr'"):
        check(["gte-small"], ["lpr"], 2)
    with pytest.raises(InputError, match="at least 2 texts"):
        check(["gte-small"], ["lrp"], 1)


def test_no_two_texts_of_a_batch_are_of_the_same_length(shared: Path) -> None:
    model = tiny("gpt2")  # its tokenizer knows every byte
    span = (30, 60)
    examples = models.texts(models.MODELS["gte-small"], model, 3, span)
    lengths = [int(row.content.sum()) for row in encode(model, examples)]
    assert len(set(lengths)) == 3
    assert all(span[0] <= length <= span[1] for length in lengths)
    with pytest.raises(InputError, match="fewer than 3 texts of 1-1 tokens"):
        models.texts(models.MODELS["gte-small"], model, 3, (1, 1))


def test_a_failed_download_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^name cannot be downloaded \(not found\); try again$"):
        packages._run([sys.executable, "-c", "raise SystemExit('not found')", "name"], tmp_path)
    with pytest.raises(InputError, match="no-such-program is not installed here"):
        packages._run(["no-such-program", "name"], tmp_path)
