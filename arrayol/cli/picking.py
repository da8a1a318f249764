"""The option `--pick` of `arrayol explore`, and the picked design as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from arrayol.cli.mapping_tables import shown_figure
from arrayol.cli.terminal import print_parts
from dse.explore import Exploration
from dse.figures import figures_of
from dse.mapping import Mapped
from dse.mapping_result import GroupRecord, MappedDesign
from dse.objectives import WrongObjectiveError, available
from dse.pick import KNEE, Picked, Rule, parse_rule, pick, require_figures
from dse.picked import write_picked
from dse.points import AnyResult
from dse.result import Design
from dse.store import PICKED
from hwmodel.platform import find_platform

_HINT = "--pick"


def _rule(ctx: click.Context, param: click.Parameter, text: str | None) -> Rule | None:
    """The rule of a text. Raises BadParameter for another form."""
    if text is None:
        return None
    try:
        return parse_rule(text)
    except ValueError:
        form = f"'{text}' is neither '{KNEE}' nor a bound as \"internal_memory_bits <= 1e6\"; join several by commas."
        raise click.BadParameter(form, ctx, param) from None


pick_option = click.option(
    "--pick",
    "rule",
    metavar="RULE",
    callback=_rule,
    help='Pick one design: "knee", or the fastest within bounds, as "internal_memory_bits <= 1e6".',
)


def require_known(rule: Rule, model: str, spec: Path, platform: Path | None) -> None:
    """Raises BadParameter for a bound on a figure that the model does not give here, before anything is explored."""
    taken, _ = find_platform(spec, platform)
    known = figures_of(taken) if model == "machine" else [objective.name for objective in available(taken)]
    try:
        require_figures(rule, known)
    except WrongObjectiveError as wrong:
        (mistake,) = wrong.diagnostics
        raise click.BadParameter(f"{mistake.message}; {mistake.hint}", param_hint=f"'{_HINT}'") from None


Written = tuple[Picked, Mapping[str, Any]]  # a picked design and its document


def write_pick(found: Exploration | Mapped, rule: Rule, folder: Path) -> Written:
    """Pick a design of an exploration and write it in the result folder."""
    picked = pick(found.result, rule)
    return picked, write_picked(found.result, picked, found.spec, folder)


def with_picked(result: AnyResult, written: Written) -> str:
    """The document of an exploration with the picked design in it."""
    return json.dumps(json.loads(result.to_json()) | {"picked": written[1]}, indent=2) + "\n"


def show_picked(written: Written, folder: Path) -> None:
    """Print a picked design: why, its figures, groups, where its cycles and bits go, its steps and files."""
    picked, document = written
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for word, text in _facts(picked, document, folder):
        table.add_row(word, text)
    click.echo()
    print_parts(f"picked {picked.design.id}: {picked.why}", table)


def _facts(picked: Picked, document: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, str]]:
    design = picked.design
    figures = [f"{name} {shown_figure(name, value)}" for name, value in design.objectives.items()]
    yield "figures", ", ".join(figures)
    lines = _mapped(design) if isinstance(design, MappedDesign) else _published(design)
    for number, line in enumerate(lines, 1):
        yield "groups" if number == 1 else "", f"{number}: {line}"
    for word, parts in (document["breakdown"] or {}).items():
        yield word.replace("_", " "), _shares(parts)
    if design.steps is not None:
        yield "steps", "; ".join(design.steps) or "as written"
    elif design.steps_remark:
        yield "steps", f"none: {design.steps_remark}"
    files = [str(folder / name) for name in (PICKED, document["aol"]) if name]
    yield "written", ", ".join(files)


def _mapped(design: MappedDesign) -> Iterator[str]:
    for group in design.groups:
        units = ", ".join(f"{one.task} x {one.units}" for one in group.processors)
        yield f"{units}; blocks {_blocks(group)}; {group.latency_cycles:,} cycles in {group.steps:,} steps"


def _blocks(group: GroupRecord) -> str:
    return f"{'x'.join(map(str, group.blocks.shape)) or '1'} in the order {group.blocks.scan or 'of one'}"


def _published(design: Design) -> Iterator[str]:
    for group in design.fusion:
        yield ", ".join(f"{task} x {design.units[task]}, X_out {design.block_data[task]:,}" for task in group)


def _shares(parts: Mapping[str, int]) -> str:
    whole = sum(parts.values())
    ranked = sorted(parts.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {amount:,} ({amount / whole:.0%})" for name, amount in ranked if amount) or "none"
