"""A study on a Ray cluster of two nodes, one of which is killed while it works on a block."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from babelscope.study.config import parse_study
from babelscope.study.run import run
from study.test_study import MANY, content

psutil = pytest.importorskip("psutil")

LIMIT = 30.0
"""Seconds until a node that never has a task is a failure."""


def has_task(raylet: int) -> bool:
    """Whether a worker of this raylet has a task: Ray names its process after it."""
    try:
        workers = psutil.Process(raylet).children(recursive=True)
        return any("ray::_run" in " ".join(worker.cmdline()) for worker in workers)
    except psutil.Error:
        return False


def kill_at_work(cluster: Any, node: Any, killed: list[float]) -> None:
    """Kills the processes of one node of the test's cluster as soon as it has a task."""
    raylet = node.all_processes["raylet"][0].process.pid
    late = time.monotonic() + LIMIT
    while time.monotonic() < late:
        if has_task(raylet):
            cluster.remove_node(node, allow_graceful=False)
            killed.append(time.monotonic())
            return
        time.sleep(0.02)


@pytest.mark.training
@pytest.mark.slow
def test_a_node_that_is_killed_changes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray", reason="the extra babelscope[ray] is not installed")
    from ray.cluster_utils import Cluster

    study = parse_study({**MANY, "seeds": [0], "methods": ["random"]})
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    run(study, tmp_path / "here")
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "other-cache"))
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    killed: list[float] = []
    try:
        node = cluster.add_node(num_cpus=1)
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        killer = threading.Thread(target=kill_at_work, args=(cluster, node, killed))
        killer.start()
        outcome = run(study, tmp_path / "there", workers=2, where="ray")
        end = time.monotonic()
        killer.join()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert len(killed) == 1, "the node had a task"
    assert killed[0] < end, "the node was killed while the study ran"
    assert outcome.failed == ()
    assert content(tmp_path / "here") == content(tmp_path / "there")
