"""How the cells of a block are computed from its models and texts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from math import isnan
from typing import TYPE_CHECKING, Any

from babelscope.analyses.block import Block, Computed, Group, PlannedCell, Resources, computed
from babelscope.analyses.tradeoffs.corpus import Corpus
from babelscope.analyses.tradeoffs.plan import MODEL, Plan, Step, place
from babelscope.analyses.tradeoffs.provenance import BASE
from babelscope.analyses.tradeoffs.spec import Spec
from babelscope.data.skipping import skipped_row
from babelscope.errors import BabelscopeError, InputError
from babelscope.files import canonical
from babelscope.store import SCHEME, Rows, has, key
from babelscope.types import Example, FineTuning, LanguageLoss, SkippedRow

if TYPE_CHECKING:
    from babelscope.analyses.tradeoffs.readings import ReadText
    from babelscope.model.load import Model

LOSSES = 100
"""Texts per language on which the loss of the language model is taken."""


@dataclass(frozen=True)
class Material:
    """What the cells of a block are computed from, loaded when it is first needed."""

    block: Block
    spec: Spec
    resources: Resources
    plan: Plan
    corpus: Corpus

    @cached_property
    def model(self) -> Model:
        model = self.resources.model(self.block.languages[0])
        if not model.row.pools:  # a head that gives one class to a whole text
            raise InputError(
                f"{model.name} is a model for {model.task}; trade-offs need one for "
                "text-classification"
            )
        _check_gold(self.corpus, model)
        return model

    @cached_property
    def checkpoint(self) -> str:
        return (
            self.spec.base
            if self.block.model.train is None and self.spec.base
            else self.resources.base()
        )

    @cached_property
    def base(self) -> Model:
        import torch

        from babelscope.model.load import fastest, load

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(
                0
            )  # the head of a base is sampled when it is loaded: its fingerprint must not change
            task = "text-classification"
            return load(self.checkpoint, task=task, device=fastest(), allow_untrained_head=True)

    def load(self, owner: str) -> None:
        """Loads the model whose cells are computed next."""
        if owner in (MODEL, BASE):
            _ = self.model if owner == MODEL else self.base

    def groups(self, step: Step) -> Iterator[Group]:
        """The cells of a step: those of one part of the texts are computed and stored together."""
        if step.kinds == ("texts",):
            yield [self._texts_cell(step)]
        elif step.split:
            yield from self._read(step)
        else:
            (kind,) = step.kinds
            cells = {
                "finetunings": self._finetuning,
                "probes": self._probes,
                "drifts": self._drifts,
                "losses": self._losses,
            }
            yield [cells[kind](step)]

    def _texts_cell(self, step: Step) -> PlannedCell:
        from babelscope.training.finetune import fingerprint

        rows, left = (
            self.corpus.stored(step.split, step.lang),
            self.corpus.left_out[step.split, step.lang],
        )
        every = [
            *self.corpus.texts[step.split][step.lang],
            *(row for some in left.values() for row in some),
        ]
        content = hashlib.sha256(
            canonical([[row.id, row.cluster, row.left_out] for row in rows]).encode()
        ).hexdigest()
        identity = {
            "split": step.split,
            "lang": step.lang,
            "data": fingerprint(every),
            "content": content,
        }
        return self._cell(step, "texts", identity, lambda: rows)

    def _read(self, step: Step) -> Iterator[Group]:
        """The texts of a language in parts, each with a place of its own. The last part has the
        planned place, and is computed once all others are stored: only then is the language done.
        """
        head = step.owner == MODEL
        model, reader = (self.model, self.block.name) if head else (self.base, BASE)
        pending: list[PlannedCell] = []
        for where, part, identity in self._parts(step):
            last = where.start is None
            if last and not all(has(self.resources.store, key(cell.identity)) for cell in pending):
                return  # an earlier part failed: the last one would call the language done
            read = cache(partial(_read_part, model, part, head))
            group = [
                self._cell(
                    where, kind, identity,
                    partial(_rows, self.block, read, kind, len(part), step.split, reader),
                )
                for kind in step.kinds
            ]  # fmt: skip
            pending += group
            yield group

    def _parts(self, step: Step) -> Iterator[tuple[Step, Sequence[Example], dict[str, Any]]]:
        """The parts of the texts of a language: where each belongs, its texts, what decides it."""
        from babelscope.analyses.tradeoffs.readings import parts
        from babelscope.training.finetune import fingerprint

        rows = self.corpus.texts[step.split][step.lang]
        model = self.model if step.owner == MODEL else self.base
        for start, part in parts(rows):
            last = start + len(part) == len(rows)
            identity = {
                **self._reader(model, step),
                "split": step.split,
                "lang": step.lang,
                "start": start,
                "data": fingerprint(part),
            }
            yield replace(step, start=None if last else start), part, identity

    def _probes(self, step: Step) -> PlannedCell:
        """Probes are fitted on states that the store holds: their keys decide what is found."""
        from babelscope.analyses.tradeoffs.probes import StoredTexts, class_probes, language_probe

        texts = {
            (split, lang): StoredTexts(self._states(step.owner, split, lang), tuple(rows))
            for split, by_lang in self.corpus.texts.items()
            for lang, rows in by_lang.items()
            if split == "test" or lang in ((step.lang,) if step.lang else self.plan.probed)
        }
        listed = [[*where, *each.keys] for where, each in sorted(texts.items())]
        digest = hashlib.sha256(canonical(listed).encode()).hexdigest()
        model = self.model if step.owner == MODEL else self.base
        identity = self._reader(model, step) | {"lang": step.lang, "states": digest}
        store, every = self.resources.store, step.owner == BASE
        compute = (
            partial(class_probes, store, texts, step.lang, every=every)
            if step.lang
            else partial(language_probe, store, texts, self.plan.probed)
        )
        return self._cell(step, "probes", identity, compute)

    def _states(self, owner: str, split: str, lang: str) -> tuple[str, ...]:
        """The keys of the cells that hold the owner's states of these texts."""
        reading = Step(owner, ("states",), split, lang)
        cells = [
            self._cell(where, "states", identity, list)
            for where, _, identity in self._parts(reading)
        ]
        return tuple(key(cell.identity) for cell in cells)

    def _finetuning(self, step: Step) -> PlannedCell:
        model, origin = self.model, self.plan.provenance
        row = FineTuning(
            self.block.name, origin.source, origin.seed, origin.kind, tuple(model.labels)
        )
        identity = self._reader(model, step) | {
            "provenance": [origin.source, origin.seed, origin.kind]
        }
        return self._cell(step, "finetunings", identity, lambda: [row])

    def _drifts(self, step: Step) -> PlannedCell:
        from babelscope.analyses.tradeoffs.drift import weight_drift

        identity = self._reader(self.model, step) | {"base": self.base.fingerprint}
        return self._cell(step, "drifts", identity, lambda: weight_drift(self.base, self.model))

    def _losses(self, step: Step) -> PlannedCell:
        from babelscope.training.finetune import fingerprint

        model = self.model if step.owner == MODEL else None
        rows = [row for rows in self.corpus.texts["test"].values() for row in rows[:LOSSES]]
        read = self._reader(model or self.base, step)
        identity = read | {"base": self.base.fingerprint, "data": fingerprint(rows)}
        return self._cell(
            step, "losses", identity, lambda: language_losses(self.checkpoint, model, rows)
        )

    def _reader(self, model: Model, step: Step) -> dict[str, Any]:
        name = self.block.name if step.owner == MODEL else ""
        return {"model": model.fingerprint, "name": name, "head": step.owner != BASE}

    def _cell(
        self,
        step: Step,
        kind: str,
        identity: dict[str, Any],
        compute: Callable[[], Rows | Computed],
    ) -> PlannedCell:
        shared = {"kind": kind, "task": self.block.task.name, "scheme": SCHEME}
        return PlannedCell(
            place(self.block, self.plan, step, kind), identity | shared, kind, compute
        )


ReadPart = tuple[list["ReadText"], tuple[SkippedRow, ...]]


def _read_part(model: Model, part: Sequence[Example], head: bool) -> ReadPart:
    """What the model makes of the texts that it can read and whose gold label is one of its
    classes, and the others.
    """
    from babelscope.analyses.tradeoffs.readings import read_readable

    known = {label.lower() for label in model.labels}
    strangers = [row for row in part if head and str(row.label).lower() not in known]
    detail = f"{model.name} has the classes {', '.join(model.labels)}"
    unknown = [
        skipped_row(row, "label", f"it has the gold label {row.label!r}, {detail}")
        for row in strangers
    ]
    read, skipped = read_readable(model, [row for row in part if row not in strangers], head=head)
    return read, (*skipped, *unknown)


def _rows(
    block: Block, read: Callable[[], ReadPart], kind: str, total: int, split: str, reader: str
) -> Computed:
    texts, skipped = read()
    rows = [text.reading if kind == "readings" else text.states for text in texts]
    return computed(block, rows, skipped, total, split=split, reader=reader)


def language_losses(base: str, model: Model | None, rows: Sequence[Example]) -> list[LanguageLoss]:
    """The loss on every text with the base's language model head; none where the base has no such
    head."""
    from babelscope.analyses.tradeoffs.drift import language_loss
    from babelscope.model.language_models import load_language_model

    try:
        load_language_model(base)
    except BabelscopeError:
        return []
    losses = language_loss(base, model, rows)
    return [
        LanguageLoss(row.id, row.group, row.lang, loss)
        for row, loss in zip(rows, losses)
        if not isnan(loss)
    ]


def _check_gold(corpus: Corpus, model: Model) -> None:
    """Classes are matched by name: labels of which the model knows none are refused. A single one
    that it does not know is skipped when the texts are read.
    """
    known = {label.lower() for label in model.labels}
    for split, by_lang in corpus.texts.items():
        for rows in by_lang.values():
            labels = {str(row.label).lower() for row in rows}
            if rows and not labels & known:
                unknown = rows[0]
                raise InputError(
                    f"{unknown.id} ({split}) has the gold label {unknown.label!r}, {model.name} "
                    "has the classes "
                    f"{', '.join(model.labels)}; set id2label in the checkpoint's config.json to "
                    "the names of the data"
                )
