"""Wrong command lines: commands that work, and wrong values for each of their arguments.

Words in braces are files of the attack (`sandbox.py`). A wrong value is added at the end of a
command that would work, where it overrides what is there, or takes the place of an argument.
"""

from __future__ import annotations

COUNT = ("-1", "0", "1.5", "x", "", "1e3", "9" * 30)
FILE = ("{nothing}.jsonl", "{folder}", "{empty}", "{binary}", "{text}", "", "{long}")
FILES = (*FILE, "{deep}", "{surrogates}", "{blank}", "{list}", "{truncated}", "{nolabel}", "{cr}")
FIELDS = ("nosuch=1", "seed", "=", "seed=x", "a.b.c=1", "seed=[", "tasks.9.name=x", "")
LANG = ("english", "", "e\x1b[31mn", "../en", "x" * 500, "en,", "\udc80")
METHOD = ("nosuch", "", ",", "random,nosuch", "random;lime", "random,random", "RANDOM")
METRIC = ("nosuch", "", ",", "comprehensiveness,nosuch", "sufficiency,sufficiency")
MODEL = (
    "{nothing}", "{folder}", "{rows}", "{noweights}", "{noconfig}", "{badconfig}", "{cutweights}",
    "{notokenizer}", "{nanweights}", "nosuch/model", "", "{long}", "../{nothing}", "http://x/y",
)  # fmt: skip
TOKENIZER = tuple(
    each for each in MODEL
    if each not in ("{noweights}", "{noconfig}", "{cutweights}", "{nanweights}")
)  # fmt: skip
"""Wrong sources of a tokenizer: it needs neither weights nor the model's configuration."""
OPTION = ("nosuch=1", "samples=x", "samples", "=", "samples=-1", "samples=0", "")
OUTPUT = ("x.nosuch", "x", "", "{folder}", "{nothing}/x.jsonl", "{rows}/x.jsonl", "{long}.jsonl")
PAGE = ("x.nosuch", "x", "", "{folder}", "{nothing}/x.html", "{rows}/x.html")
COLUMN = ("text", "=", "nosuch=text", "text=nosuch", "text=", "label=text=id")
SPEC = ("{nothing}.yaml", "{folder}", "{binary}", "{badyaml}", "{deepyaml}", "{rows}", "{listyaml}")
DEVICE = ("tpu", "cuda:99", "", "cpu:x", "gpu")
TARGET = ("nosuch", "", "7")
CORPUS = (
    "nosuch",
    "",
    "sentiment/xx",
    "sentiment/en/nosuch",
    "sentiment/en/test/x",
    "{nothing}.csv",
)
FOLDER = ("{rows}", "{rows}/x", "{long}", "")
STORE = ("{nothing}", "{folder}", "{rows}", "", "{long}", "{badstore}")
WORKERS = ("0", "-1", "x", "1.5", "")
UNKNOWN = ("--nosuch", "--jsonn", "-z")

GOOD = ("a good film",)
WORKING: dict[str, tuple[str, ...]] = {
    "explain": ("explain", "{model}", *GOOD, "--method", "random"),
    "measure": ("measure", "{model}", "--input", "{rows}", "--method", "random"),
    "trust": ("trust", "{model}", *GOOD, "--method", "gradient_norm"),
    "costs": ("costs", "{model}", *GOOD, "--method", "gradient_norm,random"),
    "evaluate": ("evaluate", "{model}", "--input", "{rows}"),
    "tokenization": ("tokenization", "{model}", "--input", "{rows}"),
    "intervene": ("intervene", "{model}", "--input", "{rows}", "--method", "random"),
    "heads": ("heads", "{model}", "--text", "{rows}", "--lang", "en"),
    "consistency": ("consistency", "{model}", "--task", "sentiment", "--lang", "fr",
                    "--count", "2", "--method", "random"),
    "tradeoffs": ("tradeoffs", "--model", "en={model}", "--task", "sentiment", "--lang", "en,fr",
                  "--count", "2"),
    "finetune": ("finetune", "{model}", "--train", "{rows}", "--dev", "{rows}", "--epochs", "1",
                 "--output", "new"),
    "pretrain": ("pretrain", "monolingual", "--lang", "en", "--output", "new"),
    "study run": ("study", "run", "{study}", "--store", "new"),
    "study status": ("study", "status", "{study}", "--store", "{store}"),
    "study verify": ("study", "verify", "{store}"),
    "study plan": ("study", "plan", "{study}"),
    "report": ("report", "{store}", "--output", "page"),
    "data show": ("data", "show", "sentiment", "--lang", "en"),
    "data check": ("data", "check", "{rows}", "--task", "sentiment"),
    "data export": ("data", "export", "sentiment", "--lang", "en", "--count", "2"),
    "card": ("card", "{store}"),
    "paper": ("paper", "{store}", "--of", "slalom", "--output", "new"),
    "serve": ("serve", "{nothing}"),
    "methods": ("methods",),
    "metrics": ("metrics",),
    "tasks": ("tasks",),
    "analyses": ("analyses",),
    "demo": ("demo", "--output", "{rows}"),
}  # fmt: skip
"""Commands that work, by name (all but demo, whose output is a file, and serve, which would not
end)."""

COMMON = {"--set": FIELDS, "--spec": SPEC, "--store": ("{rows}", "{long}", ""), "--output": PAGE}
"""Options that the commands of single analyses share."""
WRONG: dict[str, dict[str, tuple[str, ...]]] = {
    "explain": {
        "{model}": MODEL, "a good film": ("", "  ", "\x08", "\udc80"), "--lang": LANG,
        "--method": METHOD, "--option": OPTION, "--target": TARGET, "--input": FILES,
        "--column": COLUMN, "--set": (*FIELDS, "part=third", "part=second", "long=never",
                                      "quantity=nosuch", "unit=x", "word=-1", "contrast=nosuch"),
        "--output": OUTPUT, "--device": DEVICE, "--pair": ("", "\x08"),
    },
    "measure": {
        "{model}": MODEL, "--input": FILES, "--method": METHOD, "--metric": METRIC,
        "--option": OPTION, "--lang": LANG, "--target": TARGET, "--column": COLUMN,
        "--set": FIELDS, "--output": OUTPUT, "--device": DEVICE,
    },
    "trust": {"{model}": MODEL, "a good film": ("", "\x08"), "--method": METHOD,
              "--option": OPTION, "--lang": LANG, "--input": FILES, **COMMON},
    "costs": {"{model}": MODEL, "a good film": ("", "\x08"), "--method": METHOD,
              "--option": OPTION, "--lang": LANG, "--input": FILES, **COMMON},
    "evaluate": {"{model}": MODEL, "--input": (*FILES, *CORPUS), "--column": COLUMN,
                 "--device": DEVICE, "--folder": ("{nothing}",)},
    "tokenization": {"{model}": TOKENIZER, "--input": (*FILES, *CORPUS), "--lang": LANG,
                     "--limit": COUNT, "--column": COLUMN, **COMMON},
    "intervene": {"{model}": MODEL, "--input": (*FILES, *CORPUS), "--way": METHOD,
                  "--method": METHOD, "--metric": METRIC, **COMMON},
    "heads": {"{model}": MODEL, "--text": FILE, "--treebank": FILE, "--kind": ("nosuch", ""),
              "--mask": ("x", "{folder}", "{nothing}/x.json"), "--figure": PAGE, **COMMON},
    "consistency": {"{model}": (*MODEL, "xx={model}"), "--task": CORPUS, "--source": LANG,
                    "--lang": ("en", "xx", "", ",", "fr,fr"), "--method": METHOD, "--count": COUNT,
                    "--units": FILE, "--workers": WORKERS, **COMMON},
    "tradeoffs": {"en={model}": (*MODEL, "xx={model}", "en=", "=", "en:x={model}"),
                  "--task": CORPUS, "--lang": ("xx", "", ",", "en,en"), "--count": COUNT,
                  "--base": MODEL, "--workers": WORKERS, **COMMON},
    "finetune": {"{model}": MODEL, "--train": (*FILES, *CORPUS), "--dev": (*FILE, *CORPUS),
                 "--epochs": COUNT, "--batch": COUNT, "--learning-rate": ("-1", "0", "x", "nan"),
                 "--seed": ("x", "1.5", "", "9" * 30), "--column": COLUMN,
                 "--set": (*FIELDS, "width=33", "layers=0", "warmup=-1"),
                 "--output": ("{model}", "{rows}", "{rows}/x", "", "{long}")},
    "pretrain": {"monolingual": ("nosuch", ""), "--lang": ("xx", "", ",", "en,fr,xx"),
                 "--tokenizer": ("nosuch", "bytes"), "--vocabulary": ("1", "-1", "x"),
                 "--seed": ("x", ""), "--output": ("{rows}", "{model}", "{long}")},
    "study run": {"{study}": ("{nothing}.yaml", "{folder}", "{binary}", "{badyaml}", "{deepyaml}",
                              "{rows}", "{listyaml}", "{empty}", "", "{long}", "{studies}"),
                  "--store": ("{rows}", "{long}", "{rows}/x", "{badstore}"), "--workers": WORKERS,
                  "--where": ("nosuch", "", "cluster")},
    "study status": {"{study}": SPEC, "--store": STORE},
    "study verify": {"{store}": STORE},
    "study plan": {"{study}": SPEC},
    "report": {"{store}": STORE, "--output": FOLDER, "--against": STORE, "--figures": FOLDER},
    "card": {"{store}": STORE},
    "paper": {"{store}": STORE, "--of": ("nosuch", ""), "--output": FOLDER},
    "serve": {"{nothing}": MODEL, "--store": STORE, "--port": ("x", "-1", "99999", "")},
    "data show": {"sentiment": CORPUS, "--lang": LANG, "--count": COUNT, "--split": ("x", ""),
                  "--folder": ("{nothing}",)},
    "data check": {"{rows}": FILES, "--task": ("nosuch", "", "reading", "nli")},
    "data export": {"sentiment": CORPUS, "--lang": LANG, "--count": COUNT, "--split": ("x",),
                    "--format": ("nosuch", "", "csv"), "--output": OUTPUT},
    "methods": {"--model": MODEL},
    "metrics": {},
    "tasks": {},
    "analyses": {},
    "demo": {"--output": ("{rows}", "{long}", "{rows}/x")},
}  # fmt: skip
"""Wrong values of every argument: an option is added, anything else is replaced."""


def wrong_commands() -> list[tuple[str, ...]]:
    """Every command with one wrong value, in the order of the tables."""
    lines = []
    for name, command in WORKING.items():
        for place, values in WRONG[name].items():
            for value in values:
                if place.startswith("--"):
                    lines.append((*command, place, value))
                else:
                    lines.append(tuple(value if word == place else word for word in command))
        lines += [(*command, flag) for flag in UNKNOWN]
        lines += [(*command, "superfluous", "arguments", "here")]
    return list(dict.fromkeys(lines))
