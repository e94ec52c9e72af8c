"""Word spans against gold: how well `segment` and its rivals find the words of the Parallel
Universal Dependencies.

    python benchmarks/segmentation.py                 every language, every candidate that is
      installed
    python benchmarks/segmentation.py zh-Hant th      only these

F1 counts spans: a word is found if both its ends are. Gold are the surface tokens of PUD (a
multiword token is one word); Japanese comes from the PUD trees kept with the manual word
alignments, simplified Chinese is the traditional text converted character by character. Every
candidate for Chinese, Japanese and Thai gets the same runs of script from `segment`, so the figures
differ only in how a run is cut. Data: folder `data` in $BABELSCOPE_SHARED, or in `shared` beside
the repository.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import regex

from babelscope.data import segmentation, segmenters
from babelscope.types import Span

SHARED = Path(os.environ.get("BABELSCOPE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
JAPANESE = "pud-word-alignments/en-jp/target.conllu.gz"
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "sv", "ru", "tr", "id", "hi", "ar", "ko")
Gold = list[tuple[str, list[Span]]]


def gold(path: Path) -> Gold:
    """Sentences with the spans of their surface tokens; a sentence whose tokens are not in its
    text is left out.
    """
    sentences: Gold = []
    for block in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n\n"):
        lines = block.splitlines()
        text = next(
            (line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")), ""
        )
        position, spans, covered = 0, [], 0
        for number, form in (line.split("\t")[:2] for line in lines if line and line[0] != "#"):
            if "." in number or ("-" not in number and int(number) <= covered):
                continue
            covered = int(number.split("-")[1]) if "-" in number else covered
            start = text.find(form, position)
            if start < 0 or text[position:start].strip():
                break
            position = start + len(form)
            spans.append((start, position))
        else:
            if spans:
                sentences.append((text, spans))
    return sentences


def measured(name: str, data: Gold, split: Callable[[str], Iterable[Span]]) -> str:
    """A row of the table: F1, precision, recall, thousand characters per second."""
    split(data[0][0])
    begin = time.perf_counter()
    found = [set(split(text)) for text, _ in data]
    speed = sum(len(text) for text, _ in data) / 1000 / (time.perf_counter() - begin)
    hits = sum(len(spans & set(right)) for spans, (_, right) in zip(found, data, strict=True))
    ours, theirs = sum(map(len, found)), sum(len(right) for _, right in data)
    return (
        f"| {name} | {2 * hits / (ours + theirs):.3f} | {hits / ours:.3f} | "
        f"{hits / theirs:.3f} | {speed:.0f} |"
    )


def spans(split: Callable[[str], Iterable[str]], text: str) -> Iterator[Span]:
    """Spans of the consecutive pieces of a text, whitespace removed."""
    start = 0
    for piece in split(text):
        yield from (
            (start + word.start(), start + word.end()) for word in regex.finditer(r"\S+", piece)
        )
        start += len(piece)


def _regex_b() -> Callable[[str], Iterable[str]]:
    boundary = regex.compile(r"(?w)\b")

    def pieces(text: str) -> Iterator[str]:
        ends = sorted({0, len(text), *(match.start() for match in boundary.finditer(text))})
        return (text[left:right] for left, right in pairwise(ends))

    return pieces


def _icu() -> Callable[[str], Iterable[str]]:
    breaker = import_module("icu4py.breakers").WordBreaker
    return lambda text: list(breaker(text, "und"))


def _budoux(model: str) -> segmenters.Split:
    import json
    from importlib.resources import files

    source = (files("budoux") / "models" / f"{model}.json").read_text("utf-8")
    parse: segmenters.Split = import_module("budoux").Parser(json.loads(source)).parse
    return parse


def _janome() -> segmenters.Split:
    tokenizer = import_module("janome.tokenizer").Tokenizer(wakati=True)
    return lambda run: list(tokenizer.tokenize(run))


def _lindera() -> segmenters.Split:
    builder = import_module("lindera").TokenizerBuilder()
    builder.set_mode("normal")
    builder.set_dictionary("embedded://ipadic")
    tokenize = builder.build().tokenize
    return lambda run: [token.surface for token in tokenize(run)]


def _sudachi() -> segmenters.Split:
    sudachi = import_module("sudachipy")
    tokenizer = sudachi.Dictionary(dict="small").tokenizer(mode=sudachi.SplitMode.C)
    return lambda run: [morpheme.surface() for morpheme in tokenizer.tokenize(run)]


def _unidic() -> segmenters.Split:
    import_module("unidic_lite")
    tagger = import_module("fugashi").Tagger()
    return lambda run: [node.surface for node in tagger(run)]


def _nlpo3() -> segmenters.Split:
    nlpo3, corpus = import_module("nlpo3"), import_module("newmm_tokenizer")
    nlpo3.load_dict(str(Path(str(corpus.__file__)).parent / "words_th.txt"), "thai")
    return lambda run: nlpo3.segment(run, "thai")


def _clusters() -> segmenters.Split:
    return segmenters.pattern(segmenters.CLUSTER).findall  # type: ignore[no-any-return]


def _attribute(module: str, *path: str) -> Callable[[], Any]:
    """A loader: the attribute of a module, methods of freshly made objects included (`Jieba()`)."""

    def load() -> Any:
        found: Any = import_module(module)
        for name in path:
            found = getattr(found, name.removesuffix("()"))
            found = found() if name.endswith("()") else found
        return found

    return load


UNICODE: dict[str, Callable[[], Callable[[str], Iterable[str]]]] = {
    "regex (?w)\\b": _regex_b,
    "unicode-segmentation-rs": _attribute("unicode_segmentation_rs", "split_word_bounds"),
    "icu4py": _icu,
    "uniseg": _attribute("uniseg.wordbreak", "words"),
    "whitespace": lambda: lambda text: [text],
}

CHINESE: dict[str, Callable[[], segmenters.Split]] = {
    "rjieba + opencc": segmenters.jieba,
    "rjieba": _attribute("rjieba", "Jieba()", "cut"),
    "jieba": _attribute("jieba", "lcut"),
    "cutword": _attribute("cutword", "Cutter()", "cutword"),
    "budoux zh-hans": lambda: _budoux("zh-hans"),
    "budoux zh-hant": lambda: _budoux("zh-hant"),
    "icu4py": segmenters.icu,
    "clusters": _clusters,
}

RUNS: dict[str, dict[str, Callable[[], segmenters.Split]]] = {
    "zh-Hant": CHINESE,
    "zh-Hans": CHINESE,
    "ja": {
        "fugashi + ipadic": segmenters.mecab,
        "lindera-python-ipadic": _lindera,
        "janome": _janome,
        "sudachipy + small": _sudachi,
        "fugashi + unidic-lite": _unidic,
        "nagisa": _attribute("nagisa", "wakati"),
        "tinysegmenter3": _attribute("tinysegmenter", "tokenize"),
        "budoux ja_word": lambda: _budoux("ja_word"),
        "icu4py": segmenters.icu,
        "budoux ja": lambda: _budoux("ja"),
        "clusters": _clusters,
    },
    "th": {
        "icu4py": segmenters.icu,
        "budoux th": lambda: _budoux("th"),
        "pythainlp newmm": _attribute("pythainlp.tokenize", "word_tokenize"),
        "nlpo3 + newmm words": _nlpo3,
        "newmm-tokenizer": _attribute("newmm_tokenizer.tokenizer", "word_tokenize"),
        "clusters": _clusters,
    },
}


def installed(table: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """The candidates that can be imported; the others are named."""
    found = {}
    for name, load in table.items():
        try:
            found[name] = load()
        except (ImportError, OSError) as reason:
            print(f"not measured: {name} ({reason})", file=sys.stderr)
    return found


def corpus(language: str) -> Gold:
    primary = language.split("-")[0]
    path = (
        SHARED
        / "data"
        / (JAPANESE if primary == "ja" else f"ud-pud/{primary}_pud-ud-test.conllu.gz")
    )
    data = gold(path)
    if language == "zh-Hans":
        convert = import_module("opencc").OpenCC("t2s").convert
        return [("".join(map(convert, text)), right) for text, right in data]
    return data


def heading(language: str, data: Gold) -> None:
    print(
        f"\n{language}, {len(data)} sentences\n\n| cut by | F1 | precision | recall | kchar/s "
        "|\n|---|---|---|---|---|"
    )


def main(chosen: list[str]) -> None:
    if not (SHARED / "data" / "ud-pud").is_dir():
        print(
            f"skipped: no gold words; {SHARED / 'data' / 'ud-pud'} is absent (set "
            "BABELSCOPE_SHARED)"
        )
        return
    for language in (name for name in LANGUAGES if not chosen or name in chosen):
        data = corpus(language)
        heading(language, data)
        print(measured("segment", data, partial(segmentation.segment, lang=language)))
        for name, pieces in installed(UNICODE).items():
            print(measured(name, data, partial(spans, pieces)))
    splitter = segmenters.splitter
    for language in (name for name in RUNS if not chosen or name in chosen):
        data = corpus(language)
        heading(language, data)
        for name, cut in installed(RUNS[language]).items():
            try:
                segmenters.splitter = dict.fromkeys(segmenters.SEGMENTERS, cut).__getitem__
                print(measured(name, data, partial(segmentation.segment, lang=language)))
            finally:
                segmenters.splitter = splitter


if __name__ == "__main__":
    main(sys.argv[1:])
