"""A LaTeX document that shows every table, to look at or to compile."""

from __future__ import annotations

from collections.abc import Sequence

FONTS = (
    "Noto Sans Devanagari:mode=harf;script=dev2;", "Noto Naskh Arabic:mode=harf;script=arab;",
    "Noto Sans Thai:mode=harf;script=thai;", "Noto Sans CJK SC:", "DejaVu Sans:mode=harf;",
)  # fmt: skip
"""Where LuaLaTeX looks for characters that Latin Modern lacks."""
PACKAGES = (
    r"\usepackage[landscape,margin=15mm]{geometry}", r"\usepackage{adjustbox,booktabs,longtable}",
)  # fmt: skip
UNREAD = r"\PackageError{babelscope}{Some names need other fonts: compile with lualatex}{}"
"""What pdflatex says of a document that it cannot show."""


def document(tables: Sequence[str], texts: Sequence[str] = ()) -> str:
    """A document that inputs these tables. Where a text of them is beyond Latin script, it needs
    LuaLaTeX and says so.
    """
    other = any(not known_to_pdflatex(text) for text in texts)
    inputs = [rf"\input{{{name}}}\clearpage" for name in tables]
    return "\n".join(
        [
            f"% compile with {'lualatex' if other else 'pdflatex or lualatex'}",
            r"\documentclass[a3paper]{article}", *_fonts(other), *PACKAGES,
            r"\begin{document}", *inputs, r"\end{document}", "",
        ]
    )  # fmt: skip


def known_to_pdflatex(text: str) -> bool:
    """Whether all characters are of Latin script, up to Latin Extended-A."""
    return all(ord(character) < 0x180 for character in text)


def _fonts(other: bool) -> list[str]:
    latin = [r"\usepackage[utf8]{inputenc}", r"\usepackage[T1]{fontenc}", r"\usepackage{lmodern}"]
    names = ", ".join(f'"{name}"' for name in FONTS)
    more = [
        rf'\directlua{{luaotfload.add_fallback("scripts", {{{names}}})}}',
        r"\setmainfont{Latin Modern Roman}[RawFeature={fallback=scripts}]",
    ]
    return [
        r"\usepackage{iftex}", r"\ifpdftex", *latin, *([UNREAD] if other else []), r"\else",
        r"\usepackage{fontspec}", *(more if other else []), r"\fi",
    ]  # fmt: skip
