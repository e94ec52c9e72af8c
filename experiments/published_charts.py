"""The published trade-off figures as charts."""

from __future__ import annotations

from dataclasses import replace

from babelscope.display.chart import figure_svg
from babelscope.reporting.papers.drawing import curves, dots, heat
from experiments.tradeoff_figures import FILE


def figures() -> dict[str, str]:
    """The published numbers as charts."""
    table = FILE[FILE["table"] == "accuracy 500"]
    recall = FILE[FILE["table"] == "recall"]
    pairs = zip(recall["model"], recall["input"])
    recall = recall.assign(condition=[f"{model} on {lang}" for model, lang in pairs])
    curve = FILE[FILE["table"] == "cka"]
    curve = curve.assign(layer=curve["item"].astype(int))
    drawn = {
        "accuracy": heat(
            table.rename(columns={"value": "accuracy"}),
            value="accuracy",
            rows="model",
            columns="input",
        ),
        "similarity": curves(
            curve.rename(columns={"value": "biased_CKA"}),
            x="layer",
            y="biased_CKA",
            series="input",
            limits=(0.0, 1.0),
        ),
        "recall": dots(
            recall.rename(columns={"value": "recall"}),
            value="recall",
            rows="item",
            series="condition",
        ),
    }
    titles = {"accuracy": "Accuracy, first 500 rows", "similarity": "Biased CKA between models",
              "recall": "Recall by class"}  # fmt: skip
    return {
        f"published-tradeoffs-{name}.svg": figure_svg(replace(figure, title=titles[name]))
        for name, figure in drawn.items()
    }
