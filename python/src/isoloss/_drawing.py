"""What notebooks show of a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isoloss._run import Run


def run_html(run: Run) -> str:
    """Return the verdict, the tolerances and the drift of the outputs along the action."""
    figure = run.folder / "figures" / "drift.svg"
    drawn = ""
    if figure.exists():
        text = figure.read_text(encoding="utf-8")
        drawn = re.sub(r"^.*?(?=<svg)", "", text, count=1, flags=re.DOTALL)
    return run.evaluation.tolerances_html() + f'<div style="max-width: 40em">{drawn}</div>'
