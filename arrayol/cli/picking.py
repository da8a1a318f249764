"""The option `--pick` of `arrayol explore`, and the picked design as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from arrayol.cli.explore_tables import shown_figure, steps_text
from arrayol.cli.tables import facts_table, print_parts
from dse.output.folder import PICKED
from dse.output.picked import write_picked
from dse.results.exploration import Exploration
from dse.results.pick import KNEE, Picked, Rule, parse_rule, pick, require_figures
from dse.results.schema import GroupRecord, Result
from dse.space.figures import figures_of
from dse.space.objectives import WrongObjectiveError, available
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


def write_pick(exploration: Exploration, rule: Rule, folder: Path) -> Written:
    """Pick a design of an exploration and write it in the result folder."""
    picked = pick(exploration.result, rule)
    return picked, write_picked(exploration.result, picked, exploration.spec, folder)


def with_picked(result: Result, written: Written) -> str:
    """The document of an exploration with the picked design in it."""
    return json.dumps(json.loads(result.to_json()) | {"picked": written[1]}, indent=2) + "\n"


def show_picked(written: Written, folder: Path) -> None:
    """Print a picked design: why, its figures, groups, where its cycles and bits go, its steps and files."""
    picked, document = written
    click.echo()
    print_parts(f"picked {picked.design.id}: {picked.why}", facts_table(_facts(picked, document, folder)))


def _facts(picked: Picked, document: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, str]]:
    design = picked.design
    figures = [f"{name} {shown_figure(name, value)}" for name, value in design.objectives.items()]
    yield "figures", ", ".join(figures)
    for number, group in enumerate(design.groups, 1):
        yield "groups" if number == 1 else "", f"{number}: {_group(group)}"
    for word, parts in (document["breakdown"] or {}).items():
        yield word.replace("_", " "), _shares(parts)
    if steps := steps_text(design):
        yield "steps", steps
    files = [str(folder / name) for name in (PICKED, document["aol"]) if name]
    yield "written", ", ".join(files)


def _group(group: GroupRecord) -> str:
    """Units, then X_out of each processor or the mapping."""
    units = [f"{processor.task} x {processor.units}" for processor in group.processors]
    if group.mapping is None:
        blocks = (f"X_out {processor.block_data:,}" for processor in group.processors)
        return ", ".join(f"{text}, {block}" for text, block in zip(units, blocks, strict=True))
    shape, scan = group.mapping.blocks.shape, group.mapping.blocks.scan
    blocks_text = f"{'x'.join(map(str, shape)) or '1'} in the order {scan or 'of one'}"
    cycles = f"{group.mapping.latency_cycles:,} cycles in {group.mapping.steps:,} steps"
    return f"{', '.join(units)}; blocks {blocks_text}; {cycles}"


def _shares(parts: Mapping[str, int]) -> str:
    whole = sum(parts.values())
    ranked = sorted(parts.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {amount:,} ({amount / whole:.0%})" for name, amount in ranked if amount) or "none"
