"""What notebooks show of values: tables as HTML, and the pictures that commands write.

Each function takes a value of the class that `arrayol.api.notebook` names beside it; None where there is no picture.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path

from arrayol.api.pictures import png_of, show
from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.pictures.save import save_graph, save_layout_exploration
from arrayol.transforms.trace import Transformed
from dse.output.open_design import StoredDesign
from dse.output.plots.save import save_breakdown, save_comparison, save_front
from dse.results.compare import Comparison
from dse.results.designs import Design
from dse.results.exploration import Exploration
from dse.results.pick import Picked, telling_designs
from dse.results.rows import design_rows
from dse.results.schema import Result
from hwmodel.banks.explore import LayoutExploration
from hwmodel.banks.report import exploration_picture

SHOWN_AT_MOST = 12  # designs of a table
RESULTS = ("first", "second")


def spec_png(spec: Spec) -> bytes | None:
    """The graph of the one task that nothing calls."""
    try:
        return png_of(show(spec).save)
    except ArrayolError:  # several tops, none, or too many tasks
        return None


def network_png(network: Network) -> bytes:
    """Its graph."""
    return png_of(partial(save_graph, network, {}))


def transformed_png(transformed: Transformed) -> bytes | None:
    """The graph of the new specification."""
    return spec_png(transformed.spec)


def layouts_png(exploration: LayoutExploration) -> bytes:
    """Its front, and what copies of a body are worth."""
    return png_of(partial(save_layout_exploration, exploration_picture(exploration)))


def exploration_html(exploration: Exploration) -> str:
    """The designs that tell most of the front, above its plot."""
    return _front(exploration.result) + _picture(lambda path: save_front(exploration, path))


def result_html(result: Result) -> str:
    """The designs that tell most of a stored front, above its plot and where its cycles and bits go.

    The plot has no points behind the front: they are not stored.
    """
    return _front(result) + (_picture(lambda path: save_breakdown(result, path)) if result.is_mapped else "")


def design_html(design: Design) -> str:
    """Figures and decisions, one below the other."""
    headers, values = design_rows((design,), (), tuple(design.processors))
    facts = [fact for fact in zip(headers, values, strict=True) if fact[0] != "pareto" and fact[1] not in ("", None)]
    return _table(("design", design.id), facts[1:])


def picked_html(picked: Picked) -> str:
    """The design, and why it is the one."""
    return _line(f"{picked.rule.text}: {picked.why}") + design_html(picked.design)


def stored_html(opened: StoredDesign) -> str:
    """The design as it is stored."""
    return _line(f"{opened.top}, platform {opened.platform_name}") + design_html(opened.record)


def comparison_html(comparison: Comparison) -> str:
    """Points gained and lost, above the plot of both fronts."""
    tables = [
        _line(f"{word} ({name})") + _designs(designs, comparison.objectives)
        for word, name, designs in (
            ("gained", f"only in the {RESULTS[1]} result", comparison.gained),
            ("lost", f"only in the {RESULTS[0]} result", comparison.lost),
        )
        if designs
    ]
    lines = [comparison.heading, *(warning.message for warning in comparison.warnings), *comparison.remarks]
    plot = _picture(lambda path: save_comparison(comparison, RESULTS, path))
    return "".join([*map(_line, lines), *tables, plot])


def _front(result: Result) -> str:
    places = telling_designs(result.pareto, result.objectives, SHOWN_AT_MOST)
    left_out = len(result.pareto) - len(places)
    more = _line(f"{left_out:,} more; to_dataframe() has all") if left_out else ""
    return _line(result.heading) + _designs([result.pareto[place] for place in places], result.objectives) + more


def _designs(designs: Sequence[Design], objectives: Sequence[str]) -> str:
    rows = (
        (design.id, *(design.objectives[name] for name in objectives), " | ".join(map(" ".join, design.fusion)))
        for design in designs[:SHOWN_AT_MOST]
    )
    left_out = len(designs) - SHOWN_AT_MOST
    return _table(("design", *objectives, "fusion"), rows) + (_line(f"{left_out:,} more") if left_out > 0 else "")


def _table(headers: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows)
    heads = "".join(f"<th>{escape(str(header))}</th>" for header in headers)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _cells(row: Sequence[object]) -> Iterator[str]:
    for value in row:
        if isinstance(value, int | float):
            yield f'<td style="text-align: right">{value:,}</td>'
        else:
            yield f'<td style="text-align: left">{escape(str(value))}</td>'


def _line(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _picture(save: Callable[[Path], None]) -> str:
    return f'<img src="data:image/png;base64,{b64encode(png_of(save)).decode()}" style="max-width: 100%">'
