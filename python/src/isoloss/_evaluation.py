"""How exact an action is, as a table and a verdict."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pandas as pd

_SIGNS = {"at_most": "≤", "at_least": "≥"}


class Evaluation(pd.DataFrame):
    """
    The tests of an action as a data frame: a row for every radius and number of factors, a column for every quantity.

    Columns are pairs such as ``("output", "p95")``, the 95th percentile of the output error in units of the output
    scale; docs/evaluate.md has the formulas.

    Attributes
    ----------
    fits : bool
        Whether every tolerance is met.
    verdict : str
        The same in words, with the values that miss.
    tolerances : pandas.DataFrame
        For each requirement its value, its limit and whether it is met.
    details : dict
        Everything that was measured, as ``evaluation.json`` has it.
    """

    _metadata = ["details"]  # noqa: RUF012 - what pandas asks for
    details: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Evaluation:
        """Read what ``isoloss evaluate`` left in the folder of a run."""
        details = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
        rows = {
            (cell["radius"], cell["factors"]): {
                (name, statistic): value
                for name, statistics in cell.items()
                if isinstance(statistics, dict)
                for statistic, value in statistics.items()
            }
            for cell in details["cells"]
        }
        frame = pd.DataFrame.from_dict(rows, orient="index")
        frame.columns = pd.MultiIndex.from_tuples(frame.columns, names=["quantity", "statistic"])
        frame.index = frame.index.set_names(["radius", "factors"])
        evaluation: Evaluation = cls(frame)
        evaluation.details = details
        return evaluation

    @property
    def fits(self) -> bool:
        """Whether every tolerance is met."""
        return bool(self.details["fit"])

    @property
    def tolerances(self) -> pd.DataFrame:
        """For each requirement its value, its limit and whether it is met."""
        frame = pd.DataFrame.from_dict(self.details["tolerances"], orient="index")
        columns: pd.DataFrame = frame[["value", "bound", "limit", "met"]]
        return columns

    @property
    def verdict(self) -> str:
        """Whether the action fits, in words, with the values that miss."""
        required = self.details["tolerances"]
        missed = [
            f"{name.replace('_', ' ')} {one['value']:.2e} (must be {_SIGNS[one['bound']]} {one['limit']:.0e})"
            for name, one in required.items()
            if not one["met"]
        ]
        if self.fits:
            return f"fits: all {len(required)} tolerances are met"
        if not missed:
            return f"does not fit: not finite in {', '.join(self.details['non_finite'])}"
        met = len(required) - len(missed)
        return f"does not fit: {met} of {len(required)} tolerances are met; missed: {'; '.join(missed)}"

    def tolerances_html(self) -> str:
        """Return the verdict and the tolerances as HTML."""
        rows = "".join(
            f"<tr><td>{html.escape(name.replace('_', ' '))}</td><td>{one['value']:.2e}</td>"
            f"<td>{_SIGNS[one['bound']]} {one['limit']:.0e}</td><td>{'yes' if one['met'] else '<b>no</b>'}</td></tr>"
            for name, one in self.details["tolerances"].items()
        )
        return (
            f"<p><b>{html.escape(self.verdict)}</b></p><table><thead><tr><th>Quantity</th><th>Value</th>"
            f"<th>Limit</th><th>Met</th></tr></thead><tbody>{rows}</tbody></table>"
        )

    def _repr_html_(self) -> str:
        return self.tolerances_html() + str(pd.DataFrame(self)._repr_html_())
