"""A study on a Ray cluster of two nodes with one thread each against one process with one thread.

    python -m benchmarks.cluster

The study has four equal blocks: the packaged multilingual model under four names. Both sides start
with an empty store; the cluster is up before, its workers are not. The stores are compared file by
file.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from babelscope.study.run import run
from benchmarks.timing import Ratio, table

REPETITIONS = 2
BLOCKS = 4
STUDY: dict[str, Any] = {
    "name": "equal blocks",
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 24}}],
    "languages": ["en", "es", "zh"],
    "models": [{"name": f"model-{number}", "source": "demo"} for number in range(BLOCKS)],
    "methods": ["kernel_shap", "integrated_gradients", "occlusion"],
    "faithfulness": {"metrics": ["comprehensiveness", "sufficiency", "soft_comprehensiveness"]},
}


@contextmanager
def two_nodes() -> Iterator[None]:
    """A Ray cluster of two nodes of one processor each on this machine, for the time of the block."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    before = os.environ.get("RAY_ADDRESS")
    try:
        cluster.add_node(num_cpus=1)
        os.environ["RAY_ADDRESS"] = cluster.address
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()
        os.environ.pop("RAY_ADDRESS")
        if before is not None:
            os.environ["RAY_ADDRESS"] = before


def content(folder: Path) -> dict[str, bytes]:
    """The files of a store."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def timed(folder: Path, where: str) -> float:
    """Seconds until the study is done; a failed cell ends the benchmark."""
    start = time.perf_counter()
    outcome = run(STUDY, folder, workers=2 if where == "ray" else 1, where=where)
    assert not outcome.failed, outcome.failed
    return time.perf_counter() - start


def measured() -> tuple[list[float], list[float], bool]:
    """Seconds of one process and of the cluster, in turn, and whether all stores are equal."""
    torch.set_num_threads(1)
    alone, together = [], []
    with tempfile.TemporaryDirectory() as place, two_nodes():
        for turn in range(REPETITIONS):
            alone.append(timed(Path(place) / f"local-{turn}", "local"))
            together.append(timed(Path(place) / f"ray-{turn}", "ray"))
        stores = [content(folder) for folder in sorted(Path(place).iterdir())]
    return alone, together, all(store == stores[0] for store in stores)


def section() -> str:
    alone, together, equal = measured()
    ratio = Ratio(tuple(one / two for one, two in zip(alone, together)))
    rows = [
        ["one process", f"{min(alone):.0f} to {max(alone):.0f} s"],
        ["two nodes", f"{min(together):.0f} to {max(together):.0f} s"],
        ["ratio", ratio],
        ["stores equal, file by file", "yes" if equal else "**no**"],
    ]
    return f"""## Two nodes of a cluster

**Two nodes with one thread each are {ratio.median:.2f} times as fast as one process with one thread, and their store is {"the same" if equal else "not the same"}.**

A study of {BLOCKS} equal blocks (the packaged multilingual model under {BLOCKS} names; {len(STUDY["methods"])} methods, {len(STUDY["languages"])} languages) with `--where ray --workers 2` on a Ray
cluster of two nodes with one processor each, both on this machine, against one process with one thread, in turn. The start
of the workers and their imports are included, the start of the cluster is not.

{table(["", "measured"], rows)}
"""


if __name__ == "__main__":
    print(section())
