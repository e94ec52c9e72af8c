"""The version of the store and the fields of every kind of table."""

from __future__ import annotations

import pyarrow as pa

SCHEME = 9
"""Raised when a change of the code changes stored numbers or fields; part of every identity, and
written in every store.
"""

_SPANS = pa.list_(pa.list_(pa.int32()))
_STRINGS = pa.list_(pa.string())
_NUMBERS = pa.list_(pa.float64())
_FLOATS = pa.list_(pa.float32())
_INTEGERS = pa.list_(pa.int32())
_COUNTS = pa.list_(pa.int64())
_FLAGS = pa.list_(pa.bool_())
OBJECTS = ("options", "details", "panel")
"""Fields that are stored as canonical JSON."""
_INPUT = pa.struct(
    [
        ("ids", _INTEGERS), ("types", _INTEGERS), ("content", _FLAGS), ("segment", _INTEGERS),
        ("offsets", _SPANS), ("tokens", _STRINGS), ("decoder", pa.int32()), ("part", pa.string()),
        ("window", pa.struct([("number", pa.int32()), ("count", pa.int32()), ("of", pa.string())])),
        ("truncated_from", pa.int32()),
        ("candidates", pa.list_(pa.struct([("tokens", pa.int32()), ("continuation", pa.int32())]))),
        ("continuations", pa.list_(_INTEGERS)),
    ]
)  # fmt: skip
"""The fields of `ModelInput`."""
_UNITS = pa.struct(
    [
        ("name", pa.string()), ("index", _INTEGERS), ("texts", _STRINGS), ("offsets", _SPANS),
        ("segment", _INTEGERS), ("scores", _NUMBERS),
    ]
)  # fmt: skip
"""The fields of `ScoredUnits`."""

SCHEMAS = {
    "attributions": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("method",
            pa.string()), ("options", pa.string()), ("seed", pa.int64()), ("model", pa.string()),
            ("texts", _STRINGS), ("target", pa.string()), ("quantity", pa.string()), ("label",
            pa.string()), ("gold", pa.string()), ("probability", pa.float64()), ("value",
            pa.float64()), ("reference_value", pa.float64()), ("tokens", _STRINGS), ("offsets",
            _SPANS), ("segment", _INTEGERS), ("word_index", _INTEGERS), ("words", _STRINGS),
            ("word_offsets", _SPANS), ("word_segment", _INTEGERS), ("scores", _NUMBERS),
            ("word_scores", _NUMBERS), ("flags", _STRINGS), ("task", pa.string()), ("target_index",
            pa.int64()), ("target_end", pa.int64()), ("details", pa.string()), ("rationale",
            _FLAGS), ("contrast", pa.string()), ("contrast_index", pa.int64()), ("tagged_word",
            pa.int32()), ("input", _INPUT), ("signature", pa.string()), ("units", _UNITS),
        ]
    ),
    "measures": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model",
            pa.string()), ("method", pa.string()), ("metric", pa.string()), ("options",
            pa.string()), ("value", pa.float64()), ("reason", pa.string()), ("task", pa.string()),
        ]
    ),
    "panels": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model",
            pa.string()), ("method", pa.string()), ("options", pa.string()), ("seed", pa.int64()),
            ("panel", pa.string()), ("task", pa.string()),
        ]
    ),
    "texts": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("cluster", pa.string()), ("lang",
            pa.string()), ("split", pa.string()), ("texts", _STRINGS), ("label", pa.string()),
            ("left_out", pa.string()),
        ]
    ),
    "pairs": pa.schema(
        [
            ("id", pa.string()), ("cluster", pa.string()), ("source", pa.string()), ("lang",
            pa.string()), ("model", pa.string()), ("task", pa.string()), ("method", pa.string()),
            ("options", pa.string()), ("seed", pa.int64()), ("space", pa.string()), ("centred",
            pa.bool_()), ("mean_cosine", pa.float64()), ("norm", pa.string()), ("segments",
            pa.string()), ("unknown", pa.string()), ("permutations", pa.int32()),
            ("permutation_seed", pa.int64()), ("c", pa.float64()), ("c_unif", pa.float64()),
            ("c_perm", pa.float64()), ("c_mis", pa.float64()), ("c_rand", pa.float64()),
            ("c_indep", pa.float64()), ("ceil_s", pa.float64()), ("ceil_t", pa.float64()), ("ceil",
            pa.float64()), ("lift", pa.float64()), ("kappa", pa.float64()), ("p", pa.float64()),
            ("reason", pa.string()), ("kappa_reason", pa.string()), ("coverage_s", pa.float64()),
            ("coverage_t", pa.float64()), ("prediction_s", pa.string()), ("prediction_t",
            pa.string()), ("gold_s", pa.string()), ("gold_t", pa.string()), ("confidence_s",
            pa.float64()), ("confidence_t", pa.float64()), ("known_s", _FLAGS), ("known_t",
            _FLAGS), ("earned_s", _NUMBERS), ("earned_t", _NUMBERS), ("flow_s", _INTEGERS),
            ("flow_t", _INTEGERS), ("flow_weight", _NUMBERS), ("flow_similarity", _NUMBERS),
        ]
    ),
    "readings": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("logits",
            _NUMBERS), ("tokens", pa.int32()), ("truncated", pa.bool_()), ("layers", pa.int32()),
            ("nats", _NUMBERS), ("share", _NUMBERS), ("content", _NUMBERS), ("sink", _NUMBERS),
        ]
    ),
    "states": pa.schema(
        [("id", pa.string()), ("layers", pa.int32()), ("mean", _FLOATS), ("first", _FLOATS),
         ("last", _FLOATS)]
    ),
    "segmentations": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("tokenizer",
            pa.string()), ("task", pa.string()), ("texts", _STRINGS), ("words", pa.list_(_SPANS)),
            ("ids", pa.list_(_INTEGERS)), ("offsets", pa.list_(_SPANS)), ("unknown", pa.int64()),
            ("length", pa.int64()), ("limit", pa.int64()), ("vocabulary", pa.int64()),
        ]
    ),
    "interventions": pa.schema(
        [
            ("arm", pa.string()), ("dose", pa.float64()), ("id", pa.string()), ("group",
            pa.string()), ("lang", pa.string()), ("method", pa.string()), ("outcome", pa.string()),
            ("value", pa.float64()), ("fertility", pa.float64()), ("kept", pa.bool_()), ("model",
            pa.string()), ("task", pa.string()),
        ]
    ),
    "head_statistics": pa.schema(
        [
            ("model", pa.string()), ("task", pa.string()), ("lang", pa.string()), ("fingerprint",
            pa.string()), ("corpus", pa.string()), ("sentences", pa.int64()), ("tokens",
            pa.int64()), ("relations", _STRINGS), ("direction", pa.string()), ("subtypes",
            pa.string()), ("layers", pa.int32()), ("heads", pa.int32()), ("hits", _COUNTS),
            ("pairs", _COUNTS), ("known", _COUNTS), ("dropped", _COUNTS), ("baseline", _NUMBERS),
            ("positional", _NUMBERS), ("offset", _COUNTS), ("sink", _NUMBERS),
        ]
    ),
    "head_ablations": pa.schema(
        [
            ("lang", pa.string()), ("kind", pa.string()), ("seed", pa.int64()), ("side",
            pa.string()), ("heads", pa.int32()), ("total", pa.int32()), ("group", _STRINGS),
            ("same", _FLAGS), ("probability", _NUMBERS), ("right", _NUMBERS), ("model",
            pa.string()), ("task", pa.string()), ("fingerprint", pa.string()),
        ]
    ),
    "surrogates": pa.schema(
        [
            ("model", pa.string()), ("task", pa.string()), ("lang", pa.string()), ("part",
            pa.string()), ("name", pa.string()), ("x", pa.float64()), ("y", pa.float64()),
        ]
    ),
    "costs": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model",
            pa.string()), ("task", pa.string()), ("method", pa.string()), ("options", pa.string()),
            ("seed", pa.int64()), ("length", pa.int64()), ("processor_seconds", pa.float64()),
            ("wall_seconds", pa.float64()), ("tokens", pa.int64()), ("backward", pa.int64()),
            ("queries", pa.int64()), ("device", pa.string()), ("threads", pa.int32()),
        ]
    ),
    "finetunings": pa.schema(
        [
            ("model", pa.string()), ("source", pa.string()), ("seed", pa.int64()), ("kind",
            pa.string()), ("labels", _STRINGS),
        ]
    ),
    "probes": pa.schema(
        [
            ("labels", pa.string()), ("source", pa.string()), ("lang", pa.string()), ("layer",
            pa.int32()), ("strength", pa.float64()), ("ids", _STRINGS), ("predicted", _STRINGS),
            ("truth", _STRINGS),
        ]
    ),
    "drifts": pa.schema([("part", pa.string()), ("relative", pa.float64())]),
    "skipped": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("reason",
            pa.string()), ("detail", pa.string()), ("task", pa.string()), ("split", pa.string()),
            ("model", pa.string()), ("total", pa.int64()),
        ]
    ),
    "losses": pa.schema(
        [("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("loss", pa.float64())]
    ),
}  # fmt: skip
