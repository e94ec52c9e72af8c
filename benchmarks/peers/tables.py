"""The section of docs/benchmarks.md: what each peer costs beside ours, and what does not run."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelscope.errors import InputError
from benchmarks import material
from benchmarks.peers import jobs
from benchmarks.peers.compare import Outcome, compared
from benchmarks.peers.environments import TORCH, environment
from benchmarks.peers.processes import Server, serving
from benchmarks.peers.rows import PEERS, Comparison, Peer
from benchmarks.timing import table

HEAD = [
    "peer", "model", "method", "CPU time, peer's / ours", "ids and class ready-made", "ours, s per text", "agreement",
    "error, gap or noise, peer's / ours",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One comparison on one model: what came out, or why nothing did."""

    peer: str
    model: str
    comparison: Comparison | None
    outcome: Outcome | None
    reason: str = ""


def lines(
    peers: Sequence[Peer], described: Sequence[dict[str, Any]], place: Path
) -> Iterator[Line]:
    """Of every model with every peer that is tried on it. Ours is one process for each model; a
    peer whose environment cannot be made has one line.
    """
    pythons: dict[str, Path] = {}
    for peer in peers:
        try:
            pythons[peer.name] = environment(peer.name, peer.requirements)
        except InputError as error:
            yield Line(peer.name, "all", None, None, str(error))
    for job in described:
        name = job["model"]
        trying = [peer for peer in peers if peer.name in pythons and name in peer.models]
        file = jobs.write(place / f"ours-{name}.json", job, [])
        with serving(Path(sys.executable), "run_ours.py", file, place / f"{name}.log") as ours:
            for peer in trying:
                yield from _on_model(ours, peer, pythons[peer.name], job, place)


def _on_model(
    ours: Server, peer: Peer, python: Path, job: dict[str, Any], place: Path
) -> Iterator[Line]:
    name = job["model"]
    file = jobs.write(place / f"{peer.name}-{name}.json", job, peer.packages)
    try:
        with serving(python, peer.script, file, file.with_suffix(".log")) as theirs:
            print(peer.name, name, theirs.versions, file=sys.stderr, flush=True)
            for comparison in peer.comparisons:
                if name in comparison.models:
                    yield _line((ours, theirs), peer.name, job, comparison)
    except InputError as error:
        yield Line(peer.name, name, None, None, str(error))


def _line(
    sides: tuple[Server, Server], peer: str, job: dict[str, Any], comparison: Comparison
) -> Line:
    model = job["model"]
    try:
        line = Line(peer, model, comparison, compared(*sides, comparison, job["texts"]))
    except InputError as error:
        line = Line(peer, model, comparison, None, str(error))
    print(line, file=sys.stderr, flush=True)
    return line


def described() -> list[dict[str, Any]]:
    """The jobs of all models that are here."""
    return [
        jobs.job(name, model, examples, Path(model.hf.config._name_or_path))
        for name, model, examples in jobs.models()
    ]


def named(comparison: Comparison) -> str:
    about = f", {comparison.about}" if comparison.about else ""
    return f"`{comparison.method}`{about}"


def cells(line: Line) -> list[object]:
    """A row of the table of what was measured."""
    assert line.comparison is not None
    assert line.outcome is not None
    outcome = line.outcome
    quality = "-"
    if outcome.quality is not None:
        form = "{:.2f}" if line.comparison.quality == "noise" else "{:.1e}"
        quality = " / ".join(form.format(each) for each in reversed(outcome.quality))
    alone = "-" if outcome.alone == outcome.ratio else f"{outcome.alone.median:.2f}"
    agreement = "-" if math.isnan(outcome.agreement) else f"{outcome.agreement:.3f}"
    return [
        line.peer, line.model, named(line.comparison), outcome.ratio, alone, f"{outcome.seconds:.3f}",
        agreement, quality,
    ]  # fmt: skip


def refused(line: Line) -> list[object]:
    """A row of the table of what does not run."""
    method = "all" if line.comparison is None else named(line.comparison)
    return [line.peer, line.model, method, line.reason.replace("|", "\\|")]


def rendered(rows: Sequence[Line], about: str = "") -> str:
    """The sentence that counts, what the tables are about, and the two tables."""
    ran = [line for line in rows if line.outcome is not None]
    absent = [line for line in rows if line.outcome is None]
    faster = [line for line in ran if line.outcome and line.outcome.ratio.median > 1]
    sentence = f"**Ours takes less CPU time in {len(faster)} of {len(ran)} comparisons.**"
    refusals = table(["peer", "model", "method", "why not"], [refused(line) for line in absent])
    none = "Nothing that was tried."
    return f"""{sentence}

{about}{table(HEAD, [cells(line) for line in ran])}

What does not run, with the peer's own error:

{refusals if absent else none}"""


def section(peers: Sequence[Peer] = PEERS) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return page(peers, list(lines(peers, described(), Path(folder))))


def page(peers: Sequence[Peer], rows: Sequence[Line]) -> str:
    """The section of these rows."""
    installed = "; ".join(f"{peer.name}: {', '.join(peer.requirements)}" for peer in peers)
    about = f"""Each peer runs in a virtual environment of its own ({TORCH} everywhere; {installed}), in a process on one thread that loads the same model
and gets the same texts as ours; imports and loading are not timed, and one text is explained beforehand. Both go from strings to
scores: libraries that take token ids and a class are called by a script that tokenizes the texts and predicts the class in padded batches, as their users do; the column
*ids and class ready-made* leaves that out on the peer's side alone. CPU seconds of the process, in turn (A B, B A; three times as often where a
run is brief): median and range of the ratio. Texts have {jobs.WORDS.start} to {jobs.WORDS.stop - 1} words, Chinese ones {jobs.CHARACTERS.start} to {jobs.CHARACTERS.stop - 1} characters. *Agreement* is the mean
correlation of the scores over the texts. *Error* is that of the worst token against integrated gradients to an error of 1e-5, *gap* how far the scores of the worst text are from summing to F(x) - F(b); *noise* is the standard deviation of a score
over seeds, relative to the scores. Scores agree little where the methods differ: Captum's DeepLIFT takes attention for a plain gradient and does not sum to the difference, inseq's occlusion gives absolute
values and erases with another embedding, and Interpreto's gradients times inputs differ from all others'.

"""
    return f"""## Peers in their own environments

{rendered(rows, about)}
{material.absent(jobs.DECODER)}"""
