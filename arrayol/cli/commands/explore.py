"""`arrayol explore`: map a specification on hardware and show the Pareto front; `--pick` takes one design of it.

How a result reads as text is in `front_table`; here is what a picked design is told by.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import click

from arrayol import api
from arrayol.api.shown_progress import progress, say
from arrayol.checks.top import choose_top
from arrayol.cli.command_table import SectionedCommand
from arrayol.cli.emitted import emit
from arrayol.cli.front_table import Outcome, show
from arrayol.cli.options import (
    PLACE,
    choice_of,
    device_option,
    folders,
    json_option,
    platform_option,
    set_option,
    spec_argument,
    top_option,
    verbose_option,
    warn_of_idle,
)
from arrayol.cli.picking import blamed_on, pick_option
from arrayol.cli.result_text import period_text, steps_text
from arrayol.cli.tables import facts_table, print_parts
from arrayol.ir.spec import Spec
from arrayol.limits import LARGEST_SEED
from arrayol.text import counted, figure_text
from arrayol.transforms.steps import canonical_form
from dse.jobs.cache import CACHE_NAME
from dse.jobs.jobs import MOST_WORKERS, WRITING, SearchProgress
from dse.output.folder import PICKED, REPORT, SPECS, require_writable
from dse.output.picked import write_picked
from dse.results.designs import Design, GroupRecord
from dse.results.exploration import Exploration
from dse.results.pick import Picked, Rule, pick, require_figures, wait_text
from dse.results.schema import Result
from dse.results.totals import totals_of
from dse.search.context import AUTO, BUDGET, EXHAUSTIVE, METHODS, MODEL_NAMES, NSGA2, ROUNDS, Model, method_names
from dse.space.objectives import (
    DEFAULT,
    MACHINE,
    PUBLISHED,
    available,
    figures_of,
    require_available,
    require_costs,
    require_known,
)
from hwmodel.accesses import Accesses
from hwmodel.platform import Platform, find_platform, for_copies
from hwmodel.residence import NO_LOADS, Loads


def _require_known(
    rule: Rule, model: str, spec: Spec, platform: Platform, top: str | None, loads: Sequence[Loads]
) -> None:
    """Raises for a bound on a figure that the model does not give here, before anything is explored."""
    if not rule.figures:
        return
    taken = for_copies(platform, spec)
    network = canonical_form(spec, choose_top(spec, top)).network
    accesses = [Accesses(network, choice) for choice in loads]
    with blamed_on("--pick"):
        if model != "machine":
            require_available([PUBLISHED[name] for name in rule.figures if name in PUBLISHED], taken, accesses[0])
            require_figures(rule, [objective.name for objective in available(taken, accesses[0])])
        else:
            known = figures_of(taken, *accesses)
            for name in (name for name in rule.figures if name in MACHINE):
                require_known(name, known, taken, network)
            require_costs(rule.figures, taken, network)
            require_figures(rule, known)


Written = tuple[Picked, Mapping[str, Any]]  # a picked design and its document


def _write_pick(exploration: Exploration, rule: Rule, folder: Path) -> Written:
    """Pick a design of an exploration, find its steps and write it in the result folder."""
    picked, steps = pick(exploration.result, rule), exploration.steps
    if steps is not None:
        picked = replace(picked, design=steps.described(picked.design))
    return picked, write_picked(exploration.result, picked, steps, folder)


def _show_picked(result: Result, written: Written, folder: Path, *, verbose: bool) -> None:
    """Print a picked design: why, figures, groups, hardware, steps, files; `verbose` where its cycles and bits go."""
    picked, document = written
    click.echo()
    facts = _facts(result, picked.design, document, verbose=verbose)
    files = [str(folder / name) for name in (PICKED, document["aol"]) if name]
    print_parts(f"picked {picked.design.id}: {picked.why}", facts_table([*facts, ("written", ", ".join(files))]))


def _facts(result: Result, design: Design, document: Mapping[str, Any], *, verbose: bool) -> Iterator[tuple[str, str]]:
    names = design.objectives if verbose else result.objectives
    yield "figures", ", ".join(_figure(result, name, design.objectives[name]) for name in names)
    for number, group in enumerate(design.groups, 1):
        yield "groups" if number == 1 else "", f"{number}: {_group(result, design, group)}"
    if design.period is not None:
        yield "together", period_text(design.period)
    if loads := result.loads_text(design):
        yield "loads", loads
    if design.splits:
        yield "splits", "; ".join(design.splits)
    if design.resident:
        yield "resident", ", ".join(f"{one.kind} {one.name} {one.held_bits:,} bits" for one in design.resident)
    if waits := wait_text(design):
        yield "waits for", waits
    yield from _hardware(result, design)
    for name, parts in (*(document["breakdown"] or {}).items(), *design.costs.items()) if verbose else ():
        estimate = result.estimate_text(name)
        title = "energy in pJ" if name == "energy_pj" else name.replace("_", " ")
        yield title, f"{estimate}: {_shares(parts)}" if estimate else _shares(parts)
    if steps := steps_text(design):
        yield "steps", steps


def _hardware(result: Result, design: Design) -> Iterator[tuple[str, str]]:
    for place, total in enumerate(totals_of(design, result.device)):
        yield "" if place else "hardware", total.text
    if design.not_emitted:
        yield "Verilog", f"none yet: {design.not_emitted}"
    if design.programs is not None:
        most = "" if design.programs.exact else "at most "
        yield "programs", f"{most}{counted(design.programs.instructions, 'instruction')} in the longest"


def _figure(result: Result, name: str, value: float) -> str:
    estimate = result.estimate_text(name)
    return f"{name} {figure_text(value)}{f' ({estimate})' if estimate else ''}"


def _group(result: Result, design: Design, group: GroupRecord) -> str:
    """Units, then X_out of each processor or the mapping."""
    units = [f"{processor.task} x {result.rate_text(design, processor, ' @ ')}" for processor in group.processors]
    if group.mapping is None:
        blocks = (f"X_out {processor.block_data:,}" for processor in group.processors)
        return ", ".join(f"{text}, {block}" for text, block in zip(units, blocks, strict=True))
    if group.mapping.stream is not None:
        stream = group.mapping.stream
        how = f"{group.mapping.sides}, starts for {stream.starts_for}, {stream.port}"
        cycles = f"{group.mapping.latency_cycles:,} cycles in {group.mapping.steps:,} steps"
        return f"{', '.join(units)}; {how}; {cycles}"
    sides, scan = group.mapping.schedule.text, group.mapping.scan
    blocks_text = f"{sides or '1'} in the order {scan or 'of one'}"
    cycles = f"{group.mapping.latency_cycles:,} cycles in {group.mapping.steps:,} steps"
    return f"{', '.join(units)}; blocks {blocks_text}; {cycles}"


def _shares(parts: Mapping[str, float]) -> str:
    whole = sum(parts.values())
    ranked = sorted(parts.items(), key=lambda pair: -pair[1])
    return (
        ", ".join(f"{name} {figure_text(amount)} ({amount / whole:.0%})" for name, amount in ranked if amount) or "none"
    )


SPECS_NAMED = 3  # more specifications are only counted


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """A,B as names."""
    return None if value is None else tuple(name.strip() for name in value.split(",")) if value.strip() else ()


SECTIONS = {
    "What to explore": ("settings", "top", "platform", "device", "model", "assume_datapaths"),
    "What is a good design": ("objectives", "constraints"),
    "What designs may look like": ("study", "narrow", "hardware", "reuse_memory"),
    "How long and how thoroughly to search": ("method", "budget", "timeout", "seed", "verify"),
    "What to write": ("out", "keep_all", "with_report", "rule", "emitted", "as_json", "verbose", "quiet"),
    "Where to compute": ("workers", "cluster", "resume"),
}


@click.command(cls=SectionedCommand, sections=SECTIONS)
@spec_argument
@set_option
@top_option
@platform_option
@device_option
@click.option(
    "--model",
    type=click.Choice(list(MODEL_NAMES)),
    default="machine",
    show_default=True,
    help="The model that gives the figures of a design; published is that of a paper of 2010.",
)
@click.option(
    "--assume-datapaths",
    is_flag=True,
    help="If platform and technology do not say how often an elementary task can start: every cycle.",
)
@click.option(
    "--objectives",
    metavar="A,B",
    callback=_names,
    shell_complete=choice_of(list(MACHINE), several=True),
    help=f"The figures to minimise (or maximise, for rates): {', '.join(MACHINE)}, or a cost of the platform such as "
    f"lut.  [default: {', '.join(DEFAULT)}]",
)
@click.option(
    "--constraint",
    "constraints",
    metavar="TEXT",
    multiple=True,
    help='A bound on a figure: "internal_memory_bits <= 65536". Repeatable.',
)
@click.option("--study", metavar="S", type=PLACE, help="A TOML file that says what the search may choose.")
@click.option("--narrow", is_flag=True, help="Plain designs only: no cuts, FIFOs, bank layouts, splits.")
@click.option("--hardware", is_flag=True, help="Only designs for which Verilog is emitted.")
@click.option("--reuse-memory", is_flag=True, help="Let groups share their local memories.")
@click.option(
    "--method",
    type=click.Choice(list(method_names())),
    default=AUTO,
    show_default=True,
    help="How to search; auto chooses one and says why.",
)
@click.option(
    "--budget",
    metavar="S",
    type=click.FloatRange(1, 1e6),
    help=f"Seconds of predicted work, for the method rounds.  [default: {BUDGET:g}, less if the front settles]",
)
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(1, 1e6),
    help="Stop after about S seconds of wall time and keep the best front so far.",
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, LARGEST_SEED),
    help="Seed of NSGA-II: for the method nsga2, and for rounds with more than three objectives.  [default: 0]",
)
@click.option(
    "--verify/--no-verify",
    default=None,
    help="Simulate the designs of the front.  [default: yes, at the platform's [verify] size, if that is small enough]",
)
@click.option(
    "--out",
    metavar="DIR",
    type=PLACE,
    shell_complete=folders,
    help="The folder for the result.  [default: STEM-explore]",
)
@click.option(
    "--all",
    "keep_all",
    is_flag=True,
    help="Store more than the front: each fusion's, or (published) every design.",
)
@click.option(
    "--report/--no-report",
    "with_report",
    default=True,
    help="Write report.html too.  [default: report]",
)
@pick_option
@click.option(
    "--emit",
    "emitted",
    metavar="ID",
    multiple=True,
    help="Explore nothing; add specification and picture of this design to the result in DIR. Repeatable.",
)
@json_option
@verbose_option
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, MOST_WORKERS),
    help="Processes, if there is enough work.  [default: one for each core]",
)
@click.option("--cluster", metavar="ADDRESS", help="Use a dask cluster: tcp://HOST:8786 (extra 'cluster').")
@click.option("--resume", is_flag=True, help="Continue an interrupted exploration with the finished work in DIR.")
def command(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    platform: Path | None,
    device: str | None,
    model: Model,
    objectives: tuple[str, ...] | None,
    method: str,
    seed: int | None,
    budget: float | None,
    timeout: float | None,
    out: Path | None,
    keep_all: bool,
    with_report: bool,
    rule: Rule | None,
    emitted: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    resume: bool,
    verbose: bool,
    quiet: bool,
    top: str | None,
    settings: Mapping[str, str],
    as_json: bool,
    **space: Any,
) -> None:
    """Search for the best hardware designs for the tasks in FILE; print and store the Pareto front.

    A design puts tasks into groups, which keep the arrays between their tasks on the chip, and chooses blocks, scan,
    units, buffers and transfers of each group. Its name lists the sizes of the groups and a running number: 2+2:1. If
    the tasks of a group are not consecutive, the name lists the numbers of tasks in dataflow order: 1,3.2.4-8:1.

    DIR gets result.json, designs.csv, pareto.png, pareto.svg, report.html (for a browser) and, in specs/, the
    specifications of some designs. An earlier result in DIR is replaced; any other folder must be empty.
    Files are written all together or not at all.
    """
    began, folder = monotonic(), out if out is not None else Path(f"{spec.stem}-explore")
    if emitted:
        emit(spec, folder, emitted, settings, top)
        return
    _require_machine(model, {**space, "device": device, "workers": workers, "cluster": cluster, "resume": resume})
    _require_compatible(method, seed, budget, workers, cluster, resume=resume)
    loaded = api.load(spec, settings)
    warn_of_idle(loaded, choose_top(loaded, top))
    require_writable(folder)
    if rule is not None:
        asked = api.Space(**space)
        loads = asked.whole().loads if model == "machine" else (NO_LOADS,)
        _require_known(rule, model, loaded, asked.on(find_platform(Path(loaded.name), platform)[0]), top, loads)
    if resume and not (folder / CACHE_NAME).exists():
        click.echo(f"{folder}: no finished work to continue; the exploration starts anew", err=True)
    with _kept_work_noted(folder, resume=resume), blamed_on("--objectives"), progress(quiet=quiet) as report:
        exploration = api.explore(
            loaded,
            platform,
            top=top,
            model=model,
            device=device,
            objectives=objectives,
            method=method,
            seed=seed or 0,
            budget=budget,
            timeout=timeout,
            announce=None if quiet else say,
            keep_all=keep_all,
            report=report,
            space=api.Space(**space) if model == "machine" else None,
            resources=api.Resources(workers or _cores(), cluster, folder, resume),
        )
        report(SearchProgress(WRITING))
        files = api.write_result(exploration, folder, report=with_report)
    _tell_idle(exploration.result, budget, seed)
    if not exploration.result.complete and not quiet:
        goes_on = f"; --resume --out {folder} continues from here" if (folder / CACHE_NAME).exists() else ""
        click.echo(f"this is the front so far{goes_on}", err=True)
    if as_json:
        _print_json(exploration, rule, folder)
    else:
        names = f"{folder}: {', '.join(_written(folder, files))}"
        show(exploration.result, Outcome(names, _opening(folder, files), monotonic() - began), verbose=verbose)
        if rule is not None:
            _show_picked(exploration.result, _write_pick(exploration, rule, folder), folder, verbose=verbose)


def _tell_idle(result: Result, budget: float | None, seed: int | None) -> None:
    """Tell of options that the method which was taken has no use for."""
    if budget is not None and result.method != ROUNDS and result.method in METHODS:
        click.echo(f"--budget counts for method {ROUNDS} alone, which was not taken", err=True)
    if seed is not None and result.evolution is None:
        click.echo("--seed counts for NSGA-II alone, which was not taken", err=True)


def _print_json(exploration: Exploration, rule: Rule | None, folder: Path) -> None:
    """The document of an exploration, with the picked design in it."""
    document = exploration.result.to_json()
    if rule is not None:
        _, picked = _write_pick(exploration, rule, folder)
        document = json.dumps(json.loads(document) | {"picked": picked}, indent=2) + "\n"
    click.echo(document, nl=False)


def _require_machine(model: str, space: Mapping[str, Any]) -> None:
    """Raises UsageError for options that only the machine model has, with the other one."""
    named = [name for name, value in space.items() if value not in (None, False, ())]
    if model != "machine" and named:
        option = {"constraints": "constraint"}.get(named[0], named[0]).replace("_", "-")
        raise click.UsageError(f"--{option} needs the machine model; leave it out, or take --model machine")


def _require_compatible(
    method: str, seed: int | None, budget: float | None, workers: int | None, cluster: str | None, *, resume: bool
) -> None:
    """Raises UsageError for options that do not go together."""
    if workers is not None and cluster is not None:
        raise click.UsageError("--workers and --cluster exclude each other; a cluster has its own workers")
    named = {"--workers": workers is not None, "--cluster": cluster is not None, "--resume": resume}
    for option in (name for name, is_named in named.items() if is_named and method == EXHAUSTIVE):
        raise click.UsageError(f"{option} is not for --method {EXHAUSTIVE}, which takes small spaces in one go")
    if budget is not None and method in METHODS and method not in (AUTO, ROUNDS):
        raise click.UsageError(f"--budget is for --method {ROUNDS}; {method} ends by itself, or with --timeout")
    if seed is not None and method not in (AUTO, ROUNDS, NSGA2):
        raise click.UsageError(f"--seed is for --method {NSGA2} and {ROUNDS}; {method} draws nothing at random")


@contextmanager
def _kept_work_noted(folder: Path, *, resume: bool) -> Iterator[None]:
    """An interrupt has a note of where the finished work is, if any of this exploration was kept."""
    former = _version(folder / CACHE_NAME)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        version = _version(folder / CACHE_NAME)
        if version is not None and (resume or version != former):
            interrupt.add_note(f"finished work is saved in {folder / CACHE_NAME}; continue with --resume")
        raise


def _version(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from the one that was there before; None without a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _opening(folder: Path, files: Sequence[Path]) -> str | None:
    """How to open the report, where there is one."""
    return f"open {folder / REPORT} in a browser" if folder / REPORT in files else None


def _written(folder: Path, files: Sequence[Path]) -> list[str]:
    """The names of the files in a result folder; many specifications are counted."""
    names = [file.name for file in files if file.parent == folder]
    specs = [f"{file.parent.name}/{file.name}" for file in files if file.parent != folder]
    return names + (specs if len(specs) <= SPECS_NAMED else [f"{counted(len(specs), 'specification')} in {SPECS}"])
