"""Which examples are not independent of one another: the one rule behind every interval
and test.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from babelscope.data.texts import translated
from babelscope.types import Example


def clusters(examples: Iterable[Example]) -> dict[str, str]:
    """For every translation group, the cluster of examples that it belongs to.

        clusters(rows)["xnli-test-2"] == "xnli-test-1"  # the same premise
        groups = [clusters(rows)[row.group] for row in rows]
        estimate(values, groups)

        a ~ b  if  a and b share their translation group, or a text, in any language
        cluster(a) = the smallest group among all that are connected to a by ~

    A text is a premise, a hypothesis, a question, a paragraph or a whole document. Texts are the
    same if they are equal to the character; blank ones and marks of a missing translation
    (`texts.translated`) are shared by none.

    Why: three hypotheses about one premise, or five questions about one paragraph, are right or
    wrong together, and so are translations of one text. Intervals that treat rows as
    independent would be too narrow; whole clusters must be left out, permuted or resampled.

    *Laws*: the order of the rows does not matter, nor does a row given twice; rows that are in one
    cluster stay in one when rows are added; no row gives no cluster; a group that shares no text is
    its own cluster; the name of a cluster is its own (`c[c[g]] == c[g]`); time grows in proportion
    to the number of texts.
    """
    return clusters_of_texts((example.group, example.texts) for example in examples)


def clusters_of_texts(texts: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """The same of translation groups with their texts, one pair for each language of a group.

    clusters_of_texts([("a", ["One."]), ("b", ["One."])]) == {"a": "a", "b": "a"}
    """
    parent: dict[str, str] = {}
    owner: dict[str, str] = {}
    for group, parts in texts:
        parent.setdefault(group, group)
        for text in filter(translated, parts):
            _join(parent, group, owner.setdefault(text, group))
    return {group: _root(parent, group) for group in parent}


def clusters_by_task(
    texts: Iterable[tuple[str, str, Sequence[str]]],
) -> dict[tuple[str, str], str]:
    """Of rows (task, group, texts), the cluster of every task's groups, by (task, group).

    *Law*: the clusters of a task are those of its own texts, whatever other tasks there are.
    """
    by_task: dict[str, list[tuple[str, Sequence[str]]]] = {}
    for task, group, parts in texts:
        by_task.setdefault(task, []).append((group, parts))
    return {
        (task, group): cluster
        for task, rows in by_task.items()
        for group, cluster in clusters_of_texts(rows).items()
    }


def _root(parent: dict[str, str], group: str) -> str:
    while parent[group] != group:
        parent[group] = parent[parent[group]]  # halves the path, so that long chains cost no more
        group = parent[group]
    return group


def _join(parent: dict[str, str], group: str, other: str) -> None:
    """Two components become one; the smallest group stays the root, and so the name."""
    first, second = sorted((_root(parent, group), _root(parent, other)))
    parent[second] = first
