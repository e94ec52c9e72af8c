"""Initial word embeddings in which translations are neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from torch import Tensor
from torch.nn.functional import normalize

from babelscope.training.pretraining_batches import Row


def start_vectors(
    rows: Sequence[dict[str, Row]], size: int, width: int
) -> Float[Tensor, "{size} {width}"]:
    """Token vectors in which translations are neighbours, from the co-occurrence of tokens in
    groups.

    X[t, g] = max(0, log(n(t, g) N / (n(t) n(g)))), with n(t, g) = 1 if a translation of group g
    holds token t; the vector of t is row t of U S^(1/2) in X = U S V', scaled to the usual norm at
    initialisation (0.02 sqrt(width)); zeros if in no group. Law: tokens that occur in exactly the
    same groups have the same vector.
    Source: Levy, Soegaard & Goldberg 2017 (sentence identifiers as features), with PPMI and SVD as
    in Levy & Goldberg 2014.
    """
    pairs = {
        (token, at)
        for at, row in enumerate(rows)
        for translation in row.values()
        for token in translation.ids
    }
    tokens, groups = np.array(sorted(pairs)).T
    counts = csr_matrix((np.ones(len(tokens)), (tokens, groups)), shape=(size, len(rows)))
    by_token, by_group = np.asarray(counts.sum(1)).ravel(), np.asarray(counts.sum(0)).ravel()
    information = np.log(len(tokens) / (by_token[tokens] * by_group[groups]))
    ppmi = csr_matrix((np.maximum(information, 0.0), (tokens, groups)), shape=(size, len(rows)))
    rank = min(width, *(side - 1 for side in ppmi.shape))
    left, values, _ = svds(ppmi, k=rank, v0=np.ones(min(ppmi.shape)), solver="arpack")
    vectors: Tensor = torch.zeros(size, width)
    vectors[:, :rank] = torch.from_numpy(np.ascontiguousarray(left * np.sqrt(values))).float()
    scaled: Tensor = 0.02 * width**0.5 * normalize(vectors, dim=-1)
    return scaled
