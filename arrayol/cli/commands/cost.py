"""`arrayol cost`: what elementary tasks cost at each interval, derived from their bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arrayol import api
from arrayol.cli.options import (
    device_option,
    json_option,
    picture_option,
    platform_option,
    set_option,
    spec_argument,
    task_names,
    tell,
    verbose_option,
    warn,
    warn_of_idle,
)
from arrayol.cli.tables import Unwrapped, facts_table, headed_table, print_parts
from arrayol.limits import LARGEST, in_range
from arrayol.text import counted, listed
from dse.results.totals import NAMES, capacities_text, percent
from hwmodel.cost_report import CostAt, CostReport, ElementaryCost, to_json
from hwmodel.datapath.folding.steps import FoldedStep
from hwmodel.datapath.technology.rows import COSTS
from hwmodel.datapath.technology.technology import Technology

ROWS_AT_MOST = 16  # of the table first shown; of more intervals only the ends
STEPS_AT_MOST = 400  # lines of a schedule; --json has all


def _clock(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A clock in MHz. Raises BadParameter for what is none."""
    if value is not None and not (value > 0 and in_range(value)):
        raise click.BadParameter(f"{value:g} is no clock in MHz, as 100.", ctx, param)
    return value


@click.command()
@spec_argument
@click.argument("name", required=False, shell_complete=task_names)
@click.option(
    "--interval", metavar="I", type=click.IntRange(1, LARGEST), help="Show this interval only, with its schedule."
)
@click.option("--technology", metavar="T", help="ecp5-6, asic45, series7, or a file.  [default: the platform's]")
@click.option(
    "--clock", metavar="MHZ", type=float, callback=_clock, help="The clock in MHz.  [default: the platform's]"
)
@platform_option
@device_option
@picture_option("--plot", "Draw the schedule of NAME, at the interval or the least: .svg or .png.")
@set_option
@verbose_option
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    name: str | None,
    interval: int | None,
    technology: str | None,
    clock: float | None,
    platform: Path | None,
    device: str | None,
    plot: Path | None,
    settings: Mapping[str, str],
    verbose: bool,
    as_json: bool,
) -> None:
    """Show what a unit of each elementary task of FILE, or of NAME, costs at each interval worth trying.

    The interval is the number of cycles from the start of a repetition to the next one on a unit; operators are shared
    if that costs less. Figures are those that explore uses: derived from the body by a technology, or given by the
    platform.
    """
    loaded = api.load(spec, settings)
    warn_of_idle(loaded, name)
    report = api.cost(loaded, name, platform, technology=technology, clock_mhz=clock, device=device)
    if (interval is not None or plot is not None) and len(report.elementaries) != 1:
        option = "--interval" if interval is not None else "--plot"
        names = listed([cost.name for cost in report.elementaries], "or")
        raise click.UsageError(f"{option} is for one elementary; name {names}.", click.get_current_context())
    if plot is not None:
        api.draw_schedule(report, plot, interval)
    for diagnostic in report.refused:
        warn(diagnostic)
    if as_json:
        click.echo(json.dumps(to_json(report, interval), indent=2))
        return
    print_parts(*(_parts(report, interval) if verbose else _first(report, interval)))
    tell(_remarks(report, interval))
    if plot is not None:
        click.echo(f"\nwrote {plot}")


def _first(report: CostReport, interval: int | None) -> Iterator[Table | Unwrapped]:
    """A table of all units with their shares of the device; of many intervals the ends, which take most and least."""
    count = sum(len(cost.intervals) for cost in report.elementaries)
    shown = [
        (cost, cost.at(one))
        for cost in report.elementaries
        for one in _intervals(cost, interval, few=count > ROWS_AT_MOST)
    ]
    yield _units_table(report, shown)
    if interval is not None:
        yield Unwrapped("\n".join(_schedule(shown[0][1])))
    yield facts_table(_first_facts(report, interval, left=count - len(shown) if interval is None else 0))


def _intervals(cost: ElementaryCost, interval: int | None, *, few: bool) -> Sequence[int]:
    if interval is not None:
        return (interval,)
    return tuple(dict.fromkeys((cost.intervals[0], cost.intervals[-1]))) if few else cost.intervals


def _units_table(report: CostReport, shown: Sequence[tuple[ElementaryCost, CostAt]]) -> Table:
    """A unit in each line: its name once, its interval and latency in cycles, what it takes, and its energy."""
    capacities = report.platform.capacities
    names = list(dict.fromkeys(name for _, at in shown for name in at.datapath.cost))
    table = headed_table("elementary", right=("interval", "latency", *(NAMES.get(name, name) for name in names), "pJ"))
    before = None
    for cost, at in shown:
        energy = at.datapath.energy_pj
        table.add_row(
            cost.name if cost is not before else "",
            f"{at.datapath.interval:,}{_mark(at, 'interval')}",
            f"{at.datapath.latency:,}{_mark(at, 'latency')}",
            *(_with_share(_amount(at, name), at.datapath.cost.get(name, 0), capacities.get(name)) for name in names),
            f"{energy:,.1f}{_mark(at, 'energy_pj')}" if energy is not None else "-",
        )
        before = cost
    return table


def _with_share(text: str, amount: float, most: float | None) -> str:
    return f"{text} ({percent(amount / most)})" if most else text


def _first_facts(report: CostReport, interval: int | None, left: int) -> Iterator[tuple[str, str]]:
    if left:
        yield "left out", f"{counted(left, 'interval')} between; --verbose or a NAME shows them"
    yield from _marks(report, interval)
    technology, clock = report.technology, report.platform.clock_mhz
    if technology is None or clock is None:
        yield "technology", "none: figures are those of the platform"
        return
    yield "technology", f"{technology.name} at {clock:g} MHz"
    if report.platform.device_text:
        yield "shares", f"of the {report.platform.device_text}"
    if named := _estimated(report, technology):
        yield "estimates", listed(named)


def _parts(report: CostReport, interval: int | None) -> Iterator[Group | Table | Unwrapped]:
    for cost in report.elementaries:
        shown = [cost.at(one) for one in (cost.intervals if interval is None else (interval,))]
        yield Group(Text(_heading(cost, shown[0])), _table(shown))
        if shown[0].derived is not None:
            yield facts_table((f"at {at.datapath.interval:,}", _operators(at)) for at in shown)
        if interval is not None:
            yield Unwrapped("\n".join(_schedule(shown[0])))
    yield facts_table([*_facts(report), *_marks(report, interval)])


def _remarks(report: CostReport, interval: int | None) -> Iterator[str]:
    for cost in report.elementaries:
        for at in map(cost.at, cost.intervals if interval is None else (interval,)):
            if at.derived is not None and at.derived.remark:
                yield at.derived.remark


def _heading(cost: ElementaryCost, first: CostAt) -> str:
    delays = listed([f"{delay.port} <- {delay.output}" for delay in cost.process.delays])
    around = f", with {delays} delayed" if delays else ""
    if first.derived is None:
        return f"{cost.name}: nothing is derived{around}"
    operations = sum(use.operations for use in first.derived.operators)
    return f"{cost.name}: {counted(operations, 'operation')}{around}"


def _table(shown: list[CostAt]) -> Table:
    names = list(dict.fromkeys(name for at in shown for name in at.datapath.cost))
    figures = ("interval", "depth", "latency", "recur-\nrence", *map(_headed, names), "pJ", "register\npJ")
    table = headed_table(right=figures)
    for at in shown:
        datapath, derived = at.datapath, at.derived
        waits = [f"{cycles:,}{_mark(at, 'recurrence')}" for cycles in datapath.recurrence.values()]
        energy = datapath.energy_pj
        table.add_row(
            f"{datapath.interval:,}{_mark(at, 'interval')}",
            f"{derived.depth:,}" if derived is not None else "-",
            f"{datapath.latency:,}{_mark(at, 'latency')}",
            ", ".join(dict.fromkeys(waits)) or "-",
            *(_amount(at, name) for name in names),
            f"{energy:,.1f}{_mark(at, 'energy_pj')}" if energy is not None else "-",
            f"{datapath.register_pj:,.1f}" if energy is not None else "-",
        )
    return table


def _headed(cost: str) -> str:
    """A cost with its unit, where it has one."""
    return "\n".join(filter(None, (cost, COSTS.get(cost))))


_MEANINGS = {"given": "g given by the platform", "measured": "m measured", "assumed": "a assumed"}
_MARKS = {"derived": "", "given": " g", "measured": " m", "assumed": " a"}


def _mark(at: CostAt, figure: str) -> str:
    """A letter behind a figure that is not derived."""
    return _MARKS[at.datapath.origins.get(figure, "derived")]


def _amount(at: CostAt, name: str) -> str:
    amount = at.datapath.cost.get(name)
    return "-" if amount is None else f"{amount:,.{0 if amount == int(amount) else 1}f}{_mark(at, f'cost.{name}')}"


def _operators(at: CostAt) -> str:
    """Operators with their numbers; classes of one operator together."""
    if at.derived is None:
        return "-"
    units: dict[str, int] = {}
    muxes = 0
    for use in at.derived.operators:
        units[use.name] = units.get(use.name, 0) + use.units
        muxes += use.muxes
    shared = [counted(muxes, "mux", "muxes")] if muxes else []
    return ", ".join([*(f"{count:,} {name}" for name, count in units.items()), *shared]) or "none"


def _schedule(at: CostAt) -> Iterator[str]:
    """A line for each thing that happens; cycle and slot before the first of a cycle."""
    steps = at.steps
    if not steps:
        yield "nothing is derived, so there is no schedule"
        return
    yield "cycle  slot"
    before = None
    for step in steps[:STEPS_AT_MOST]:
        place = f"{step.cycle:>5}  {step.cycle % at.datapath.interval:>4}" if step.cycle != before else " " * 11
        yield f"{place}  {_step(step)}"
        before = step.cycle
    if len(steps) > STEPS_AT_MOST:
        yield f"and {len(steps) - STEPS_AT_MOST:,} more lines"


def _step(step: FoldedStep) -> str:
    if step.kind == "read":
        return f"read {step.result}"
    if step.kind == "write":
        return f"write {step.result} = {step.operands[0]}"
    line = f"  (line {step.line})" if step.line is not None else ""
    return f"{step.result} = {step.operator} ({', '.join(step.operands)}), in a register from cycle {step.until}{line}"


def _facts(report: CostReport) -> Iterator[tuple[str, str]]:
    yield "platform", report.origin
    technology, clock = report.technology, report.platform.clock_mhz
    if technology is None or clock is None:
        yield "technology", "none: figures are those of the platform"
        return
    yield "technology", f"{technology.name}, {technology.table.title} at {clock:g} MHz"
    if report.platform.device_text:
        yield "device", capacities_text(report.platform.device_text, report.platform.capacities)
    cycles = counted(report.platform.local.cycles, "cycle")
    yield "cycles", f"latencies include {cycles} of the local memory; depths and recurrences do not"
    if named := _estimated(report, technology):
        yield "estimates", f"{listed(named)}: estimate, {technology.name}"


def _marks(report: CostReport, interval: int | None) -> Iterator[tuple[str, str]]:
    """What the letters beside figures mean, of those that there are."""
    shown = [
        cost.at(one) for cost in report.elementaries for one in (cost.intervals if interval is None else (interval,))
    ]
    origins = {origin for at in shown for origin in at.datapath.origins.values()}
    if used := [text for origin, text in _MEANINGS.items() if origin in origins]:
        others = "; all others are derived from the bodies" if "derived" in origins else ""
        yield "marks", f"{', '.join(used)}{others}"


def _estimated(report: CostReport, technology: Technology) -> list[str]:
    """The figures and operators that the technology only estimates."""
    figures = ["energy" if name == "pj" else name for name in report.estimates(("pj", *technology.costs))]
    guessed = report.guessed()
    return [*figures, f"all of {listed(guessed)}"] if guessed else figures
