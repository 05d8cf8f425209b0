"""What commands found: numbers by key, rows as data frames."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Result(Mapping[str, Any]):
    """
    The answer of a command: its numbers by the keys of ``--format json``, read like a dict.

    Attributes
    ----------
    path : pathlib.Path or None
        The folder of its files, where it has one.
    """

    path: Path | None

    def __init__(
        self,
        command: str,
        values: Mapping[str, Any],
        *,
        truth: bool | None = None,
        rows: str | None = None,
        path: Path | None = None,
        owner: object = None,
    ) -> None:
        self._command = command
        self._values = dict(values)
        self._truth = truth
        self._rows = rows
        self._owner = owner
        self.path = path

    @property
    def table(self) -> pd.DataFrame:
        """What is listed, one row each."""
        import pandas as pd

        if self._rows is None:
            simple = {key: value for key, value in self._values.items() if not isinstance(value, (list, dict))}
            frame: pd.DataFrame = pd.DataFrame([simple])
        else:
            frame = pd.DataFrame(self._values[self._rows])
        return frame

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __bool__(self) -> bool:
        return bool(self._values) if self._truth is None else self._truth

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={_short(value)}" for key, value in self._values.items())
        return f"isoloss.{self._command}({'' if self._truth is None else f'{self._truth}; '}{shown})"

    def _repr_html_(self) -> str:
        said = "" if self._truth is None else f"<p><b>isoloss.{html.escape(self._command)}: {self._truth}</b></p>"
        return said + str(self.table.to_html(index=False))


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value)} entries]"
    if isinstance(value, dict):
        return f"{{{len(value)} entries}}"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)
