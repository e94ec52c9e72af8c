"""Settings of single commands that name no place in the study."""

from __future__ import annotations

import pytest

from babelscope.errors import InputError
from babelscope.study.single import single_study

VALUES = {
    "name": "x",
    "tasks": [{"name": "t", "data": {"rows": [{"text": "a", "lang": "en"}], "examples": 1}}],
    "languages": ["en"],
    "models": [{"name": "m", "source": "m"}],
    "methods": ["random"],
}


@pytest.mark.parametrize("path", ["tasks.x.target", "tasks.1.target", "tasks.-1", "languages.7"])
def test_a_step_that_is_no_position_is_one_line(path: str) -> None:
    with pytest.raises(InputError, match=rf"--set {path}: \w+ is a list of 1; write a number"):
        single_study("faithfulness", VALUES, settings=[f"{path}=gold"])


def test_a_position_in_a_list_is_set() -> None:
    study = single_study("faithfulness", VALUES, settings=["tasks.0.target=gold"])
    assert study.tasks[0].target == "gold"
