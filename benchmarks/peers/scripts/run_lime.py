"""lime's text explainer over words (of Chinese over characters), an absent one replaced by the
mask token's string."""

from __future__ import annotations

from typing import Any

import plain
from lime.lime_text import LimeTextExplainer
from serve import Job, Scores, serve


def lime(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
    return [explained(model, text, options) for text in texts]


def explained(model: plain.Plain, text: Job, options: dict[str, Any]) -> list[float]:
    by_character = text["lang"] == "zh"
    explainer = LimeTextExplainer(
        split_expression=r"\s+", bow=False, char_level=by_character, random_state=options["seed"],
        mask_string=model.tokenizer.mask_token,
    )  # fmt: skip
    n = len(text["spans"])
    explanation = explainer.explain_instance(
        text["text"], lambda some: plain.probabilities(model, some), labels=(text["target"],),
        num_features=n, num_samples=options["samples"],
    )  # fmt: skip
    weights = dict(explanation.as_map()[text["target"]])
    return [weights.get(at, 0.0) for at in range(n)]


if __name__ == "__main__":
    serve(plain.load, lambda: {"lime": lime})
