"""Deliberate faults, each of which some law must catch: a test suite that lets one live does not assert the mathematics."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

import pytest

import babelscope

SOURCE = Path(babelscope.__file__).parent
TESTS = Path(__file__).parents[1]

MUTANTS = {
    "languages with texts of their own averaged over all texts": (
        "analyses/tradeoffs/intervals.py", "(chosen @ sizes.T)[:, None, None, :]", "chosen.sum(axis=1)[:, None, None, None]",
        "properties/test_transfer_matrix.py", "not_paired",
    ),
    "a decoder's loss at the place of the token itself": (
        "analyses/tradeoffs/drift.py", "_surprise(logits, places - 1, rows[at]", "_surprise(logits, places, rows[at]",
        "contract/test_tradeoffs.py", "per_byte_of_what",
    ),
    "weight permuted across the border of two texts": (
        "analyses/consistency/score.py", "sides = segments or ([0] * len(source), [0] * len(target))",
        "sides = [0] * len(source), [0] * len(target)", "properties/test_consistency.py", "i19",
    ),
    "dissimilar words made to carry weight": (
        "analyses/consistency/transport.py", "kept = np.clip(similarity[np.ix_(rows, columns)], 0.0, 1.0)",
        "kept = similarity[np.ix_(rows, columns)]", "properties/test_consistency.py", "i10",
    ),
    "kappa of the means over sums that count C twice": (
        "analyses/consistency/tables.py", "c, c_perm, ceil, n = sums.T", "c, ceil, c_perm, n = sums.T",
        "contract/test_consistency_cli.py", "reach_the_ceiling",
    ),
    "pairs that share a premise taken for independent": (
        "analyses/consistency/tables.py", "groups = [pair.cluster for pair in pairs]", "groups = [pair.id for pair in pairs]",
        "properties/test_flips.py", "resample_clusters",
    ),
    "a partial correlation of the wrong sign": (
        "analyses/consistency/flips.py", "made[place] = -inverse[0, 1]", "made[place] = inverse[0, 1]",
        "properties/test_flips.py", "regression_leaves",
    ),
    "links of the second text laid on the first": (
        "analyses/consistency/named_spaces.py", "starts = [np.cumsum([0, *each]) for each in counts]",
        "starts = [0 * np.cumsum([0, *each]) for each in counts]", "contract/test_consistency_cli.py", "gold_links",
    ),
    "a right-to-left line read from the left": (
        "analyses/consistency/ribbons.py", "turned = rightward(row.units)", "turned = False",
        "properties/test_ribbons.py", "from_the_right",
    ),
    "a denial entails what is said less exactly": (
        "corpus/events/meaning.py", "return narrower(hypothesis, premise)", "return narrower(premise, hypothesis)",
        "properties/test_builtin.py", "by_hand",
    ),
    "an exchange turned round": (
        "corpus/events/meaning.py", "subject=event.other, verb=CONVERSES[event.verb], other=event.subject",
        "verb=CONVERSES[event.verb]", "properties/test_builtin.py", "confirmed_by_search and paraphrase-en",
    ),
    "a head off by one": (
        "corpus/notation.py", "words[place]._replace(head=head + 1, relation=relation)",
        "words[place]._replace(head=head, relation=relation)", "properties/test_builtin.py", "notation",
    ),
    "words of the same meaning pushed apart": (
        "training/pretrain.py", "alike = alike.masked_fill(same & ~torch.eye(len(alike), dtype=torch.bool), -torch.inf)",
        "pass", "properties/test_pretrain.py", "partners",
    ),
    "an answer's end one token early": (
        "model/tasks/spans.py", "return (inside[0], inside[-1]) if inside else (0, 0)",
        "return (inside[0], inside[-1] - 1) if inside else (0, 0)", "contract/test_evaluate.py", "learns_its_examples",
    ),
    "a head kept with the lowest layers": (
        "model/layers.py", "in hf.base_model.parameters()", "in hf.parameters()",
        "contract/test_freezing.py", "stays_and_all_else and xlm-roberta",
    ),
    "positions from zero on RoBERTa": (
        "model/forward.py", "np.arange(first, first + length)", "np.arange(length)",
        "properties/test_door.py", "plain_call or move_positions",
    ),
    "padding that a decoder's head takes for text": (
        "model/forward.py", "input_ids=padded(model, batch, full, padding))",
        "input_ids=padded(model, batch, full, int(padding == 0)))", "properties/test_methods.py",
        "in_a_batch and gpt2-occlusion",
    ),
    "a contrast added": (
        "model/targets.py", "logits = logits - torch.stack(", "logits = logits + torch.stack(",
        "properties/test_targets.py", "contrast_is_the_difference and classes",
    ),
    "a decoder's tokens shifted the wrong way": (
        "model/encoder_decoder.py", "(start, *own[:-1])", "(start, *own[1:])",
        "properties/test_targets.py", "slopes_of_a_plain",
    ),
    "attention mask left out of an input's identity": (
        "model/forward.py", "parts = (self.ids, self.types, self.attended)", "parts = (self.ids, self.types)",
        "properties/test_door.py", "identity",
    ),
    "half of the quadrature weight dropped": (
        "methods/gradient.py", "(b - a) * weights / 2", "(b - a) * weights / 4",
        "properties/test_methods.py", "complete_methods",
    ),
    "special tokens moved along the path": (
        "methods/gradient.py", "(embedded - baseline_vector(model, baseline)) * content[:, None]",
        "(embedded - baseline_vector(model, baseline)) + 0 * content[:, None]",
        "properties/test_methods.py", "complete_methods",
    ),
    "sign of the gradient flipped": (
        "methods/gradient.py", "(slope.double() * embedded.double()).sum", "-(slope.double() * embedded.double()).sum",
        "properties/test_methods.py", "linear_model",
    ),
    "worst first": (
        "metrics/erased.py", "np.lexsort((ties, -scores))", "np.lexsort((ties, scores))", "properties/test_metrics.py",
        "falling or truth",
    ),
    "ties by position": (
        "metrics/erased.py", 'keyed("ties", key).permutation(len(scores))', "np.arange(len(scores))",
        "properties/test_metrics.py", "ties_are_not_broken",
    ),
    "kept and erased exchanged": (
        "metrics/hard.py", "many[2::2], many[3::2]", "many[3::2], many[2::2]", "properties/test_metrics.py", "truth",
    ),
    "equal rationales counted again": (
        "metrics/hard.py", "return sorted({min(n, max(1, ceil(ratio * n - 1e-9))) for ratio in grid})",
        "return sorted([min(n, max(1, ceil(ratio * n - 1e-9))) for ratio in grid])", "properties/test_metrics.py",
        "count_once or distinct",
    ),
    "erasure off by one token": (
        "model/erase.py", "np.where(gone, filler, encoded.ids)", "np.where(np.roll(gone, 1), filler, encoded.ids)",
        "properties/test_metrics.py", "ends_of_the_erasure",
    ),
    "undefined becomes zero": (
        "metrics/hard.py", 'return Measured(nan, f"erasing everything', 'return Measured(0.0, f"erasing everything',
        "properties/test_metrics.py", "undefined_is_nan",
    ),
    "soft metrics with the polarity exchanged": (
        "metrics/soft.py", "(mine if kept else 1 - mine)", "(1 - mine if kept else mine)", "contract/test_defects.py",
        "polarity",
    ),
    "one luck for all draws": (
        "metrics/soft.py", 'keyed("soft", name, draw)', 'keyed("soft", name, 0)', "reference/test_twins_metrics.py",
        "equal_their_twins and bert",
    ),
    "half of the trapezoid dropped": (
        "metrics/curves.py", "(values[1:] + values[:-1]) / 2", "values[1:]", "properties/test_agreement.py", "other_end",
    ),
    "a reversed explanation is a good one": (
        "metrics/agreement.py", "max(0.0, common)", "common", "properties/test_agreement.py", "not_of_sign",
    ),
    "greedy choices that forget the earlier ones": (
        "metrics/bounds.py", "[*mine, one]", "[one]", "properties/test_bounds.py", "looks_again",
    ),
    "ties are wins": (
        "metrics/bounds.py", "np.where(ties, 0.5, better > 0)", "np.where(ties, 1.0, better > 0)", "properties/test_bounds.py",
        "ties_are_half",
    ),
    "special tokens in the mean embedding": (
        "model/erase.py", "- set(model.tokenizer.all_special_ids)", "- set()", "properties/test_operators.py", "mean_embedding",
    ),
    "translations drawn one by one": (
        "stats/bootstrap.py", "[kept].astype(str), return_inverse=True)",
        "[kept].astype(str), return_inverse=True); names = member = np.arange(int(kept.sum()))",
        "properties/test_stats.py", "together",
    ),
    "the middle sizes drawn without the complements": (
        "methods/surrogates.py", "parts += [half, ~half]", "parts += [half, half]", "properties/test_surrogates.py",
        "pairs_share and kernel",
    ),
    "orders not walked from their ends": (
        "methods/shapley.py", "for one in (order, order[::-1])", "for one in (order, order)",
        "properties/test_surrogates.py", "pairs_share and permutation",
    ),
    "one stream of numbers for all examples": (
        "methods/controls.py", 'keyed(seed, "random", row.example.id)', 'keyed(seed, "random")', "properties/test_methods.py",
        "seed_decides",
    ),
    "a bias shared out before the residual sum": (
        "propagation/tape.py", "name in AFFINE and layer.mixed", "name in AFFINE", "reference/test_twins_contributions.py",
        "decompx and bert",
    ),
    "zeroed values left in the next layer": (
        "propagation/zeroing.py", "state[-1:].expand_as(state).contiguous()", "state", "reference/test_twins_contributions.py",
        "value_zeroing and bert",
    ),
    "attention block and feed-forward block exchanged": (
        "propagation/decomposition.py", "block, forwarded = layer.sides", "forwarded, block = layer.sides",
        "reference/test_twins_contributions.py", "alti and bert",
    ),
    "a product's multiplier at the input, not halfway": (
        "propagation/deeplift.py", "return _both((one + two) / 2)", "return _both(one)", "properties/test_rule_sets.py",
        "complete and bert",
    ),
    "the negative part of a linear layer forgotten": (
        "propagation/chefer.py", "torch.where(x < 0, share @ down, 0.0)", "torch.zeros_like(x)", "properties/test_rule_sets.py",
        "relevance_of_one and distilbert",
    ),
    "a mask on the relevance that rollout reads": (
        "propagation/chefer.py", "return op(one, scaled(two,",
        "return op(scaled(one, 1.0 if mask is None else mask), scaled(two,",
        "properties/test_rule_sets.py", "head_masks and bert",
    ),
    "half a Shapley value": (
        "methods/slalom/shapley.py", "zip((nodes + 1) / 2, gauss / 2)", "zip((nodes + 1) / 2, gauss / 4)",
        "properties/test_slalom.py", "shapley",
    ),
    "repeated units counted once": (
        "methods/slalom/surrogate.py", "weight = given.count * np.exp(", "weight = (given.count > 0) * np.exp(",
        "properties/test_slalom.py", "count_form",
    ),
    "the slope by importances without the answer": (
        "methods/slalom/fit.py", "share * (value - found[:, None])", "share * value", "properties/test_slalom.py",
        "central_difference",
    ),
    "importances left uncentred": (
        "methods/slalom/exact.py", "Recovered(ahead - ahead.mean(), value, outside)", "Recovered(ahead, value, outside)",
        "properties/test_slalom.py", "exact_recovery",
    ),
    "a start whose ridge is forgotten": (
        "methods/slalom/fit.py", "start.ridge if ridge is None else ridge", "LADDER[0]", "properties/test_slalom.py",
        "starts_elsewhere",
    ),
    "an exact design that takes a missing answer": (
        "methods/slalom/text.py", "if not np.isfinite([found.value, found.importance]).all():", "if False:",
        "properties/test_slalom_inputs.py", "loses_answers",
    ),
    "a picture with a margin below": (
        "display/png.py", 'f"--window-size={size[1]},{size[2]}"', 'f"--window-size={size[1]},{size[1]}"',
        "browser/test_plane.py", "painted_in_full and en",
    ),
    "a unit's partner forgotten": (
        "methods/slalom/exact.py", "if other == high]] += ahead[high]", "if other == high]] += 0", "properties/test_slalom.py",
        "exact_recovery",
    ),
    "segments of equal length": (
        "methods/slalom/design.py", "for at in generator.permutation(samples)]", "for at in range(samples)]",
        "properties/test_slalom_method.py", "pair_are_read",
    ),
    "the floor added": (
        "stats/disparity.py", "rows[side] - less * rows", "rows[side] + less * rows", "properties/test_disparity.py",
        "floor_is_taken_off",
    ),
    "a text that one model gets wrong": (
        "stats/disparity.py", 'both["rightmultilingual"] & both["rightmonolingual"]',
        'both["rightmultilingual"] | both["rightmonolingual"]', "properties/test_disparity.py", "row_holds",
    ),
    "specifications that count only some flips": (
        "stats/specifications.py", "np.abs(np.median(_signs(len(names), seed) @ sums.T, axis=1))",
        "np.abs(np.mean(_signs(len(names), seed) @ sums.T, axis=1))", "properties/test_disparity.py", "share_of_all_flips",
    ),
    "erasures remembered whatever the order": (
        "metrics/hard.py", "row.word.tobytes(), given.tobytes()", "row.word.tobytes(), b''",
        "contract/test_pairings.py", "explanations_of_one_text",
    ),
    "a shuffled model answered from memory": (
        "analyses/trust/shuffling.py", "with model.inference.without_cache():", "with model.inference.caching():",
        "properties/test_shuffling.py", "door_forgets and bert",
    ),
    "an explanation that survives is trusted": (
        "analyses/trust/checks.py", '"fails" if last.similarity > last.high', '"fails" if last.similarity < last.low',
        "properties/test_trust.py", "knows_nothing and position",
    ),
    "slopes between texts": (
        "stats/slopes.py", "_centred(x[kept], member), _centred", "x[kept], _centred", "properties/test_intervention.py",
        "least_squares",
    ),
    "other words cut at every dose": (
        "model/resegmentation.py", "random(len(row.words)) < how.rate", "random(len(row.words)) > 1 - how.rate / 2",
        "properties/test_resegment.py", "doses_are_nested and duplicate-wordpiece",
    ),
    "cuts into as many pieces not equally likely": (
        "model/lattice.py", "[ways[stop, left - 1] for stop in found.ends[at]]) / ways[at, left]",
        "[ways[stop, left - 1] > 0 for stop in found.ends[at]]); shares = shares / shares.sum()",
        "properties/test_resegment.py", "ways_to_choose",
    ),
    "a method's settings averaged": (
        "analyses/faithfulness/settings.py", "if label is not None:", "if False:", "contract/test_report.py", "two_settings",
    ),
    "comparisons of a page not corrected": (
        "analyses/faithfulness/families.py", "holm(found)", "found", "contract/test_report.py", "holds_among_all",
    ),
    "similarity with its bias left in": (
        "analyses/tradeoffs/activations.py", "np.fill_diagonal(matrix, 0.0)", "pass", "properties/test_state_similarity.py",
        "biased_form",
    ),
    "specialisation that sees difficulty": (
        "analyses/tradeoffs/behaviour.py", "match[..., None, :] - square - np.swapaxes(square, -1, -2)) / 2",
        "match[..., None, :] - square - square) / 2", "properties/test_transfer_matrix.py", "specialisation_is_symmetric",
    ),
    "a confidence of 1 in a bin of its own": (
        "analyses/tradeoffs/confidence.py", "return np.minimum((confidence * bins).astype(np.int64), bins - 1)",
        "return (confidence * bins).astype(np.int64)", "properties/test_confidence.py", "test_bins",
    ),
    "heads averaged before their entropy": (
        "analyses/tradeoffs/attention.py", "    nats = entropy(weights)\n",
        "    nats = np.repeat(entropy(weights.mean(axis=1, keepdims=True)), weights.shape[1], axis=1)\n",
        "reference/test_twins_tradeoffs.py", "spread",
    ),
    "models resampled apart": (
        "analyses/tradeoffs/intervals.py", 'np.einsum("kstc,dc->dkst", sums, chosen, optimize=True)',
        'np.stack([np.einsum("ktc,dc->dkt", sums[:, s], np.roll(chosen, s, 1)) for s in range(sums.shape[1])], 2)',
        "properties/test_transfer_matrix.py", "resample_cells_together",
    ),
    "classes matched by their place": (
        "analyses/tradeoffs/readings.py", "return [lowered[name] for name in wanted]", "return list(range(len(wanted)))",
        "contract/test_tradeoffs.py", "classes_are_matched",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def nursery() -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "UNCHECKED_SHAPES": "1"}
    env.pop("PYTHONPATH", None)
    command = [sys.executable, str(Path(__file__).with_name("nursery.py"))]
    with subprocess.Popen(command, env=env, stdin=PIPE, stdout=PIPE, text=True, cwd=TESTS.parent) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def ended(nursery: subprocess.Popen[str], path: Path, args: list[str]) -> tuple[int, str]:
    """The exit status of pytest on the package in that folder, and what it printed."""
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    out = path / "printed"
    nursery.stdin.write(json.dumps({"path": str(path), "args": args, "out": str(out)}) + "\n")
    nursery.stdin.flush()
    return int(nursery.stdout.readline()), out.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_dies(tmp_path: Path, name: str, nursery: subprocess.Popen[str]) -> None:
    file, true, false, tests, chosen = MUTANTS[name]
    shutil.copytree(SOURCE, tmp_path / "babelscope", ignore=shutil.ignore_patterns("__pycache__"))
    text = (tmp_path / "babelscope" / file).read_text("utf-8")
    assert text.count(true) == 1, f"{true!r} is no longer what stands in {file}"
    (tmp_path / "babelscope" / file).write_text(text.replace(true, false), "utf-8")
    always = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]  # the same examples in every run
    status, printed = ended(nursery, tmp_path, [*always, "-k", chosen, str(TESTS / tests)])
    assert status == 1, f"the mutant lives: {name}\n{printed[-2000:]}"
    assert "failed" in printed or "FAILED" in printed


@pytest.mark.slow
def test_without_a_fault_the_copy_is_what_is_tested_and_passes(tmp_path: Path, nursery: subprocess.Popen[str]) -> None:
    """The copy is imported, not the installed package: a syntax error in it is met. And without a fault nothing fails."""
    shutil.copytree(SOURCE, tmp_path / "babelscope", ignore=shutil.ignore_patterns("__pycache__"))
    args = ["-x", "-q", "-p", "no:cacheprovider", "-k", "i10", str(TESTS / "properties" / "test_consistency.py")]
    assert ended(nursery, tmp_path, args)[0] == 0
    (tmp_path / "babelscope" / "errors.py").write_text("?", "utf-8")
    status, printed = ended(nursery, tmp_path, args)
    assert status not in (0, 1)
    assert "SyntaxError" in printed
