"""One block of the grid: for each analysis, for each cell that the store lacks, compute it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from babelscope.analyses import ANALYSES
from babelscope.analyses.block import (
    FAULTS,
    Block,
    Computed,
    Group,
    PlannedCell,
    Progress,
    Resources,
    failed_place,
    failure,
)
from babelscope.data.examples import usable_examples
from babelscope.model.load import Model
from babelscope.model.tokenizers import load_tokenizer
from babelscope.store import (
    SCHEME,
    Cell,
    Claimed,
    Store,
    cell_fault,
    claiming,
    fail,
    has,
    key,
    listed,
    put,
)
from babelscope.study.config import Study
from babelscope.study.describe import describe_model
from babelscope.study.skipping import SKIPPED, storable
from babelscope.training.models import obtain, started
from babelscope.types import Failure


@dataclass(slots=True)
class Tally:
    """What has come of a block."""

    keys: list[str] = field(default_factory=list)
    """Its cells that the store holds."""
    filled: list[str] = field(default_factory=list)
    """Those that were computed now."""
    skipped: list[str] = field(default_factory=list)
    """The cells that list the examples that others had to skip."""
    damaged: list[str] = field(default_factory=list)
    """Cells that the store had lost, each with the reason in one line."""
    failed: list[Failure] = field(default_factory=list)
    """What could not be computed."""
    models: list[dict[str, Any]] = field(default_factory=list)
    """The models as the report reads them, those that could be loaded."""
    put_off: bool = False
    """Whether another run computes some of its cells, and this one did not wait for it."""


def fill_block(
    study: Study,
    store: Store,
    block: Block,
    *,
    expected: frozenset[str] = frozenset(),
    progress: Progress | None = None,
    patient: bool = True,
) -> Tally:
    """Every analysis of the study on one block; what fails is recorded and the next one tried.

    Without patience, a block of which another run computes something is put off: what was computed
    of it until then is stored. `expected` are cells that the store once held: one that is missing
    is named. An error of the store itself (a full disk, no permission) is raised.
    """
    tally = Tally()
    resources = block_resources(store, block, tally, progress)
    try:
        for name in study.analyses:
            for group in _groups(study, name, block, resources):
                if isinstance(group, Failure):
                    _fail(store, group, tally)
                else:
                    fill(store, group, tally, expected, patient=patient)
    except Claimed:
        tally.put_off = True
    return tally


def fill(
    store: Store, group: Group, tally: Tally, expected: frozenset[str], *, patient: bool = True
) -> None:
    """Computes the cells of a group that the store lacks, and stores them together."""
    lacking = [cell for cell in group if not _complete(store, key(cell.identity), expected)]
    for cell in lacking:
        reason = _loss(store, key(cell.identity), expected)
        if reason is not None:
            tally.damaged.append(f"{_title(cell)}: {reason}")
    failed: set[str] = set()
    if lacking:
        names = [key(cell.identity) for cell in lacking]
        with claiming(store.path, names, patient=patient):
            computed = _compute(store, lacking, tally, failed, expected)
            put(store, computed)
        tally.filled += [key(cell.identity) for cell in computed if cell.kind != SKIPPED]
    names = [name for cell in group if (name := key(cell.identity)) not in failed]
    tally.keys += names
    tally.skipped += [other for name in names if has(store, other := key(_skipped_by(name)))]


def _skipped_by(name: str) -> dict[str, Any]:
    """The identity of the cell that lists what the cell of that key had to skip."""
    return {"kind": SKIPPED, "of": name, "scheme": SCHEME}


def _complete(store: Store, name: str, expected: frozenset[str]) -> bool:
    """Whether the store holds a cell, and the list of what it had to skip where there was one."""
    other = key(_skipped_by(name))
    had = other in expected or listed(store, other)
    return has(store, name) and (has(store, other) or not had)


def _compute(
    store: Store,
    lacking: Sequence[PlannedCell],
    tally: Tally,
    failed: set[str],
    expected: frozenset[str],
) -> list[Cell]:
    """The cells that no other run has filled in the meantime; the keys of others go to `failed`."""
    computed = []
    for cell in lacking:
        name = key(cell.identity)
        if _complete(store, name, expected):
            continue
        try:
            outcome = cell.compute()
        except FAULTS as error:
            failed.add(name)
            _fail(store, failure(cell.identity, error), tally)
            continue
        if not isinstance(outcome, Computed):
            outcome = Computed(outcome)
        place = asdict(cell.place)
        computed.append(Cell(cell.identity, cell.kind, outcome.rows, place))
        if outcome.skipped:
            computed.append(Cell(_skipped_by(name), SKIPPED, storable(outcome.skipped), place))
    return computed


def _groups(
    study: Study, analysis: str, block: Block, resources: Resources
) -> Iterator[Group | Failure]:
    """The groups of an analysis; where they cannot be listed, the failure that says why."""
    try:
        yield from ANALYSES[analysis].cells(block, study.analyses[analysis], resources)
    except FAULTS as error:
        yield failure(failed_place(block, analysis), error)


def _fail(store: Store, record: Failure, tally: Tally) -> None:
    fail(store, record)
    tally.failed.append(record)


def _loss(store: Store, name: str, expected: frozenset[str]) -> str | None:
    """Why a cell that the store once held is computed again; None for a new one."""
    if listed(store, name):
        return cell_fault(store, name) or "the list of what it skipped is lost"
    return "its manifest is missing" if name in expected else None


def _title(cell: PlannedCell) -> str:
    place = cell.place
    parts = (place.analysis, place.model, place.task, place.lang, place.what)
    return " · ".join(part for part in parts if part)


def block_resources(
    store: Store, block: Block, tally: Tally, progress: Progress | None = None
) -> Resources:
    """Models and examples of a block, each loaded once; a model that cannot be had is
    tried once.
    """
    loaded: dict[str, Model | Exception] = {}

    def model(lang: str) -> Model:
        separate = block.model.train is not None and block.model.train.separately
        slot = lang if separate else ""
        if slot not in loaded:
            loaded[slot] = _load(block, lang, tally, progress)
        outcome = loaded[slot]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def base() -> str:
        train = block.model.train
        if train is None or train.base is None:
            raise ValueError(f"model {block.model.name!r} has no 'train' with a 'base'")
        source = started(train, progress)
        return f"{source}@{train.revision}" if train.revision else source

    def tokenizer(lang: str) -> Any:
        if loaded or block.model.source is None:
            return model(lang).tokenizer
        return load_tokenizer(block.model.source, revision=block.model.revision)

    gold = block.task.target == "gold"
    read = cache(lambda lang: usable_examples(block.task.data, lang, labelled=gold).rows)
    return Resources(store, model, read, base, cache(tokenizer), progress)


def _load(block: Block, lang: str, tally: Tally, progress: Progress | None) -> Model | Exception:
    """The model that reads a language, or why it cannot be had."""
    try:
        model = obtain(
            block.model, block.task.data, block.seed, lang, name=block.name,
            max_skipped=block.request.max_skipped, progress=progress,
        )  # fmt: skip
        tally.models.append(describe_model(model, block))
    except FAULTS as error:
        return error
    return model
