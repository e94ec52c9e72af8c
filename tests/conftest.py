"""Which tests run where; tiny models in float64; the folder of real public data where it lies
beside the checkout.

Nothing that imports torch or the package is imported at the top: `pytest_configure` does that in
the processes that run tests, and xdist's controller, which runs none, starts them at once.
"""

from __future__ import annotations

import os
import sys
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from babelscope.model.load import Model

sys.dont_write_bytecode = False  # otherwise each of many processes compiles the package again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # matrices are small: more threads wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ARCHITECTURES = ("bert", "xlm-roberta", "distilbert", "gpt2")
"""Those of `babelscope.training.small`."""
TEXTS = [
    "the food was not good but the room was lovely",
    "a long and lovely evening with good friends and very good food in the old town",
    "no",
    "el hotel era bonito y la comida muy buena",
    "खाना बहुत अच्छा था लेकिन कमरा छोटा था",
    "الطعام كان لذيذا لكن الغرفة صغيرة",
    "这个酒店的房间很干净，但是早餐不好吃。",
]
COSTS = {"slow": 100, "training": 40, "browser": 40}
"""How many tests without a mark take as long as one with it, roughly."""
PAIRS = [
    ("the food was good", "nobody liked the meal"),
    ("खाना अच्छा था", "किसी को खाना पसंद नहीं आया"),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    only = "a,b: tests over other architectures than these are left out"
    parser.addoption("--architectures", default="", metavar="NAMES", help=only)
    parser.addoption("--backwards", action="store_true", help="the last test first")


def pytest_configure(config: pytest.Config) -> None:
    is_controller = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if not is_controller:
        prepare()


def prepare() -> None:
    """Imports what tests need, the package with its shapes checked."""
    import torch
    from threadpoolctl import threadpool_limits
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    if "UNCHECKED_SHAPES" not in os.environ:  # of deliberate faults: laws have to catch those
        from shapes import check_shapes

        check_shapes()

    from babelscope.training import small

    assert small.ARCHITECTURES == ARCHITECTURES
    torch.set_num_threads(1)  # two threads are slower than one on models this small
    threadpool_limits(1)  # of libraries that a plugin of pytest has loaded before
    register_optimizer_step_pre_hook(refuse_unmarked)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if chosen := config.getoption("--architectures"):
        from architectures import MODELS

        others = {*ARCHITECTURES, *MODELS} - set(chosen.split(","))
        config.hook.pytest_deselected(items=[item for item in items if others & parameters(item)])
        items[:] = [item for item in items if not others & parameters(item)]
    items.sort(key=partial(_rank, _costs(items)))
    if config.getoption("--backwards"):
        items.reverse()


def _costs(items: list[pytest.Item]) -> dict[str, int]:
    """By file, about how long its tests take, from the marks that they have."""
    costs: dict[str, int] = {}
    for item in items:
        cost = 1 + sum(COSTS.get(mark.name, 0) for mark in item.iter_markers())
        costs[_file(item.nodeid)] = costs.get(_file(item.nodeid), 0) + cost
    return costs


def _rank(costs: dict[str, int], item: pytest.Item) -> tuple[bool, int, str]:
    """The longest files first, and last the mutants, each of which is short and needs no other: so
    both processes end at the same time.
    """
    file = _file(item.nodeid)
    return _is_separate(item.nodeid), -costs[file], file


def _file(nodeid: str) -> str:
    return nodeid.split("::", 1)[0]


def _is_separate(nodeid: str) -> bool:
    return "/mutants/" in nodeid


def pytest_runtest_setup(item: pytest.Item) -> None:
    RUNNING[:] = [item]


def refuse_unmarked(*_: object) -> None:
    """Called before every step of every optimiser: a test that trains a model is marked, so that
    others can be quick.
    """
    if RUNNING and RUNNING[0].get_closest_marker("training") is None:
        raise AssertionError(
            f"{RUNNING[0].nodeid} trains a model: mark it with pytest.mark.training"
        )


RUNNING: list[pytest.Item] = []


def parameters(item: pytest.Item) -> set[str]:
    """What a test is run for, as far as it has a name."""
    callspec = getattr(item, "callspec", None)
    return (
        {value for value in callspec.params.values() if isinstance(value, str)}
        if callspec
        else set()
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return ByFile(config, log)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a file run in one process and share what they make; mutants share nothing and
    fill up both. They are taken in the order of `_rank`.
    """

    def __init__(self, config: pytest.Config, log: object) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False  # by number of tests, the longest would come last

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if _is_separate(nodeid) else _file(nodeid)


@cache
def tiny(architecture: str, labels: tuple[str, ...] = ("negative", "neutral", "positive")) -> Model:
    """Two layers of two heads, width 64, weights large enough that every token matters, float64."""
    import torch

    from babelscope.model.load import load
    from babelscope.training.small import make_model, make_tokenizer

    tokenizer = make_tokenizer(
        architecture, [*TEXTS, *(text for pair in PAIRS for text in pair)], 400
    )
    torch.manual_seed(7)
    hf = make_model(architecture, tokenizer, list(labels), layers=2, width=64).double().eval()
    with torch.no_grad():
        for name, weight in hf.named_parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.3 if "embedding" in name or "wte" in name else 0.25)
    return load((hf, tokenizer))


@cache
def tiny_reader() -> Model:
    """A BERT that answers questions by a span."""
    import torch
    from transformers import BertForQuestionAnswering

    from babelscope.model.load import load

    base = tiny("bert")
    config = deepcopy(base.hf.config)
    config.num_labels = 2  # start and end
    torch.manual_seed(11)
    hf = BertForQuestionAnswering(config).double().eval()
    with torch.no_grad():
        for weight in hf.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.25)
    return load((hf, base.tokenizer))


@pytest.fixture(scope="session")
def writers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of masked language models with the tokenizers of the tiny classifiers, by
    architecture.
    """
    import torch
    from transformers import AutoModelForMaskedLM

    found = {}
    for architecture in ("bert", "xlm-roberta"):
        base = tiny(architecture)
        torch.manual_seed(13)
        folder = tmp_path_factory.mktemp("writer") / architecture
        AutoModelForMaskedLM.from_config(base.hf.config).save_pretrained(folder)
        base.tokenizer.save_pretrained(folder)
        found[architecture] = str(folder)
    return found


@pytest.fixture(params=ARCHITECTURES)
def model(request: pytest.FixtureRequest) -> Model:
    return tiny(request.param)


@pytest.fixture
def bert() -> Model:
    return tiny("bert")


@pytest.fixture
def xlmr() -> Model:
    return tiny("xlm-roberta")


@pytest.fixture
def planted() -> Model:
    from planted import planted_model

    return planted_model()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real public data; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("BABELSCOPE_SHARED") or Path(__file__).parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip("the folder of public data (../shared or $BABELSCOPE_SHARED) is not here")
    return folder
