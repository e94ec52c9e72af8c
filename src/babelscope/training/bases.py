"""What the fine-tuning of a study's model starts from: a checkpoint or a recipe, perhaps with
another tokenizer, perhaps adapted to the texts of the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from babelscope.data import builtin
from babelscope.files import folder_digest
from babelscope.hub import locate
from babelscope.model.inference_state import Progress
from babelscope.store import key
from babelscope.training.adaptation import Adaptation, adapt
from babelscope.training.cache import TRAINING, cache_folder, making
from babelscope.training.finetune import fingerprint
from babelscope.training.recipes import pretrained, shipped
from babelscope.training.spec import TrainSpec
from babelscope.training.tokenizer_swap import swap_tokenizer
from babelscope.types import Example

PRETRAINED = "pretrained:"
"""The prefix of a base that is one of our pretraining recipes, in the languages of the model."""


def started(spec: TrainSpec, progress: Progress | None) -> str:
    """A base as it was given, or the folder of a recipe: multilingual ones in all languages of the
    corpus.

    Like any checkpoint a recipe is one model: the seeds of a study are seeds of fine-tuning,
    which share the base.
    """
    return checkpoint(str(spec.base), spec, progress)


def checkpoint(name: str, spec: TrainSpec, progress: Progress | None) -> str:
    """A hub id or folder as it is; of a recipe, in the languages of the model, its folder."""
    if not name.startswith(PRETRAINED):
        return name
    return str(pretrained(*_recipe(name, spec), progress=progress))


def prepared(
    spec: TrainSpec, rows: Sequence[Example], progress: Progress | None
) -> tuple[str, str | None]:
    """The base with the tokenizer that is asked for, then adapted to the texts of these rows, and
    the revision to load. Seeds of fine-tuning share both.
    """
    base, revision = started(spec, progress), spec.revision
    if isinstance(spec.tokenizer, str):
        base, revision = str(_swapped(spec, base, progress)), None
    if spec.adaptation:
        base, revision = str(_adapted(spec, base, revision, rows, progress)), None
    return base, revision


def _swapped(spec: TrainSpec, base: str, progress: Progress | None) -> Path:
    tokenizer = checkpoint(str(spec.tokenizer), spec, progress)
    identity = {
        "training": TRAINING, "base": base, "revision": spec.revision, "tokenizer": tokenizer,
        "digests": [digest_of(spec.base, spec), digest_of(spec.tokenizer, spec)],
    }  # fmt: skip
    folder = cache_folder() / "swapped" / key(identity)[:24]
    with making(folder):
        if not (folder / "config.json").exists():
            swap_tokenizer(base, tokenizer, folder, revision=spec.revision)
    return folder


def _adapted(
    spec: TrainSpec, base: str, revision: str | None, rows: Sequence[Example],
    progress: Progress | None,
) -> Path:  # fmt: skip
    identity = {
        "training": TRAINING, "base": base, "revision": revision, "steps": spec.adaptation,
        "rate": spec.adaptation_rate, "batch": spec.batch, "rows": fingerprint(rows),
        "digest": folder_digest(Path(base)) if Path(base).is_dir() else digest_of(base, spec),
    }  # fmt: skip
    folder = cache_folder() / "adapted" / key(identity)[:24]
    settings = Adaptation(spec.adaptation, spec.adaptation_rate, spec.batch)
    with making(folder):
        if not (folder / "config.json").exists():
            adapt(base, rows, folder, settings, revision=revision, progress=progress)
    return folder


def digest_of(name: str | dict[str, str] | None, spec: TrainSpec) -> str | None:
    """The digest of a base or tokenizer in a folder, also in that of a mirror, whose content may
    differ from the hub's, or in that of the package; a hub id is its own name, with the revision
    in the spec.
    """
    if not isinstance(name, str):
        return None
    if name.startswith(PRETRAINED):
        packaged = shipped(*_recipe(name, spec))
        return None if packaged is None else folder_digest(packaged)
    place, _ = locate(name, spec.revision if name == spec.base else None)
    return folder_digest(Path(place)) if Path(place).is_dir() else None


def _recipe(name: str, spec: TrainSpec) -> tuple[str, Sequence[str]]:
    """The pretraining recipe of a base or tokenizer, and its languages."""
    recipe = name.removeprefix(PRETRAINED)
    return recipe, spec.languages if recipe.startswith("monolingual") else builtin.LANGUAGES
