"""The few exceptions, as a tree. Each message says what was asked, what was found, and what to do.

BabelscopeError
  InputError        a row, a text or an option is not what was promised (names the file, the line,
    the field)
  UnsupportedModel  no rule for a layer, no attentions, no offsets; names the class and what would
    work instead
  UntrainedHead     the task head was newly initialised: explaining it is meaningless (a flag
    overrides)
  Undefined         the quantity has no value here
  StoreError        a stored result does not match its key, or is damaged
  WorkerLost        a process that worked for this one was killed
  FileError         a file or folder cannot be written; names it and the reason (also an OSError)
"""


class BabelscopeError(Exception):
    """Anything that the user can act upon; the command line prints it in one line and exits with
    status 2.
    """


class InputError(BabelscopeError):
    """A row, a text or an option is not what was promised."""


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
