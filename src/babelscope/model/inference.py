"""The one door: every perturbed input reaches the model here, and only here.

Identical inputs are computed once. Inputs are sorted by length and packed into batches by token count, across examples, so
that almost nothing is padding. Results come back in the caller's order. When memory runs out, the batch is made smaller
and tried again. Everything is counted (`Door`).

*Laws*: an input's result does not depend on the other inputs of the call, on their order, on the token budget or on the
padding side (1e-5 in float32, 1e-9 in float64); the model is left as it was found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model import encoder_decoder
from babelscope.model.batches import FULL, run
from babelscope.model.load import Model
from babelscope.model.memory import fitting, weight_bytes
from babelscope.model.targets import secant, value
from babelscope.model.verbalizer import label_logits
from babelscope.types import Encoded, Target

Edit = Callable[[Float[Tensor, "token dim"]], Float[Tensor, "token dim"]]
"""From the word embeddings of one input to those that the model shall read, both [token, dimension]."""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One input for the model: token ids, and perhaps positions that nobody may attend to and an edit of the embeddings."""

    ids: NDArray[np.int64]
    types: NDArray[np.int64] | None = None
    attended: NDArray[np.bool_] | None = None
    edit: Edit | None = None
    key: str = ""
    """What the edit is: two queries with the same ids and key are the same input. Needed with an edit."""
    decoder: int = 0
    """How many ids at the end only the decoder of an encoder-decoder reads, its start token among them."""

    def digest(self) -> bytes:
        parts = (self.ids, self.types, self.attended)
        whole = b"|".join(b"" if part is None else part.tobytes() for part in parts)
        return hashlib.blake2b(whole + f"{self.key}|{self.decoder}".encode(), digest_size=16).digest()


def query(encoded: Encoded) -> Query:
    """The unperturbed input."""
    return Query(encoded.ids, encoded.types, decoder=encoded.decoder)


def scores(model: Model, queries: Sequence[Query]) -> list[Tensor]:
    """The outputs in float64 on the CPU: class logits (of a language model those of the next token, or of the verbaliser's
    labels), start and end logits [2, token] for reading comprehension, or tag logits [token, tag]."""
    digests = [asked.digest() for asked in queries]
    memory = {} if model.door.memory is None else model.door.memory
    new = {digest: asked for digest, asked in zip(digests, queries) if digest not in memory}
    model.door.queries += len(queries)
    model.door.distinct += len(new)

    def step(batch: list[Query], rows: list[int]) -> list[Tensor]:
        with torch.no_grad():
            return _outputs(model, batch, _forward(model, batch))

    with model.still():
        memory.update(zip(new, run(model, list(new.values()), model.door.budget, step)))
    return [memory[digest] for digest in digests]


def gradients(
    model: Model,
    queries: Sequence[Query],
    targets: Sequence[Target],
    reduce: Callable[[int, Tensor], Any],
    against: Sequence[Query] | None = None,
) -> list[tuple[float, Any]]:
    """Per query the target's value and `reduce(row, gradient)`, with the gradient by the (edited) word embeddings of each
    position, [token, dimension]: the gradient of the input, not of rows of the embedding matrix.

    `against` holds a reference of the same length for each query, which the model reads in the same call, behind the batch's
    own rows. Then the slope of the value by the outputs is the mean one on the way from the reference's outputs.
    """
    others = queries if against is None else against
    callers: dict[tuple[bytes, bytes, Target], list[int]] = {}
    for row, (asked, other, target) in enumerate(zip(queries, others, targets)):
        callers.setdefault((asked.digest(), other.digest(), target), []).append(row)
    alike = list(callers.values())
    firsts = [rows[0] for rows in alike]
    model.door.queries += len(queries)
    model.door.distinct += len(firsts)

    def step(batch: list[Query], rows: list[int]) -> list[tuple[float, list[Any]]]:
        whole = batch if against is None else [*batch, *(against[firsts[row]] for row in rows)]
        leaf = _embed(model, whole).detach().requires_grad_(True)
        outputs = _outputs(model, whole, _forward(model, whole, leaf))
        mine = [targets[firsts[row]] for row in rows]
        values = torch.stack([value(model, output, target) for output, target in zip(outputs, mine)])
        if against is not None:
            steps = [secant(model, *both) for both in zip(outputs, outputs[len(batch) :], mine)]
        (slopes,) = torch.autograd.grad((values if against is None else torch.stack(steps)).sum(), leaf)
        model.door.backward += sum(len(asked.ids) for asked in batch)
        found = []
        for row, amount, slope, (start, end) in zip(rows, values.detach(), slopes, _places(model, batch)):
            found.append((float(amount), [reduce(caller, slope[start:end]) for caller in alike[row]]))
        return found

    with model.still():
        budget = model.door.budget // (2 if against is None else 4)
        done = run(model, [queries[row] for row in firsts], max(FULL, budget), step)
    results: list[Any] = [None] * len(queries)
    for rows, (amount, reduced) in zip(alike, done):
        for row, part in zip(rows, reduced):
            results[row] = (amount, part)
    return results


def attentions(model: Model, queries: Sequence[Query], reduce: Callable[[int, Tensor], Any]) -> list[Any]:
    """Per query `reduce(row, weights)` of the attention weights [layer, head, query token, key token]."""

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        with torch.no_grad():
            output = _forward(model, batch, output_attentions=True)
        layers = output.attentions
        if not layers or any(layer is None for layer in layers):
            raise UnsupportedModel(
                f"{type(model.hf).__name__} returned no attention weights; use a gradient or erasure method instead"
            )
        weights = torch.stack(tuple(layers)).transpose(0, 1)
        places = zip(rows, weights, _places(model, batch))
        return [reduce(row, mine[:, :, start:end, start:end]) for row, mine, (start, end) in places]

    model.door.queries += len(queries)
    model.door.distinct += len(queries)
    with model.still(), model.visible_attention():
        return run(model, list(queries), _room(model, queries, 2), step)


class Inside(NamedTuple):
    """What one input made of the model: its output, the input and output of every layer, and the attention weights."""

    output: Tensor
    states: Float[Tensor, "state token dim"]
    """The word embeddings as the first layer reads them, then the output of every layer."""
    weights: Float[Tensor, "layer head token token"] | None
    """None where the model shows none."""


def insides(model: Model, queries: Sequence[Query], reduce: Callable[[int, Inside], Any]) -> list[Any]:
    """Per query `reduce(row, inside)`, without slopes: what the model makes of a text, once and for all."""
    if model.two_sided:
        raise UnsupportedModel(f"{model.name} has an encoder and a decoder; hidden states are read of one stack of layers")
    seen = not model.unseen_attention

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        with torch.no_grad():
            output = _forward(model, batch, output_attentions=seen, output_hidden_states=True)
        outputs, states = _outputs(model, batch, output), torch.stack(tuple(output.hidden_states)).transpose(0, 1)
        layers = tuple(output.attentions or ()) if seen else ()
        if seen and (not layers or any(layer is None for layer in layers)):
            raise UnsupportedModel(f"{type(model.hf).__name__} returned no attention weights where it should")
        weights = torch.stack(layers).transpose(0, 1) if layers else None
        found = []
        for place, (row, (start, end)) in enumerate(zip(rows, _places(model, batch))):
            mine = None if weights is None else weights[place, :, :, start:end, start:end].double()
            inner = states[place, :, start:end].double()
            found.append(reduce(row, Inside(outputs[place], inner, mine)))
        return found

    model.door.queries += len(queries)
    model.door.distinct += len(queries)
    with model.still(), model.visible_attention() if seen else nullcontext():
        return run(model, list(queries), _room(model, queries, 2) if seen else model.door.budget, step)


class Interior(NamedTuple):
    """What happens inside of the model for one input, and the slopes of the explained value by it."""

    weights: Float[Tensor, "layer head token token"]
    weight_slopes: Float[Tensor, "layer head token token"]
    states: Float[Tensor, "layer token dim"]
    """The input of every layer."""
    state_slopes: Float[Tensor, "layer token dim"]


def interiors(
    model: Model, queries: Sequence[Query], targets: Sequence[Target], reduce: Callable[[int, Interior], Any]
) -> list[Any]:
    """Per query `reduce(row, interior)`: attention weights and hidden states with the target's slopes by them."""

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        leaf = _embed(model, batch).detach().requires_grad_(True)
        output = _forward(model, batch, leaf, output_attentions=True, output_hidden_states=True)
        layers, states = output.attentions, output.hidden_states[: len(output.attentions or ())]
        if not layers or any(layer is None for layer in layers):
            raise UnsupportedModel(
                f"{type(model.hf).__name__} returned no attention weights; use a gradient or erasure method instead"
            )
        outputs = _outputs(model, batch, output)
        values = torch.stack([value(model, one, targets[row]) for row, one in zip(rows, outputs)])
        slopes = torch.autograd.grad(values.sum(), [*layers, *states], allow_unused=True, materialize_grads=True)
        model.door.backward += sum(len(asked.ids) for asked in batch)
        count = len(layers)
        stacked = [torch.stack(tuple(part)).transpose(0, 1) for part in (layers, slopes[:count], states, slopes[count:])]
        found = []
        for place, (row, (start, end)) in enumerate(zip(rows, _places(model, batch))):
            weights, weight_slopes, inner, inner_slopes = (part[place].detach().double() for part in stacked)
            weights, weight_slopes = (part[:, :, start:end, start:end] for part in (weights, weight_slopes))
            found.append(reduce(row, Interior(weights, weight_slopes, inner[:, start:end], inner_slopes[:, start:end])))
        return found

    model.door.queries += len(queries)
    model.door.distinct += len(queries)
    with model.still(), model.visible_attention():
        return run(model, list(queries), _room(model, queries, 6), step)


def expectations(model: Model, queries: Sequence[Query], reduce: Callable[[int, Tensor], Any]) -> list[Any]:
    """Per query `reduce(row, logits)` of a masked language model's logits [token, vocabulary]."""

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        with torch.no_grad():
            logits = _forward(model, batch).logits
        return [reduce(row, mine[start:end]) for row, mine, (start, end) in zip(rows, logits, _places(model, batch))]

    model.door.queries += len(queries)
    model.door.distinct += len(queries)
    with model.still():
        return run(model, list(queries), max(1, min(FULL, model.door.budget)), step)


def copies(model: Model, queries: Sequence[Query], look: Callable[[int, Callable[[int], Any]], Any]) -> list[Any]:
    """Per query `look(row, call)`, where `call(n)` is the model's own output for n copies of that query, unpadded.

    For methods that look at the layers while the model runs, and change them in each copy in another way.
    """

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        def call(count: int) -> Any:
            model.door.tokens += (count - 1) * len(batch[0].ids)
            return _forward(model, batch * count)

        return [look(rows[0], call)]

    model.door.queries += len(queries)
    model.door.distinct += len(queries)
    with model.still():
        return run(model, list(queries), 1, step)


def groups(model: Model, tokens: int) -> list[Int[Tensor, " position"]]:
    """The positions of a text, so many together that a copy of the text for each stays within the budget."""
    size = max(1, model.door.budget // tokens)
    return [torch.arange(start, min(start + size, tokens), device=model.device) for start in range(0, tokens, size)]


def _room(model: Model, queries: Sequence[Query], times: int) -> int:
    """Tokens in a batch whose attention weights are held so many times; refuses an input that does not fit alone."""
    longest = max((len(asked.ids) for asked in queries), default=1)
    fits = fitting(model, longest, times * weight_bytes(model, longest), "the attention weights")
    return min(max(FULL, model.door.budget // 4), fits * longest)


def _places(model: Model, batch: Sequence[Query]) -> list[tuple[int, int]]:
    """Where each query's tokens stand in the padded batch."""
    return [(0, len(asked.ids)) for asked in batch]


def _padded(model: Model, batch: Sequence[Query], rows: Sequence[NDArray[Any]], fill: int) -> Int[Tensor, "batch token"]:
    width = max(len(asked.ids) for asked in batch)
    table = np.full((len(batch), width), fill, dtype=np.int64)
    for line, row, (start, end) in zip(table, rows, _places(model, batch)):
        line[start:end] = row
    return torch.from_numpy(table).to(model.device)


def _ids(model: Model, batch: Sequence[Query]) -> Int[Tensor, "batch token"]:
    padding = model.tokenizer.pad_token_id
    return _padded(model, batch, [asked.ids for asked in batch], 0 if padding is None else padding)


def _embed(model: Model, batch: Sequence[Query]) -> Float[Tensor, "batch token dim"]:
    embedded: Tensor = model.embeddings(_ids(model, batch))
    if not any(asked.edit for asked in batch):
        return embedded
    edited = embedded.clone()
    for row, (asked, (start, end)) in enumerate(zip(batch, _places(model, batch))):
        if asked.edit is not None:
            edited[row, start:end] = asked.edit(embedded[row, start:end])
    return edited


def _forward(
    model: Model,
    batch: Sequence[Query],
    embedded: Float[Tensor, "batch token dim"] | None = None,
    output_attentions: bool = False,
    output_hidden_states: bool = False,
) -> Any:
    """The model's own forward call."""
    if embedded is None and (model.pools_last_token or model.two_sided or any(asked.edit for asked in batch)):
        embedded = _embed(model, batch)
    everywhere = [np.ones(len(asked.ids)) if asked.attended is None else asked.attended for asked in batch]
    if model.two_sided and embedded is not None:
        with encoder_decoder.read(model, batch, embedded, everywhere) as both:
            return model.hf(**both, use_cache=False)
    given = _arguments(model, batch) | {"attention_mask": _padded(model, batch, everywhere, 0)}
    if output_attentions:
        given["output_attentions"] = True
    if output_hidden_states:
        given["output_hidden_states"] = True
    if embedded is None:
        return model.hf(**given, input_ids=_ids(model, batch))
    if not model.pools_last_token:
        return model.hf(**given, inputs_embeds=embedded)
    padding = model.hf.config.get_text_config().pad_token_id
    full = [np.full(len(asked.ids), int(padding == 0)) for asked in batch]
    with encoder_decoder.embeddings(model, [embedded]):
        return model.hf(**given, input_ids=_padded(model, batch, full, padding))


def _arguments(model: Model, batch: Sequence[Query]) -> dict[str, Any]:
    """What the call is given besides its tokens; positions outright, as they would else follow from which ids are padding."""
    given: dict[str, Any] = {}
    if "position_ids" in model.accepts:
        first = model.first_position
        positions = [np.arange(first, first + len(asked.ids)) for asked in batch]
        given["position_ids"] = _padded(model, batch, positions, max(first - 1, 0))
    if batch[0].types is not None and "token_type_ids" in model.accepts:
        types = [np.zeros(len(asked.ids)) if asked.types is None else asked.types for asked in batch]
        given["token_type_ids"] = _padded(model, batch, types, 0)
    if "use_cache" in model.accepts:
        given["use_cache"] = False
    if _keeps(model):
        given["logits_to_keep"] = torch.tensor(_kept(batch), device=model.device)
    return given


def _kept(batch: Sequence[Query]) -> list[int]:
    """The positions at which a row of the batch ends: the only ones whose next token is asked for."""
    return sorted({len(asked.ids) - 1 for asked in batch})


def _keeps(model: Model) -> bool:
    """Whether logits are asked for at these positions only: a whole batch of them is large."""
    return model.task == "text-generation" and "logits_to_keep" in model.accepts


def outcome(model: Model, output: Any, row: int, own: int, last: int) -> Tensor:
    """What one row of a batch says, in float64 (see `scores`): `own` its number of tokens, `last` where its next token is."""
    if model.task == "question-answering":
        found = torch.stack((output.start_logits[row, :own], output.end_logits[row, :own]))
    elif model.task == "token-classification":
        found = output.logits[row, :own]
    else:
        found = output.logits[row, last] if model.generates else output.logits[row]
    found = found.double().to("cpu")
    return label_logits(found, model.verbalizer) if model.verbalizer else found


def _outputs(model: Model, batch: Sequence[Query], output: Any) -> list[Tensor]:
    """Each query's output in float64, cut to its own tokens."""
    kept = _kept(batch) if _keeps(model) else range(max(len(asked.ids) for asked in batch))
    rows = []
    for row, asked in enumerate(batch):
        last = asked.decoder - 1 if model.two_sided else kept.index(len(asked.ids) - 1)
        rows.append(outcome(model, output, row, len(asked.ids) - asked.decoder, last))
    if not bool(torch.isfinite(torch.cat([row.flatten() for row in rows])).all()):
        raise UnsupportedModel(
            f"{model.name} returned logits that are not finite; its weights are damaged or its precision "
            f"({next(model.hf.parameters()).dtype}) is too low: load it in float32"
        )
    return rows
