"""The few exceptions, as a tree. Each message says what was asked, what was found, and what to do.

BabelscopeError
  InputError        a row, a text or an option is not what was promised (names the file, the line,
    the field)
    BadRow          this row cannot be used; with others it is skipped, unless `strict` is set
  UnsupportedModel  no rule for a layer, no attentions, no offsets; names the class and what would
    work instead
  UntrainedHead     the task head was newly initialised: explaining it is meaningless (a flag
    overrides)
  Undefined         the quantity has no value here
  StoreError        a stored result does not match its key, or is damaged
  WorkerLost        a process that worked for this one was killed
  FileError         a file or folder cannot be written; names it and the reason (also an OSError)

SkippedRows is no error but a warning: rows that cannot be used were left out, each counted and
named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelscope.types import SkippedRow


class BabelscopeError(Exception):
    """Anything that the user can act upon; the command line prints it in one line and exits with
    status 2.
    """


class InputError(BabelscopeError):
    """A row, a text or an option is not what was promised."""


class BadRow(InputError):
    """A row cannot be used: the text is blank, say, or unknown to the model."""

    def __init__(self, row: SkippedRow) -> None:
        super().__init__(f"{row.id}: {row.detail}")
        self.row = row

    def __reduce__(self) -> tuple[type[BadRow], tuple[SkippedRow]]:
        return BadRow, (self.row,)


class SkippedRows(UserWarning):
    """Rows that cannot be used were left out; the message counts and names them."""


class UnsupportedModel(BabelscopeError):
    """The model lacks what the method needs."""


class UntrainedHead(BabelscopeError):
    """The task head holds random weights."""


class Undefined(BabelscopeError):
    """The quantity has no value here."""


class StoreError(BabelscopeError):
    """A stored result does not match its key, or is damaged."""


class WorkerLost(BabelscopeError):
    """A process that worked for this one was killed."""


class FileError(BabelscopeError, OSError):
    """A file or folder cannot be written: no such folder, no permission, a full disk."""
