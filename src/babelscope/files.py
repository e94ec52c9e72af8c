"""Files and folders that appear complete or not at all, content hashes, and values as JSON."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from babelscope.errors import FileError

Created = TypeVar("Created")

PART = ".{name}.{token}.part"
"""The name of what is being written, hidden beside its final name. The token cannot be predicted.
"""
TOKEN = 16
"""Hexadecimal digits of a token."""


def write_text(file: Path, text: str) -> None:
    """Writes a text file in UTF-8, a lone surrogate as JSON escapes it; see `writing`."""
    write_bytes(file, text.encode("utf-8", "backslashreplace"))


def write_bytes(file: Path, content: bytes) -> None:
    """Writes a file; see `writing`."""
    with writing(file) as handle:
        handle.write(content)


@contextmanager
def writing(file: Path) -> Iterator[BinaryIO]:
    """A handle whose content becomes the file when the block ends without an error.

        with writing(Path("scores.csv")) as handle:
            handle.write(b"id,score\\n")

    *Laws*: at every moment the file has its old content or all of the new one; an error leaves the
    old content and nothing else; of two writers the later one wins, and the file is never a
    mixture; nothing is written through a symbolic link; the content is on the disk before the name.
    """
    with naming(file):
        part, handle = _create(file, lambda path: path.open("xb"))
    try:
        with handle:
            yield handle
            _flush(file, handle)
        with naming(file):
            os.replace(part, file)
            _sync(file.parent)
    except OSError as error:
        if error.errno is not None and error.filename is None:  # of the handle, e.g. a full disk
            raise _unwritable(file, error) from error
        raise
    finally:
        part.unlink(missing_ok=True)


def write_together(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes files, texts in UTF-8, into a folder, created if missing; all are complete before
    one is renamed.

    *Laws*: those of `writing` for every file; an error before the first rename changes none of
    them; they are renamed in the order given, so that the last one may refer to the others.
    """
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:  # it ends the blocks in the reverse order of their beginning
        for name, content in reversed(list(files.items())):
            handle = stack.enter_context(writing(folder / name))
            handle.write(content.encode() if isinstance(content, str) else content)
            _flush(folder / name, handle)


@contextmanager
def writing_folder(folder: Path) -> Iterator[Path]:
    """A new folder that gets its final name when the block ends without an error.

        with writing_folder(Path("model")) as part:
            model.save_pretrained(part)

    *Laws*: the folder is absent or complete; an error leaves nothing; a folder that is already
    there is not replaced (FileError) unless it is empty.
    """
    with naming(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        part, _ = _create(folder, lambda path: path.mkdir())
    try:
        yield part
        rename_folder(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def rename_folder(part: Path, folder: Path) -> None:
    """Gives a finished folder its final name, once everything in it is on the disk."""
    with naming(folder):
        for path in (path for path in part.rglob("*") if path.is_file()):
            _sync(path)
        os.replace(part, folder)
        _sync(folder.parent)


def remove_parts(folder: Path, name: str | None = None) -> None:
    """Removes what killed writers of that name, or of all, left in a folder: call it
    under a lock.
    """
    names = "*" if name is None else glob.escape(_short(name))
    for part in folder.glob(PART.format(name=names, token="[0-9a-f]" * TOKEN)):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part)
        else:
            part.unlink(missing_ok=True)


def digest(path: Path) -> str:
    """The `file_digest` of a file or the `folder_digest` of a folder."""
    return folder_digest(path) if path.is_dir() else file_digest(path)


def file_digest(file: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal; the name plays no part."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def folder_digest(folder: Path) -> str:
    """SHA-256 of the names and contents of a folder's files.

        SHA-256(name_1 sha256_1 name_2 sha256_2 ...), names relative to the folder, in their order

    *Laws*: changes when a file is added, removed, renamed or altered; depends neither on the
    folder's place and name nor on times and modes; hidden folders (.git, .cache) do not count.
    """
    whole = hashlib.sha256()
    for name in sorted(_names(folder)):
        whole.update(name.encode("utf-8", "surrogateescape"))
        whole.update(bytes.fromhex(file_digest(folder / name)))
    return whole.hexdigest()


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces.

    *Laws*: equal values give equal text, whatever the order of their keys; NaN and infinities are
    refused (ValueError).
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def dumps(value: Any) -> str:
    """JSON for readers, indented; NaN and infinities are refused (ValueError): see `plain`."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)


def json_lines(rows: Iterable[Any]) -> str:
    """JSONL: one value per line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_json(file: Path) -> Any:
    """The value in a JSON file; ValueError says in one line why there is none.

    *Laws*: a file that is missing, cut short, not UTF-8, not JSON or nested too deeply is a
    ValueError and nothing else.
    """
    try:
        return json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"it cannot be read ({(error.strerror or str(error)).lower()})") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None


def plain(value: Any) -> Any:
    """The value as JSON knows it: tuples as lists, numbers that are not finite as None.

    *Laws*: plain(plain(x)) = plain(x); `canonical` accepts the result if the leaves are JSON's.
    """
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def _create(path: Path, create: Callable[[Path], Created]) -> tuple[Path, Created]:
    """A new file or folder beside the final one; a name that exists, or is a link, is
    not touched.
    """
    for _ in range(100):
        name = PART.format(name=_short(path.name), token=secrets.token_hex(TOKEN // 2))
        part = path.with_name(name)
        try:
            return part, create(part)
        except FileExistsError:
            continue
    raise FileError(f"{path} cannot be written: no free temporary name in {path.parent}")


def _short(name: str) -> str:
    """The start of a name: with the token it must fit the 255 bytes that file systems allow."""
    return name[:40]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the file system inside the block as one line that names the file (FileError)."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> FileError:
    if not path.parent.is_dir():
        return FileError(f"{path} cannot be written: there is no folder {path.parent}; create it")
    reason = error.strerror or str(error)
    return FileError(f"{path} cannot be written: {reason[:1].lower()}{reason[1:]}")


def _flush(file: Path, handle: BinaryIO) -> None:
    with naming(file):
        handle.flush()
        os.fsync(handle.fileno())


def _sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk (folders: not on Windows)."""
    if path.is_dir() and os.name != "posix":
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _names(folder: Path) -> Iterator[str]:
    for place, inner, files in os.walk(folder):
        inner[:] = [name for name in inner if not name.startswith(".")]
        yield from (Path(place, name).relative_to(folder).as_posix() for name in files)
