"""Names of the hub: as they are, or folders of a mirror."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelscope.errors import InputError
from babelscope.hub import MIRROR, locate


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror of empty repositories."""
    for name in (
        "models/org/one", "models/org/one@abc", "models/org/two", "models/else/two",
        "datasets/org/one", "datasets/org/one@refs--convert--parquet",
    ):  # fmt: skip
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv(MIRROR, str(tmp_path))
    return tmp_path


def test_without_a_mirror_names_stay_and_revisions_may_be_written_behind_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(MIRROR, raising=False)
    assert locate("org/one") == ("org/one", None)
    assert locate("org/one", "abc") == ("org/one", "abc")
    assert locate("org/one@abc") == locate("org/one@abc", "abc") == ("org/one", "abc")
    with pytest.raises(InputError, match="org/one@abc has the revision abc, but def was given"):
        locate("org/one@abc", "def")
    monkeypatch.setenv(MIRROR, "")
    assert locate("org/one") == ("org/one", None)


def test_a_mirror_maps_ids_to_folders(folder: Path) -> None:
    assert locate("org/one") == (str(folder / "models/org/one"), None)
    assert locate("org/one", kind="datasets") == (str(folder / "datasets/org/one"), None)
    assert locate("one") == locate("org/one"), "the hub redirects ids without an organisation"


def test_a_revision_has_a_folder_of_its_own_or_is_the_one_that_was_copied(folder: Path) -> None:
    marked = str(folder / "models/org/one@abc"), None
    assert locate("org/one@abc") == locate("org/one", "abc") == locate("one@abc") == marked
    assert locate("org/one", "def") == locate("org/one")
    convert = str(folder / "datasets/org/one@refs--convert--parquet"), None
    assert locate("org/one", "refs/convert/parquet", kind="datasets") == convert


def test_folders_and_paths_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name in ("models/org", "./absent", "/absent/model", "a/b/c", "~/model"):
        assert locate(name) == (name, None)


@pytest.mark.parametrize(
    ("name", "revision", "what"),
    [
        ("models/org", "abc", "models/org is a folder here"),
        ("models/org@abc", None, "models/org is a folder here"),
        ("models/org@abc", "abc", "models/org is a folder here"),
        ("./models/org", "abc", "./models/org is a folder here"),
        ("demo", "abc", "demo is a model of babelscope"),
        ("demo@abc", None, "demo is a model of babelscope"),
    ],
)
def test_a_revision_of_what_has_none_is_refused_in_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, revision: str | None, what: str
) -> None:
    monkeypatch.chdir(folder)
    line = f"{what}, which has no revisions; leave out the revision abc, or name a model or data "
    with pytest.raises(InputError, match=f"^{line}set of the hub$"):
        locate(name, revision)


def test_a_folder_with_an_at_sign_in_its_name_is_that_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert locate("models/org/one@abc") == ("models/org/one@abc", None)


@pytest.mark.parametrize(
    ("name", "kind", "line"),
    [
        ("org/three", "models", "model 'org/three' is not in the mirror: there is no folder "),
        ("org/three", "models", "/models/org/three; fill it with `hf download org/three --local"),
        ("org/three@abc", "models", "model 'org/three@abc' is not in the mirror"),
        ("org/two", "datasets", "data set 'org/two' is not in the mirror"),
        ("org/two", "datasets", "`hf download --repo-type dataset org/two --local-dir "),
        ("two", "models", "models/else/two, "),
    ],
)
def test_what_the_mirror_lacks_is_one_line(folder: Path, name: str, kind: str, line: str) -> None:
    with pytest.raises(InputError) as caught:
        locate(name, kind=kind)  # type: ignore[arg-type]
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mirror_that_does_not_exist_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MIRROR, "absent")
    with pytest.raises(InputError, match=r"the mirror folder absent .* does not exist"):
        locate("org/one")
