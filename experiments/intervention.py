"""Does splitting words into more tokens make explanations less faithful? At inference, and with
models that are fine-tuned on words segmented so."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from pydantic import model_validator

from babelscope import corpus
from babelscope.analyses.tokenization.responses import flips, responses
from babelscope.analyses.tokenization.tables import tables
from babelscope.study.config import Study, parse_study
from babelscope.training.models import started
from experiments import intervention_tables as page
from experiments.corpus_models import Setting, tuned
from experiments.resegmented_models import Arms, clusters, outcomes
from experiments.studies import filled


class Spec(Arms):
    joint: Setting
    """Fine-tuning of the model that is explained as it is."""
    inference: dict[str, Any]
    """The study of that model, all but the model itself."""

    def study(self, model: str) -> Study:
        models = [{"name": "multilingual", "source": model}]
        return parse_study(self.inference | {"models": models}, "intervention.yaml")

    @model_validator(mode="after")
    def valid_study(self) -> Self:
        self.study("a folder")
        return self


def values(spec: Spec) -> dict[str, Any]:
    base = Path(started(spec.train, None))
    study = spec.study(str(tuned(base, "sentiment", corpus.LANGUAGES, spec.joint)))
    contents = tables(*filled("intervention", study))
    assert contents is not None
    (inference,) = contents.interventions
    finetuned = {task: outcomes(task, spec) for task in spec.tasks}
    slopes = {task: responses(rows, clusters(task, spec)) for task, rows in finetuned.items()}
    doses = {task: flips(rows) for task, rows in finetuned.items()}
    return {
        "spec": spec,
        "study": study,
        "faithfulness": page.FAITHFULNESS,
        "additional": page.ADDITIONAL,
        "doses": {task: page.dose_rows(each) for task, each in doses.items()},
        "slopes": {task: page.slope_rows(each, spec.metrics) for task, each in slopes.items()},
        "inference_doses": page.dose_rows(inference.flips),
        "inference_slopes": page.slope_rows(inference.responses, page.FAITHFULNESS),
        "additional_slopes": page.slope_rows(inference.responses, page.ADDITIONAL),
        "tallies": page.tallies(inference.responses),
        "conclusions": page.conclusion(inference.responses, slopes, doses),
    }
