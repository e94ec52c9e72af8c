"""AttnLRP of lxt: its patched Llama, one padded batch, the embeddings times their gradient.

lxt imports torchvision, whose operators are compiled for another build of torch than the one here
and which then fails for want of two; these are declared beforehand, and never called.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

OPERATORS = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms"):
    OPERATORS.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

import plain  # noqa: E402
from lxt.efficient import monkey_patch  # noqa: E402
from serve import Job, Scores, serve  # noqa: E402
from transformers.models.llama import modeling_llama  # noqa: E402


def opened(job: Job) -> plain.Plain:
    if not job["decoder"]:
        raise ValueError(f"{job['architecture']} is not among the models that it patches")
    monkey_patch(modeling_llama, verbose=False)
    with open(Path(job["folder"]) / "config.json", encoding="utf-8") as file:
        angles = json.load(file).get("rope_parameters") or {}
    # transformers 4, which lxt patches, looks for the angle where transformers 5 does not write it
    theta = {name: angles[name] for name in ("rope_theta",) if name in angles}
    return plain.load(job, attn_implementation="eager", **theta)


def attnlrp(model: plain.Plain, texts: list[Job], options: Job) -> Scores:
    rows: Scores = [[] for _ in texts]
    for group in plain.batches(texts):
        some = [texts[at] for at in group]
        ids, attended = plain.padded(model, some)
        leaf = model.hf.get_input_embeddings()(ids).detach().requires_grad_(True)
        places = (attended.cumsum(dim=1) - 1).clamp(min=0)
        out = plain.logits(
            model, ids, attended, inputs_embeds=leaf, position_ids=places, logits_to_keep=1
        )
        out[range(len(some)), [text["target"] for text in some]].sum().backward()
        table = (leaf * leaf.grad).sum(-1).detach()
        for at, row in zip(group, table):
            rows[at] = plain.content(texts[at], row[-len(texts[at]["ids"]) :])
    return rows


if __name__ == "__main__":
    serve(opened, lambda: {"attnlrp": attnlrp}, plain.prepared)
