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
from babelscope.methods.controls import position, random
from babelscope.methods.erasure import occlusion
from babelscope.methods.gradient import gradient_norm, input_x_gradient, integrated_gradients
from babelscope.methods.propagation import attnlrp, cp_lrp
from babelscope.methods.slalom import slalom
from babelscope.types import Method

METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method("random", random, "control", "independent normal scores: the floor", seeded=True),
        Method("position", position, "control", "the earlier, the more important", signed=False, words="max"),
        Method("occlusion", occlusion, "erasure", "how much the value falls when a token is erased"),
        Method(
            "gradient_norm", gradient_norm, "gradient", "length of the gradient at a position",
            signed=False, gradients=True, words="max",
        ),
        Method("input_x_gradient", input_x_gradient, "gradient", "gradient at a position times its embedding", gradients=True),
        Method(
            "integrated_gradients", integrated_gradients, "gradient", "gradient integrated from a baseline, times the way",
            complete=True, gradients=True,
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
        Method("attnlrp", attnlrp, "propagation", "relevance passed back by rules made for attention", gradients=True),
        Method("cp_lrp", cp_lrp, "propagation", "relevance passed back with attention weights held fixed", gradients=True),
        Method(
            "slalom", slalom, "surrogate", "value and importance of each word in a softmax mixture fitted to the model",
            seeded=True,
        ),
    )
}  # fmt: skip
