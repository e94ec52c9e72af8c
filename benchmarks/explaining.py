"""What `explain` costs beside the passes that its method needs: counted in tokens, then timed."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch

from babelscope.methods.explain import explain
from babelscope.model.batches import pack
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.propagation.rules import rules
from babelscope.types import Encoded, Example
from benchmarks import material
from benchmarks.timing import in_turn, table

REPETITIONS, ERASING = 4, 3
"""Of gradient and propagation methods, and of occlusion."""
METHODS = ("input_x_gradient", "gradient_norm", "attnlrp", "cp_lrp", "attcat", "occlusion")
RULES = ("attnlrp", "cp_lrp")
"""Methods whose bare pass is a gradient under their own backward rules."""
TEXTS, LARGE = 48, 12
"""Of models up to a width of 256, and of larger ones."""
ERASED = {"chineseharm-bert": 4}
"""Texts for occlusion, where it would take minutes."""
BATCH = 1024
"""Tokens in a batch of the bare passes, as in a gradient pass of ours."""


@dataclass
class Read:
    """The tokens of the calls of a model, padding included, and of the backward passes."""

    forward: int = 0
    backward: int = 0


@contextmanager
def counting(model: Model) -> Iterator[Read]:
    """Within, every call of the model is counted, whoever makes it."""
    read, original = Read(), model.hf.forward

    @functools.wraps(original)
    def counted(*args: Any, **arguments: Any) -> Any:
        ids, embedded = arguments.get("input_ids"), arguments.get("inputs_embeds")
        size = ids.numel() if ids is not None else embedded[..., 0].numel()
        read.forward += size
        answer = original(*args, **arguments)
        if answer.logits.requires_grad:
            answer.logits.register_hook(lambda _: setattr(read, "backward", read.backward + size))
        return answer

    model.hf.forward = counted
    try:
        yield read
    finally:
        model.hf.forward = original


def tensors(model: Model, rows: Sequence[Encoded]) -> Iterator[dict[str, torch.Tensor]]:
    """Padded batches of ids and masks, longest first, as whoever writes the loop by hand has."""
    for batch in pack([len(row.ids) for row in rows], BATCH):
        ids = [torch.from_numpy(rows[at].ids) for at in batch]
        masks = [torch.ones_like(each) for each in ids]
        pad = functools.partial(torch.nn.utils.rnn.pad_sequence, batch_first=True)
        yield {
            "input_ids": pad(ids, padding_value=model.tokenizer.pad_token_id or 0),
            "attention_mask": pad(masks),
        }


def bare_gradients(model: Model, rows: Sequence[Encoded], method: str = "") -> Callable[[], None]:
    """One gradient pass of the highest logit with respect to the embeddings, under the backward
    rules of that method where it has its own.
    """
    batches = list(tensors(model, rows))
    kept = {"logits_to_keep": 1} if "logits_to_keep" in model.accepts else {}

    def call() -> None:
        for batch in batches:
            with rules(model, method) if method in RULES else nullcontext():
                leaf = model.embeddings(batch["input_ids"]).detach().requires_grad_(True)
                logits = model.hf(
                    inputs_embeds=leaf, attention_mask=batch["attention_mask"], **kept
                ).logits
                torch.autograd.grad(logits.max(dim=-1).values.sum(), leaf)

    return call


def bare_erasures(model: Model, rows: Sequence[Encoded]) -> Callable[[], None]:
    """Every text, and every text without each of its tokens, in batches of equal length."""
    tables: dict[int, list[torch.Tensor]] = {}
    for row in rows:
        ids = torch.from_numpy(row.ids)
        erased = ids.repeat(int(row.content.sum()) + 1, 1)
        places = torch.from_numpy(row.content).nonzero()[:, 0]
        erased[torch.arange(1, len(erased)), places] = model.tokenizer.mask_token_id
        tables.setdefault(len(ids), []).append(erased)
    batches = [
        part
        for length, parts in sorted(tables.items())
        for part in torch.cat(parts).split(max(1, 2 * BATCH // length))
    ]

    def call() -> None:
        with torch.no_grad():
            for ids in batches:
                model.hf(input_ids=ids, attention_mask=torch.ones_like(ids))

    return call


def lines(name: str, model: Model, examples: Sequence[Example]) -> list[list[object]]:
    listed = []
    for method in METHODS:
        erases = method == "occlusion"
        if erases and model.tokenizer.mask_token_id is None:
            continue  # a decoder deletes: other inputs than the bare ones
        texts = list(examples[: ERASED.get(name) if erases else None])
        rows = encode(model, texts)
        bare = bare_erasures(model, rows) if erases else bare_gradients(model, rows, method)
        ours = functools.partial(explain, model, texts, method)
        with counting(model) as read:
            ours()
        with counting(model) as needed:
            bare()
        times = ERASING if erases else REPETITIONS
        ratio = in_turn(ours, bare, times, time.process_time, warm=True)
        tokens = sum(len(row.ids) for row in rows)
        counted = [read.forward, needed.forward, read.backward, needed.backward]
        listed.append([name, method, *(f"{each / tokens:.2f}" for each in counted), ratio])
    return listed


def some_of(model: Model, texts: Sequence[Example]) -> Sequence[Example]:
    width = model.hf.config.get_text_config().hidden_size
    return texts[: TEXTS if width <= 256 else LARGE]


def worst(rows: Sequence[Sequence[object]], *, erases: bool) -> str:
    """The largest median ratio, and where."""
    some = [row for row in rows if (row[1] == "occlusion") == erases]
    ratio, row = max((float(str(row[-1]).split()[0]), row) for row in some)
    return f"{ratio:.2f} ({row[1]}, {row[0]})"


def section() -> str:
    torch.set_num_threads(1)
    sides = [*material.classifiers(), *material.prompted(LARGE)]
    rows = [
        row for name, model, texts in sides for row in lines(name, model, some_of(model, texts))
    ]
    head = [
        "model", "method", "forward passes", "needed", "backward passes", "needed",
        "time of `explain` / of the bare passes",
    ]  # fmt: skip
    return f"""## What explain costs beside its passes

**End to end, gradient and propagation methods take at most {worst(rows, erases=False)} times their bare passes, occlusion at most {worst(rows, erases=True)}.**

`explain` of {TEXTS} texts ({LARGE} by models wider than 256, occlusion by chineseharm-bert of {ERASED["chineseharm-bert"]}) from strings to explanations: tokenizing, predicting, the check
against the model's own call, the method, words. The bare passes are written by hand on prepared tensors: one gradient of the highest
logit with respect to the embeddings, for {" and ".join(RULES)} under their own backward rules; for occlusion every text and every text without each
of its tokens. Passes are tokens read, padding included, over the tokens of the texts; a prompt's beginning is read once, which a
bare pass by hand does not do. Processor time on one thread.

{table(head, rows)}
{material.absent(material.PROMPTED)}"""
