"""Unroll factors and layouts of a nest, searched together, as text: the designs that nothing beats, and the trend."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from rich.table import Table

from arrayol.cli.tables import facts_table, headed_table, print_parts
from arrayol.text import counted
from hwmodel.banks.explore import LayoutDesign, LayoutExploration

REFUSED_NAMED = 4  # unroll factors


def show_exploration(exploration: LayoutExploration, shown_by: str) -> None:
    """Print an exploration on stdout; `shown_by` is the command that shows one of its designs."""
    print_parts(
        _heading(exploration),
        _front(exploration),
        _trend(exploration),
        facts_table(_facts(exploration, shown_by)),
    )


def _heading(exploration: LayoutExploration) -> str:
    loops = f" of {', '.join(exploration.loops)}" if exploration.loops else ""
    tried = f"{counted(exploration.tried, 'unrolling')}{loops}"
    front, shown = len(exploration.front), len(exploration.short())
    some = f"; {shown} of them shown" if shown < front else ""
    return f"{exploration.task}: {tried}, at most {exploration.most:,} copies: {front} designs that nothing beats{some}"


def _front(exploration: LayoutExploration) -> Table:
    """For each number of ports the designs that nothing beats in cycles and memories."""
    table = headed_table(
        "unroll",
        "layout",
        right=("copies", "ports", "memories", "cycles", "per\niteration", "fewer cycles\nthan naive"),
    )
    for design in exploration.short():
        table.add_row(
            ",".join(map(str, design.factors)) or "-",
            design.layout.replace("_", ", "),
            f"{design.copies:,}",
            str(design.ports),
            f"{design.memories:,}",
            _number(design.cycles),
            f"{float(design.cycles / exploration.iterations):.4g}",
            _percent(design, exploration),
        )
    return table


def _trend(exploration: LayoutExploration) -> Table:
    """What the custom layout saves at each number of copies, by number of banks."""
    copies = sorted({design.copies for best in exploration.best.values() for design in best})
    table = headed_table("custom on", right=[counted(number, "copy", "copies") for number in copies])
    for banks, best in exploration.best.items():
        shares = {design.copies: _percent(design, exploration) for design in best}
        table.add_row(counted(banks, "bank"), *(shares.get(number, "") for number in copies))
    return table


def _number(cycles: Fraction) -> str:
    return f"{cycles.numerator:,}" if cycles.denominator == 1 else f"{float(cycles):,.4g}"


def _percent(design: LayoutDesign, exploration: LayoutExploration) -> str:
    return f"{100 * design.reduction(exploration.naive):.2f}%"


def _facts(exploration: LayoutExploration, shown_by: str) -> Iterator[tuple[str, str]]:
    choices = exploration.choices
    yield "naive", f"{_number(exploration.naive.cycles)} cycles as written, in one memory of one port"
    of = "the nest" if exploration.naive.cycles.denominator == 1 else "an iteration of the endless loops"
    yield "cycles", f"of {of}; rule {choices.rule}, partition {choices.partition}"
    if choices.scalar_replacement:
        yield "registers", "an element is loaded once and stored once per body; not so in naive as written"
    if exploration.refused:
        named = ["x".join(map(str, factors)) for factors in exploration.refused[:REFUSED_NAMED]]
        more = f" and {len(exploration.refused) - len(named):,} more" if len(exploration.refused) > len(named) else ""
        yield "refused", f"a dependence forbids to unroll by {', '.join(named)}{more}"
    best = exploration.front[0]
    unroll = f" --unroll {','.join(map(str, best.factors))}" if best.factors else ""
    yield "more", f"{shown_by}{unroll} --banks {best.banks} --ports {best.ports}"
