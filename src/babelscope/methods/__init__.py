"""Attribution methods: one function each, listed in METHODS in reading order.

A method is a function `(model, inputs, targets, *, options) -> one Explained per input`.
"""

from babelscope.methods.attention import (
    attcat,
    attention,
    attgrads,
    cat,
    generic_attention,
    grads,
    rollout,
    scaled_attention,
)
from babelscope.methods.averages import expected_gradients, smooth_gradient
from babelscope.methods.contributions import alti, decompx, globenc, value_zeroing
from babelscope.methods.controls import inverse_frequency, position, random
from babelscope.methods.erasure import occlusion
from babelscope.methods.flow import attention_flow
from babelscope.methods.gradient import gradient_norm, input_x_gradient, integrated_gradients
from babelscope.methods.propagation import attnlrp, cp_lrp, deeplift, masked_attnlrp
from babelscope.methods.relevance import lrp, masked_lrp, partial_lrp, transatt
from babelscope.methods.shapley import partition_shapley, permutation_shapley
from babelscope.methods.slalom.methods import slalom
from babelscope.methods.surrogates import kernel_shap, lime
from babelscope.types import Method

METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method("random", random, "control", "independent normal scores: the floor", seeded=True),
        Method("position", position, "control", "the earlier, the more important", signed=False, words="max"),
        Method("inverse_frequency", inverse_frequency, "control", "the rarer, the more important", signed=False),
        Method("occlusion", occlusion, "erasure", "how much the value falls when a token is erased"),
        Method("lime", lime, "erasure", "weights of a linear model of kept tokens near the text", seeded=True),
        Method(
            "kernel_shap", kernel_shap, "erasure", "Shapley values by least squares over sets of kept tokens",
            complete=True, seeded=True,
        ),
        Method(
            "permutation_shapley", permutation_shapley, "erasure", "what a token adds, averaged over random orders",
            complete=True, seeded=True,
        ),
        Method(
            "partition_shapley", partition_shapley, "erasure", "what a token adds when words and phrases stay together",
            complete=True, seeded=True,
        ),
        Method(
            "gradient_norm", gradient_norm, "gradient", "length of the gradient at a position",
            signed=False, gradients=True, words="max",
        ),
        Method("input_x_gradient", input_x_gradient, "gradient", "gradient at a position times its embedding", gradients=True),
        Method(
            "integrated_gradients", integrated_gradients, "gradient", "gradient integrated from a baseline, times the way",
            complete=True, gradients=True, precise=True,
        ),
        Method(
            "smooth_gradient", smooth_gradient, "gradient", "gradient averaged over noisy copies, times the embedding",
            gradients=True, seeded=True,
        ),
        Method(
            "expected_gradients", expected_gradients, "gradient", "gradient on the way from random texts, times the way",
            gradients=True, seeded=True,
        ),
        Method(
            "attention", attention, "attention", "last-layer attention of the position that is read out",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "scaled_attention", scaled_attention, "attention", "last-layer attention times the slope by it",
            gradients=True, attentions=True,
        ),
        Method(
            "rollout", rollout, "attention", "attention multiplied through the layers",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "generic_attention", generic_attention, "attention", "attention that pulls the value up, through the layers",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method(
            "grads", grads, "attention", "positive mean slope by last-layer attention",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method(
            "attgrads", attgrads, "attention", "last-layer attention, heads weighted by their slopes",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method("cat", cat, "attention", "state times slope, over the layers", gradients=True, attentions=True),
        Method(
            "attcat", attcat, "attention", "state times slope times attention received, over the layers",
            gradients=True, attentions=True,
        ),
        Method(
            "attention_flow", attention_flow, "attention", "maximum flow through the attention of all layers",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "value_zeroing", value_zeroing, "attention", "how far layers turn when a token's values are zero",
            signed=False, attentions=True, words="max",
        ),
        Method(
            "alti", alti, "attention", "how much nearer a token's part brings each layer's attention output",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method(
            "globenc", globenc, "attention", "length of a token's part of each layer's output",
            signed=False, gradients=True, attentions=True, words="max",
        ),
        Method(
            "decompx", decompx, "attention", "each token's part of the output, carried through all layers",
            gradients=True, attentions=True,
        ),
        Method(
            "lrp", lrp, "propagation", "relevance passed back along positive parts",
            gradients=True, attentions=True, precise=True,
        ),
        Method(
            "partial_lrp", partial_lrp, "propagation", "relevance of the last layer's attention",
            signed=False, gradients=True, attentions=True, words="max", precise=True,
        ),
        Method(
            "transatt", transatt, "propagation", "attention weighted by relevance and slope, through the layers",
            signed=False, gradients=True, attentions=True, words="max", precise=True,
        ),
        Method(
            "masked_lrp", masked_lrp, "propagation", "the same, with relevance that only important heads pass on",
            signed=False, gradients=True, attentions=True, words="max", precise=True,
        ),
        Method("attnlrp", attnlrp, "propagation", "relevance passed back by rules made for attention", gradients=True),
        Method("cp_lrp", cp_lrp, "propagation", "relevance passed back with attention weights held fixed", gradients=True),
        Method(
            "masked_attnlrp", masked_attnlrp, "propagation", "attnlrp through important heads only",
            gradients=True, attentions=True,
        ),
        Method(
            "deeplift", deeplift, "propagation", "difference to a reference, by exact multipliers",
            complete=True, gradients=True, precise=True,
        ),
        Method(
            "slalom", slalom, "surrogate", "value and importance of each word in a softmax mixture fitted to the model",
            seeded=True,
        ),
    )
}  # fmt: skip
