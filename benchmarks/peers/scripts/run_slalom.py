"""The released SLALOM, on token ids: 101 and 102 begin and end every text in it, so that it reads
BERT's inputs alone.
"""

from __future__ import annotations

import plain
import torch
from serve import Job, Scores, serve
from slalom_explanations import SLALOMLocalExplanantions


def opened(job: Job) -> plain.Plain:
    ids = job["texts"][0]["ids"]
    if (ids[0], ids[-1]) != (101, 102):
        raise ValueError(
            "token ids 101 and 102 are written into it as begin and end; this model's are "
            f"{ids[0]} and {ids[-1]}"
        )
    return plain.load(job)


def slalom(model: plain.Plain, texts: list[Job], options: Job) -> Scores:
    rows = []
    for text in texts:
        explainer = SLALOMLocalExplanantions(
            model.hf, model.tokenizer, n_samples=options["samples"], device="cpu",
            modes=[options["score"]], target_class=text["target"],
        )  # fmt: skip
        words = [word for word, kept in zip(text["ids"], text["content"]) if kept]
        with torch.enable_grad():
            rows.append(list(explainer.get_signed_importance_for_tokens(words)[0]))
    return rows


if __name__ == "__main__":
    serve(opened, lambda: {"slalom": slalom})
