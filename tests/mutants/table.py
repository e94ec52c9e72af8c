"""The deliberate faults: where each is put, what it changes, and which tests must notice it."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A fault; in `before` and `after` a capital letter stands for any expression (see
    `change`).
    """

    where: str
    before: str
    after: str
    tests: str
    chosen: str


MUTANTS = {
    "a batch that costs nothing": Mutant(
        "babelscope.model.batches:_cuts",
        "L + C + W * N", "L + W * N",
        "model/test_inference.py", "neighbours_cost_less",
    ),
    "sampled sign flips counted on one side": Mutant(
        "babelscope.stats.paired:_sampled_hits",
        "np.abs(F) >= O", "F >= O",
        "stats/test_comparisons.py", "flips_of_several",
    ),
    "translations of a text in different parts": Mutant(
        "babelscope.cli.measure:whole_groups",
        "groups.setdefault(R, L)", "groups.setdefault(row.id, L)",
        "cli/test_many_texts.py", "translations_stay",
    ),
    "every interval cut at what the values span": Mutant(
        "babelscope.display.dots:_room",
        "median(W) if W else 0.0", "0.0",
        "display/test_dot_intervals.py", "usual_interval",
    ),
    "an axis that hides values beyond its limits": Mutant(
        "babelscope.display.lines:_extended",
        "least < L - R", "least > L + R",
        "reporting/test_paper_drawing.py", "outside_of_the_limits",
    ),
    "languages with texts of their own averaged over all texts": Mutant(
        "babelscope.analyses.tradeoffs.intervals:_without_clusters",
        "(S.sum(axis=0) - S)[:, None, :]", "(S.sum(axis=0) - S).sum(axis=1)[:, None, None]",
        "analyses/tradeoffs/test_transfer_matrix.py", "not_paired",
    ),
    "a decoder's loss at the place of the token itself": Mutant(
        "babelscope.analyses.tradeoffs.drift:_causal_losses.loss",
        "_surprise(L, P - 1, I)", "_surprise(L, P, I)",
        "analyses/tradeoffs/test_drift.py", "per_byte_of_what",
    ),
    "weight permuted across the border of two texts": Mutant(
        "babelscope.analyses.consistency.nulls:permuted",
        "S or ([0] * len(A), [0] * len(B))", "([0] * len(A), [0] * len(B))",
        "analyses/consistency/test_consistency.py", "i19",
    ),
    "dissimilar words made to carry weight": Mutant(
        "babelscope.analyses.consistency.transport:transport",
        "np.clip(S, 0.0, 1.0)", "S",
        "analyses/consistency/test_consistency.py", "i10",
    ),
    "kappa of the means over sums that count C twice": Mutant(
        "babelscope.analyses.consistency.summary:_quotient",
        "C, P, Q, N = S.T", "C, Q, P, N = S.T",
        "cli/test_consistency_cli.py", "reach_the_ceiling",
    ),
    "pairs that share a premise taken for independent": Mutant(
        "babelscope.analyses.consistency.summary:_line",
        "[P.cluster for P in X]", "[P.id for P in X]",
        "analyses/consistency/test_flips.py", "resample_clusters",
    ),
    "a partial correlation of the wrong sign": Mutant(
        "babelscope.analyses.consistency.flips:_correlations",
        "-I[0, 1]", "I[0, 1]",
        "analyses/consistency/test_flips.py", "regression_leaves",
    ),
    "links of the second text laid on the first": Mutant(
        "babelscope.analyses.consistency.gold_links:_links",
        "np.cumsum([0, *C])", "0 * np.cumsum([0, *C])",
        "analyses/consistency/test_pairs.py", "gold_links",
    ),
    "a right-to-left line read from the left": Mutant(
        "babelscope.analyses.consistency.ribbons:_line",
        "right_to_left(U)", "False",
        "analyses/consistency/test_ribbons.py", "from_the_right",
    ),
    "a denial entails what is said less exactly": Mutant(
        "babelscope.corpus.meaning.events:entails",
        "narrower(hypothesis, premise)", "narrower(premise, hypothesis)",
        "corpus/test_builtin.py", "by_hand",
    ),
    "an exchange turned round": Mutant(
        "babelscope.corpus.meaning.events:converse",
        "replace(E, subject=E.other, verb=V, other=E.subject)", "replace(E, verb=V)",
        "corpus/test_builtin.py", "confirmed_by_search and paraphrase-en",
    ),
    "a head off by one": Mutant(
        "babelscope.corpus.notation:_group",
        "W._replace(head=H + 1, relation=R)", "W._replace(head=H, relation=R)",
        "corpus/test_builtin.py", "notation",
    ),
    "words of the same meaning pushed apart": Mutant(
        "babelscope.training.pretraining_losses:contrast",
        "A = A.masked_fill(S & ~torch.eye(L, dtype=torch.bool), -torch.inf)", "pass",
        "training/test_pretrain.py", "partners",
    ),
    "an answer's end one token early": Mutant(
        "babelscope.model.tasks.spans:_answer",
        "(I[0], I[-1])", "(I[0], I[-1] - 1)",
        "training/test_evaluate.py", "tokens_to_learn",
    ),
    "a head kept with the lowest layers": Mutant(
        "babelscope.model.layers:freeze",
        "H.base_model.parameters()", "H.parameters()",
        "training/test_freezing.py", "stays_and_all_else and xlm-roberta",
    ),
    "the last layer at the second position alone": Mutant(
        "babelscope.model.first_position:_first_position",
        "E[:, :1]", "E[:, 1:2]",
        "model/test_first_position.py", "outputs_are",
    ),
    "positions from zero on RoBERTa": Mutant(
        "babelscope.model.forward:_arguments",
        "np.arange(S, S + N)", "np.arange(N)",
        "model/test_inference.py", "plain_call or move_positions",
    ),
    "padding that a decoder's head takes for text": Mutant(
        "babelscope.model.forward:forward",
        "M.hf(**G, input_ids=padded(M, B, R, P))",
        "M.hf(**G, input_ids=padded(M, B, R, int(P == 0)))",
        "laws/test_method_laws.py", "in_a_batch and gpt2-occlusion",
    ),
    "a contrast added": Mutant(
        "babelscope.model.targets:value",
        "L - torch.stack([R[C] for R, O in X])", "L + torch.stack([R[C] for R, O in X])",
        "laws/test_targets.py", "contrast_is_the_difference and classes",
    ),
    "a decoder's tokens shifted the wrong way": Mutant(
        "babelscope.model.encoder_decoder:_tables",
        "(S, *D[:-1])", "(S, *D[1:])",
        "laws/test_targets.py", "slopes_of_a_plain",
    ),
    "attention mask left out of an input's identity": Mutant(
        "babelscope.model.forward:Query.digest",
        "(self.ids, self.types, self.attended)", "(self.ids, self.types)",
        "model/test_inference.py", "identity",
    ),
    "half of the quadrature weight dropped": Mutant(
        "babelscope.methods.integrated:_piece",
        "(L * I.scores, L * I.deviations)", "(L * I.scores / 2, L * I.deviations)",
        "laws/test_method_laws.py", "linear_model and integrated_gradients",
    ),
    "the least likely smoothness": Mutant(
        "babelscope.methods.quadrature:integrate",
        "int(L[:, X].sum(axis=1).argmax())", "int(L[:, X].sum(axis=1).argmin())",
        "methods/test_integrated.py", "four_deviations_bound",
    ),
    "smoothness by integrands that vanish": Mutant(
        "babelscope.methods.quadrature:_fits",
        "np.where(S > 0, L, 0.0)", "L",
        "methods/test_integrated.py", "vanish",
    ),
    "smoothness by all integrands alike": Mutant(
        "babelscope.methods.quadrature:integrate",
        "int(L[:, X].sum(axis=1).argmax())", "int(L.sum(axis=1).argmax())",
        "methods/test_integrated.py", "four_deviations_bound",
    ),
    "errors of integrands from all nodes alike": Mutant(
        "babelscope.methods.quadrature:_fits",
        "V * np.maximum(S, T)", "V * S",
        "methods/test_integrated.py", "integrand_alone",
    ),
    "a jump taken for smooth": Mutant(
        "babelscope.methods.integrated:_count",
        "F or M > MOST or S == JUMP", "F or M > MOST",
        "methods/test_integrated.py", "a_jump_is_halved",
    ),
    "an interval halved whatever is expected of more nodes": Mutant(
        "babelscope.methods.integrated:_count",
        "min(MOST, FAR * C)", "min(MOST, C)",
        "methods/test_integrated.py", "twice_its_nodes",
    ),
    "every path begun again": Mutant(
        "babelscope.methods.integrated:_learns",
        "breadth(P, V) >= NARROW", "breadth(P, V) < 0",
        "methods/test_integrated.py", "narrow_change",
    ),
    "breadth by the number of places": Mutant(
        "babelscope.methods.stretch:breadth",
        "float(W @ S**2)", "float((S**2).mean())",
        "methods/test_integrated.py", "breadth",
    ),
    "nodes where the integrand is small": Mutant(
        "babelscope.methods.stretch:learned",
        "M / M.sum()", "(1 / M) / (1 / M).sum()",
        "methods/test_integrated.py", "integrand_is_large",
    ),
    "slope of a learned stretch without that below it": Mutant(
        "babelscope.methods.stretch:Learned.slope",
        "self.base.slope(U) * S / D", "S / D",
        "methods/test_integrated.py", "slope_is_its_derivative",
    ),
    "a path stretched by its farthest zeros": Mutant(
        "babelscope.methods.stretch:stretch",
        "sizes.argmax()", "sizes.argmin()",
        "methods/test_integrated.py", "zeros_of_the_first_norm",
    ),
    "special tokens moved along the path": Mutant(
        "babelscope.methods.gradient:displacement",
        "(E - baseline_vector(M, B)) * C", "(E - baseline_vector(M, B)) + 0 * C",
        "laws/test_method_laws.py", "complete_methods and bert-integrated",
    ),
    "sign of the gradient flipped": Mutant(
        "babelscope.methods.gradient:input_x_gradient.reduce",
        "(G.double() * E.double()).sum(dim=-1)", "-(G.double() * E.double()).sum(dim=-1)",
        "laws/test_method_laws.py", "linear_model",
    ),
    "worst first": Mutant(
        "babelscope.metrics.erased:ranking",
        "np.lexsort((T, -S))", "np.lexsort((T, S))",
        "laws/test_metric_laws.py", "falling or truth",
    ),
    "ties by position": Mutant(
        "babelscope.metrics.erased:ranking",
        'keyed("ties", *K).permutation(len(S))', "np.arange(len(S))",
        "laws/test_metric_laws.py", "ties_are_not_broken",
    ),
    "kept and erased exchanged": Mutant(
        "babelscope.metrics.hard:_paths",
        "ErasureCurve(A, B, M[2::2], M[3::2], R)", "ErasureCurve(A, B, M[3::2], M[2::2], R)",
        "laws/test_metric_laws.py", "truth",
    ),
    "equal rationales counted again": Mutant(
        "babelscope.metrics.hard:lengths",
        "sorted({L for R in G})", "sorted([L for R in G])",
        "laws/test_metric_laws.py", "count_once or distinct",
    ),
    "sampled lengths that leave out the last": Mutant(
        "babelscope.metrics.hard:sampled_lengths",
        "int((S + A) * len(E) / M)", "int((S + A) * (len(E) - 1) / M)",
        "metrics/test_sampled_lengths.py", "equally_often",
    ),
    "the same lengths for all texts": Mutant(
        "babelscope.metrics.hard:sampled_lengths",
        "keyed(N, X.id, X.lang, *X.texts)", "keyed(N)",
        "metrics/test_sampled_lengths.py", "equally_often",
    ),
    "paths of all lengths taken for those of a sample": Mutant(
        "babelscope.metrics.hard:_paths",
        "ErasureKey(*I, T, U, O, tuple(G), S)", "ErasureKey(*I, T, U, O, tuple(G), 0)",
        "metrics/test_sampled_lengths.py", "not_taken_for",
    ),
    "erasure off by one token": Mutant(
        "babelscope.model.erase:_replaced",
        "np.where(G, F, E.ids)", "np.where(np.roll(G, 1), F, E.ids)",
        "laws/test_metric_laws.py", "ends_of_the_erasure",
    ),
    "undefined becomes zero": Mutant(
        "babelscope.metrics.hard:_share",
        "if P.drop < L: return Measured(nan, R)", "if P.drop < L: return Measured(0.0, R)",
        "laws/test_metric_laws.py", "undefined_is_nan",
    ),
    "soft metrics with the polarity exchanged": Mutant(
        "babelscope.metrics.soft:_plans",
        "S if K else 1 - S", "1 - S if K else S",
        "laws/test_defects.py", "polarity",
    ),
    "one luck for all draws": Mutant(
        "babelscope.metrics.soft:_thinned",
        'keyed("soft", *K, G)', 'keyed("soft", *K, 0)',
        "reference/test_metrics.py", "equal_their_references and bert",
    ),
    "draws of a group that are not turned": Mutant(
        "babelscope.metrics.soft:_thinned",
        "(L + TURNS[P]) % 1", "(L + TURNS[0]) % 1",
        "reference/test_metrics.py", "equal_their_references and bert",
    ),
    "half of the trapezoid dropped": Mutant(
        "babelscope.metrics.curves:_area",
        "trapezoid(V, S)", "(np.diff(S) @ V[1:])",
        "metrics/test_agreement.py", "other_end",
    ),
    "a reversed explanation is a good one": Mutant(
        "babelscope.metrics.agreement:_unexplained",
        "max(0.0, C)", "C",
        "metrics/test_agreement.py", "not_of_sign",
    ),
    "greedy choices that forget the earlier ones": Mutant(
        "babelscope.metrics.bounds:greedy",
        "[*E, U]", "[U]",
        "metrics/test_bounds.py", "looks_again",
    ),
    "ties are wins": Mutant(
        "babelscope.metrics.bounds:wins",
        "np.where(T, 0.5, B)", "np.where(T, 1.0, B)",
        "metrics/test_bounds.py", "ties_are_half",
    ),
    "special tokens in the mean embedding": Mutant(
        "babelscope.model.erase:mean_embedding",
        "set(A) - set(S)", "set(A)",
        "model/test_operators.py", "mean_embedding",
    ),
    "translations left out one by one": Mutant(
        "babelscope.stats.intervals:of_sums",
        "N, M = np.unique(np.asarray(G, dtype=object)[K].astype(str), return_inverse=True)",
        "N = M = np.arange(int(K.sum()))",
        "stats/test_stats.py", "together",
    ),
    "the middle sizes drawn without the complements": Mutant(
        "babelscope.methods.surrogates:_by_kernel",
        "[H, ~H]", "[H, H]",
        "methods/test_surrogates.py", "pairs_share and kernel",
    ),
    "orders not walked from their ends": Mutant(
        "babelscope.methods.shapley:_and_back",
        "(O, O[::-1])", "(O, O)",
        "methods/test_surrogates.py", "pairs_share and permutation",
    ),
    "each side of a partition counted in half of its sets": Mutant(
        "babelscope.methods.shapley:_set_count",
        "2 ** (D + 1)", "2 ** D",
        "methods/test_surrogates.py", "as_many_samples_as_its_tree",
    ),
    "a kernel fitted against the gradient": Mutant(
        "babelscope.methods.likeliest:_through",
        "-G * float((S * K.apart).sum())", "G * float((S * K.apart).sum())",
        "methods/test_likeliest.py", "gradient",
    ),
    "half of what pairs share": Mutant(
        "babelscope.methods.likeliest:pairwise_scores",
        "2 * L", "L",
        "methods/test_likeliest.py", "interactions_in_pairs",
    ),
    "a game's scores without its interactions": Mutant(
        "babelscope.methods.interactions:Game.shapley",
        "leggauss(self.sets.shape[1] // 2 + 1)", "leggauss(1)",
        "reference/test_interactions.py", "sums_over_all",
    ),
    "the even part taken for the odd one": Mutant(
        "babelscope.methods.interactions:odd_part",
        "(A - B) / 2", "(A + B) / 2",
        "reference/test_interactions.py", "odd_part",
    ),
    "strengths sought against the gradient": Mutant(
        "babelscope.methods.interactions:_third_gradient",
        "np.cosh(A.sum()) - L", "np.cosh(A.sum()) + L",
        "reference/test_interactions.py", "gradient",
    ),
    "kernel SHAP of the values, not of what the game leaves": Mutant(
        "babelscope.methods.surrogates:_adjusted",
        "A - game(K)", "A",
        "reference/test_interactions.py", "kernel_shap",
    ),
    "sampled sets weighted as if all had been taken": Mutant(
        "babelscope.methods.surrogates:_distinct_pairs",
        "E / -np.expm1(D * np.log1p(-2 * E / T))", "E",
        "reference/test_interactions.py", "weights_of_sampled",
    ),
    "an order judged by a game that has seen it": Mutant(
        "babelscope.methods.shapley:_gains_of_orders",
        "np.arange(len(O)) != A", "np.arange(len(O)) >= 0",
        "reference/test_interactions.py", "held_out",
    ),
    "one stream of numbers for all examples": Mutant(
        "babelscope.methods.controls:random",
        'keyed(S, "random", *I)', 'keyed(S, "random")',
        "laws/test_method_laws.py", "seed_decides",
    ),
    "a bias shared out before the residual sum": Mutant(
        "babelscope.propagation.tape:Tape.keep",
        "N in AFFINE and M", "N in AFFINE",
        "reference/test_contribution_methods.py", "decompx and bert",
    ),
    "zeroed values left in the next layer": Mutant(
        "babelscope.propagation.zeroing:_zeroed_in.leave",
        "S[-1:].expand_as(S).contiguous()", "S",
        "reference/test_contribution_methods.py", "value_zeroing and bert",
    ),
    "attention block and feed-forward block exchanged": Mutant(
        "babelscope.propagation.decomposition:_measured",
        "A, F = L.sides", "F, A = L.sides",
        "reference/test_contribution_methods.py", "alti and bert",
    ),
    "a product's multiplier at the input, not halfway": Mutant(
        "babelscope.propagation.deeplift:_middle",
        "_both((A + B) / 2)", "_both(A)",
        "propagation/test_rule_sets.py", "complete and bert",
    ),
    "a norm's spread at the input, not halfway": Mutant(
        "babelscope.propagation.multipliers:LayerNorm.backward",
        "(R + S) * (2 * C)", "(R + S) * C",
        "propagation/test_rule_sets.py", "complete and bert",
    ),
    "the factors of a product exchanged in its gradient": Mutant(
        "babelscope.propagation.multipliers:Product.backward",
        "(G * R, G * L)", "(G * L, G * R)",
        "propagation/test_rule_sets.py", "complete and llama",
    ),
    "close values' quotient of rounding errors": Mutant(
        "babelscope.propagation.deeplift:_quotient_of_near",
        "C.any()", "(~C).all()",
        "propagation/test_rule_sets.py", "deeplift",
    ),
    "the negative part of a linear layer forgotten": Mutant(
        "babelscope.propagation.chefer:_Positive.backward",
        "torch.where(X < 0, S, 0.0)", "torch.zeros_like(X)",
        "propagation/test_rule_sets.py", "relevance_of_one and distilbert",
    ),
    "a mask on the relevance that rollout reads": Mutant(
        "babelscope.propagation.chefer:_matmul",
        "O(A, scaled(B, S if M is None else T), *R, **K)",
        "O(scaled(A, 1.0 if M is None else M), scaled(B, S if M is None else T), *R, **K)",
        "propagation/test_rule_sets.py", "head_masks and bert",
    ),
    "half a Shapley value": Mutant(
        "babelscope.methods.slalom.shapley:shapley",
        "zip((N + 1) / 2, G / 2)", "zip((N + 1) / 2, G / 4)",
        "methods/slalom/test_slalom.py", "shapley",
    ),
    "repeated units counted once": Mutant(
        "babelscope.methods.slalom.surrogate:shares",
        "G.count * np.exp(L)", "(G.count > 0) * np.exp(L)",
        "methods/slalom/test_slalom.py", "count_form",
    ),
    "the slope by importances without the answer": Mutant(
        "babelscope.methods.slalom.fit:Problem.jacobian",
        "S * (V - A[:, None])", "S * V",
        "methods/slalom/test_slalom.py", "central_difference",
    ),
    "importances left uncentred": Mutant(
        "babelscope.methods.slalom.exact:recover",
        "A - A.mean()", "A",
        "methods/slalom/test_slalom.py", "exact_recovery",
    ),
    "a start whose ridge is forgotten": Mutant(
        "babelscope.methods.slalom.fit:fit",
        "S.ridge if R is None else R", "LADDER[0]",
        "methods/slalom/test_slalom.py", "starts_elsewhere",
    ),
    "an exact design that takes a missing answer": Mutant(
        "babelscope.methods.slalom.text:recover_surrogate",
        "not np.isfinite(V).all()", "False",
        "methods/slalom/test_slalom_inputs.py", "loses_answers",
    ),
    "a unit's partner forgotten": Mutant(
        "babelscope.methods.slalom.exact:recover",
        "A[[U for U, O in P if O == H]] += A[H]", "A[[U for U, O in P if O == H]] += 0",
        "methods/slalom/test_slalom.py", "exact_recovery",
    ),
    "segments of equal length": Mutant(
        "babelscope.methods.slalom.design:sample_texts",
        "[[D[A] for A in G.permutation(S)] for D in O]", "[[D[A] for A in range(S)] for D in O]",
        "methods/slalom/test_slalom_method.py", "pair_are_read",
    ),
    "the floor added": Mutant(
        "babelscope.stats.disparity:compared",
        "R[S] - L * B", "R[S] + L * B",
        "stats/test_disparity.py", "floor_is_taken_off",
    ),
    "a text that one model gets wrong": Mutant(
        "babelscope.stats.disparity:_both",
        'B["rightmultilingual"] & B["rightmonolingual"]',
        'B["rightmultilingual"] | B["rightmonolingual"]',
        "stats/test_disparity.py", "row_holds",
    ),
    "specifications that count only some flips": Mutant(
        "babelscope.stats.specifications:specification_curve",
        "np.abs(np.median(F, axis=1))", "np.abs(np.mean(F, axis=1))",
        "stats/test_disparity.py", "share_of_all_flips",
    ),
    "erasures remembered whatever the order": Mutant(
        "babelscope.metrics.hard:_identity",
        "return (N, Q, C, W, V)", "return (N, Q, C, W, b'')",
        "analyses/faithfulness/test_pairings.py", "explanations_of_one_text",
    ),
    "a shuffled model answered from memory": Mutant(
        "babelscope.analyses.trust.shuffling:shuffled",
        "M.inference.without_cache()", "M.inference.caching()",
        "analyses/trust/test_shuffling.py", "inference_forgets and bert",
    ),
    "an explanation that survives is trusted": Mutant(
        "babelscope.analyses.trust.checks:randomisation",
        '"fails" if S.similarity > S.high else V', '"fails" if S.similarity < S.low else V',
        "analyses/trust/test_trust.py", "knows_nothing and position",
    ),
    "slopes between texts": Mutant(
        "babelscope.stats.slopes:slope",
        "(_centred(A[K], M), _centred(B[K], M))", "(A[K], _centred(B[K], M))",
        "analyses/tokenization/test_intervention.py", "least_squares",
    ),
    "other words cut at every dose": Mutant(
        "babelscope.model.resegmentation:_resegmented",
        "R.random(L) < H.rate", "R.random(L) > 1 - H.rate / 2",
        "model/test_resegmentation.py", "doses_are_nested and duplicate-wordpiece",
    ),
    "cuts into as many pieces not equally likely": Mutant(
        "babelscope.model.lattice:same",
        "S = np.array([W[E, L - 1] for E in X]) / D",
        "S = np.array([W[E, L - 1] > 0 for E in X]); S = S / S.sum()",
        "model/test_resegmentation.py", "ways_to_choose",
    ),
    "a method's settings averaged": Mutant(
        "babelscope.analyses.faithfulness.settings:read_named",
        "L is not None", "False",
        "reporting/test_report.py", "two_settings",
    ),
    "comparisons of a page not corrected": Mutant(
        "babelscope.analyses.faithfulness.families:adjusted",
        "holm(P)", "P",
        "reporting/test_report.py", "holds_among_all",
    ),
    "similarity with its bias left in": Mutant(
        "babelscope.analyses.tradeoffs.activations:gram",
        "np.fill_diagonal(M, 0.0)", "pass",
        "analyses/tradeoffs/test_state_similarity.py", "biased_form",
    ),
    "specialisation that sees difficulty": Mutant(
        "babelscope.analyses.tradeoffs.behaviour:specialisation",
        "(A - B - np.swapaxes(B, -1, -2)) / 2", "(A - B - B) / 2",
        "analyses/tradeoffs/test_transfer_matrix.py", "specialisation_is_symmetric",
    ),
    "a confidence of 1 in a bin of its own": Mutant(
        "babelscope.analyses.tradeoffs.confidence:binned",
        "np.minimum((C * B).astype(np.int64), B - 1)", "(C * B).astype(np.int64)",
        "analyses/tradeoffs/test_confidence.py", "test_bins",
    ),
    "heads averaged before their entropy": Mutant(
        "babelscope.analyses.tradeoffs.attention:spread",
        "N = entropy(W)",
        "N = np.repeat(entropy(W.mean(axis=1, keepdims=True)), W.shape[1], axis=1)",
        "reference/test_tradeoff_numbers.py", "spread",
    ),
    "texts left out of one model at a time": Mutant(
        "babelscope.analyses.tradeoffs.intervals:_without_clusters",
        "np.divide(A.sum(axis=0) - A, R, out=O, where=W)",
        "np.divide(A.sum(axis=0) - np.stack([np.roll(A[:, s], s, 0) for s in range(A.shape[1])],"
        " 1), R, out=O, where=W)",
        "analyses/tradeoffs/test_transfer_matrix.py", "left_out_of_all_cells",
    ),
    "classes matched by their place": Mutant(
        "babelscope.analyses.tradeoffs.records:label_order",
        "[L[N] for N in W]", "list(range(len(W)))",
        "analyses/tradeoffs/test_tradeoffs.py", "classes_are_matched",
    ),
    "a run that waits for what another one computes": Mutant(
        "babelscope.study.run:_twice",
        "yield number, False", "yield number, True",
        "study/test_sharing.py", "come_last",
    ),
    "costs compared with those of controls": Mutant(
        "babelscope.analyses.costs.tables:costs",
        "~controls(B) & S", "S",
        "analyses/costs/test_costs_room.py", "means_and_factors",
    ),
    "costs that count what is cached": Mutant(
        "babelscope.analyses.costs.timing:timed",
        "S.without_cache()", "S.caching()",
        "analyses/costs/test_costs_room.py", "clocks_and_counts",
    ),
    "an accelerator timed by its host's processor": Mutant(
        "babelscope.analyses.costs.tables:_seconds",
        "P.where(D == 'cpu', W)", "P",
        "analyses/costs/test_costs_room.py", "accelerators_wall",
    ),
    "a logarithmic scale that ends below its values": Mutant(
        "babelscope.display.log_dots:log_ticks",
        "max(A, B + 1) + 1", "max(A, B + 1)",
        "display/test_log_dots.py", "ticks_are_round",
    ),
    "TF-IDF weights divided by the length of the counts": Mutant(
        "babelscope.model.networks.tf_idf:TfIdfForSequenceClassification.place_weights",
        "S * C * I**2", "S * C",
        "model/test_networks.py", "scikit_learn",
    ),
    "special tokens counted": Mutant(
        "babelscope.model.networks.tf_idf:TfIdfForSequenceClassification.place_weights",
        "~torch.isin(I, U)", "torch.isin(I, I)",
        "model/test_networks.py", "special_tokens",
    ),
    "document frequencies without smoothing": Mutant(
        "babelscope.model.networks.tf_idf:inverse_frequencies",
        "(1 + len(T)) / (1 + H)", "len(T) / H",
        "model/test_networks.py", "by_hand",
    ),
    "tokens that nobody attends to at their places": Mutant(
        "babelscope.model.networks.fully_connected:_Places.forward",
        "embedded * attention_mask[..., None].to(embedded.dtype)", "embedded * 1.0",
        "model/test_networks.py", "padding_and_the_batch",
    ),
    "the weight of all copies as that of one": Mutant(
        "babelscope.analyses.surrogates.fits:shapley_weights",
        "(W - N) / K", "W - N",
        "analyses/surrogates/test_surrogates_room.py", "mean_weight",
    ),
    "punctuation among the influential words": Mutant(
        "babelscope.web.views:_top_words",
        "(counts >= fewest) & ~punctuation", "counts >= fewest",
        "web/test_index.py", "punctuation_is_counted",
    ),
    "columns of a long table without the space between them": Mutant(
        "babelscope.reporting.papers.formats:font_size",
        "length * size + 2 * SEPARATION", "length * size",
        "reporting/test_papers.py", "long_table",
    ),
    "an unread sentence as the shortest segmentation": Mutant(
        "babelscope.analyses.tokenization.headline:read_and_unread",
        "row.estimate.mean > 0.5", "row.estimate.mean > 2",
        "analyses/tokenization/test_tokenization.py", "one_unknown_token",
    ),
}  # fmt: skip
