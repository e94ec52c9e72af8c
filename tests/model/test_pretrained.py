"""Checkpoints from strangers: their code is never run, and a missing tokenizer is not invented."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import torch

from babelscope.cli import main
from babelscope.errors import BabelscopeError, InputError
from babelscope.model.load import load
from babelscope.model.tokenizers import load_tokenizer
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.small import make
from babelscope.types import Example

CODE = """
from pathlib import Path
Path({mark!r}).write_text("run")
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast
class StrangerConfig(PretrainedConfig):
    model_type = "stranger"
class StrangerModel(PreTrainedModel):
    config_class = StrangerConfig
class StrangerTokenizer(PreTrainedTokenizerFast):
    pass
"""
ROWS = [Example(str(at), (f"the food was {at}",), "en", label="no") for at in range(2)]
ROWS += [Example(str(at), (f"the food is {at}",), "en", label="yes") for at in range(2, 4)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "model"
    texts = [row.texts[0] for row in ROWS]
    make(folder, "bert", texts, ["no", "yes"], layers=1, width=32, vocabulary=100)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "untrained": False}))
    return folder


@pytest.fixture
def stranger(tmp_path: Path) -> tuple[Path, Path]:
    """A folder whose configuration names code of its own, and the file that the code writes."""
    folder, mark = tmp_path / "stranger", tmp_path / "mark"
    folder.mkdir()
    names = {"AutoConfig": "code_of.StrangerConfig", "AutoModel": "code_of.StrangerModel",
             "AutoModelForSequenceClassification": "code_of.StrangerModel"}  # fmt: skip
    config = {"model_type": "stranger", "auto_map": names, "architectures": ["StrangerModel"]}
    (folder / "config.json").write_text(json.dumps(config))
    classes = {"AutoTokenizer": [None, "code_of.StrangerTokenizer"]}
    (folder / "tokenizer_config.json").write_text(json.dumps({"auto_map": classes}))
    (folder / "code_of.py").write_text(CODE.format(mark=str(mark)))
    return folder, mark


@pytest.mark.parametrize("read", [load, load_tokenizer])
def test_the_code_of_a_checkpoint_is_never_run(
    stranger: tuple[Path, Path], read: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, mark = stranger
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 5))
    with pytest.raises(InputError, match="such code is never run"):
        read(str(folder))  # type: ignore[operator]
    assert not mark.exists()


class Written:
    """What writes a file when a pickle of it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.mark),)


def test_weights_that_are_a_program_are_never_run(model: Path, tmp_path: Path) -> None:
    copy, mark = tmp_path / "copy", tmp_path / "mark"
    shutil.copytree(model, copy)
    (copy / "model.safetensors").unlink()
    torch.save({"weight": Written(mark)}, copy / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"might run code and is not loaded; use .* safetensors"):
        load(str(copy))
    assert not mark.exists()


@pytest.mark.parametrize("command", ["explain", "finetune"])
def test_a_yes_on_standard_input_changes_nothing(
    stranger: tuple[Path, Path],
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, mark = stranger
    rows = folder.parent / "rows.jsonl"
    rows.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n')
    output = folder.parent / "new"
    training = ["--train", str(rows), "--dev", str(rows), "--output", str(output)]
    rest = ["a text"] if command == "explain" else training
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 5))
    monkeypatch.setattr(sys, "argv", ["babelscope", command, str(folder), *rest])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "such code is never run" in line
    assert not mark.exists()
    assert sorted(path.name for path in folder.parent.iterdir()) == ["rows.jsonl", "stranger"]


def test_a_missing_tokenizer_is_refused(model: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(model, tmp_path / "model"))
    for file in folder.glob("*token*"):
        file.unlink()
    for read in (load, load_tokenizer):
        with pytest.raises(InputError, match="holds no tokenizer"):
            read(str(folder))
    with pytest.raises(InputError, match="holds no tokenizer"):
        finetune(folder, ROWS, ROWS, tmp_path / "new")
    assert not (tmp_path / "new.part").exists()


def test_a_base_with_weights_that_are_not_finite_is_refused(model: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(model, tmp_path / "model"))
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-64] + b"\xff" * 64)
    with pytest.raises(InputError, match="not finite"):
        finetune(folder, ROWS, ROWS, tmp_path / "new")
    assert not (tmp_path / "new.part").exists()


@pytest.mark.parametrize("place", ["file", "file/new", "full"])
def test_a_place_without_room_for_a_model_is_refused_first(
    model: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with pytest.raises(BabelscopeError):
        finetune(model, ROWS, ROWS, tmp_path / place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "full"]


@pytest.mark.training
def test_the_rows_of_a_table_are_fine_tuned_on(model: Path, tmp_path: Path) -> None:
    table = [{"text": row.texts[0], "label": row.label, "lang": "en"} for row in ROWS]
    folder = finetune(model, table, table, tmp_path / "new", Recipe(epochs=1))
    assert (folder / "config.json").exists()
