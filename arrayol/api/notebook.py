"""Values in notebooks: IPython learns how to show those of arrayol, by the names of their classes.

So nothing is loaded before there is something to show, and the rooms of the values need not know who draws them. What
has a table is shown as HTML, with its picture below; what is only a picture as PNG. Elsewhere the short `repr` stands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

HTML, PNG = "text/html", "image/png"
_SHOWN = {  # the class, and the kind and name of what shows it, in arrayol.api.shown
    ("arrayol.ir.spec", "Spec"): (PNG, "spec_png"),
    ("arrayol.ir.network", "Network"): (PNG, "network_png"),
    ("arrayol.transforms.trace", "Transformed"): (PNG, "transformed_png"),
    ("hwmodel.banks.explore", "LayoutExploration"): (PNG, "layouts_png"),
    ("dse.results.exploration", "Exploration"): (HTML, "exploration_html"),
    ("dse.results.schema", "Result"): (HTML, "result_html"),
    ("dse.results.designs", "Design"): (HTML, "design_html"),
    ("dse.results.pick", "Picked"): (HTML, "picked_html"),
    ("dse.results.compare", "Comparison"): (HTML, "comparison_html"),
    ("dse.output.open_design", "StoredDesign"): (HTML, "stored_html"),
}


def register() -> None:
    """Tell the IPython that runs, if one does; it is loaded."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is not None:
        register_in(shell.display_formatter)


def register_in(display: Any) -> None:
    """Tell a DisplayFormatter of IPython."""
    for (module, name), (kind, shower) in _SHOWN.items():
        display.formatters[kind].for_type_by_name(module, name, partial(_shown, shower))


def _shown(shower: str, value: object) -> object:
    show: Callable[[object], object] = getattr(import_module("arrayol.api.shown"), shower)
    return show(value)
