"""Arguments and options that several commands share.

A shell may complete their values. Files may be half written while it asks: what can be read of them counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from arrayol.checks.top import idle_settings
from arrayol.errors import ArrayolError, Diagnostic, render
from arrayol.ir import syntax
from arrayol.ir.spec import Spec
from arrayol.language.namespace import gather, read_source
from arrayol.language.syntax.diagnose import Mistakes
from arrayol.text import listed

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


FORMATS = (".svg", ".png")  # of pictures
_SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(\S.*?)\s*", re.DOTALL)


def _settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE pairs as a mapping of texts; the loader reads the values as the language does.

    Raises BadParameter for one that is malformed, and for a NAME given twice.
    """
    settings: dict[str, str] = {}
    for text in values:
        parts = _SETTING.fullmatch(text)
        if parts is None:
            raise click.BadParameter(f"'{text}' is not NAME=VALUE, as in W=640 or A=0.5.", ctx, param)
        if parts[1] in settings:
            raise click.BadParameter(f"'{parts[1]}' is given twice.", ctx, param)
        settings[parts[1]] = parts[2]
    return settings


class _Place(click.Path):
    """The path of a file or folder.

    What is missing is reported by who reads it; click only sees that there is a name.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("the name is empty.", param, ctx)
        return super().convert(value, param, ctx)


PLACE = _Place(path_type=Path)

spec_argument = click.argument("spec", metavar="FILE", type=PLACE)

set_option = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_settings,
    help="Give a const another value, or a const array another .npy file. What depends on it follows. Repeatable.",
)

top_option = click.option(
    "--top",
    metavar="NAME",
    shell_complete=task_names,
    help="The top task; needed if there are several tasks that no other task calls.",
)

platform_option = click.option(
    "--platform",
    metavar="P",
    type=PLACE,
    help="The platform, a TOML file.  [default: FILE with the suffix .toml, or else the shipped platform]",
)

device_option = click.option(
    "--device",
    metavar="D",
    help="The device that designs have to fit, as LFE5U-45F; 'none' for any size.  [default: the platform's]",
)

result_option = click.option(
    "--result",
    metavar="DIR",
    type=PLACE,
    shell_complete=folders,
    required=True,
    help="The folder that `arrayol explore` wrote. Platform and consts come from it.",
)

verbose_option = click.option("--verbose", is_flag=True, help="Print all that is known, not only the first figures.")

json_option = click.option("--json", "as_json", is_flag=True, help="Print only a JSON document on stdout.")


def warn(warning: Diagnostic) -> None:
    """Warn on stderr of an input that has mistakes but is used all the same."""
    click.echo(render(warning), err=True)


def tell(remarks: Iterable[str]) -> None:
    """Tell remarks on stderr: what was assumed, or a user should know besides."""
    for remark in remarks:
        click.echo(f"remark: {remark}", err=True)


def warn_of_idle(spec: Spec, top: str | None = None) -> None:
    """Tell on stderr which settings change nothing of a task, or of the whole specification."""
    for warning in idle_settings(spec, top):
        warn(warning)


# The option that names a picture to write.


def picture_option(name: str, text: str, formats: tuple[str, ...] = FORMATS) -> Callable[[Any], Any]:
    """An option for a picture, a path whose suffix is one of the formats, with its line in the help."""

    def checked(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() not in formats:
            raise click.BadParameter(f"'{path}' does not end in {listed(formats, 'or')}.", ctx, param)
        return path

    return click.option(name, metavar="PICTURE", type=PLACE, callback=checked, help=text)
