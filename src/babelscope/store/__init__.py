"""Results on disk, keyed by what determined them.

    STORE/scheme.json             which version of these fields the store holds
    STORE/study.json              the study: what is planned, and once it is finished the keys of
      its cells
    STORE/attributions/KEY.parquet   one row per explanation
    STORE/measures/KEY.parquet       one row per metric of an explanation
    STORE/panels/KEY.parquet         one row per trust panel of an explanation
    STORE/texts/KEY.parquet          one row per text of a corpus that is compared across
      languages, or left out
    STORE/pairs/KEY.parquet          one row per text and translation whose explanations are
      compared
    STORE/readings/KEY.parquet       one row per text that a model read: its logits and its
      attention in numbers
    STORE/states/KEY.parquet         one row per text that a model read: its hidden states
    STORE/head_statistics/KEY.parquet   one row: what the attention heads of a model point at in
      one language
    STORE/head_ablations/KEY.parquet    one row per mask: predictions with its heads alone, or
      without them
    STORE/surrogates/KEY.parquet     one row per number about the surrogates of a model
    STORE/costs/KEY.parquet          one row per explanation that was timed
    STORE/finetunings/KEY.parquet    one row per fine-tuned model: its language, its seed, its
      classes
    STORE/drifts/KEY.parquet         one row per part of a fine-tuned model: how far its weights
      moved
    STORE/losses/KEY.parquet         one row per text: the loss of a language model
    STORE/skipped/KEY.parquet        one row per example that was skipped, with the reason
    STORE/cells/KEY.json          the cell: its identity, its kind, its rows, the size and the hash
      of its file; written last
    STORE/failures/KEY.json       a cell that could not be filled, and why
    STORE/claims/*.json           the cells that a process computes now: its host, its number, its
      last sign of life
    STORE/pending-*/              a group of cells being added; completed when a run next opens the
      store
    STORE/.lock                   held while something is written: by one process at a time

KEY is the SHA-256 of the canonical JSON of the identity: what changes the numbers, and nothing
else. Every file is complete or absent (files.py); cells that were computed together are added
together. A cell counts only if its file is there and is what was written. Readers write nothing.
"""

from babelscope.store.contents import (
    attribution_parts,
    has,
    listed,
    put,
    read,
    read_attributions,
)
from babelscope.store.folder import Store, open_store
from babelscope.store.locks import Claimed, claiming, claims
from babelscope.store.manifests import Cell, cell_names, cells, key
from babelscope.store.records import (
    fail,
    failures,
    forget_failures,
    place_row,
    read_study,
    selection,
    write_study,
)
from babelscope.store.rows import Rows, attribution, to_table
from babelscope.store.schemas import SCHEMAS, SCHEME
from babelscope.store.spooled import Spooled, spooling
from babelscope.store.verification import (
    Fault,
    cell_fault,
    intact_cells,
    lost_cells,
    repair,
    verify,
)

__all__ = [
    "SCHEMAS",
    "SCHEME",
    "Cell",
    "Claimed",
    "Fault",
    "Rows",
    "Spooled",
    "Store",
    "attribution",
    "attribution_parts",
    "cell_fault",
    "cell_names",
    "cells",
    "claiming",
    "claims",
    "fail",
    "failures",
    "forget_failures",
    "has",
    "intact_cells",
    "key",
    "listed",
    "lost_cells",
    "open_store",
    "place_row",
    "put",
    "read",
    "read_attributions",
    "read_study",
    "repair",
    "selection",
    "spooling",
    "to_table",
    "verify",
    "write_study",
]
