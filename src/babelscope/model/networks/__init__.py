"""Classifiers without attention that a study compares with transformers: TF-IDF weights of words,
and a fully connected network.

Importing this package registers them with transformers, so that their folders are saved, loaded,
fine-tuned and hashed like those of any other model; no code comes with a checkpoint.
"""

from __future__ import annotations

from typing import Any

from transformers import AutoConfig, AutoModelForSequenceClassification

from babelscope.model.networks.fully_connected import (
    FullyConnectedConfig,
    FullyConnectedForSequenceClassification,
)
from babelscope.model.networks.tf_idf import TfIdfConfig, TfIdfForSequenceClassification

NETWORKS: dict[str, tuple[Any, Any]] = {
    TfIdfConfig.model_type: (TfIdfConfig, TfIdfForSequenceClassification),
    FullyConnectedConfig.model_type: (
        FullyConnectedConfig,
        FullyConnectedForSequenceClassification,
    ),
}
"""Configuration and classifier by the name of the architecture."""

for _name, (_config, _classifier) in NETWORKS.items():
    AutoConfig.register(_name, _config, exist_ok=True)
    AutoModelForSequenceClassification.register(_config, _classifier, exist_ok=True)
