"""Whether the single commands give the numbers of the study that holds all analyses:

    babelscope study run studies/everything-small.yaml --store STORE
    python -m benchmarks.same_numbers STORE [FILE]

Each command is run on the models of the study, which are in the model cache, and on the same texts;
what it stores is compared with what the study stored, cell by cell and row by row. Names of models
and tasks are left out: a command names a model by its folder. Trained models are found by what
decided them, the number of threads included: run both with the same.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from itertools import zip_longest
from pathlib import Path
from typing import Any

from babelscope.cli import app
from babelscope.data.examples import examples
from babelscope.data.formats.export import write
from babelscope.store import Store, cells, open_store, read
from babelscope.study.config import Study, read_study
from babelscope.training.models import started, train

Place = tuple[str, str, str, str, str]
"""Analysis, kind, model, language, and what else tells cells apart."""
Row = dict[str, Any]
Command = list[str]
NAMES = {"model", "task", "tokenizer"}
"""Columns that hold a name, not a number."""
COMMANDS = ("tokenization", "intervene", "heads", "trust", "consistency", "tradeoffs")
HEADER = (
    "command",
    "cells",
    "not in the study",
    "rows",
    "values",
    "equal to the bit",
    "largest difference",
)


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and texts in nested lists and fields, in order; JSON in a text is opened."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        value = json.loads(value)
    if isinstance(value, Mapping):
        for name in sorted(value.keys() - NAMES):
            yield from leaves(value[name])
    elif isinstance(value, list | tuple):
        yield len(value)
        for each in value:
            yield from leaves(each)
    else:
        yield value


def difference(a: Any, b: Any) -> float:
    """Of two numbers; infinite where a text or the kind of value differs."""
    if a == b or (a != a and b != b):
        return 0.0
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return abs(a - b) if numbers else float("inf")


def by_place(store: Store, names: Mapping[str, str]) -> dict[Place, list[Row]]:
    """The rows of every place, models under the study's names; cells of one place are joined."""
    rows: dict[Place, list[Row]] = defaultdict(list)
    for path, manifest in zip(sorted((store.path / "cells").glob("*.json")), cells(store)):
        where, kind = manifest["place"], manifest["kind"]
        model = names.get(where["model"], where["model"])
        place = (where["analysis"], kind, model, where["lang"], where["what"])
        rows[place] += read(store, kind, [path.stem]).to_pylist()
    return {place: sorted(listed, key=_order) for place, listed in rows.items()}


def _order(row: Row) -> str:
    """The same order for rows of cells that were joined."""
    return json.dumps([row.get(name) for name in ("id", "lang", "source", "space", "norm", "part")])


def compare(single: Mapping[Place, list[Row]], study: Mapping[Place, list[Row]]) -> list[str]:
    """The numbers of cells, rows and values, how many are equal to the bit, and the largest
    difference.
    """
    missing = [place for place in single if len(study.get(place, ())) != len(single[place])]
    for place in missing:
        print("  not in the study:", *place)
    rows = []
    for place in single.keys() - missing:
        for ours, theirs in zip(single[place], study[place]):
            common = ours.keys() & theirs.keys()
            pairs = zip_longest(*(leaves({c: row[c] for c in common}) for row in (ours, theirs)))
            rows.append([difference(*pair) for pair in pairs])
    values = [value for row in rows for value in row]
    counts = (len(single), len(missing), len(rows), len(values), values.count(0.0))
    return [*(f"{count:,}" for count in counts), f"{max(values, default=0.0):.3g}"]


def print_table(lines: Mapping[str, list[str]]) -> None:
    """As Markdown."""
    print("", f"| {' | '.join(HEADER)} |", f"|---|{'--:|' * (len(HEADER) - 1)}", sep="\n")
    for command, cells_of_line in lines.items():
        print(f"| `{command}` | {' | '.join(cells_of_line)} |")


def folders(study: Study) -> dict[str, str]:
    """The folder of each model of the study, by its name there."""
    data, seed, lang = study.tasks[0].data, study.seeds[0], study.languages[0]
    return {
        model.name: str(train(model.train.of(lang), data, seed) if model.train else model.source)
        for model in study.models
    }


def commands(study: Study) -> list[str]:
    """The commands whose analysis the study has."""
    block = study.analyses.get("tokenization")
    absent = {"intervene"} if getattr(block, "interventions", None) is None else set()
    known = {*study.analyses, "intervene"} - absent
    return [command for command in COMMANDS if command in known]


def arguments(study: Study, command: str, models: Mapping[str, str], texts: Path) -> list[Command]:
    """The command lines of one analysis: one for every model, or one for all of them."""
    task, langs = study.tasks[0], ",".join(study.languages)
    corpus, count = str(task.data.builtin), str(task.data.examples)
    source = study.source or study.languages[0]
    methods = [choice.name for choice in study.methods]
    analysis = {"intervene": "tokenization"}.get(command, command)
    block = study.analyses[analysis].model_dump(exclude_unset=True)
    interventions = block.pop("interventions", None)
    if command == "intervene":
        block["interventions"] = interventions
    trees = block.pop("treebanks", f"{corpus}/{{lang}}/test/{count}").replace("{lang}", langs)
    each: dict[str, Command] = {
        "tokenization": [f"--input={corpus}/{lang}/test/{count}" for lang in study.languages],
        "intervene": [f"--input={texts}"],
        "heads": [f"--treebank={trees}"],
        "trust": [f"--input={texts}", f"--set=methods={json.dumps(methods)}"],
        "consistency": [
            f"--task={corpus}", f"--source={source}", f"--method={','.join(methods)}",
            f"--lang={','.join(lang for lang in study.languages if lang != source)}",
            f"--count={count}", f"--set=tasks.0.target={json.dumps(task.target)}",
        ],
    }  # fmt: skip
    settings = [f"--set={name}={json.dumps(value)}" for name, value in block.items()]
    if command in each:
        return [[folder, *each[command], *settings] for folder in models.values()]
    trained = [model for model in study.models if model.train is not None]
    tuned = [f"--model={model.training_languages[0]}={models[model.name]}" for model in trained]
    recipe = trained[0].train
    assert recipe is not None
    sizes = {"train_examples": recipe.examples, "dev_examples": recipe.dev_examples} | block
    probes = [f"--set={name}={json.dumps(value)}" for name, value in sizes.items()]
    options = [f"--task={corpus}", f"--lang={langs}", f"--count={count}"]
    return [[*tuned, *options, f"--base={started(recipe, None)}", *probes]]


def measures(study: Study, models: Mapping[str, str], texts: Path) -> dict[Place, list[Row]]:
    """What `babelscope measure` writes, by metric, model, language and method."""
    rows: dict[Place, list[Row]] = defaultdict(list)
    metrics = ",".join(
        each["name"] for each in study.analyses["faithfulness"].model_dump()["metrics"]
    )
    methods = ",".join(choice.name for choice in study.methods)
    for name, folder in models.items():
        output = texts.with_name(f"{name}.jsonl")
        chosen = [f"--method={methods}", f"--metric={metrics}", f"--output={output}"]
        run(["measure", folder, f"--input={texts}", *chosen])
        for row in map(json.loads, output.read_text("utf-8").splitlines()):
            rows["measure", row["metric"], name, row["lang"], row["method"]].append(row)
    return {place: sorted(listed, key=_order) for place, listed in rows.items()}


def study_measures(stored: Mapping[Place, list[Row]]) -> dict[Place, list[Row]]:
    """The study's measures under the same places; of random scores those of the first sample."""
    return {
        ("measure", rows[0]["metric"], model, lang, rows[0]["method"]): rows
        for (_, kind, model, lang, what), rows in stored.items()
        if kind == "measures" and "@0/" in what
    }


def run(command: Command) -> None:
    print("$ babelscope", " ".join(command), flush=True)
    with redirect_stdout(io.StringIO()):
        status = app(command, standalone_mode=False)
    if status:
        sys.exit(f"babelscope {command[0]} ended with status {status}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("study", type=Path, nargs="?", default="studies/everything-small.yaml")
    chosen = parser.parse_args()
    study, stored = read_study(chosen.study), open_store(chosen.store, create=False)
    models = folders(study)
    names = {folder: name for name, folder in models.items()}
    names |= {Path(folder).name: name for folder, name in names.items()}
    theirs, lines = by_place(stored, names), {}
    with tempfile.TemporaryDirectory() as place:
        texts, data = Path(place) / "texts.jsonl", study.tasks[0].data
        write((row for lang in study.languages for row in examples(data, lang)), texts)
        for command in commands(study):
            folder = Path(place) / command
            for options in arguments(study, command, models, texts):
                run([command, *options, f"--store={folder}"])
            ours = by_place(open_store(folder, create=False), names)
            lines[command] = compare(ours, theirs)
        if "faithfulness" in study.analyses:
            ours = measures(study, models, texts)
            lines["measure"] = compare(ours, study_measures(theirs))
    print_table(lines)


if __name__ == "__main__":
    main()
