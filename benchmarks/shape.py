"""The shape of the source tree, to learn from: python -m benchmarks.shape [FOLDER]"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ANALYSES = {
    "consistency": ("consisten", "crosslingual", "translation", "ribbon", "transport"),
    "trade-offs": ("tradeoff",),
    "SLALOM": ("slalom", "surrogate"),
    "heads": ("head",),
    "tokenization": ("tokenization", "intervention", "intervene"),
    "trust": ("trust",),
}
"""Parts of a file's path that say what it is about."""
VAGUE = {
    "one", "found", "made", "given", "mine", "told", "asked", "own", "held", "said", "drawn", "wanted",
}  # fmt: skip
"""Locals that are named after how they came about, not after what they are."""
MOST = 5


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def locals_of(function: ast.FunctionDef) -> set[str]:
    nodes = ast.walk(function)
    stored = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return stored | {argument.arg for argument in function.args.args}


def describe(root: Path) -> list[str]:
    """The lines of the description."""
    files = [file for file in sorted(root.rglob("*.py")) if "languages" not in file.parts]
    trees = {file: ast.parse(file.read_text("utf-8")) for file in files}
    sizes = {file: len(file.read_text("utf-8").splitlines()) for file in files}
    packages = Counter(str(file.relative_to(root).parent) for file in files)
    lines = [
        f"{len(files)} files, {sum(sizes.values()):,} lines (lexicons of languages left out)",
        "",
    ]
    lines += [
        "files per package: "
        + ", ".join(f"{name} {count}" for name, count in packages.most_common()),
        "",
    ]
    lines += [_analysis(root, name, words, files) for name, words in ANALYSES.items()]
    longest = sorted(files, key=lambda file: -sizes[file])[:MOST]
    lines += [
        "",
        "longest files: "
        + ", ".join(f"{file.relative_to(root)} {sizes[file]}" for file in longest),
    ]
    lengths = {
        f"{file.relative_to(root)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file, tree in trees.items()
        for node in functions(tree)
    }
    top = sorted(lengths, key=lambda name: -lengths[name])[:MOST]
    lines += ["longest functions: " + ", ".join(f"{name} {lengths[name]}" for name in top)]
    lines += [
        f"functions over 30 lines: {sum(size > 30 for size in lengths.values())} of {len(lengths)}"
    ]
    return [*lines, *_names(root, trees)]


def _analysis(root: Path, name: str, words: tuple[str, ...], files: list[Path]) -> str:
    own = [file for file in files if any(word in str(file.relative_to(root)) for word in words)]
    places = {str(file.relative_to(root).parent) for file in own}
    return f"{name}: {len(own)} files in {len(places)} packages ({', '.join(sorted(places))})"


def _names(root: Path, trees: dict[Path, ast.Module]) -> list[str]:
    defined: dict[str, set[str]] = defaultdict(set)
    vague, total = 0, 0
    for file, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                defined[node.name].add(str(file.relative_to(root)))
        for function in functions(tree):
            total += 1
            vague += bool(locals_of(function) & VAGUE)
    several = {name: places for name, places in defined.items() if len(places) > 1}
    most = sorted(several, key=lambda name: -len(several[name]))[:MOST]
    shared = ", ".join(f"{name} ({len(several[name])})" for name in most)
    return [
        f"public names defined in more than one module: {len(several)}: {shared} ...",
        f"functions with a vaguely named local: {vague} of {total}",
    ]


if __name__ == "__main__":
    print("\n".join(describe(Path(sys.argv[1] if len(sys.argv) > 1 else "src/babelscope"))))
