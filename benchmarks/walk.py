"""The files of the package that one text passes through, from loading a model to the page, in order
of entry: python -m benchmarks.walk [--source FOLDER]

FOLDER is the `src` of another checkout, whose walk can be compared with this one: only public
functions are called, which both have.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src"
METHOD, METRIC, LANG = "integrated_gradients", "comprehensiveness", "en"
WARMING, WALKED = "a cold day in the old town", "the food was good but the room was small"
LABELS = ("negative", "positive")


def make_model(folder: Path) -> None:
    """A tiny classifier and its tokenizer, written by transformers alone."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += sorted({*WARMING.split(), *WALKED.split()})
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {
        f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")
    }
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, id2label=dict(enumerate(LABELS)),
        label2id={label: at for at, label in enumerate(LABELS)},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)


def study_file(folder: Path, text: str) -> Path:
    """A study of one text, in the words of the edition that is walked."""
    import babelscope

    rows = [{"id": "1", "lang": LANG, "text": text, "label": LABELS[1]}]
    (folder / f"texts.{LANG}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    chosen: dict[str, Any] = {"metrics": [METRIC]}
    if "metrics" not in babelscope.Study.model_fields:
        chosen = {"faithfulness": chosen}
    study = {
        "name": "walk",
        "tasks": [{"name": "texts", "data": {"file": str(folder / "texts.{lang}.jsonl")}}],
        "languages": [LANG],
        "models": [{"name": "tiny", "source": str(folder / "model")}],
        "methods": [METHOD],
        **chosen,
    }
    file = folder / "study.yaml"
    file.write_text(json.dumps(study), "utf-8")  # JSON is YAML
    return file


def steps(folder: Path, text: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The calls of a user, each a step; they are made in this order."""
    import babelscope

    values: dict[str, Any] = {}
    store, page = folder / f"store {text}", folder / f"page {text}"
    model = str(folder / "model")
    yield "load", lambda: values.update(model=babelscope.load(model))
    yield (
        "explain",
        lambda: values.update(
            explained=babelscope.explain(values["model"], [text], METHOD, lang=LANG)
        ),
    )
    yield "measure", lambda: babelscope.measure(values["model"], values["explained"], [METRIC])
    yield "study run", lambda: babelscope.run(study_file(folder, text), store)
    yield "report", lambda: babelscope.report(store, page)


@contextmanager
def watched(root: Path) -> Iterator[dict[str, str]]:
    """The files below `root` whose functions are called, each with the first one, in order of
    entry."""
    entered: dict[str, str] = {}
    prefix = f"{root}/"

    def profile(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(prefix) and code.co_name != "<module>":
            entered.setdefault(code.co_filename.removeprefix(prefix), code.co_qualname)

    sys.setprofile(profile)
    try:
        yield entered
    finally:
        sys.setprofile(None)


def walk(root: Path) -> dict[str, dict[str, str]]:
    """By step, the files entered. Another text goes first, so that what is imported or made once
    for all texts is not counted."""
    entered: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        make_model(folder / "model")
        for _, call in steps(folder, WARMING):
            call()
        for name, call in steps(folder, WALKED):
            with watched(root) as files:
                call()
            entered[name] = files
    return entered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="The src of a checkout.")
    source = parser.parse_args().source.resolve()
    sys.path.insert(0, str(source))
    import babelscope

    root = Path(str(babelscope.__file__)).parent
    if root.parent != source:
        sys.exit(f"babelscope was imported from {root.parent}, not from {source}")
    entered = walk(root)
    seen: set[str] = set()
    for name, files in entered.items():
        new = [file for file in files if file not in seen]
        print(f"\n{name}: {len(files)} files, {len(new)} of them for the first time")
        for file in new:
            print(f"  {file:<44} {files[file]}")
        seen |= files.keys()
    folders = {str(Path(file).parent) for file in seen}
    print(f"\nin all {len(seen)} files of {len(folders)} packages")


if __name__ == "__main__":
    main()
