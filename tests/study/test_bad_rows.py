"""A bad row is skipped, counted and named; it takes no other row with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from babelscope.analyses.faithfulness.tables import tables
from babelscope.analyses.stored import stored_skipped
from babelscope.cli import app
from babelscope.data.skipping import skipped_row
from babelscope.errors import InputError
from babelscope.methods import first_pass
from babelscope.reporting.build import report
from babelscope.store import open_store, read, read_study, verify
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.types import Encoded
from small_study import content, models

GROUPS = 20
WORDS = ("good", "bad", "cold", "food", "room", "film", "phone")
BAD: dict[tuple[int, str], tuple[dict[str, Any], str]] = {
    (1, "es"): ({"text": "the \x08 room"}, "control"),
    (2, "en"): ({"text": "", "pair": ""}, "blank"),
    (3, "es"): ({"pair": " "}, "blank side"),
    (4, "en"): ({"label": "-1"}, "label"),
    (5, "es"): ({"text": "𒀀𒁀", "pair": "𒀀"}, "unknown"),
    (6, "en"): ({"text": "contradicted film"}, "contradicted"),
    (7, "es"): ({"text": "a \ud83d film"}, "surrogate"),
    (8, "es"): ({"pair": "NS"}, "untranslated"),
}
"""What is wrong with the row of a group and language, and the reason to skip it."""


def good_row(group: int, lang: str) -> dict[str, Any]:
    first, second = WORDS[group % 7], WORDS[(group // 2) % 7]
    return {
        "id": f"{lang}-{group}",
        "group": f"g{group}",
        "lang": lang,
        "text": f"the {first} was {second} {group}",
        "pair": f"a {second} in {lang}",
        "label": ("positive", "negative")[group % 2],
    }


def rows(bad: bool = True, without: frozenset[int] = frozenset()) -> list[dict[str, Any]]:
    """All groups in both languages, with what is wrong or without the groups where it is."""
    return [
        good_row(group, lang) | (BAD.get((group, lang), ({},))[0] if bad else {})
        for lang in ("en", "es")
        for group in range(GROUPS)
        if group not in without
    ]


def values(folder: Path, listed: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return {
        "name": "bad rows",
        "tasks": [{"name": "reviews", "data": {"rows": listed, "examples": None}}],
        "languages": ["en", "es"],
        "models": [{"name": "first", "source": str(folder / "first")}],
        "methods": ["gradient_norm"],
        "faithfulness": {"metrics": ["comprehensiveness"]},
        "max_skipped": 0.5,
        **changes,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The models, and the store of the study with all bad rows."""
    folder = tmp_path_factory.mktemp("bad-rows")
    models(folder)
    compared = first_pass.contradictions

    def contradicted(model: Any, rows: list[Encoded], outputs: Any, *, own: bool = False) -> Any:
        wrong = ["contradicted" in row.example.texts[0] for row in rows]
        skips = [skipped_row(row.example, "contradicted", "another probability") for row in rows]
        faults = compared(model, rows, outputs, own=own)
        return [skip if fault else right for fault, skip, right in zip(wrong, skips, faults)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_pass, "contradictions", contradicted)
        outcome = run(parse_study(values(folder, rows())), folder / "store")
        assert outcome.failed == ()
        again = run(parse_study(values(folder, rows())), folder / "store")
    assert (again.filled, again.found, again.skipped) == (0, outcome.filled, outcome.skipped)
    return folder


def test_every_kind_of_bad_row_is_named_with_its_reason(folder: Path) -> None:
    store = open_store(folder / "store", create=False)
    skipped = stored_skipped(store, read_study(store))
    assert {(row.group, row.lang, row.reason) for row in skipped} == {
        (f"g{group}", lang, reason) for (group, lang), (_, reason) in BAD.items()
    }
    assert {row.model for row in skipped if row.reason in ("unknown", "contradicted")} == {"first"}
    assert {row.model for row in skipped if row.reason == "control"} == {""}
    # of 20 rows in each language; a model is given those that no reason of the data excludes:
    # 18 in English (blank, label), 16 in Spanish (control, blank side, surrogate, untranslated)
    assert {(row.lang, row.model, row.total) for row in skipped} == {
        ("en", "", 20), ("es", "", 20), ("en", "first", 18), ("es", "first", 16),
    }  # fmt: skip
    assert list(verify(store)) == []


def test_translations_of_a_skipped_row_are_left_out_and_others_are_unchanged(folder: Path) -> None:
    """The means are those of a study that has the good groups only, to the bit."""
    store = open_store(folder / "store", create=False)
    shown = tables(store, read_study(store))
    assert shown is not None
    means = {place[1]: mean for place, mean in shown.summary.cells.items()}
    assert {lang: mean.n for lang, mean in means.items()} == dict.fromkeys(
        ("en", "es"), GROUPS - len(BAD)
    )
    clean = rows(bad=False, without=frozenset(group for group, _ in BAD))
    outcome = run(parse_study(values(folder, clean, strict=True)), folder / "clean")
    assert (outcome.failed, outcome.skipped) == ((), ())
    other = open_store(folder / "clean", create=False)
    expected = tables(other, read_study(other))
    assert expected is not None
    assert expected.summary.cells == shown.summary.cells
    stored = {row["id"]: row["value"] for row in read(store, "measures").to_pylist()}
    for row in read(other, "measures").to_pylist():
        assert stored[row["id"]] == row["value"]


def test_the_page_and_its_table_count_them(folder: Path) -> None:
    page = report(folder / "store", folder / "page").read_text("utf-8")
    for group, lang in BAD:
        assert f"{lang}-{group}" in page
    for words in ("with a control character", "of unknown tokens only", "1 of 20", "1 of 16"):
        assert words in page
    assert f"{len(BAD)} translation groups are in no comparison" in page
    lines = (folder / "page" / "skipped.csv").read_text("utf-8").splitlines()
    assert len(lines) == 1 + len(BAD)
    assert lines[0].startswith("id,group,lang,reason,detail,task")


def test_the_command_prints_them_and_refuses_them(folder: Path, tmp_path: Path) -> None:
    bad = {(group, lang): BAD[group, lang] for group, lang in ((1, "es"), (8, "es"))}
    listed = [
        good_row(group, lang) | bad.get((group, lang), ({},))[0]
        for lang in ("en", "es")
        for group in range(GROUPS)
    ]
    file = tmp_path / "study.yaml"
    file.write_text(yaml.safe_dump(values(folder, listed, max_skipped=0.1)), "utf-8")
    result = CliRunner().invoke(app, ["study", "run", str(file), "--json"])
    assert result.exit_code == 0, result.output
    named = {(row["id"], row["reason"]) for row in json.loads(result.stdout)["skipped"]}
    assert named == {("es-1", "control"), ("es-8", "untranslated")}
    result = CliRunner().invoke(app, ["study", "run", str(file)])
    assert "2 rows skipped, 0 failed" in result.stdout
    line = "reviews, es: 2 of 20 rows skipped: 1 with a control character (es-1), 1 not translated"
    assert line in result.stderr
    for arguments in (
        ["study", "run", str(file), "--strict"],
        ["--strict", "study", "run", str(file)],
    ):
        refused = CliRunner().invoke(app, arguments)
        assert isinstance(refused.exception, InputError)
        assert "task 'reviews', es: es-1: text 1 holds the control character U+0008" in str(
            refused.exception
        )


def test_too_many_are_refused_before_anything_is_computed(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        run(parse_study(values(folder, rows(), max_skipped=0.05)), tmp_path / "store")
    assert str(caught.value).startswith(
        "task 'reviews', en: 2 of 20 rows skipped: 1 with a blank text (en-2), 1 with a label "
        "outside the label set (en-4); more than 0.05 of the rows is too many"
    )
    assert not (tmp_path / "store").exists()


def test_too_many_for_one_model_fail_its_cells(folder: Path, tmp_path: Path) -> None:
    """2 of 20 texts are unknown to the model in Spanish: more than 5 %."""
    listed = [
        good_row(group, lang)
        | ({"text": "𒀀", "pair": "𒁀"} if lang == "es" and group in (3, 4) else {})
        for lang in ("en", "es")
        for group in range(GROUPS)
    ]
    outcome = run(parse_study(values(folder, listed, max_skipped=0.05)), tmp_path / "store")
    assert {failure.cell["lang"] for failure in outcome.failed} == {"es"}
    reasons = {failure.reason for failure in outcome.failed}
    assert len(reasons) == 1
    assert "2 of 20 rows skipped: 2 of unknown tokens only (es-3, es-4)" in reasons.pop()
    assert outcome.skipped == (), "what failed is compared with nothing"


def test_a_lost_list_of_skipped_rows_is_made_again(folder: Path, tmp_path: Path) -> None:
    listed = [
        good_row(group, lang) | ({"text": "𒀀", "pair": "𒁀"} if (group, lang) == (3, "es") else {})
        for lang in ("en", "es")
        for group in range(GROUPS)
    ]
    study = parse_study(values(folder, listed))
    first = run(study, tmp_path / "store")
    before = content(tmp_path / "store")
    (file,) = (tmp_path / "store" / "skipped").iterdir()
    file.unlink()
    second = run(study, tmp_path / "store")
    assert (second.filled, len(second.damaged)) == (1, 1)
    assert second.skipped == first.skipped
    assert content(tmp_path / "store") == before


def test_labels_that_a_model_lacks_are_skipped_for_it(folder: Path, tmp_path: Path) -> None:
    """The model has the classes negative and positive, whatever their case in the data; one row
    has a third label. Rows of another labelling altogether are explained, and compared with
    nothing."""
    listed = [row | {"label": row["label"].upper()} for row in rows(bad=False)]
    listed[3]["label"] = "neutral"
    outcome = run(parse_study(values(folder, listed)), tmp_path / "store")
    assert outcome.failed == ()
    ((name, reason, model),) = [(row.id, row.reason, row.model) for row in outcome.skipped]
    assert (name, reason, model) == ("en-3", "label", "first")
    stored = read(open_store(tmp_path / "store", create=False), "attributions").to_pylist()
    assert {row["gold"] for row in stored} == {"negative", "positive"}

    strange = [row | {"label": f"topic {row['label']}"} for row in rows(bad=False)]
    outcome = run(parse_study(values(folder, strange)), tmp_path / "other")
    assert (outcome.failed, outcome.skipped) == ((), ())
    stored = read(open_store(tmp_path / "other", create=False), "attributions").to_pylist()
    assert {row["gold"] for row in stored} == {None}
    page = report(tmp_path / "other", tmp_path / "page").read_text("utf-8")
    assert "no gold labels that the model knows" in page
