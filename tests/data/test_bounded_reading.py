"""Files that would fill the memory or the stack are refused in one line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from babelscope.data.formats import lines
from babelscope.data.formats.problems import sound
from babelscope.data.formats.tables import read, stream
from babelscope.errors import InputError


def test_a_compressed_file_that_expands_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million equal rows shrink more than 200 times; a tenth of the limit is enough here."""
    monkeypatch.setattr(lines, "LEAST", 1 << 16)
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb") as packed:
        for _ in range(200):
            packed.write(b'{"text": "aaaaaaaaaaaaaaaaaaaaaaaaaa"}\n' * 1000)
    assert file.stat().st_size * lines.EXPANSION < 200_000 * 38
    read_lines: list[object] = []
    with pytest.raises(InputError, match="expands to more than 200 times its size"):
        read_lines.extend(sound(lines.lines(file)))
    assert 0 < len(read_lines) < 200_000


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1 << 20)
    file = tmp_path / "line.jsonl"
    file.write_bytes(b'{"text": "' + b"a" * (1 << 21))
    with pytest.raises(InputError, match="line 1: cannot be read: the line has more than"):
        read(file)


def test_a_word_of_a_million_letters_is_read(tmp_path: Path) -> None:
    file = tmp_path / "word.jsonl"
    file.write_text('{"text": "%s"}' % ("a" * 1_000_000))
    assert len(read(file)[0].texts[0]) == 1_000_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"text": ' + "[" * 100_000, "nested too deeply"),
        ('{"text": "a", "id": ' + "9" * 5_000 + "}", "too many digits"),
        ('{"text": "a", "label": "\\ud800"}', "field label: it holds a lone surrogate"),
        ('{"text": "a", "lang": "english"}', "field lang: 'english'"),
    ],
)
def test_a_row_that_no_program_should_read(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(content + "\n")
    with pytest.raises(InputError, match="line 1") as caught:
        list(stream(file))
    assert message in str(caught.value)


def test_huge_numbers_are_texts_of_ids(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"text": "a", "id": 1e400, "label": 123456789012345678901234567890}\n')
    (row,) = read(file)
    assert (row.id, row.label) == ("inf", "123456789012345678901234567890")
