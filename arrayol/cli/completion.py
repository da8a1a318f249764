"""What a shell may complete the values of arguments and options with, beside files and choices: see `commands`.

Files may be half written while one asks: what can be read of them counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from arrayol.errors import ArrayolError
from arrayol.ir import syntax
from arrayol.language.namespace import gather, read_source
from arrayol.language.syntax.diagnose import Mistakes

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A folder, which the shell knows."""
    return [CompletionItem(incomplete, type="dir")]


def task_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The tasks, then the elementaries, of the first specification that the line names, its imports included."""
    # click stops at an option that has no value yet: what comes after it is in `args`
    given = ctx.params.get("spec") or next(iter(ctx.params.get("specs") or ctx.args), None)
    if given is None:
        return []
    try:
        items = gather(read_source(Path(given)), Mistakes()).items
    except ArrayolError:
        return []
    kinds = (syntax.Task, syntax.Elementary)
    whole = [item for kind in kinds for item in items if isinstance(item, kind) and not item.parameters]
    names = [item.name.text for item in whole]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def choice_of(names: Sequence[str], *, several: bool = False) -> Completer:
    """One of these names, or `several` of them joined by commas, each once."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        former, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        left = [name for name in names if name not in former.split(",")]
        return [CompletionItem(f"{former}{comma}{name}") for name in left if name.startswith(last)]

    return complete
