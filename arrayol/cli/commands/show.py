"""`arrayol show`: the task graph, or the tilers of one task, as a picture and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.cli.options import (
    FORMATS,
    picture_option,
    set_option,
    spec_argument,
    task_names,
    tell,
    top_option,
    warn_of_idle,
)
from arrayol.cli.tables import headed_table, print_parts
from arrayol.errors import ArrayolError, error
from arrayol.ir.network import flatten
from arrayol.ir.spec import Elementary, RepetitiveTask, Spec
from arrayol.pictures.save import save_graph, save_task
from arrayol.pictures.text import graph_text, process_text, task_graph
from arrayol.pictures.tiler.tiler_faults import (
    Findings,
    by_process,
    find_faults,
    find_in_graph,
    find_in_task,
    links_of,
    load_to_show,
)
from hwmodel.accesses import Accesses
from hwmodel.stream.loops import Loops, places_of
from hwmodel.stream.model import StreamModel, stream_metrics
from hwmodel.stream.nodes import StreamGroup
from hwmodel.stream.remarks import remarks_of
from hwmodel.streamed import Chain, Stream, StreamedGroup

# What `arrayol show --stream` prints: the loops of a streaming group, when its nodes start, and its line buffers.


_SHOWN = 12  # depths of a chain, at most


def show_stream(spec: Spec, top: str, stream: Stream) -> None:
    """Print the tasks of a specification as one streaming group. Raises ArrayolError (`not-streamed`)."""
    network = flatten(spec, top)
    accesses, title = Accesses(network), f"{top} as one streaming group, in pulses; every task takes one"
    if accesses.meets_frames:
        stream, title = replace(stream, frames="inside"), f"{title}; frames lie inside"
    model = StreamModel(accesses.of_frames(stream.frames), tuple(network.processes))
    streamed, metrics = model.streamed(stream), stream_metrics(model, stream)
    total = f"{metrics.words:,} words, {metrics.bits:,} bits; the last task starts at {metrics.last_start:,}"
    ends = f"a frame ends after {metrics.cycles:,} pulses, the next one follows after {metrics.frame_cycles:,}"
    print_parts(
        title,
        _loops_table(model.group, model.loops, streamed),
        _nodes_table(streamed),
        *_chains_tables(streamed),
        f"{total}\n{ends}",
    )
    tell(remarks_of(model.group, streamed))


def parse_pace(text: str) -> Fraction:
    """A pace of its text, as 1, 2 or 1/4. Raises BadParameter."""
    try:
        pace = Fraction(text)
    except (ValueError, ZeroDivisionError):
        pace = Fraction(0)
    if pace <= 0 or 1 not in (pace.numerator, pace.denominator):
        raise click.BadParameter(f"'{text}' is no whole number of pulses, nor one over a whole number, as 1/4.")
    return pace


def parse_scan(text: str) -> tuple[int, ...]:
    """An order of loops of its text, as 1,0. Raises BadParameter."""
    numbers = text.replace(" ", "").split(",") if text else []
    if not all(number.isdecimal() for number in numbers):
        raise click.BadParameter(f"'{text}' is no list of loops, as 1,0.")
    return tuple(map(int, numbers))


def _loops_table(group: StreamGroup, loops: Loops, streamed: StreamedGroup) -> Table:
    table = headed_table("loop", "dimensions", right=("places",))
    for number in streamed.stream.scan or range(len(loops.members)):
        members = [(node, at) for node, at in loops.members[number] if node in streamed.nodes]
        texts = (f"{node} {at}{_ratio(loops.ratio[node, at])}" for node, at in members)
        table.add_row(str(number), ", ".join(texts), f"{places_of(loops, group.nodes, number):,}")
    return table


def _ratio(ratio: Fraction) -> str:
    return "" if ratio == 1 else f" (ratio {ratio})"


def _nodes_table(streamed: StreamedGroup) -> Table:
    firsts = any(node.firing.first for node in streamed.nodes.values())
    table = headed_table("node", right=("start", "units", "strides", *(["first index"] if firsts else [])))
    for node in streamed.nodes.values():
        strides = ", ".join(f"{stride:,}" for stride in node.firing.strides) or "-"
        first = [", ".join(map(str, node.firing.first)) or "-"] if firsts else []
        table.add_row(node.name, f"{node.firing.start:,}", str(node.firing.units), strides, *first)
    return table


def _chains_tables(streamed: StreamedGroup) -> Iterator[Table]:
    """A table of the lanes that wait, if some do."""
    waiting = [chain for chain in streamed.chains if chain.segments]
    if waiting:
        table = headed_table("line buffer", "segments, from the newest", right=("words",))
        for chain in waiting:
            table.add_row(_name(chain, streamed), _depths(chain), f"{chain.words:,}")
        yield table


def _name(chain: Chain, streamed: StreamedGroup) -> str:
    """The output, with element and unit where there are several, and what is special about the chain."""
    lanes = {(one.place, one.unit) for one in streamed.chains if (one.node, one.port) == (chain.node, chain.port)}
    lane = f" lane {chain.place}.{chain.unit}" if len(lanes) > 1 else ""
    node = chain.node if chain.node == f"load {chain.port}" else f"{chain.node} {chain.port}"
    return f"{node}{lane}{' (kept)' if chain.kept else ''}{' (state)' if chain.state else ''}"


def _depths(chain: Chain) -> str:
    shown = [f"{segment.depth:,}" for segment in chain.segments[:_SHOWN]]
    left_out = len(chain.segments) - _SHOWN
    return " + ".join(shown) + (f" + ... ({left_out} more)" if left_out > 0 else "")


GRAPHVIZ = ".dot"
MARKED = {"out-of-bounds", "written-twice", "not-covered"}  # these have a place in the picture


@click.command()
@spec_argument
@click.argument("task", required=False, shell_complete=task_names)
@picture_option(
    "--out",
    "The picture, .svg or .png; of a graph also .dot, for Graphviz.  [default: STEM.svg, with a task STEM-TASK.svg]",
    (*FORMATS, GRAPHVIZ),
)
@top_option
@set_option
@click.option("--stream", "streams", is_flag=True, help="Print the tasks as one streaming group; no picture.")
@click.option("--pace", metavar="P", help="With --stream: pulses for a pixel, as 1/4 for four at once.  [default: 1]")
@click.option("--scan", metavar="LOOPS", help="With --stream: the order of its loops, as 1,0 for columns.")
@click.option(
    "--starts",
    type=click.Choice(["latency", "memory"]),
    help="With --stream: start tasks early, or so that few bits wait.  [default: latency]",
)
@click.pass_context
def command(ctx: click.Context, /, spec: Path, task: str | None, **options: Any) -> None:
    """Draw the task graph of the specification in FILE, or the tilers of TASK, and print them as text.

    For a repetitive TASK, the picture has a panel per link. It shows the array with the patterns of the first
    repetitions, the origin, and paving (r0, r1 ...) and fitting (f0, f1 ...) as arrows. A compound TASK has a graph.

    If a check fails, its message is printed, the exit code is 1, and the picture shows the mistake in red.

    With --stream, all tasks are one group that works element by element: its loops, when tasks start, and the words
    of its line buffers, without a platform.
    """
    out, top, settings = options["out"], options["top"], options["settings"]
    if task is not None and top is not None:
        raise click.UsageError("Give TASK or --top, not both.", ctx)
    named = top if task is None else task
    if options["streams"]:
        _show_stream(ctx, spec, named, options)
        return
    if any(options[name] is not None for name in ("pace", "scan", "starts")):
        raise click.UsageError("--pace, --scan and --starts say how tasks stream: give --stream too.", ctx)
    loaded = load_to_show(spec, settings)
    name = choose_top(loaded, named)
    warn_of_idle(loaded, name)
    picture = out or Path(f"{spec.stem}.svg" if named is None else f"{spec.stem}-{named}.svg")
    component = loaded.components[name]
    if task is not None and isinstance(component, Elementary):
        raise _no_tilers(loaded, component)
    if task is not None and isinstance(component, RepetitiveTask):
        if picture.suffix.lower() == GRAPHVIZ:
            raise click.UsageError(f"A .dot holds a task graph; the tilers of '{task}' are drawn as .svg or .png.", ctx)
        findings = _show_task(loaded, component, picture)
    else:
        findings = _show_graph(loaded, name, picture)
    click.echo(f"\nwrote {picture}")
    if findings:
        raise ArrayolError(diagnostic for diagnostics in findings.values() for diagnostic in diagnostics)


def _show_stream(ctx: click.Context, spec: Path, named: str | None, options: Mapping[str, Any]) -> None:
    """Text of the tasks as one streaming group."""
    if options["out"] is not None:
        raise click.UsageError("--stream draws no picture: leave --out out.", ctx)
    loaded = load_checked(spec, options["settings"])
    name = choose_top(loaded, named)
    warn_of_idle(loaded, name)
    component = loaded.components[name]
    if isinstance(component, Elementary):
        raise _no_tilers(loaded, component)
    scan, pace = parse_scan(options["scan"] or ""), parse_pace(options["pace"] or "1")
    show_stream(loaded, name, Stream(scan, pace, options["starts"] or "latency"))


def _show_task(spec: Spec, task: RepetitiveTask, picture: Path) -> Findings:
    """Text and picture of a repetitive task; what is wrong with it."""
    network = task_graph(spec, task.name)
    process = network.processes[task.name]
    findings, links = find_in_task(spec, task), links_of(spec, task)
    diagnostics = findings.get(task.name, ())
    click.echo(process_text(process, network.arrays, tilers=True))
    told = [diagnostic.message for diagnostic in diagnostics if diagnostic.code not in MARKED]
    save_task(process, links, find_faults(links, diagnostics), told, picture)
    return findings


def _show_graph(spec: Spec, top: str, picture: Path) -> Findings:
    """Text and picture of a task graph; what is wrong with its components."""
    network, findings = task_graph(spec, top), find_in_graph(spec, top)
    click.echo(graph_text(network))
    save_graph(network, by_process(spec, network, findings), picture)
    return findings


def _no_tilers(spec: Spec, elementary: Elementary) -> ArrayolError:
    users = [
        task.name for task in spec.tasks.values() if isinstance(task, RepetitiveTask) and task.callee == elementary.name
    ]
    message = f"'{elementary.name}' is an elementary task; only repetitive tasks have tilers"
    hint = f"it is repeated by {', '.join(users)}" if users else "no task repeats it"
    return error("no-tilers", message, elementary.span, hint=hint)
