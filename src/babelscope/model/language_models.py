"""Language models loaded with their own head: what a checkpoint was before it was fine-tuned."""

from __future__ import annotations

from transformers import AutoModelForCausalLM, AutoModelForMaskedLM
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from babelscope.errors import UntrainedHead
from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.load import Model
from babelscope.model.pretrained import read_config, read_tokenizer, read_weights
from babelscope.model.scopes import quiet
from babelscope.model.tasks import FILL_MASK


def load_language_model(base: str) -> tuple[Model, bool]:
    """A fresh language model, whose encoder the caller may replace; and whether it is a masked
    language model.
    """
    source, revision = resolve(base)
    with quiet():
        try:
            config = read_config(source, revision)
            masked = config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES
            kind = AutoModelForMaskedLM if masked else AutoModelForCausalLM
            hf, info = read_weights(kind, source, revision)
            tokenizer = read_tokenizer(source, revision)
        except (OSError, ValueError, KeyError) as error:
            raise not_found(source, error) from error
    if info["missing_keys"]:
        raise UntrainedHead(f"{base} holds no language model head; its loss has no meaning")
    # The task whose logits are read at every token
    return Model(hf.eval(), tokenizer, base, FILL_MASK.name), masked
