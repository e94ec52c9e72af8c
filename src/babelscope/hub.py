"""Where the name of a model or data set is read from: the package itself, the Hugging Face hub, or
a mirror folder for machines without a network.

    export BABELSCOPE_MIRROR=mirror
    mirror/models/FacebookAI/xlm-roberta-base/config.json ...
    mirror/datasets/facebook/xnli/README.md ...
"""

from __future__ import annotations

import logging
import os
from functools import cache
from pathlib import Path
from typing import Literal

import platformdirs

from babelscope.errors import InputError

_LOG = logging.getLogger(__name__)

MIRROR = "BABELSCOPE_MIRROR"
"""The environment variable that names the mirror folder."""
PACKAGED = Path(__file__).with_name("packaged")
"""The folder of the models that come with the package, each in a folder under its name."""
MODELS = ("demo", "demo-en")
"""Those of them that are loaded by name; a folder of the same name is reached as ./demo."""

Kind = Literal["models", "datasets"]
WORDS = {"models": "model", "datasets": "data set"}
DOWNLOAD = {"models": "hf download", "datasets": "hf download --repo-type dataset"}


def locate(
    name: str, revision: str | None = None, *, kind: Kind = "models"
) -> tuple[str, str | None]:
    """What to load, a folder or a hub id, and its revision, which `name` may contain: `ID@COMMIT`.

    *Laws*: a name in `MODELS` is that model of the package, whatever else has this name; any other
    folder that exists and a path are returned as they are; without a mirror, so is an id. A
    revision of a model of the package or of a folder is refused.
    """
    identifier, _, suffix = name.partition("@")
    if kind == "models" and identifier in MODELS:
        _refuse_revision(f"{identifier} is a model of babelscope", revision or suffix)
        _note_folder(identifier)
        return str(PACKAGED / identifier), None
    if Path(name).is_dir() or is_path(name):
        if Path(name).is_dir():
            _refuse_revision(f"{name} is a folder here", revision)
        return name, revision
    if Path(identifier).is_dir():
        _refuse_revision(f"{identifier} is a folder here", revision or suffix)
        return identifier, None
    if suffix and revision not in (None, suffix):
        raise InputError(f"{name} has the revision {suffix}, but {revision} was given; keep one")
    revision = revision or suffix or None
    root = mirror()
    if root is None:
        return identifier, revision
    return _mirrored(root / kind, name, revision), None


def _refuse_revision(what: str, revision: str | None) -> None:
    """Refuses the revision of what is on this machine, where it would have no effect."""
    if revision:
        raise InputError(
            f"{what}, which has no revisions; leave out the revision {revision}, or name a model "
            "or data set of the hub"
        )


@cache
def _note_folder(name: str) -> None:
    """Says once that a model folder here was not meant by the name of a model of the package."""
    if Path(name, "config.json").is_file():
        _LOG.warning("%s is a model of babelscope; the folder here is ./%s", name, name)


def cache_folder() -> Path:
    """$BABELSCOPE_CACHE, or the user's cache directory."""
    return Path(os.environ.get("BABELSCOPE_CACHE") or platformdirs.user_cache_dir("babelscope"))


def is_path(name: str) -> bool:
    """Whether a name can only be a path: a hub id is NAME or ORGANISATION/NAME."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def mirror() -> Path | None:
    """The mirror folder, None where the variable is empty or not set."""
    value = os.environ.get(MIRROR)
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"the mirror folder {value} ({MIRROR}) does not exist; name a folder with models/ and "
            "datasets/, or unset the variable to use the Hugging Face hub"
        )
    return folder


def _mirrored(folder: Path, name: str, revision: str | None) -> str:
    """The folder of a repository: `NAME@REVISION` (with -- for /) if there is one, else `NAME`.

    The hub redirects old ids without an organisation; such a name is looked up in all of them.
    """
    identifier = name.partition("@")[0]
    marked = [f"{identifier}@{revision.replace('/', '--')}"] if revision else []
    for each in (*marked, identifier):
        places = [folder / each]
        if "/" not in each and folder.is_dir():
            places += sorted(organisation / each for organisation in folder.iterdir())
        present = [str(place) for place in places if place.is_dir()]
        if len(present) == 1:
            return present[0]
        if present:
            raise InputError(
                f"{WORDS[folder.name]} {each!r} is more than once in the mirror: "
                f"{', '.join(present)}; write the id with its organisation"
            )
    place = folder / identifier
    raise InputError(
        f"{WORDS[folder.name]} {name!r} is not in the mirror: there is no folder {place}; fill it "
        f"with `{DOWNLOAD[folder.name]} {identifier} --local-dir {place}`, or unset {MIRROR} to "
        "use the Hugging Face hub"
    )
