"""The parts of the peers' benchmark that need no network and no peer: requests and answers,
measures, rows of the tables.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers import compare, jobs, rows, tables
from benchmarks.peers.compare import Outcome, agreement, error, gap, noise
from benchmarks.peers.environments import environment, folder, pip_reason
from benchmarks.peers.processes import SCRIPTS, Request, Run, parsed, serving
from benchmarks.timing import Ratio

from babelscope.errors import InputError

SERVED = """
import sys
sys.path.insert(0, {scripts!r})
from serve import serve

def double(model, texts, options):
    print("libraries print to the standard output")
    return [[2.0 * options["factor"] * each for each in text["ids"]] for text in texts]

def broken(model, texts, options):
    raise RuntimeError("no such layer\\nand a second line")

def prepared(model, texts):
    for _ in range(10**6):
        pass
    return [{{**text, "ids": [10 * each for each in text["ids"]]}} for text in texts]

preparing = prepared if {preparing} else None
serve(lambda job: None, lambda: {{"double": double, "broken": broken}}, preparing)
"""


def run(*scores: list[float], seconds: float = 1.0) -> Run:
    return Run(seconds, tuple(np.array(row) for row in scores))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A process of ours with two methods, one of which fails."""
    path = tmp_path / "run_test.py"
    path.write_text(SERVED.format(scripts=str(SCRIPTS), preparing=False), "utf-8")
    job = {"packages": ["numpy", "no-such-package"], "texts": [{"ids": [1, 2]}, {"ids": [3]}]}
    (tmp_path / "job.json").write_text(json.dumps(job), "utf-8")
    return path


def test_a_process_answers_with_seconds_and_scores_whatever_it_prints(script: Path) -> None:
    folder = script.parent
    with serving(Path(sys.executable), str(script), folder / "job.json", folder / "log") as server:
        assert list(server.versions) == ["numpy"]
        answer = server.run(Request("double", {"factor": 2}, texts=2))
        first = server.run(Request("double", {"factor": 1}, texts=1))
    assert [row.tolist() for row in answer.scores] == [[4.0, 8.0], [12.0]]
    assert [row.tolist() for row in first.scores] == [[2.0, 4.0]]
    assert answer.seconds >= 0
    assert "libraries print" in (folder / "log").read_text("utf-8")


def test_what_the_user_of_a_peer_prepares_is_timed_beside_its_calls(script: Path) -> None:
    folder = script.parent
    script.write_text(SERVED.format(scripts=str(SCRIPTS), preparing=True), "utf-8")
    with serving(Path(sys.executable), str(script), folder / "job.json", folder / "log") as server:
        answer = server.run(Request("double", {"factor": 1}, texts=1))
    assert answer.scores[0].tolist() == [20.0, 40.0]
    assert 0 < answer.preparing <= answer.seconds


def test_an_error_of_a_peer_is_one_clause_and_the_process_goes_on(script: Path) -> None:
    folder = script.parent
    with serving(Path(sys.executable), str(script), folder / "job.json", folder / "log") as server:
        with pytest.raises(InputError, match=r"^RuntimeError: no such layer$"):
            server.run(Request("broken", {}, texts=1))
        assert server.run(Request("double", {"factor": 1}, texts=1)).scores[0].tolist() == [2, 4]


def test_a_process_that_cannot_start_gives_its_reason(script: Path) -> None:
    script.write_text("raise ImportError('cannot import name x')", "utf-8")
    folder = script.parent
    with (
        pytest.raises(InputError, match=r"^ImportError: cannot import name x"),
        serving(Path(sys.executable), str(script), folder / "job.json", folder / "log"),
    ):
        pass


def test_an_answer_that_is_an_error_or_none_is_raised() -> None:
    with pytest.raises(InputError, match="ended without an answer"):
        parsed("")
    assert parsed('{"seconds": 1, "scores": []}') == {"seconds": 1, "scores": []}
    with pytest.raises(InputError, match="IndexError: 3"):
        parsed('{"error": "IndexError: 3"}')


def test_agreement_is_the_mean_correlation_of_texts() -> None:
    scores = run([1.0, 2.0, 4.0], [0.0, 1.0, 5.0])
    doubled = run([2.0, 4.0, 8.0], [0.0, -2.0, -10.0])
    assert agreement(scores, scores) == pytest.approx(1)
    assert agreement(scores, doubled) == pytest.approx(0)  # 1 and -1
    assert np.isnan(agreement(run([1.0, 1.0, 1.0]), run([1.0, 2.0, 3.0])))
    with pytest.raises(InputError, match="2 scores where ours has 3"):
        agreement(run([1.0, 2.0, 3.0]), run([1.0, 2.0]))


def test_noise_is_relative_to_the_scores() -> None:
    """(3 - 5)^2 / (9 + 25) under the root."""
    assert noise(run([3.0]), run([5.0])) == pytest.approx((4 / 34) ** 0.5)
    assert noise(run([30.0]), run([50.0])) == pytest.approx((4 / 34) ** 0.5)
    assert noise(run([1.0, 2.0]), run([1.0, 2.0])) == 0


def test_error_and_gap_are_those_of_the_worst_token_and_text() -> None:
    assert error(run([1.0, 2.0], [3.0]), run([1.5, 2.0], [1.0])) == 2
    assert gap(run([1.0, 2.0], [3.0]), [3.0, 1.0]) == 2


class Scripted:
    """A server whose runs take prescribed seconds."""

    def __init__(self, name: str, seconds: float, log: list[str], preparing: float = 0.0) -> None:
        self.name, self.seconds, self.log, self.preparing = name, seconds, log, preparing
        self.warmed: set[str] = set()

    def run(self, request: Request) -> Run:
        self.log.append(f"{self.name}{request.texts}:{request.seed}")
        return Run(self.seconds, run([1.0, 2.0, 3.0]).scores, self.preparing)


def test_sides_take_turns_and_are_warmed_up_once() -> None:
    log: list[str] = []
    ours, theirs = Scripted("A", 2.0, log), Scripted("B", 6.0, log, preparing=2.0)
    comparison = rows.Comparison("occlusion", texts=2)
    for _ in range(2):
        outcome = compare.compared(ours, theirs, comparison, [])  # type: ignore[arg-type]
    turns = ["A2:0", "B2:0", "B2:1", "A2:1"]
    assert log == ["A1:0", "B1:0", *turns, *turns]
    assert outcome.ratio.each == (3.0, 3.0)
    assert outcome.alone.each == (2.0, 2.0)
    assert outcome.seconds == 1.0
    assert outcome.quality is None


def test_brief_runs_are_repeated_three_times() -> None:
    log: list[str] = []
    ours, theirs = Scripted("A", 0.1, log), Scripted("B", 0.2, log)
    comparison = rows.Comparison("occlusion", texts=2)
    outcome = compare.compared(ours, theirs, comparison, [])  # type: ignore[arg-type]
    assert len(outcome.ratio.each) == 6


def test_the_tables_have_a_row_for_what_ran_and_one_for_what_did_not() -> None:
    comparison = rows.Comparison("lime", "256 samples", quality="noise")
    outcome = Outcome(Ratio((1.5, 2.0, 2.5)), Ratio((1.0, 1.25, 1.5)), 0.25, 0.9, (0.1, 0.3))
    ran = tables.Line("lime", "gte-small", comparison, outcome)
    slower = tables.Line(
        "shap", "gte-small", comparison, Outcome(Ratio((0.5,)), Ratio((0.5,)), 1.0, 0.8, None)
    )
    absent = tables.Line("lxt", "gte-small", None, None, "ImportError: no | such name")
    text = tables.rendered([ran, slower, absent])
    assert "Ours takes less CPU time in 1 of 2 comparisons." in text
    row = "| lime | gte-small | `lime`, 256 samples | 2.00 (1.50 to 2.50) | 1.25 | 0.250 | 0.900 |"
    assert f"{row} 0.30 / 0.10 |" in text
    assert "| lxt | gte-small | all | ImportError: no \\| such name |" in text


def test_a_peer_whose_environment_fails_has_a_row_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(name: str, requirements: tuple[str, ...]) -> Path:
        raise InputError("pip: No matching distribution found for nothing==1")

    monkeypatch.setattr(tables, "environment", refused)
    peer = rows.Peer("nothing", "run_nothing.py", ("nothing==1",), ())
    (line,) = tables.lines([peer], [], tmp_path)
    assert tables.refused(line)[-1] == "pip: No matching distribution found for nothing==1"


def test_the_reason_of_pip_is_its_first_error() -> None:
    log = "WARNING: slow\nERROR: Could not find a version of x\nERROR: No matching distribution\n"
    assert pip_reason(log) == "Could not find a version of x"
    assert pip_reason("Segmentation fault\n") == "Segmentation fault"
    assert pip_reason("") == "no message"


def test_environments_are_made_torch_first_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def pretended(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(list(command))
        failing = "nothing==1" in command
        return subprocess.CompletedProcess(command, int(failing), "", "ERROR: none\n")

    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr(subprocess, "run", pretended)
    for _ in range(2):
        python = environment("lime", ("lime==0.2.0.1",))
        assert python.parent.parent == folder("lime", ("lime==0.2.0.1",))
    assert [command[-1] for command in commands][1:] == ["torch==2.13.0", "lime==0.2.0.1"]
    with pytest.raises(InputError, match="pip: none"):
        environment("nothing", ("nothing==1",))
    assert not (folder("nothing", ("nothing==1",)) / "complete").exists()


def test_units_are_words_between_blanks_and_chinese_characters() -> None:
    assert jobs.blanks("so so good", "en") == ((0, 2), (3, 5), (6, 10))
    assert jobs.blanks("很 好", "zh") == ((0, 1), (2, 3))


def test_every_peer_has_a_script_and_pinned_requirements() -> None:
    for peer in rows.PEERS:
        assert (SCRIPTS / peer.script).is_file()
        assert all("==" in each or "<" in each for each in peer.requirements)
        assert all(set(each.models) & set(peer.models) for each in peer.comparisons)
