"""A made-up but plausible store for the tests of the report: no model was run for it.

Every true number is chosen here: a method's quality is QUALITY[method] less LOSS[lang], values
scatter around it by example, and everything is drawn from keyed generators, so the same call writes
the same store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

from babelscope.random import keyed
from babelscope.store import Cell, Store, fail, open_store, put, write_study
from babelscope.types import Attribution, Failure, Measure, Span

LANGUAGES = ("en", "es", "zh", "hi", "ar")
MODELS = {"multi": LANGUAGES, "mono-en": ("en",), "mono-hi": ("hi",)}
QUALITY = {
    "random": 0.05,
    "occlusion": 0.42,
    "input_x_gradient": 0.22,
    "integrated_gradients": 0.44,
    "attention": 0.07,
}
FAMILY = {"random": "control", "occlusion": "erasure", "attention": "attention"}
LOSS = {"en": 0.0, "es": 0.02, "zh": 0.06, "hi": 0.14, "ar": 0.10}
METRICS = {
    "comprehensiveness": ("fall of the probability when the top units are erased", True, [-1, 1]),
    "sufficiency": ("fall of the probability when only the top units are kept", False, [-1, 1]),
    "normalised_comprehensiveness": (
        "comprehensiveness as a share of the fall when everything is erased",
        True,
        [0, 1],
    ),
    "normalised_sufficiency": (
        "share of the lost probability that the top units alone keep",
        True,
        [0, 1],
    ),
}
SCRIPT = "<script>alert(1)</script>"

# "|" separates words where the script does not; "*" stands before the word that decides.
SENTENCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("positive", (
        "The acting is *wonderful, and the story moved me to tears.",
        "La actuación es *maravillosa y la historia me conmovió hasta las lágrimas.",
        "演技|*精彩|极了|,|故事|让|我|感动|落泪|。",
        "अभिनय *अद्भुत है और कहानी ने मेरी आँखें नम कर दीं।",
        "التمثيل *رائع والقصة أبكتني من شدة التأثر.")),
    ("negative", (
        "The room was *dirty and nobody answered when we called reception.",
        "La habitación estaba *sucia y nadie contestaba cuando llamábamos a recepción.",
        "房间|很|*脏|,|我们|给|前台|打电话|也|没有|人|接|。",
        "कमरा *गंदा था और रिसेप्शन पर फ़ोन करने पर किसी ने जवाब नहीं दिया।",
        "كانت الغرفة *متسخة ولم يرد أحد عندما اتصلنا بالاستقبال.")),
    ("positive", (
        "I *love this phone: the battery lasts two full days.",
        "Me *encanta este teléfono: la batería dura dos días enteros.",
        "我|*喜欢|这|部|手机|:|电池|能|用|整整|两|天|。",
        "मुझे यह फ़ोन बहुत *पसंद है: बैटरी पूरे दो दिन चलती है।",
        "*أحب هذا الهاتف: البطارية تدوم يومين كاملين.")),
    ("negative", (
        "What a *waste of money; it broke after a week.",
        "Qué *desperdicio de dinero; se rompió al cabo de una semana.",
        "真|是|*浪费|钱|,|用|了|一|个|星期|就|坏|了|。",
        "पैसे की कितनी *बर्बादी है; एक हफ़्ते में ही टूट गया।",
        "يا لها من *مضيعة للمال؛ تعطل بعد أسبوع واحد.")),
    ("positive", (
        "The soup was *delicious and the waiter kind to our children.",
        "La sopa estaba *deliciosa y el camarero fue amable con nuestros hijos.",
        "汤|很|*好喝|,|服务员|对|我们|的|孩子|也|很|亲切|。",
        "सूप *स्वादिष्ट था और वेटर ने हमारे बच्चों के साथ अच्छा व्यवहार किया।",
        "كان الحساء *لذيذا وكان النادل لطيفا مع أطفالنا.")),
    ("negative", (
        f"The page showed {SCRIPT} and then *crashed.",
        f"La página mostró {SCRIPT} y después se *colgó.",
        f"页面|显示|{SCRIPT}|然后|就|*崩溃|了|。",
        f"पन्ने पर {SCRIPT} दिखा और फिर वह *ठप हो गया।",
        f"عرضت الصفحة {SCRIPT} ثم *تعطلت.")),
    ("positive", (
        "A *clever, quiet film that trusts its audience.",
        "Una película *inteligente y tranquila que confía en su público.",
        "一|部|*聪明|而|安静|的|电影|,|它|信任|观众|。",
        "एक *समझदार और शांत फ़िल्म जो अपने दर्शकों पर भरोसा करती है।",
        "فيلم *ذكي وهادئ يثق بجمهوره.")),
    ("negative", (
        "The book is *boring from the first page to the last.",
        "El libro es *aburrido de la primera página a la última.",
        "这|本|书|从|第一|页|到|最后|一|页|都|很|*无聊|。",
        "किताब पहले पन्ने से आख़िरी पन्ने तक *उबाऊ है।",
        "الكتاب *ممل من الصفحة الأولى إلى الأخيرة.")),
)  # fmt: skip
PAIR = ("A man is playing a guitar on stage.", "Nobody is making *music.")


def store(path: Path, *, groups: int = 8, models: tuple[str, ...] = tuple(MODELS)) -> Store:
    """Writes a store with that many translation groups, one failure, undefined values, one pair
    and hostile text.
    """
    made = open_store(path)
    write_study(made, study(groups, models))
    for model in models:
        for lang in MODELS[model]:
            for method in QUALITY:
                asked = {"model": model, "lang": lang, "method": method, "seed": 0}
                if asked == {"model": "mono-hi", "lang": "hi", "method": "attention", "seed": 0}:
                    fail(
                        made,
                        Failure(
                            asked,
                            "mono-hi returns no attentions <with sdpa>",
                            "Traceback (most recent call last)",
                        ),
                    )
                    continue
                rows = [explanation(group, lang, model, method) for group in range(groups)]
                if lang == "en" and model == "multi":
                    rows.append(explanation(groups, lang, model, method, pair=True))
                values = [one for row in rows for one in measures(row)]
                put(
                    made,
                    [
                        Cell({**asked, "kind": kind}, kind, found, place(asked, analysis))
                        for kind, found, analysis in (
                            ("attributions", rows, "explanations"),
                            ("measures", values, "faithfulness"),
                        )
                    ],
                )
    return made


def place(asked: Mapping[str, Any], analysis: str) -> dict[str, str]:
    """Where a made-up cell belongs."""
    return {
        "analysis": analysis,
        "model": asked["model"],
        "task": "",
        "lang": asked["lang"],
        "what": asked["method"],
        "setup": "",
    }


def study(groups: int, models: tuple[str, ...]) -> dict[str, object]:
    """What a study writes into study.json."""
    return {
        "name": "Made-up sentiment", "description": "Synthetic numbers for the tests of the "
                                                    "report.",
        "task": "text-classification",
        "models": [
            {"name": name, "source": f"org/{name}", "languages": list(MODELS[name]),
             "fingerprint": "f" * 64, "parameters": 178_000_000}
            for name in models
        ],
        "languages": list(LANGUAGES),
        "methods": [
            {"name": name, "family": FAMILY.get(name, "gradient"), "summary": f"{name} in a line",
             "complete": name == "integrated_gradients", "signed": name != "attention"}
            for name in QUALITY
        ],
        "analyses": {"faithfulness": {"metrics": [
            {"name": name, "summary": summary, "higher_is_better": higher, "bounds": bounds,
             "may_be_undefined": bounds[0] == 0}
            for name, (summary, higher, bounds) in METRICS.items()
        ]}, "trust": {}},
        "seeds": [0], "examples": groups * 5, "data": {"corpus": "written for this test",
                                                       "revision": "1"},
        "segmenters": {"zh": "jieba 0.42"}, "versions": {"babelscope": "0.1.0"}, "cells": 70,
    }  # fmt: skip


def explanation(
    number: int, lang: str, model: str, method: str, *, pair: bool = False
) -> Attribution:
    """Explanation of one made-up prediction; its words are its tokens."""
    gold, translations = SENTENCES[number % len(SENTENCES)]
    sources = PAIR if pair else (translations[LANGUAGES.index(lang)],)
    parts = [words_of(source) for source in sources]
    spans = [span for _, found, _ in parts for span in found]
    segment = tuple(place for place, (_, found, _) in enumerate(parts) for _ in found)
    key = (1, "explanation", number, lang, model, method)
    scores = keyed(*key).standard_normal(len(spans)) * (1.0 if method == "random" else 0.35)
    offset = 0
    for _, found, decisive in parts:
        if decisive is not None and method != "random":
            scores[offset + decisive] += 6 * QUALITY[method]
        offset += len(found)
    if method == "attention":
        scores = abs(scores) / abs(scores).sum()
    if number % len(SENTENCES) == 3 and method == "occlusion":
        scores[-1] = nan
    wrong = keyed(1, "wrong", number, lang, model).random() < 0.1 + LOSS[lang]
    label = {"positive": "negative", "negative": "positive"}[gold] if wrong else gold
    flags = (
        ("completeness gap 0.031 at 128 nodes",)
        if method == "integrated_gradients" and number % 8 == 2
        else ()
    )
    texts = tuple(text for text, _, _ in parts)
    return Attribution(
        id=f"{number}-{lang}", group=f"pair-{number}" if pair else f"g{number:03d}", lang=lang,
        method=method, options={}, seed=0, model=model, texts=texts, target=label,
        quantity="logit", label=label, gold=gold, probability=0.55 + 0.44 * keyed(1, "p", number,
        lang, model).random(), value=2.0, reference_value=None,
        tokens=tuple(texts[place][a:b] for place, (a, b) in zip(segment, spans)),
        offsets=tuple(spans), segment=segment, word_index=tuple(range(len(spans))),
        words=tuple(texts[place][a:b] for place, (a, b) in zip(segment, spans)),
        word_offsets=tuple(spans), word_segment=segment, scores=tuple(map(float, scores)),
        word_scores=tuple(map(float, scores)), flags=flags,
    )  # fmt: skip


def words_of(source: str) -> tuple[str, list[Span], int | None]:
    """The text without marks, its word spans, and the decisive word."""
    text = ""
    spans: list[Span] = []
    decisive: int | None = None
    pieces = (
        source.split("|")
        if "|" in source
        else re.findall(r"\s+|\*?[^\s.,;:!?।،؛؟*]+|[.,;:!?।،؛؟]", source)
    )
    for piece in pieces:
        if piece.startswith("*"):
            decisive, piece = len(spans), piece[1:]
        if piece.strip():
            spans.append((len(text), len(text) + len(piece)))
        text += piece
    return text, spans, decisive


def measures(one: Attribution) -> list[Measure]:
    """The four metrics of an explanation, undefined where the draw says that erasing everything
    changes nothing.
    """
    better = 0.04 if one.model != "multi" else 0.0
    true = max(
        0.03, QUALITY[one.method] - (LOSS[one.lang] if one.method != "random" else 0) + better
    )
    hard = keyed(1, "hard", one.group).normal(0, 0.06)
    noise = keyed(1, "noise", one.id, one.model, one.method).normal(0, 0.08, len(METRICS))
    flat = keyed(1, "flat", one.id, one.model).random() < 0.06
    values = (true + hard, 0.5 - true - hard, true * 1.4 + hard, 0.35 + true + hard)
    rows = []
    for (name, (_, _, bounds)), value, wobble in zip(METRICS.items(), values, noise):
        lost = flat and bounds[0] == 0
        found = nan if lost else min(bounds[1], max(bounds[0], float(value + wobble)))
        why = "erasing everything moves the probability by less than 0.001" if lost else ""
        rows.append(
            Measure(
                one.id,
                one.group,
                one.lang,
                one.model,
                one.method,
                name,
                {"unit": "word"},
                found,
                why,
            )
        )
    return rows
