"""Which peers, in which environments, and what is compared with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CLASSIFIERS = ("mini-multilingual", "gte-small", "chineseharm-bert")
SMALL = CLASSIFIERS[:2]
"""Of the others a few hundred queries per text take minutes."""
DECODER = ("smollm2-135m-instruct",)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A method that the peer and ours have, with what each is asked for."""

    method: str
    about: str = ""
    """What the peer's run is, where the method's name does not say it."""
    ours: Mapping[str, Any] = field(default_factory=dict)
    theirs: Mapping[str, Any] = field(default_factory=dict)
    quality: str = ""
    """How both are judged beside their agreement: `error` against a far finer quadrature, `gap` to
    completeness, `noise` between two seeds; empty for a method without error."""
    models: tuple[str, ...] = CLASSIFIERS
    texts: int = 8


@dataclass(frozen=True, slots=True)
class Peer:
    """A library: what pip installs after torch, the script that runs it, and what is compared."""

    name: str
    script: str
    requirements: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    models: tuple[str, ...] = CLASSIFIERS
    """The models on which it is tried."""

    @property
    def packages(self) -> list[str]:
        return [each.split("==")[0].split("<")[0] for each in self.requirements]


OLD, NEW, NEWER = (f"transformers=={each}" for each in ("4.57.6", "5.22.2", "5.23.0"))
LOOSE = {"nodes": 50, "tolerance": 1e9}
"""50 gradients of every text, whatever their error."""
FINE = {"tolerance": 1e-3}
FEW = 3
"""Texts where each takes many gradients or queries."""
QUERIES = {"samples": 128}
FEWER = {"samples": 96}
"""Less noise than the peers' with more."""

PEERS = (
    Peer(
        "captum", "run_captum.py", ("captum==0.9.0", NEW, "scikit-learn==1.9.1"),
        (
            Comparison("input_x_gradient", models=CLASSIFIERS + DECODER),
            Comparison("gradient_norm", models=CLASSIFIERS + DECODER),
            Comparison(
                "integrated_gradients", "50 steps", LOOSE, {"steps": 50}, "error", SMALL, FEW
            ),
            Comparison(
                "integrated_gradients", "to an error of 1e-3", FINE, FINE, "error", SMALL, FEW
            ),
            Comparison("deeplift", quality="gap"),
            Comparison("occlusion", texts=4),
            Comparison("lime", "128 samples", QUERIES, QUERIES, "noise", SMALL, 3),
            Comparison("kernel_shap", "128 samples, ours 96", FEWER, QUERIES, "noise", SMALL, 3),
            Comparison(
                "permutation_shapley", "8 orders", {"permutations": 4}, {"orders": 8}, "noise",
                SMALL, 3,
            ),
        ),
        CLASSIFIERS + DECODER,
    ),
    Peer(
        "shap", "run_shap.py", ("shap==0.51.0", NEW),
        (
            Comparison(
                "kernel_shap", "128 samples, ours 64", {"samples": 64, "unit": "blank"}, QUERIES,
                "noise", texts=3,
            ),
            Comparison(
                "permutation_shapley", "8 orders, ours 6", {"permutations": 3, "unit": "blank"},
                {"orders": 8}, "noise", texts=3,
            ),
            Comparison(
                "partition_shapley", "128 samples", {"samples": 128, "unit": "blank"},
                {"samples": 128}, "noise", texts=3,
            ),
        ),
    ),
    Peer(
        "lime", "run_lime.py", ("lime==0.2.0.1", NEW),
        (
            Comparison(
                "lime", "128 samples", {**QUERIES, "unit": "blank", "quantity": "probability"},
                QUERIES, "noise", texts=3,
            ),
        ),
    ),
    Peer(
        "interpreto", "run_interpreto.py", ("interpreto==0.5.2", NEWER),
        (
            Comparison("input_x_gradient"),
            Comparison("gradient_norm"),
            Comparison("integrated_gradients", "50 steps", LOOSE, {"steps": 50}, texts=FEW),
            Comparison("occlusion", texts=4),
            Comparison("lime", "128 samples", QUERIES, QUERIES, "noise", SMALL, 3),
            Comparison("kernel_shap", "128 samples, ours 96", FEWER, QUERIES, "noise", SMALL, 3),
        ),
    ),
    Peer(
        "transformers-interpret", "run_transformers_interpret.py",
        ("transformers-interpret==0.10.0", NEWER),
        (
            Comparison(
                "integrated_gradients", "50 steps", {**LOOSE, "quantity": "probability"},
                {"steps": 50}, "error", texts=FEW,
            ),
        ),
    ),
    Peer(
        "ferret", "run_ferret.py", ("ferret-xai==0.4.2", OLD, "pyarrow==20.0.0"),
        (
            Comparison("input_x_gradient"),
            Comparison("integrated_gradients", "50 steps", LOOSE, {}, "error", SMALL, FEW),
            Comparison(
                "lime", "128 samples", {**QUERIES, "quantity": "probability"},
                {"call": {"call_args": {"num_samples": 128}}}, "noise", SMALL, 3,
            ),
            Comparison("partition_shapley", "its default", {}, {}, "noise", SMALL, 3),
        ),
    ),
    Peer(
        "slalom-explanations", "run_slalom.py", ("slalom-explanations==0.1.2", NEW),
        (
            Comparison(
                "slalom", "500 samples, Adam as published",
                {"design": "fixed(3)+adam", "samples": 500, "score": "lin", "quantity": "log_odds"},
                {"samples": 500, "score": "lin"}, "noise", texts=3,
            ),
            Comparison(
                "slalom", "500 samples, ours with its defaults",
                {"score": "lin", "quantity": "log_odds"},
                {"samples": 500, "score": "lin"}, "noise", texts=3,
            ),
        ),
    ),
    Peer(
        "inseq", "run_inseq.py", ("inseq==0.7.1", NEWER),
        (
            Comparison("input_x_gradient", models=DECODER, texts=4),
            Comparison("gradient_norm", models=DECODER, texts=4),
            Comparison("occlusion", models=DECODER, texts=2),
            Comparison(
                "integrated_gradients", "50 steps", LOOSE, {"call": {"n_steps": 50}},
                models=DECODER, texts=2,
            ),
        ),
        DECODER,
    ),
    Peer(
        "lxt", "run_lxt.py", ("lxt==2.1", OLD),
        (Comparison("attnlrp"), Comparison("attnlrp", models=DECODER)),
        CLASSIFIERS[:1] + DECODER,
    ),
)  # fmt: skip
