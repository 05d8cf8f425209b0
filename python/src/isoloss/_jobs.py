"""Commands of isoloss in this process: with a progress bar, ended by Ctrl-C, their failures as exceptions."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from isoloss._runtime import java
from isoloss.errors import InputError, IsolossError, UnusableError

_PREFIX = "isoloss: error: "
_WARNING = "isoloss: warning: "
_HINT = re.compile(r" \(see isoloss [a-z -]* ?--help\)$")
_POLL = 50  # milliseconds between two looks at Ctrl-C and the progress
_STOPPING = 5_000  # milliseconds that a command has to end after Ctrl-C
_UNUSABLE = 3


def run(*arguments: str | os.PathLike[str] | float, progress: bool = False, accept: Iterable[int] = (0,)) -> str:
    """
    Run a command and return what it wrote to standard output.

    Parameters
    ----------
    *arguments
        As on the command line, without ``isoloss``; files and folders as ``Path``.
    progress
        Whether to draw a bar, in a terminal or a notebook.
    accept
        Exit codes that are a result.

    Raises
    ------
    IsolossError
        Where the command fails, with its line; ``InputError`` where an argument does not fit.
    KeyboardInterrupt
        At Ctrl-C, after the command was told to end. A fit can be taken on later.
    """
    # Java keeps the working directory in which it was started
    words = [str(word.absolute() if isinstance(word, Path) else word) for word in arguments]
    job = java("Job").start(words)
    try:
        _watch(job, progress)
    except BaseException:
        job.stop()
        job.waitFor(_STOPPING)
        raise
    code, said = int(job.code()), str(job.err()).splitlines()
    if code not in accept:
        raise _failure(code, said, bool(job.isRefused()))
    for line in said:
        if line.startswith(_WARNING):
            warnings.warn(line[len(_WARNING) :], stacklevel=3)
    return str(job.out())


def run_json(
    *arguments: str | os.PathLike[str] | float, progress: bool = False, accept: Iterable[int] = (0,)
) -> dict[str, Any]:
    """Run a command that takes ``--format json`` and return its object."""
    result: dict[str, Any] = json.loads(run(*arguments, "--format", "json", progress=progress, accept=accept))
    return result


def _watch(job: Any, progress: bool) -> None:
    bar = None
    try:
        while not job.waitFor(_POLL):
            if not progress:
                continue
            what, total, done = str(job.what()), int(job.total()), int(job.done())
            if bar is not None and bar.desc.removesuffix(": ") != what:
                bar.close()
                bar = None
            if what and bar is None:
                bar = _bar()(total=total or None, desc=what, unit=f" {job.unit()!s}", leave=False)
            if bar is not None and done != bar.n:
                bar.update(done - bar.n)
    finally:
        if bar is not None:
            bar.close()


def _bar() -> Any:
    """Return the bar for a notebook where this is one that can show it, otherwise that for text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in a notebook without widgets tqdm falls back to text, and says so
        from tqdm.auto import tqdm
    return tqdm


def _failure(code: int, said: list[str], refused: bool) -> IsolossError:
    lines = [line[len(_PREFIX) :] for line in said if line.startswith(_PREFIX)]
    line = lines[-1] if lines else next(reversed([line for line in said if line.strip()]), "failed without a word")
    line = _HINT.sub("", line.removeprefix("isoloss: "))
    if code == _UNUSABLE:
        return UnusableError(line)
    return InputError(line) if refused else IsolossError(line)
