"""transformers-interpret: layer integrated gradients of the predicted class, text by text."""

from __future__ import annotations

import plain
from serve import Job, Scores, serve
from transformers_interpret import SequenceClassificationExplainer


def integrated_gradients(model: plain.Plain, texts: list[Job], options: Job) -> Scores:
    explainer = SequenceClassificationExplainer(model.hf, model.tokenizer)
    rows = []
    for text in texts:
        pairs = explainer(
            text["text"], index=text["target"], n_steps=options["steps"], internal_batch_size=64
        )
        rows.append(plain.content(text, [score for _, score in pairs]))
    return rows


if __name__ == "__main__":
    serve(plain.load, lambda: {"integrated_gradients": integrated_gradients})
