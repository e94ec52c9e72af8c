"""A classifier of scikit-learn: TF-IDF weights of words, then a perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from warnings import catch_warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from babelscope.types import Example


def classifier(train: Sequence[Example], hidden: Sequence[int], epochs: int) -> Pipeline:
    """Trained on the first texts of labelled examples, for at most that many epochs."""
    network = MLPClassifier(tuple(hidden), max_iter=epochs, random_state=0)
    pipeline = make_pipeline(TfidfVectorizer(), network)
    texts, labels = [row.texts[0] for row in train], [str(row.label) for row in train]
    with catch_warnings(action="ignore", category=ConvergenceWarning):
        return pipeline.fit(texts, labels)
