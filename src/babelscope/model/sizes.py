"""How large a checkpoint is, from its configuration alone: nothing is loaded."""

from __future__ import annotations

from babelscope.errors import BabelscopeError
from babelscope.model.checkpoints import resolve
from babelscope.model.pretrained import read_config
from babelscope.model.scopes import quiet

LAYER_NAMES = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")
WIDTH_NAMES = ("hidden_size", "dim", "n_embd", "emb_dim", "d_model")


def encoder_size(checkpoint: tuple[str | None, str | None], kept: int | None = None) -> int | None:
    """About how many weights its layers have, or the lowest `kept` ones: 12 layers width^2,
    embeddings not counted, since these cost next to no time. None where there is no such
    configuration."""
    name, revision = checkpoint
    if name is None or name.startswith("pretrained:"):
        return None
    try:
        with quiet():
            config = read_config(*resolve(name, revision))
    except (OSError, ValueError, BabelscopeError):
        return None
    values = config.get_text_config().to_dict()
    layers = next((values[each] for each in LAYER_NAMES if each in values), None)
    width = next((values[each] for each in WIDTH_NAMES if each in values), None)
    return 12 * min(layers, kept or layers) * width**2 if layers and width else None
