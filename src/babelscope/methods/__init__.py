"""Attribution methods: one function each, listed in METHODS in reading order.

A method is a function `(model, inputs, targets, *, options) -> one Explained per input`; see
`row.MethodFunction`. The table is data: it is read without importing torch, and a method's module
is imported when `METHODS[name].function` is first used.
"""

from babelscope.methods.row import Method

METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method(
            "random", "babelscope.methods.controls", "control",
            "independent normal scores: the random baseline",
            seeded=True,
        ),
        Method(
            "position", "babelscope.methods.controls", "control",
            "the earlier, the more important",
            signed=False, words="max",
        ),
        Method(
            "inverse_frequency", "babelscope.methods.controls", "control",
            "the rarer, the more important",
            {"corpus": "builtin"}, signed=False,
        ),
        Method(
            "occlusion", "babelscope.methods.erasure", "erasure",
            "how much the value falls when a token is erased",
            {"operator": None},
        ),
        Method(
            "lime", "babelscope.methods.surrogates", "erasure",
            "weights of a linear model of kept tokens near the text",
            {"samples": 512, "width": 0.25, "ridge": 0.001, "operator": None}, seeded=True,
        ),
        Method(
            "kernel_shap", "babelscope.methods.surrogates", "erasure",
            "Shapley values by least squares over sets of kept tokens",
            {"samples": 512, "operator": None}, complete=True, seeded=True,
        ),
        Method(
            "permutation_shapley", "babelscope.methods.shapley", "erasure",
            "what a token adds, averaged over random orders",
            {"permutations": 8, "operator": None}, complete=True, seeded=True,
        ),
        Method(
            "partition_shapley", "babelscope.methods.shapley", "erasure",
            "what a token adds when words and phrases stay together",
            {"samples": 512, "operator": None}, complete=True, seeded=True,
        ),
        Method(
            "gradient_norm", "babelscope.methods.gradient", "gradient",
            "length of the gradient at a position",
            signed=False, gradients=True, one_pass=True, words="max",
        ),
        Method(
            "input_x_gradient", "babelscope.methods.gradient", "gradient",
            "gradient at a position times its embedding",
            gradients=True, one_pass=True,
        ),
        Method(
            "integrated_gradients", "babelscope.methods.integrated", "gradient",
            "gradient integrated along the path from a baseline, times the displacement",
            {"baseline": "pad", "nodes": 8, "tolerance": 0.001},
            complete=True, gradients=True, precise="float32",
        ),
        Method(
            "smooth_gradient", "babelscope.methods.averages", "gradient",
            "gradient averaged over noisy copies, times the embedding",
            {"samples": 32, "noise": 0.1}, gradients=True, seeded=True,
        ),
        Method(
            "expected_gradients", "babelscope.methods.averages", "gradient",
            "gradient on paths from random texts, times the displacement",
            {"baselines": 32}, gradients=True, seeded=True,
        ),
        Method(
            "attention", "babelscope.methods.attention", "attention",
            "last-layer attention of the position that is read out",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "scaled_attention", "babelscope.methods.attention", "attention",
            "last-layer attention times its gradient",
            gradients=True, one_pass=True, attentions=True,
        ),
        Method(
            "rollout", "babelscope.methods.attention", "attention",
            "attention multiplied through the layers",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "generic_attention", "babelscope.methods.attention", "attention",
            "attention that pulls the value up, through the layers",
            signed=False, gradients=True, one_pass=True, attentions=True, words="max",
        ),
        Method(
            "grads", "babelscope.methods.attention", "attention",
            "positive mean gradient of last-layer attention",
            signed=False, gradients=True, one_pass=True, attentions=True, words="max",
        ),
        Method(
            "attgrads", "babelscope.methods.attention", "attention",
            "last-layer attention, heads weighted by their gradients",
            signed=False, gradients=True, one_pass=True, attentions=True, words="max",
        ),
        Method(
            "cat", "babelscope.methods.attention", "attention",
            "hidden state times gradient, summed over the layers",
            gradients=True, one_pass=True, attentions=True,
        ),
        Method(
            "attcat", "babelscope.methods.attention", "attention",
            "hidden state times gradient times attention received, summed over the layers",
            gradients=True, one_pass=True, attentions=True,
        ),
        Method(
            "attention_flow", "babelscope.methods.flow", "attention",
            "maximum flow through the attention of all layers",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "value_zeroing", "babelscope.methods.contributions", "attention",
            "how far layer outputs turn when a token's value vectors are zero",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "alti", "babelscope.methods.contributions", "attention",
            "how much nearer a token's part brings each layer's attention output",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method(
            "globenc", "babelscope.methods.contributions", "attention",
            "length of a token's part of each layer's output",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method(
            "decompx", "babelscope.methods.contributions", "attention",
            "each token's part of the output, carried through all layers",
            gradients=True, attentions=True,
        ),
        Method(
            "lrp", "babelscope.methods.relevance", "propagation",
            "relevance passed back along positive parts",
            gradients=True, attentions=True, precise="float64",
        ),
        Method(
            "partial_lrp", "babelscope.methods.relevance", "propagation",
            "relevance of the last layer's attention",
            signed=False, gradients=True, attentions=True, words="max", precise="float64",
        ),
        Method(
            "transatt", "babelscope.methods.relevance", "propagation",
            "attention weighted by relevance and gradient, through the layers",
            {"normalised": False},
            signed=False, gradients=True, attentions=True, words="max", precise="float64",
        ),
        Method(
            "masked_lrp", "babelscope.methods.relevance", "propagation",
            "transatt with relevance that only important heads pass on",
            {"heads": "builtin"},
            signed=False, gradients=True, attentions=True, words="max", precise="float64",
        ),
        Method(
            "released_masked_lrp", "babelscope.methods.released", "propagation",
            "masked_lrp as its study's released code computes it",
            {"heads": "builtin",
             "deviations": ("halved", "separators", "types", "products", "row")},
            signed=False, gradients=True, attentions=True, words="max", precise="float64",
        ),
        Method(
            "attnlrp", "babelscope.methods.propagation", "propagation",
            "relevance passed back by rules made for attention",
            gradients=True, one_pass=True,
        ),
        Method(
            "cp_lrp", "babelscope.methods.propagation", "propagation",
            "relevance passed back with attention weights held constant",
            gradients=True, one_pass=True,
        ),
        Method(
            "masked_attnlrp", "babelscope.methods.propagation", "propagation",
            "attnlrp through important heads only",
            {"heads": "builtin"}, gradients=True, one_pass=True, attentions=True,
        ),
        Method(
            "deeplift", "babelscope.methods.propagation", "propagation",
            "difference to a reference, by exact multipliers",
            {"baseline": "pad"}, complete=True, gradients=True, one_pass=True, precise="float32",
        ),
        Method(
            "slalom", "babelscope.methods.slalom.methods", "surrogate",
            "value and importance of each word in a softmax mixture fitted to the model",
            {"score": "shapley", "design": "mix+text", "samples": 0, "unit": "token"},
            seeded=True,
        ),
    )
}  # fmt: skip
