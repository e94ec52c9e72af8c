"""inseq: the logit of the next token, attributed to the tokens before it."""

from __future__ import annotations

from typing import Any

import inseq
import plain
import torch
from serve import Job, Method, Scores, serve


def method(name: str, reduced: str) -> Method:
    """`reduced` is how gradients of embeddings become scores: sum, norm or nothing."""

    def scores(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
        explainer = inseq.load_model(model.hf, name, tokenizer=model.tokenizer)
        ids = [[*text["ids"], text["target"]] for text in texts]
        out = explainer.attribute(
            [text["text"] for text in texts], [model.tokenizer.decode(row) for row in ids],
            attributed_fn="logit", show_progress=False, **options.get("call", {}),
        )  # fmt: skip
        rows = []
        for text, row, attribution in zip(texts, ids, out.sequence_attributions):
            if [token.id for token in attribution.target] != row:
                raise ValueError("the text with its next token is tokenized in another way")
            rows.append(plain.content(text, column(attribution.target_attributions, text, reduced)))
        return rows

    return scores


def column(table: torch.Tensor, text: Job, reduced: str) -> torch.Tensor:
    """The scores of the text's tokens for the one generated token."""
    first = table[: len(text["ids"]), 0]
    if reduced == "norm":
        return first.norm(dim=-1)
    return first.sum(dim=-1) if reduced == "sum" else first


METHODS: dict[str, Method] = {
    "input_x_gradient": method("input_x_gradient", "sum"),
    "gradient_norm": method("saliency", "norm"),
    "integrated_gradients": method("integrated_gradients", "sum"),
    "occlusion": method("occlusion", ""),
}

if __name__ == "__main__":
    serve(plain.load, lambda: METHODS, plain.prepared)
