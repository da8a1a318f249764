"""The table of commands, and a click group that loads a command's module only when it is run or asked for its help."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from io import StringIO
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem, shell_complete

from arrayol import __version__
from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.packages import refuse_hidden_packages
from arrayol.source import visible
from arrayol.text import listed

# A command whose help lists its options by what one wants, not in one long table.


NAMES_WIDTH = 25  # columns for the names of options; a longer name stands on a line of its own
REMAINDER = "Other"


class SectionedCommand(click.Command):
    """A click command with its options in titled sections.

    `sections` gives for each title the parameters, by the names that the function takes them by. Options that no
    section names, among them `--help`, are listed last under REMAINDER.
    """

    def __init__(self, *args: Any, sections: Mapping[str, tuple[str, ...]], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section as a table of options, in the order of `sections`."""
        options = {option.name: option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        titles = {name: title for title, names in self.sections.items() for name in names}
        for title in (*self.sections, REMAINDER):
            names = self.sections.get(title, tuple(name for name in options if name not in titles))
            records = [options[name].get_help_record(ctx) for name in names]
            with formatter.section(title):
                formatter.write_dl([record for record in records if record], col_max=NAMES_WIDTH)


SHELLS = ("bash", "zsh", "fish")

# Name -> the module that holds it, as a click command named `command`, and its line in the help.
COMMANDS = {
    "check": ("arrayol.cli.commands.check", "Report every mistake in a specification."),
    "fmt": ("arrayol.cli.commands.fmt", "Put a specification into canonical form."),
    "export": ("arrayol.cli.commands.export", "Write a specification as JSON, or JSON as text."),
    "import": ("arrayol.cli.commands.import_c", "Turn affine loop nests of a C file into a specification."),
    "lsp": ("arrayol.cli.commands.lsp", "Serve an editor by the Language Server Protocol."),
    "show": ("arrayol.cli.commands.show", "Draw the task graph, or the tilers of a task."),
    "run": ("arrayol.cli.commands.run", "Execute a specification on images and arrays."),
    "transform": (
        "arrayol.cli.commands.transform",
        "Fuse, pave, tile, collapse, split or inline tasks.",
    ),
    "cost": ("arrayol.cli.commands.cost", "Derive the cost of elementary tasks in cycles, logic and energy."),
    "explore": ("arrayol.cli.commands.explore", "Search for the best hardware designs; show the Pareto front."),
    "simulate": ("arrayol.cli.commands.simulate", "Run a design of a result on the simulated machine, word by word."),
    "emit": ("arrayol.cli.commands.emit", "Write a design of a result as hardware, in Verilog or C++."),
    "synth": ("arrayol.cli.commands.synth", "Synthesise an emitted design for an FPGA and compare costs."),
    "calibrate": ("arrayol.cli.commands.calibrate", "Fit the cost of control logic to synthesised designs."),
    "layout": ("arrayol.cli.commands.layout", "Find which memory bank holds which element of a nest's arrays."),
    "transfers": ("arrayol.cli.commands.transfers", "Find what each tile of a loop nest loads and stores."),
    "report": ("arrayol.cli.commands.report", "Write a result as one HTML file to look through."),
    "compare": ("arrayol.cli.commands.compare", "Compare the Pareto fronts of two results."),
    "schema": ("arrayol.cli.commands.schema", "Write the JSON Schema of a kind of file, for editors."),
    "completion": ("arrayol.cli.shell", "Print the script with which a shell completes command lines."),
    "example": ("arrayol.cli.commands.example", "Write a shipped specification and its platform into this folder."),
}


class LazyGroup(click.Group):
    """The commands of the table; help lists them without loading one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table, which is the order of work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command's module; None for an unknown name. Raises ArrayolError (`hidden-package`)."""
        if cmd_name not in COMMANDS:
            return None
        refuse_hidden_packages()
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a hint for a misspelt name."""
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            _refuse_unknown(ctx, args[0])
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of the commands with their lines, from the table alone, and the options."""
        named = [CompletionItem(name, help=line) for name, (_, line) in COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _refuse_unknown(ctx: click.Context, name: str) -> NoReturn:
    if name.endswith((".aol", ".json")):
        raise click.UsageError(f"'{name}' is a file; a command comes first, as in arrayol check {name}", ctx)
    near = get_close_matches(name, COMMANDS, n=1)
    rest = f"Did you mean '{near[0]}'?" if near else f"The commands are {', '.join(COMMANDS)}."
    raise click.UsageError(f"No such command '{name}'. {rest}", ctx)


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["--help", "-h"]})
@click.version_option(__version__, message="arrayol %(version)s")
def cli() -> None:
    """Check, execute and map Array-OL specifications (.aol files) on hardware.

    Exit codes: 0 fine, 1 an input is wrong or a step is refused, 2 wrong usage, 3 no feasible design,
    130 interrupted.
    """


COMPLETE_VARIABLE = "_ARRAYOL_COMPLETE"  # a shell sets it: bash_source for its script, bash_complete for each Tab


def _complete(instruction: str) -> int:
    """What a shell asks for: its script, or what the words of a line can go on with.

    Raises ArrayolError (`unknown-shell`) for another shell. Where a line is not understood there is nothing to say.
    """
    shell, _, what = instruction.partition("_")
    if shell not in SHELLS or what not in {"source", "complete"}:
        hint = f"set {COMPLETE_VARIABLE} to {listed([f'{known}_source' for known in SHELLS], 'or')}"
        raise error("unknown-shell", f"there is no completion '{instruction}'", hint=hint)
    if what == "source":
        return shell_complete(cli, {}, "arrayol", COMPLETE_VARIABLE, instruction)
    with suppress(Exception):  # whatever it is, a message would only spoil the line
        return shell_complete(cli, {}, "arrayol", COMPLETE_VARIABLE, instruction)
    return 1


class WrongUsageError(ArrayolError):
    """A command line that cannot be meant, told as click tells it."""

    def __init__(self, wrong: click.ClickException) -> None:
        ctx = wrong.ctx if isinstance(wrong, click.UsageError) else None
        hint = f"Try '{ctx.command_path} --help' for help." if ctx else None
        super().__init__([Diagnostic("usage", visible(wrong.format_message()), hint=hint)])
        text = StringIO()
        wrong.show(text)
        self.args = ("\n".join(map(visible, text.getvalue().rstrip("\n").split("\n"))),)
        self.exit_code = wrong.exit_code


def invoke(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Raises WrongUsageError; all other errors pass through.

    click's own `main` would print its own words for an interrupt, so it is not used.
    """
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        return _complete(instruction)
    try:
        with cli.make_context("arrayol", list(arguments)) as ctx:
            cli.invoke(ctx)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as wrong:
        raise WrongUsageError(wrong) from None
    return 0
