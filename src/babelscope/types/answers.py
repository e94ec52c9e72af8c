"""The explanation of an answer, as a whole and token by token."""

from __future__ import annotations

from dataclasses import dataclass

from babelscope.types.explanations import Attribution
from babelscope.types.rendering import rendered


@dataclass(frozen=True, slots=True)
class AnswerExplanation:
    """Which words of the input made each token of an answer probable.

    The answer's log-probability is the sum of those of its tokens, so that for complete methods and
    for methods that are linear in the explained value the rows of the matrix sum to `whole`.
    """

    tokens: tuple[str, ...]
    """The answer's tokens, as text."""
    whole: Attribution
    """Of the log-probability of the answer."""
    by_token: tuple[Attribution, ...]
    """Of the log-probability of each token, given those before it."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the input: the columns of the matrix."""
        return self.whole.words

    @property
    def matrix(self) -> tuple[tuple[float, ...], ...]:
        """For each token of the answer the scores of the input's words."""
        return tuple(each.word_scores for each in self.by_token)

    def __repr__(self) -> str:
        answer = "".join(self.tokens)
        return (
            f"<AnswerExplanation {self.whole.id}: {self.whole.method} for {answer!r}, "
            f"{len(self.tokens)} tokens by {len(self.words)} words>"
        )

    def _repr_html_(self) -> str:
        return rendered(self)
