"""`arrayol layout`: compare how the arrays of one loop nest can lie in memory banks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arrayol import api
from arrayol.api.banks import local_choices
from arrayol.cli.layout_exploration import show_exploration
from arrayol.cli.options import (
    PLACE,
    json_option,
    picture_option,
    set_option,
    spec_argument,
    task_names,
    tell,
    warn_of_idle,
)
from arrayol.cli.tables import Unwrapped, facts_table, headed_table, print_parts
from arrayol.ir.spec import Spec
from arrayol.limits import AT_MOST, LARGEST
from arrayol.text import counted, rounded
from hwmodel.banks.cost import RULES
from hwmodel.banks.custom import VirtualMemory
from hwmodel.banks.explore import LARGEST_COPIES, MOST_COPIES
from hwmodel.banks.formulas import gather_text, original_text, reference_text, scatter_text
from hwmodel.banks.layouts import CUSTOM, CYCLIC, CYCLIC_TRUE, LINEAR, NAIVE, Choices, Comparison
from hwmodel.banks.linear import LinearMapping
from hwmodel.banks.linear_banks import words_of
from hwmodel.banks.nest import MAXIMUM_BANKS, PORTS
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.report import exploration_to_json, remarks, to_json

TITLES = {
    NAIVE: "naive, one memory",
    CYCLIC: "cyclic, static view",
    CYCLIC_TRUE: "cyclic, true banks",
    CUSTOM: "custom",
    LINEAR: "linear, own banks per array",
}
RULE_TEXTS = {
    "ports": "ports: bodies overlap, so the busiest bank decides",
    "list": "list: a body alone, loads before the stores that depend on them",
}
MEMORIES_AT_MOST = 32  # of an array; --json has all
REFERENCES_AT_MOST = 4  # of a memory


def _show(comparison: Comparison) -> None:
    """Print a comparison on stdout, as wide as the terminal or COLUMNS say."""
    parts = [
        part
        for array in comparison.linear
        for part in (
            Group(Text(_array_line(comparison, array)), _memories(comparison, array)),
            Unwrapped("\n".join(_maps(comparison, array))),
        )
    ]
    print_parts("\n".join(_heading(comparison)), _costs(comparison), *parts, facts_table(_facts(comparison)))


def _heading(comparison: Comparison) -> Iterator[str]:
    for body in comparison.nest.bodies:
        if not body.references:
            continue  # scalars and locals are in no memory
        loops = ", ".join(
            f"{loop.name} unrolled by {factor}" for loop, factor in zip(body.loops, body.factors, strict=True)
        )
        runs = "without end" if body.runs is None else "once" if body.runs == 1 else f"{body.runs:,} times"
        left = f", with {counted(body.leftover, 'iteration')} left over" if body.leftover else ""
        accesses = counted(len(body.references), "access", "accesses")
        unrolled = f", {loops}" if loops else ""
        yield f"{comparison.nest.name}: a body of {accesses}{unrolled}, runs {runs}{left}"


def _costs(comparison: Comparison) -> Table:
    table = headed_table("layout", right=("cycles\nper body", "memories", "fewer cycles\nthan naive"))
    for name, cost in comparison.costs.items():
        reduction = cost.reduction(comparison.costs[NAIVE])
        share = "" if name == NAIVE else "none found" if reduction is None else f"{100 * reduction:.2f}%"
        cells = ["-" if value is None else f"{value:,}" for value in (cost.cycles, cost.memories)]
        table.add_row(TITLES[name], *cells, share)
    return table


def _array_line(comparison: Comparison, array: str) -> str:
    memories = comparison.custom.of_array(array)
    count = counted(len(memories), "virtual memory", "virtual memories")
    copied = ", with copies" if array in comparison.replicated else ""
    linear = comparison.linear[array]
    words = words_of(comparison.nest.arrays[array].shape, linear)
    return f"{array}: {count}{copied}; {_linear_text(array, linear, words)}"


def _linear_text(array: str, linear: LinearMapping, words: int | None) -> str:
    """The linear mapping as a formula, the words of a bank, and how sure the number of banks is."""
    if linear.banks is None:
        return "no linear mapping found"
    if linear.banks == 1:
        return "linear: one bank"
    terms = [(factor, f"x{axis}") for axis, factor in enumerate(linear.vector) if factor]
    product = " + ".join(name if factor == 1 else f"{factor} * {name}" for factor, name in terms) or "0"
    inner = product if len(terms) == 1 and linear.block == 1 else f"({product})"
    block = f" // {linear.block}" if linear.block > 1 else ""
    sure = "the fewest" if linear.exact else f"at least {linear.bound}"
    indices = ", ".join(f"x{axis}" for axis in range(len(linear.vector)))
    deep = "" if words is None else f" of {counted(words, 'word')}"
    return f"linear: {array}[{indices}] in bank {inner}{block} % {linear.banks}{deep}, {sure}"


def _memories(comparison: Comparison, array: str) -> Table:
    table = headed_table("memory", "bank", "references", "become")
    shown = _of_array(comparison, array)
    for memory, bank in shown[:MEMORIES_AT_MOST]:
        before, after = _reference_texts(comparison, memory)
        table.add_row(memory.name, str(bank), before, after)
    if len(shown) > MEMORIES_AT_MOST:
        table.add_row(f"and {len(shown) - MEMORIES_AT_MOST:,} more", "", "", "")
    return table


def _reference_texts(comparison: Comparison, memory: VirtualMemory) -> tuple[str, str]:
    """The different references of a memory before and after renaming, the first of many."""
    loops = [body.loops for body in comparison.nest.bodies]
    texts = dict.fromkeys(
        (original_text(each, loops[each.body]), reference_text(memory.name, new, loops[each.body]))
        for each, new in zip(memory.references, memory.renamed, strict=True)
    )
    kept = list(texts)[:REFERENCES_AT_MOST]
    more = f"\nand {len(texts) - len(kept):,} more" if len(texts) > len(kept) else ""
    return "\n".join(before for before, _ in kept) + more, "\n".join(after for _, after in kept)


def _maps(comparison: Comparison, array: str) -> Iterator[str]:
    """The reorganisation of each memory, and its inverse."""
    for memory, _ in _of_array(comparison, array)[:MEMORIES_AT_MOST]:
        yield f"  there: {gather_text(memory)}"
        yield f"  back:  {scatter_text(memory)}"


def _of_array(comparison: Comparison, array: str) -> Sequence[tuple[VirtualMemory, int]]:
    pairs = zip(comparison.custom.memories, comparison.custom.bank, strict=True)
    return [(memory, bank) for memory, bank in pairs if memory.array == array]


def _facts(comparison: Comparison) -> Iterator[tuple[str, str]]:
    choices = comparison.choices
    yield "banks", f"{choices.banks:,}, {'one access' if choices.ports == 1 else 'two accesses'} each per cycle"
    yield "rule", RULE_TEXTS[choices.rule]
    yield "partition", choices.partition
    if choices.scalar_replacement:
        yield "registers", "an element is loaded once and stored once per body"
    yield from _reorganisation_texts(comparison)


def _reorganisation_texts(comparison: Comparison) -> Iterator[tuple[str, str]]:
    cost = comparison.reorganisation
    if cost is None:
        yield "reorganise", "not counted: an array has no end, or too many elements"
        return
    most = "" if cost.exact else "at most "
    before = f"{most}{counted(cost.elements_in, 'element')} in {counted(cost.cycles_in, 'cycle')} before the nest"
    after = f"{most}{counted(cost.elements_out, 'element')} in {counted(cost.cycles_out, 'cycle')} after it"
    yield "reorganise", f"{before}, {after}, all banks at once"
    if cost.break_even is None:
        yield "break-even", "never: custom does not take fewer cycles than one memory"
    else:
        yield "break-even", f"from {counted(cost.break_even, 'execution')} of the nest between the two"


def _factors(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """2,2 as numbers. Raises BadParameter for anything else; which factors are possible the nest decides."""
    if value is None:
        return None
    try:
        factors = tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a list of whole numbers, as 2,2.", ctx, param) from None
    if max(factors) > LARGEST:
        raise click.BadParameter(f"a factor is {AT_MOST}, not {rounded(max(factors))}.", ctx, param)
    return factors


def _require_together(
    emit: Path | None, emit_ports: str | None, unroll: Sequence[int] | None, most: int | None, *, explore: bool
) -> None:
    """Raises UsageError for options that do not go together."""
    if emit is None and emit_ports is not None:
        raise click.UsageError("--emit-ports is for --emit FILE.aol.", click.get_current_context())
    if most is not None and not explore:
        raise click.UsageError("--most is for --explore.", click.get_current_context())
    for option, value in (("--unroll", unroll), ("--emit", emit)):
        if explore and value is not None:
            why = "--explore tries all factors; take one of its designs with --unroll"
            raise click.UsageError(f"{option} is not for --explore: {why}.", click.get_current_context())


def _said(choices: Choices) -> Iterator[str]:
    """The options that choose what is not by default, banks and ports aside."""
    usual = Choices(choices.banks)
    if choices.rule != usual.rule:
        yield f"--rule {choices.rule}"
    if choices.partition != usual.partition:
        yield f"--partition {choices.partition}"
    if choices.replicate:
        yield "--replicate"
    if choices.scalar_replacement:
        yield "--scalar-replacement"
    if not choices.merge_equal:
        yield "--no-merge-equal"


def _explore(
    spec: Spec, task: str, choices: Choices, ports: Sequence[int], most: int, plot: Path | None, *, as_json: bool
) -> None:
    exploration = api.explore_layouts(spec, task, choices, ports=ports, most=most)
    if plot is not None:
        api.draw_layout_exploration(exploration, plot)
    tell(list(choices.assumed))
    if as_json:
        click.echo(json.dumps(exploration_to_json(exploration), indent=2))
        return
    show_exploration(exploration, " ".join(("arrayol layout", spec.name, task, *_said(choices))))
    if plot is not None:
        click.echo(f"\nwrote {plot}")


@click.command()
@spec_argument
@click.argument("task", shell_complete=task_names)
@click.option("--unroll", metavar="2,2", callback=_factors, help="A factor per loop, outermost first.  [default: 1s]")
@click.option(
    "--banks",
    metavar="N",
    type=click.IntRange(1, MAXIMUM_BANKS),
    help="Memory banks.  [default: those of the platform]",
)
@click.option(
    "--ports",
    type=click.Choice([str(number) for number in PORTS]),
    help="Accesses to a bank in a cycle.  [default: 1; with --explore both are tried]",
)
@click.option("--explore", is_flag=True, help="Search unroll factors and layouts together, with up to N banks.")
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(1, LARGEST_COPIES),
    help=f"With --explore: the largest number of copies of a body.  [default: {MOST_COPIES}]",
)
@click.option(
    "--rule",
    type=click.Choice(list(RULES)),
    default="ports",
    show_default=True,
    help="Count of cycles. ports: bodies overlap, the busiest bank decides. list: one body at a time, loads first.",
)
@click.option(
    "--partition",
    type=click.Choice(list(PARTITIONS)),
    default="paper",
    show_default=True,
    help="How references are divided. paper: as So, Hall and Ziegler do. finer: as finely as their theorem allows.",
)
@click.option("--replicate", is_flag=True, help="Copy read-only arrays if that saves cycles.")
@click.option(
    "--scalar-replacement", is_flag=True, help="Keep values that a body loads or computes in registers, for later uses."
)
@click.option(
    "--merge-equal/--no-merge-equal",
    default=True,
    show_default=True,
    help="One access serves all loads of an element in a body (layout linear).",
)
@picture_option("--plot", "Draw the arrays by bank, and the reduction against unroll factors: .svg or .png.")
@click.option(
    "--emit",
    metavar="FILE.aol",
    type=PLACE,
    help="Write TASK, an elementary task, unrolled and on its layout, with tasks that move the arrays there and back.",
)
@click.option(
    "--emit-ports",
    type=click.Choice(["memories", "banks", "linear"]),
    help="With --emit: a port for each virtual memory, for each bank, or for each array on its linear banks.  "
    "[default: memories]",
)
@set_option
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    task: str,
    unroll: tuple[int, ...] | None,
    banks: int | None,
    ports: str | None,
    explore: bool,
    most: int | None,
    rule: str,
    partition: str,
    replicate: bool,
    scalar_replacement: bool,
    merge_equal: bool,
    plot: Path | None,
    emit: Path | None,
    emit_ports: Literal["memories", "banks", "linear"] | None,
    settings: Mapping[str, str],
    as_json: bool,
) -> None:
    """Compare layouts of the arrays of TASK, a repetitive or elementary task of FILE, in memory banks.

    naive: one memory. cyclic: element [.., j] in bank j modulo N; conflicts are counted for the banks that a reference
    may access (static) and for those that it does access (true). custom: a partition that follows the references.
    linear: the fewest banks without conflicts, with bank = floor(a.x / B) mod N.

    --explore tries all unroll factors that divide their loops, with all layouts on 1, 2, 4, ... banks. It shows the
    designs that no other design beats in cycles, memories, ports and copies of the body.
    """
    _require_together(emit, emit_ports, unroll, most, explore=explore)
    loaded = api.load(spec, settings)
    warn_of_idle(loaded, task)
    choices = replace(
        local_choices(loaded) if banks is None else api.Choices(banks),
        rule=rule,
        partition=partition,
        replicate=replicate,
        scalar_replacement=scalar_replacement,
        merge_equal=merge_equal,
        ports=int(ports or 1),
    )
    if explore:
        numbers = PORTS if ports is None else (int(ports),)
        _explore(loaded, task, choices, numbers, most or MOST_COPIES, plot, as_json=as_json)
        return
    comparison = api.layout(loaded, task, unroll, choices)
    if emit is not None:
        api.emit_layout(loaded, comparison, emit, ports=emit_ports or "memories")
    if plot is not None:
        api.draw_layout(loaded, comparison, plot)
    tell(remarks(comparison))
    if as_json:
        click.echo(json.dumps(to_json(comparison), indent=2))
        return
    _show(comparison)
    written = [str(path) for path in (emit, plot) if path is not None]
    if written:
        click.echo(f"\nwrote {', '.join(written)}")
