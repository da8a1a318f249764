"""What `arrayol explore` prints: a few designs of the front with their share of the device, and some plain lines.

`--verbose` adds all that `result_text` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from arrayol.cli.result_text import details, figure_title, fusion_front, unit_of
from arrayol.cli.tables import FirstThatFits, facts_table, headed_table, print_parts
from arrayol.text import bits_text, counted, few, figure_text, listed, rounded, significant, time_text, wrapped
from dse.output.folder import TABLE
from dse.results.designs import Design
from dse.results.pick import Highlight, highlights, wait_text
from dse.results.schema import Result
from dse.results.totals import NAMES, slack_text, totals_of
from dse.space.objectives import grows
from dse.space.remarks import fit_text
from hwmodel.datapath.technology.rows import BLOCKS
from hwmodel.figures import FRAME, FRAMES_PER_SECOND, LATENCY, MICROSECONDS

_MEMORY = "internal_memory_bits"
_HEADER = 12  # letters in a line of a title
_HARDWARE = ("lut", "dsp", BLOCKS, "area")  # with their share of the device
_SHOWN = frozenset({LATENCY, MICROSECONDS, FRAMES_PER_SECOND, FRAME, _MEMORY, "internal_memory_elements", *_HARDWARE})


@dataclass(frozen=True)
class Outcome:
    """Where a result is: its `files` in words, how to open its `report`, and how many seconds it took."""

    files: str
    report: str | None
    seconds: float


@dataclass(frozen=True)
class _Column:
    """A column of figures: its header, and the cell of a design."""

    header: str
    cell: Callable[[Design], str]


def show(result: Result, written: Outcome, *, verbose: bool) -> None:
    """Print an exploration on stdout, as wide as the terminal or COLUMNS say."""
    shown = highlights(result)
    table = front_table(result, shown) if result.is_mapped else fusion_front(result, [one.design for one in shown])
    lines = facts_table(_lines(result, written, len(shown)))
    print_parts(_heading(result, len(shown)), table, lines, *(details(result, written.files) if verbose else ()))


def _heading(result: Result, shown: int) -> str:
    bounds = f", within {', '.join(result.constraints)}" if result.constraints else ""
    count = counted(len(result.pareto), "design")
    if not result.is_mapped:
        count = f"{len(result.pareto):,} of {counted(result.evaluated, 'design')}"
    fewer = f"; {shown} of them shown" if shown < len(result.pareto) else ""
    return f"{result.top}: {count} on the Pareto front of {', '.join(result.objectives)}{bounds}{fewer}"


def front_table(result: Result, shown: Sequence[Highlight]) -> FirstThatFits:
    """Designs with time, memory, hardware and what they wait for; a narrow terminal has shares below their amounts.

    The name of a design stands above what it is the best in.
    """
    return FirstThatFits([_shaped(result, shown, narrow=narrow) for narrow in (False, True)])


def _shaped(result: Result, shown: Sequence[Highlight], *, narrow: bool) -> Table:
    columns = list(_columns(result))
    table = headed_table("design", right=[column.header for column in columns])
    table.columns[0].max_width, table.collapse_padding = 14, True
    table.add_column("waits for", overflow="fold")
    for one in shown:
        cells = [*(column.cell(one.design) for column in columns), wait_text(one.design)]
        if narrow:
            cells = [cell.replace(" (", "\n(").replace(": ", ":\n") for cell in cells]
        table.add_row("\n".join([one.design.id, *one.reasons]), *cells)
    return table


def _columns(result: Result) -> Iterator[_Column]:
    figures = result.pareto[0].objectives
    if MICROSECONDS in figures:
        yield _Column("time", lambda design: time_text(design.objectives[MICROSECONDS]))
    else:
        yield _Column("time\ncycles", lambda design: f"{design.objectives[LATENCY]:,}")
    if FRAMES_PER_SECOND in figures:
        yield _Column("frames/s", lambda design: significant(design.objectives[FRAMES_PER_SECOND]))
    yield _Column("memory", lambda design: bits_text(int(design.objectives[_MEMORY])))
    for name in (name for name in result.objectives if name not in _SHOWN):
        yield _Column(f"{wrapped(figure_title(name), _HEADER)}\n{unit_of(name)}", _figure_cell(name))
    for name in (name for name in _HARDWARE if name in figures):
        yield _Column(NAMES[name].replace(" ", "\n"), _share_cell(result, name))


def _figure_cell(name: str) -> Callable[[Design], str]:
    return lambda design: figure_text(design.objectives[name])


def _share_cell(result: Result, name: str) -> Callable[[Design], str]:
    return lambda design: next(total.short for total in totals_of(design, result.device) if total.name == name)


def _lines(result: Result, written: Outcome, shown: int) -> Iterator[tuple[str, str]]:
    """How good, how long, on which device, what has no Verilog, what was left out, where the rest is."""
    yield "quality", f"{_quality(result)}; {_simulated(result)}" if result.is_mapped else _quality(result)
    yield "took", f"{_seconds(written.seconds)}; {_searched(result)}"
    if result.device is not None:
        fits = fit_text(result.device.name, result.device.exceeding, result.device.designs)
        yield "device", f"{fits}; shown are designs that fit" if result.device.exceeding else fits
    if refused := [design.not_emitted for design in result.pareto if design.not_emitted]:
        count = f"{len(refused):,} of {counted(len(result.pareto), 'design')}"
        yield "Verilog", f"none of {count} yet: {few(list(dict.fromkeys(refused)))}"
    if left := list(_left_out(result, shown)):
        yield "left out", "; ".join(left)
    yield "report", written.report or f"none; {written.files}"


def _quality(result: Result) -> str:
    """Whether the front is exact, or how near its ends are to what is proven."""
    if result.exact:
        return "exact: no design of the searched space is better"
    bounds = [text for name, bound in (result.bounds or {}).items() if (text := _bound(result, name, bound))]
    stopped = "" if result.complete else ", stopped early"
    beyond = result.device is not None and result.device.exceeding and bounds
    remark = " (bounds hold for any device)" if beyond else ""
    return f"not exact{stopped}: {listed(bounds) or 'how much better designs may be is not known'}{remark}"


def _bound(result: Result, name: str, bound: float) -> str:
    """How far the best design in a figure may be from the best that there is."""
    best = (max if grows(name) else min)(design.objectives[name] for design in result.pareto)
    if not bound or not best:
        return ""
    figure = f"the {'most' if grows(name) else 'least'} {figure_title(name)}"
    factor = bound / best if grows(name) else best / bound
    if factor <= 1.0005:
        return f"{figure} is proven"
    if grows(name):
        return f"{figure} is at least {1 / factor:.0%} of a bound"
    return f"{figure} is at most {f'{factor - 1:.1%} above' if factor < 2 else f'{factor:,.1f} times'} a bound"


def _simulated(result: Result) -> str:
    good = sum(1 for design in result.pareto if design.verified)
    reasons = sorted({design.verification for design in result.pareto if design.verification})
    text = "; ".join(reason.removeprefix("simulated ") for reason in reasons)
    return f"{good:,} of {len(result.pareto):,} simulated {text}" if good else text or "not simulated"


def _seconds(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def _searched(result: Result) -> str:
    """The size of the space, in words."""
    space = result.space
    if space.group_designs is None:
        return counted(space.fusions or 0, "fusion")
    groups = "" if space.groups is None else f" of {counted(space.groups, 'group')} of tasks"
    return f"{rounded(space.group_designs)} designs{groups}"


def _left_out(result: Result, shown: int) -> Iterator[str]:
    if left := len(result.pareto) - shown:
        name = result.objectives[-1]
        bound = f'--pick "{name} {">=" if grows(name) else "<="} NUMBER"'
        yield f"{counted(left, 'design')} of the front, in {TABLE} ({bound} takes one)"
    if (result.searched or 0) > len(result.pareto):
        yield slack_text(result)
