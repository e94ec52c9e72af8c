"""The rule for what is not independent: laws over made-up corpora, and a slow reference
implementation.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelscope.data.independence import clusters
from babelscope.types import Example

GROUPS = [f"g{number}" for number in range(8)]
TEXTS = [f"text {number}" for number in range(10)]


CELLS = st.tuples(
    st.sampled_from(GROUPS),
    st.sampled_from("abc"),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2),
)
CORPORA = st.lists(CELLS, max_size=12)
"""Group, language and texts of up to twelve rows; groups and texts often coincide. The rows are
made in the tests, since checking their types inside a strategy uses random numbers."""
Cells = list[tuple[str, str, list[str]]]


def rows(cells: Cells) -> list[Example]:
    return [
        Example(f"{group}-{lang}-{at}", tuple(texts), lang, group)
        for at, (group, lang, texts) in enumerate(cells)
    ]


def closure(examples: list[Example]) -> dict[str, str]:
    """Slow: the relation as a table of rows, closed under transitivity; a cluster is named by its
    smallest group.
    """
    near = [
        [a.group == b.group or bool({*a.texts} & {*b.texts}) for b in examples] for a in examples
    ]
    places = range(len(examples))
    for middle, start, end in product(places, places, places):
        near[start][end] = near[start][end] or (near[start][middle] and near[middle][end])
    return {
        row.group: min(other.group for other, tied in zip(examples, near[place]) if tied)
        for place, row in enumerate(examples)
    }


@given(CORPORA)
def test_equals_the_transitive_closure(cells: Cells) -> None:
    examples = rows(cells)
    assert clusters(examples) == closure(examples)


@given(CORPORA, st.permutations(range(15)))
def test_the_order_and_copies_of_rows_do_not_matter(cells: Cells, order: list[int]) -> None:
    examples = rows(cells)
    repeated = [*examples, *examples[:3]]
    shuffled = [repeated[at] for at in order if at < len(repeated)]
    assert clusters(shuffled) == clusters(examples)


@given(CORPORA, CORPORA)
def test_more_rows_only_join_clusters(cells: Cells, more: Cells) -> None:
    before, after = clusters(rows(cells)), clusters(rows([*cells, *more]))
    for one, other in product(before, before):
        assert before[one] != before[other] or after[one] == after[other]


@given(CORPORA)
def test_a_cluster_is_named_by_a_group_of_its_own(cells: Cells) -> None:
    examples = rows(cells)
    named = clusters(examples)
    assert set(named) == {row.group for row in examples}
    assert all(named[named[group]] == named[group] <= group for group in named)


def test_by_hand() -> None:
    """1 and 2 share a premise in English; 1 and 4 a hypothesis in Spanish, the text of the one,
    the pair of the other.
    """
    examples = [
        Example("1-en", ("p", "a"), "en", "1"), Example("1-es", ("pp", "aa"), "es", "1"),
        Example("2-en", ("p", "b"), "en", "2"), Example("3-en", ("q", "c"), "en", "3"),
        Example("4-es", ("aa", "r"), "es", "4"),
    ]  # fmt: skip
    assert clusters(examples) == {"1": "1", "2": "1", "3": "3", "4": "1"}


def test_no_row_one_row_and_a_text_given_twice() -> None:
    assert clusters([]) == {}
    assert clusters([Example("1", ("a", "a"))]) == {"1": "1"}
    assert clusters(iter([Example("2", ("a",)), Example("1", ("a",))])) == {"1": "1", "2": "1"}


@pytest.mark.parametrize("text", ["NS", " NS ", "", " \n"])
def test_what_is_missing_is_not_shared(text: str) -> None:
    """Untranslated sentences of PAWS-X are all "NS": they say nothing about the rows that they
    stand in.
    """
    examples = [
        Example(f"{number}-ko", (f"sentence {number}", text), "ko", str(number))
        for number in range(4)
    ]
    assert clusters(examples) == {str(number): str(number) for number in range(4)}


@pytest.mark.parametrize("forward", [True, False])
def test_a_long_chain_is_one_cluster(forward: bool) -> None:
    """Row i shares a text with row i + 1: one cluster of 20,000 groups, without recursion."""
    names = [f"{number:06}" for number in range(20_000)]
    order = names if forward else names[::-1]
    examples = [Example(name, (f"t{int(name)}", f"t{int(name) + 1}"), "en", name) for name in order]
    assert set(clusters(examples).values()) == {"000000"}
