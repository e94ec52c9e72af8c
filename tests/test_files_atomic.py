"""Files are complete or absent, whatever happens while they are written; hashes and JSON."""

from __future__ import annotations

import errno
import os
import secrets
import threading
from collections.abc import Callable
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelscope import files
from babelscope.errors import BabelscopeError, FileError
from babelscope.files import (
    canonical,
    digest,
    file_digest,
    folder_digest,
    json_lines,
    plain,
    read_json,
    remove_parts,
    rename_folder,
    write_bytes,
    write_text,
    write_together,
    writing,
    writing_folder,
)

Write = Callable[[Path], object]
WRITERS: dict[str, Write] = {
    "write_text": lambda folder: write_text(folder / "a", "new"),
    "write_bytes": lambda folder: write_bytes(folder / "a", b"new"),
    "write_together": lambda folder: write_together(folder, {"b": "new", "a": "new"}),
}


def fail_with(error: BaseException) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


def write_model(folder: Path, text: str = "weights") -> None:
    with writing_folder(folder) as part:
        (part / "inner").mkdir()
        (part / "inner" / "w").write_text(text)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")]
)
def test_an_interrupted_write_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write, step: str, error: BaseException
) -> None:
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, step, fail_with(error))
    with pytest.raises((KeyboardInterrupt, FileError)) as caught:
        write(tmp_path)
    if isinstance(error, OSError):
        assert "cannot be written: no space left on device" in str(caught.value)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


def test_content_reaches_the_disk_before_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at any step, the file has the old or the new content: the rename comes after the
    flush.
    """
    steps: list[str] = []
    flush, replace = os.fsync, os.replace

    def fsync(number: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{number}") else "content")
        flush(number)

    def rename(part: Path, file: Path) -> None:
        assert part.read_text() == "new"
        assert (tmp_path / "a").read_text() == "old"
        steps.append("name")
        replace(part, file)

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    write_text(tmp_path / "a", "new")
    assert steps == ["content", "name", "folder"]


def test_files_that_belong_together_are_complete_before_one_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, names = os.replace, []

    def rename(part: Path, file: Path) -> None:
        if not names:
            parts = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
            assert sorted(path.read_text() for path in parts) == ["1", "2", "3"]
        names.append(file.name)
        replace(part, file)

    monkeypatch.setattr(os, "replace", rename)
    write_together(tmp_path, {"c": "1", "a": "2", "b": "3"})
    assert names == ["c", "a", "b"], "in the order given"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


def test_the_second_of_two_files_fails_before_the_first_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush, calls = os.fsync, []

    def fsync(number: int) -> None:
        calls.append(number)
        if len(calls) == 2:
            raise OSError(errno.EIO, "Input/output error")
        flush(number)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(FileError, match="input/output error"):
        write_together(tmp_path, {"a": "1", "b": "2"})
    assert list(tmp_path.iterdir()) == []


def write_half(file: Path, error: Exception) -> None:
    with writing(file) as handle:
        handle.write(b"half")
        raise error


def write_half_a_folder(folder: Path, error: Exception) -> None:
    with writing_folder(folder) as part:
        (part / "w").write_text("half")
        raise error


def test_an_error_of_the_caller_is_its_own(tmp_path: Path) -> None:
    for error in (
        ValueError("bad row"),
        FileNotFoundError(errno.ENOENT, "No such file", "source.csv"),
    ):
        with pytest.raises(type(error)) as caught:
            write_half(tmp_path / "a", error)
        assert caught.value is error
    full = OSError(errno.ENOSPC, "No space left on device")  # as handle.write does on a full disk
    with pytest.raises(FileError, match="a cannot be written: no space left"):
        write_half(tmp_path / "a", full)
    with pytest.raises(OSError, match="no such model") as other:
        write_half_a_folder(tmp_path / "model", OSError("no such model"))
    assert not isinstance(other.value, FileError)
    assert list(tmp_path.iterdir()) == []


def test_a_link_or_a_file_at_the_temporary_name_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever guesses the name cannot make us write elsewhere: another name is taken."""
    tokens = iter(["0" * 16, "1" * 16, "2" * 16, "0" * 16, "3" * 16])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(tokens))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    link, dangling = tmp_path / f".a.{'0' * 16}.part", tmp_path / f".a.{'1' * 16}.part"
    link.symlink_to(victim)
    dangling.symlink_to(tmp_path / "nowhere")
    write_text(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"
    assert victim.read_text() == "mine"
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert not (tmp_path / "nowhere").exists()
    write_model(tmp_path / "model")
    assert file_digest(tmp_path / "model" / "inner" / "w")


def test_no_free_name_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda _: "0" * 16)
    (tmp_path / f".a.{'0' * 16}.part").write_text("theirs")
    with pytest.raises(FileError, match="no free temporary name"):
        write_text(tmp_path / "a", "new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["theirs"]


def test_temporary_names_cannot_be_predicted(tmp_path: Path) -> None:
    names = set()
    for _ in range(20):
        with writing(tmp_path / "a"):
            names |= {path.name for path in tmp_path.glob(".*.part")}
    assert len(names) == 20


def test_a_missing_folder_and_a_file_in_its_place_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"a cannot be written: there is no folder .*no; create it"):
        write_text(tmp_path / "no" / "a", "new")
    (tmp_path / "file").write_text("old")
    for write in (
        lambda: write_text(tmp_path / "file" / "a", ""),
        lambda: write_together(tmp_path / "file", {}),
    ):
        with pytest.raises(FileError, match="cannot be written"):
            write()
    assert issubclass(FileError, BabelscopeError), "the command line shows it in one line"
    write_together(tmp_path / "new" / "inner", {"a": "1"})
    assert (tmp_path / "new" / "inner" / "a").read_text() == "1"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="permission denied"):
        write_text(tmp_path / "a", "new")
    tmp_path.chmod(0o700)


def test_the_file_has_the_mode_that_any_new_file_has(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    (tmp_path / "usual folder").mkdir()
    write_text(tmp_path / "a", "")
    write_model(tmp_path / "model")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "usual folder").stat().st_mode


def test_a_link_at_the_final_name_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / "a").symlink_to(tmp_path / "target")
    write_text(tmp_path / "a", "new")
    assert not (tmp_path / "a").is_symlink()
    assert (tmp_path / "target").read_text() == "mine"


@pytest.mark.parametrize("name", ["x" * 255, "ह" * 85, "with space.html"])
def test_names_may_be_as_long_as_the_file_system_allows(tmp_path: Path, name: str) -> None:
    write_text(tmp_path / name, "new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_concurrent_writers_never_mix(tmp_path: Path) -> None:
    """Eight writers of 200 kB each, all of one letter: a reader sees one letter and all of it, at
    any moment.
    """
    file, size = tmp_path / "a", 200_000
    write_text(file, "z" * size)
    seen: set[str] = set()

    def write(letter: str) -> None:
        for _ in range(10):
            write_text(file, letter * size)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "abcdefgh"]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        text = file.read_text()
        assert len(text) == size
        seen |= set(text)
        assert len(set(text)) == 1
    assert len(set(file.read_text())) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_of_concurrent_folders_one_stays_whole(tmp_path: Path) -> None:
    lost: list[str] = []
    gate = threading.Barrier(4)

    def write(text: str) -> None:
        try:
            with writing_folder(tmp_path / "model") as part:
                for name in ("a", "b"):
                    (part / name).write_text(text)
                gate.wait()
        except FileError:
            lost.append(text)

    writers = [threading.Thread(target=write, args=(text,)) for text in "1234"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(lost) == 3
    assert len({path.read_text() for path in (tmp_path / "model").iterdir()} - set(lost)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_folder_is_absent_or_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail_with(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            write_model(tmp_path / "deep" / "model")
    with pytest.raises(ValueError, match="bad"):
        write_half_a_folder(tmp_path / "deep" / "model", ValueError("bad"))
    assert list((tmp_path / "deep").iterdir()) == []
    write_model(tmp_path / "deep" / "model")
    with pytest.raises(FileError, match="not empty"):
        write_model(tmp_path / "deep" / "model", "others")
    assert (tmp_path / "deep" / "model" / "inner" / "w").read_text() == "weights"
    assert len(list((tmp_path / "deep").iterdir())) == 1


def test_what_killed_writers_left_is_removed_by_name(tmp_path: Path) -> None:
    """A token has 16 hexadecimal digits: the parts of a.b are not those of a; other hidden files
    stay.
    """
    token = "0123456789abcdef"
    left = [
        f".a.{token}.part",
        f".a.b.{token}.part",
        f".[a].{token}.part",
        ".a.part",
        f".a.{token}.parts",
        "a",
    ]
    for name in left:
        (tmp_path / name).write_text("")
    (tmp_path / f".a.{token[::-1]}.part").mkdir()
    remove_parts(tmp_path, "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(left[1:])
    remove_parts(tmp_path, "[a]")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([left[1], *left[3:]])
    remove_parts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(left[3:])


def test_a_folder_is_named_when_everything_in_it_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "part" / "inner").mkdir(parents=True)
    for name in ("a", "inner/b"):
        (tmp_path / "part" / name).write_text(name)
    opened: list[str] = []
    open_ = os.open
    monkeypatch.setattr(
        os, "open", lambda path, *rest: opened.append(Path(path).name) or open_(path, *rest)
    )
    rename_folder(tmp_path / "part", tmp_path / "model")
    assert {"a", "b"} <= set(opened)
    assert (tmp_path / "model" / "inner" / "b").read_text() == "inner/b"


def test_digests_cover_names_and_contents(tmp_path: Path) -> None:
    def folder(name: str, contents: dict[str, str]) -> Path:
        for file, text in contents.items():
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / file).write_text(text)
        return tmp_path / name

    base = {"config.json": "{}", "inner/w": "1"}
    same = folder("same", dict(reversed(base.items())))
    (same / "config.json").touch()
    (same / "config.json").chmod(0o600)
    folder("same", {".git/index": "other"})
    first = folder_digest(folder("first", base))
    assert folder_digest(same) == first == digest(same)
    changed = [
        {"config.json": "{}"},
        {**base, "more": ""},
        {"config.json": "{}", "inner/v": "1"},
        {"config.json": "{}", "w": "1"},
        {"config.json": "1", "inner/w": "{}"},
        {**base, ".hidden": ""},
    ]
    digests = {
        folder_digest(folder(f"changed {at}", contents)) for at, contents in enumerate(changed)
    }
    assert len(digests | {first}) == len(changed) + 1
    # printf abc | sha256sum
    write_text(tmp_path / "abc", "abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_digest(tmp_path / "abc") == digest(tmp_path / "abc") == known
    # printf 'abc' | sha256sum | xxd -r -p | (printf x; cat) | sha256sum
    write_text(folder("one", {"x": "abc"}) / "x", "abc")
    assert (
        folder_digest(tmp_path / "one")
        == files.hashlib.sha256(b"x" + bytes.fromhex(known)).hexdigest()
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON)
def test_plain_values_are_json_and_stay_what_they_are(value: object) -> None:
    once = plain(value)
    assert plain(once) == once
    assert canonical(once) == canonical(plain(once))
    assert json_lines([once, once]).count("\n") >= 2


def test_json_refuses_what_it_cannot_say() -> None:
    for number in (nan, inf, -inf):
        assert plain([number, (1, number)]) == [None, [1, None]]
        for dump in (canonical, files.dumps):
            with pytest.raises(ValueError, match="not JSON compliant"):
                dump({"a": number})
    assert canonical({"b": 1, "a": [True, None]}) == '{"a":[true,null],"b":1}'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b'{"a": ', "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"PAR1", "not JSON"),
    ],
)
def test_a_file_that_holds_no_json_is_one_line(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(ValueError, match=reason) as caught:
        read_json(tmp_path / "a.json")
    assert len(str(caught.value).splitlines()) == 1
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(ValueError, match="it cannot be read"):
            read_json(path)
