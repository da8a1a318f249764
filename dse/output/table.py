"""The table of designs, `designs.csv`: a line each, for spreadsheets.

Spreadsheets compute what begins with =, +, - or @, and some take 0,1 for a number. No text here does or is so: names
are those of the language and of costs, and scans stand in brackets.
"""

from __future__ import annotations

import csv
import io

from dse.results.schema import Result


def designs_csv(result: Result) -> str:
    """All designs that the result holds, one a line; `pareto` says which are on the front."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(result.rows)
    return text.getvalue()
