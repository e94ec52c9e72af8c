"""The grid: it fills a store, goes on after being killed, and records what fails."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
import torch
import yaml

from babelscope.data.examples import examples
from babelscope.data.spec import (
    DataSpec,
)
from babelscope.errors import InputError
from babelscope.reporting.build import report
from babelscope.store import cells, failures, open_store, read, read_study
from babelscope.study.config import (
    demo_study,
    parse_study,
)
from babelscope.study.config import read_study as read_file
from babelscope.study.grid import blocks, planned, progress_of
from babelscope.study.run import Watch, run
from study_process import run_study

STUDY = {
    "name": "small",
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 6}}],
    "languages": ["en", "hi"],
    "models": [
        {
            "name": "both",
            "train": {
                "languages": ["en", "hi"],
                "architecture": "bert",
                "layers": 1,
                "width": 32,
                "vocabulary": 600,
                "examples": 60,
                "dev_examples": 10,
                "learning_rate": 1e-3,
                "epochs": 3,
                "batch": 8,
            },
        }
    ],
    "methods": [
        "random",
        "occlusion",
        {"name": "integrated_gradients", "options": {"baseline": "mask", "tolerance": 0.01}},
    ],
    "faithfulness": {"metrics": ["comprehensiveness", "normalised_sufficiency"]},
}


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def start(folder: Path, store: str) -> BaseProcess:
    """A run of the study in a process of its own, forked from one that has imported the package
    and nothing else.
    """
    forks = multiprocessing.get_context("forkserver")
    libraries = ["transformers.trainer", "transformers.models.bert.modeling_bert"]
    forks.set_forkserver_preload(["babelscope.study.run", *libraries])
    cache = str(folder / f"{store}-cache")
    process = forks.Process(
        target=run_study, args=(str(folder / "study.yaml"), str(folder / store), cache)
    )
    process.start()
    return process


@pytest.mark.training
@pytest.mark.slow
def test_killed_and_run_again_is_uninterrupted(tmp_path: Path) -> None:
    """SIGKILL in training, between cells and in the middle of a block; the final stores are equal
    file by file.
    """
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    whole = start(tmp_path, "whole")
    whole.join()
    assert whole.exitcode == 0

    def reached(what: str) -> bool:
        training = list((tmp_path / "broken-cache" / "models").glob("*.part/checkpoint-*"))
        filled = list((tmp_path / "broken" / "cells").glob("*.json"))
        return {
            "training": bool(training),
            "one cell": len(filled) >= 1,
            "measures": len(filled) >= 4,
        }[what]

    for moment in ("training", "one cell", "measures"):
        process = start(tmp_path, "broken")
        while process.is_alive() and not reached(moment):
            time.sleep(0.01)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    final = start(tmp_path, "broken")
    final.join()
    assert final.exitcode == 0
    assert content(tmp_path / "broken") == content(tmp_path / "whole")
    assert len(cells(open_store(tmp_path / "whole"))) == 2 * 3 * (1 + 2)


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.getbasetemp() / "models-of-studies"
    monkeypatch.setenv("BABELSCOPE_CACHE", str(folder))
    return folder


@pytest.mark.training
def test_a_study_fills_its_store_and_a_second_run_finds_it(tmp_path: Path, cache: Path) -> None:
    study = parse_study(STUDY)
    told: list[tuple[str, int, int]] = []
    first = run(study, tmp_path / "s", watch=Watch(lambda *row: told.append(row)))
    assert (first.filled, first.found, first.failed) == (18, 0, ())
    assert told[-1] == ("done", 18, 18)
    before = content(tmp_path / "s")
    second = run(study, tmp_path / "s")
    assert (second.filled, second.found) == (0, 18)
    assert content(tmp_path / "s") == before
    store = open_store(tmp_path / "s")
    assert read(store, "attributions").num_rows == 6 * 2 * 3
    assert read(store, "measures").num_rows == 6 * 2 * 3 * 2
    said = read_study(store)
    assert said["models"][0]["languages"] == ["en", "hi"]
    assert said["cells"] == 18
    assert all(row["done"] == row["planned"] for row in progress_of(study, store))


SHORT = {**STUDY["models"][0]["train"], "examples": 24, "epochs": 1}
MANY = {
    **STUDY,
    "models": [
        {"name": "each", "train": {**SHORT, "separately": True}},
        {"name": "both", "train": {**SHORT, "layers": 2}},
    ],
    "methods": ["random", "occlusion"],
    "faithfulness": {"metrics": ["comprehensiveness"]},
    "seeds": [0, 1],
}


@pytest.mark.training
@pytest.mark.slow
def test_the_number_of_workers_changes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process and two, each with a cache of its own: models, failures and results are the same
    files.
    """
    study = parse_study(
        {
            **MANY,
            "models": [
                *MANY["models"],
                {"name": "absent", "source": str(tmp_path / "no" / "model")},
            ],
        }
    )
    told: list[tuple[str, int, int]] = []
    outcomes = []
    for workers in (1, 2):
        monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / f"cache-{workers}"))
        watch = Watch(lambda *row: told.append(row))
        outcomes.append(run(study, tmp_path / f"s-{workers}", watch=watch, workers=workers))
    one, two = outcomes
    assert (
        (one.filled, one.found, len(one.failed))
        == (two.filled, two.found, len(two.failed))
        == (2 * 4 * 4, 0, 2)
    )
    assert [row.reason for row in one.failed] == [row.reason for row in two.failed]
    first, second = content(tmp_path / "s-1"), content(tmp_path / "s-2")
    traced = {
        name for name in first if name.startswith("failures/")
    }  # the lines of a traceback are those of other callers
    assert first.keys() == second.keys()
    assert all(first[name] == second[name] for name in first.keys() - traced)
    assert [done for name, done, _ in told if "workers" in name] == sorted(
        done for name, done, _ in told if "workers" in name
    )
    assert told[-1] == ("done", 44, 44)


@pytest.mark.training
@pytest.mark.slow
def test_on_a_ray_cluster_the_files_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray", reason="the extra babelscope[ray] is not installed")
    study = parse_study({**MANY, "seeds": [0], "methods": ["random"]})
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    run(study, tmp_path / "here")
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "other-cache"))
    try:
        outcome = run(study, tmp_path / "there", workers=2, where="ray")
    finally:
        ray.shutdown()
    assert (outcome.filled, outcome.failed) == (2 * 4, ())
    assert content(tmp_path / "here") == content(tmp_path / "there")


@pytest.mark.training
@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_stopped_with_ctrl_c_it_says_how_to_go_on(tmp_path: Path, workers: int) -> None:
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(MANY))
    env = {**os.environ, "BABELSCOPE_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    script = (  # a test run in the background ignores interrupts, and its children would too
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from babelscope.cli import main; main()"
    )
    begin = [sys.executable, "-c", script]
    command = [*begin, "study", "run", str(tmp_path / "study.yaml"), "--workers", str(workers)]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, start_new_session=True)
    while process.poll() is None and not list((tmp_path / "cache" / "models").glob("*.part")):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert (
        said.decode().strip().splitlines()[-1]
        == "babelscope: interrupted; run the same command again to resume"
    )


def test_workers_and_places_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0 workers were requested; at least 1"):
        run(parse_study(STUDY), tmp_path / "s", workers=0)
    with pytest.raises(InputError, match="cannot run on 'moon'; choose one of: local, ray"):
        run(parse_study(STUDY), tmp_path / "s", where="moon")
    assert not (tmp_path / "s").exists()


def test_what_one_process_makes_others_wait_for_and_find(tmp_path: Path) -> None:
    """Two processes that want the same trained model: it is trained once."""
    script = """
import sys, time
from pathlib import Path
from babelscope.training.cache import making
folder = Path(sys.argv[1]) / "made"
with making(folder):
    if not folder.exists():
        time.sleep(1)
        folder.mkdir()
        with (folder / "log").open("a") as log:
            log.write("made\\n")
"""
    started = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(3)]
    assert [one.wait() for one in started] == [0, 0, 0]
    assert (tmp_path / "made" / "log").read_text() == "made\n"


@pytest.mark.training
@pytest.mark.skipif(
    torch.cuda.is_available(), reason="there is a GPU: the models are really moved to it"
)
def test_models_of_a_study_go_to_a_gpu_that_is_seen(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where torch sees one but cannot use it, the cells fail with that reason: nothing stays on
    the CPU in silence.
    """
    study = parse_study({**STUDY, "methods": ["random"], "faithfulness": {"metrics": []}})
    assert run(study, tmp_path / "here").failed == ()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    outcome = run(study, tmp_path / "there")
    assert outcome.filled == 0
    assert [each.reason[:35] for each in outcome.failed] == [
        "device 'cuda' cannot be used here: "
    ] * 2


@pytest.mark.training
def test_more_methods_only_add_cells(tmp_path: Path, cache: Path) -> None:
    run(parse_study({**STUDY, "methods": ["random"], "languages": ["en"]}), tmp_path / "s")
    more = run(
        parse_study({**STUDY, "methods": ["random", "position"], "languages": ["en"]}),
        tmp_path / "s",
    )
    assert (more.filled, more.found) == (3, 3)


@pytest.mark.training
def test_what_fails_is_recorded_and_does_not_stop_the_others(tmp_path: Path, cache: Path) -> None:
    broken = {"name": "absent", "source": str(tmp_path / "no" / "such" / "model")}
    methods = ["random", {"name": "occlusion", "options": {"operator": "nonsense"}}]
    study = parse_study(
        {**STUDY, "models": [broken, *STUDY["models"]], "methods": methods, "languages": ["en"]}
    )
    outcome = run(study, tmp_path / "s")
    reasons = sorted(one.reason for one in outcome.failed)
    assert len(reasons) == 2
    assert "there is no model folder" in reasons[1]
    assert "operator 'nonsense'" in reasons[0]
    assert outcome.filled == 3
    assert len(failures(open_store(tmp_path / "s"))) == 2


@pytest.mark.training
def test_a_mended_study_leaves_no_old_failure_and_no_old_row_behind(
    tmp_path: Path, cache: Path
) -> None:
    broken = {
        **STUDY,
        "models": [{"name": "both", "source": str(tmp_path / "absent")}],
        "languages": ["en"],
    }
    assert len(run(parse_study(broken), tmp_path / "s").failed) == 1
    small = {**STUDY, "languages": ["en"], "methods": ["random"]}
    assert run(parse_study(small), tmp_path / "s").failed == ()
    data = {"builtin": "sentiment", "examples": 5}
    fewer = parse_study({**small, "tasks": [{"name": "sentiment", "data": data}]})
    run(fewer, tmp_path / "s")
    store = open_store(tmp_path / "s")
    said = read_study(store)
    assert read(store, "attributions", said["keys"]).num_rows == 5
    progress = {row["analysis"]: (row["done"], row["planned"]) for row in progress_of(fewer, store)}
    assert progress == {"explanations": (1, 1), "faithfulness": (2, 2)}
    page = (report(tmp_path / "s", tmp_path / "page")).read_text("utf-8")
    assert "n 5" in page
    assert "n 11" not in page


@pytest.mark.training
def test_languages_of_files_are_kept_apart(tmp_path: Path, cache: Path) -> None:
    for lang in ("en", "hi"):
        (tmp_path / f"rows.{lang}.jsonl").write_text('{"text": "good food"}\n')
    (tmp_path / "rows.jsonl").write_text('{"text": "good food"}\n')
    from babelscope.data.examples import (
        examples,
    )
    from babelscope.data.spec import (
        DataSpec,
    )

    data = DataSpec(file=str(tmp_path / "rows.{lang}.jsonl"))
    assert [examples(data, lang)[0].lang for lang in ("en", "hi")] == ["en", "hi"]
    with pytest.raises(InputError, match="some rows have no language"):
        examples(DataSpec(file=str(tmp_path / "rows.jsonl")), "en")


@pytest.mark.training
def test_another_base_in_the_same_folder_is_another_model(tmp_path: Path) -> None:
    from babelscope.training.models import (
        trained_name,
    )
    from babelscope.training.spec import (
        TrainSpec,
    )

    (tmp_path / "base").mkdir()
    spec = TrainSpec(languages=["en"], base=str(tmp_path / "base"))
    names = []
    for content in ("one", "two"):
        (tmp_path / "base" / "model.safetensors").write_text(content)
        names.append(trained_name(spec, [], [], 0))
    assert names[0] != names[1]


@pytest.mark.training
def test_seeds_train_their_own_models_and_draw_their_own_numbers(
    tmp_path: Path, cache: Path
) -> None:
    study = parse_study(
        {
            **STUDY,
            "seeds": [0, 1],
            "methods": ["random"],
            "faithfulness": {"metrics": ["sufficiency"]},
            "languages": ["en"],
        }
    )
    assert [block.seed for block in blocks(study)] == [0, 1]
    run(study, tmp_path / "s")
    rows = read(open_store(tmp_path / "s"), "attributions").to_pylist()
    assert {row["model"] for row in rows} == {"both/0", "both/1"}
    assert len({tuple(row["scores"]) for row in rows}) == len(rows)


def test_translations_are_compared_for_the_models_that_read_several_languages() -> None:
    values = {
        **STUDY, "languages": ["en", "hi"], "source": "en", "consistency": {"gold": True},
        "models": [{"name": "several", "source": "demo"},
                   {"name": "english", "source": "demo-en", "languages": ["en"]}],
    }  # fmt: skip
    study = parse_study(values)
    several, english = blocks(study)
    assert any(place.analysis == "consistency" for place in planned(study, several))
    assert not any(place.analysis == "consistency" for place in planned(study, english))
    with pytest.raises(InputError, match="'english' is not studied in its source and another"):
        parse_study({**values, "models": values["models"][1:]})


def test_the_demo_is_a_valid_study() -> None:
    assert len(demo_study().languages) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["integrated_gradient"]}, "did you mean 'integrated_gradients'"),
        ({"faithfulness": {"metrics": ["comprehensivness"]}}, "did you mean 'comprehensiveness'"),
        (
            {"methods": [{"name": "occlusion", "options": {"operater": "mask"}}]},
            "did you mean 'operator'",
        ),
        ({"methods": []}, "methods"),
        ({"methods": ["random", "random"]}, "the method 'random .*' is listed twice"),
        ({"seeds": [1, 1]}, "the seed '1' is listed twice"),
        ({"langauges": ["en"]}, "langauges: there is no such field; did you mean 'languages'"),
        (
            {"tasks": [{"name": "t", "data": {"builtin": "sentiment", "examples": None}}]},
            "has no end",
        ),
        ({"models": [{"name": "x"}]}, "either 'source' or 'train'"),
        (
            {"models": [{"name": "x", "source": "y"}, {"name": "x", "source": "z"}]},
            "is listed twice",
        ),
        (
            {"models": [{"name": "x", "source": "y", "languages": ["fr"]}]},
            "which the study does not have",
        ),
        (
            {"tasks": [{"name": "t", "data": {}}]},
            "one of 'builtin', 'synthetic', 'corpus', 'file', 'hub' and 'rows'",
        ),
        (
            {"tasks": [{"name": "t", "data": {"builtin": "nli", "corpus": "xnli"}}]},
            "one of 'builtin', 'synthetic', 'corpus', 'file', 'hub' and 'rows'",
        ),
        (
            {"tasks": [{"name": "t", "data": {"builtin": "nli", "folder": "x"}}]},
            "'folder' is the folder of a 'corpus'",
        ),
        (
            {"tasks": [{"name": "t", "data": {"builtin": "nli", "config": "x"}}]},
            "belong to a data set of the 'hub'",
        ),
    ],
)
def test_a_wrong_study_is_refused_with_its_place(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_study({**STUDY, **change})


def test_a_file_that_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no study file"):
        read_file(tmp_path / "absent.yaml")
    (tmp_path / "broken.yaml").write_text("name: [\n")
    with pytest.raises(InputError, match=r"broken.yaml, line \d+: not YAML"):
        read_file(tmp_path / "broken.yaml")
    (tmp_path / "deep.yaml").write_text("[" * 20_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_file(tmp_path / "deep.yaml")
    (tmp_path / "list.yaml").write_text("- a\n")
    with pytest.raises(InputError, match="a study is a mapping"):
        read_file(tmp_path / "list.yaml")


def test_a_study_reads_public_corpora(shared: Path) -> None:
    """The rows of a corpus in a folder are those of its own reader, and parallel."""
    data = DataSpec(corpus="sib200", folder=str(shared / "data"), split="dev", examples=5)
    rows = {lang: examples(data, lang) for lang in ("en", "sw")}
    assert [row.group for row in rows["en"]] == [row.group for row in rows["sw"]]
    assert {len(found) for found in rows.values()} == {5}


def test_a_study_reads_data_sets_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By language in the name, with the splits that are named; where one split serves for both, no
    row is in train and dev.
    """
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    for lang in ("en", "hi"):
        for split, many in (("train", 45), ("test", 7)):
            made = datasets.Dataset.from_dict(
                {
                    "review": [f"{lang} {split} {at}" for at in range(many)],
                    "keys": [["a", "b"]] * many,
                    "label": ["x"] * many,
                }
            )
            (tmp_path / lang).mkdir(exist_ok=True)
            made.to_parquet(str(tmp_path / lang / f"{split}.parquet"))
    columns = {"text": "review", "pair": "keys"}
    data = DataSpec(hub=str(tmp_path / "{lang}"), dev_split="train", columns=columns, examples=5)
    rows = examples(data, "hi")
    assert [row.texts for row in rows] == [(f"hi test {at}", "a, b") for at in range(5)]
    assert {row.lang for row in rows} == {"hi"}
    assert [row.group for row in rows] == [row.group for row in examples(data, "en")], (
        "equal numbers are translations"
    )
    train, dev = (examples(data, "en", split, 100) for split in ("train", "dev"))
    assert [row.texts[0] for row in dev] == [f"en train {at}" for at in (0, 20, 40)]
    assert {row.texts[0] for row in (*train, *dev)} == {f"en train {at}" for at in range(45)}
    assert len(train) + len(dev) == 45
    with pytest.raises(InputError, match="cannot be read from the Hugging Face hub"):
        examples(data.model_copy(update={"dev_split": "validation"}), "en", "dev", 3)


def test_drawn_examples_are_the_same_translations(tmp_path: Path) -> None:
    """Of a file sorted by class: the same groups in both languages, others with another seed, as
    many as asked.
    """
    rows = [
        {
            "id": f"{lang}{at}",
            "group": f"g{at}",
            "lang": lang,
            "text": f"text {at}",
            "label": "ab"[at >= 50],
        }
        for lang in ("en", "hi")
        for at in range(100)
    ]
    file = tmp_path / "sorted.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    drawn = DataSpec(file=str(file), examples=20, sampled=True)
    groups = {lang: [row.group for row in examples(drawn, lang)] for lang in ("en", "hi")}
    assert groups["en"] == groups["hi"]
    assert len(set(groups["en"])) == 20
    assert {row.label for row in examples(drawn, "en")} == {"a", "b"}
    assert {row.label for row in examples(DataSpec(file=str(file), examples=20), "en")} == {"a"}
    assert set(groups["en"]) != {
        row.group for row in examples(drawn.model_copy(update={"seed": 1}), "en")
    }
