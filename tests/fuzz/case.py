"""A case of the fuzz test: files, what is run on them, and what is wrong with the outcome."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from arrayol.cli.commands import cli

Files = dict[str, bytes]
Command = tuple[str, ...]


def command_of(words: Sequence[str]) -> click.Command | None:
    """The command that a line names; of a group its first one."""
    command = cli.get_command(click.Context(cli), words[0])
    return next(iter(command.commands.values())) if isinstance(command, click.Group) else command


@dataclass(frozen=True)
class Case:
    """`files` by their names, and the command lines that run one after another where they lie.

    `reprinted` names a specification that must check, reprint and compute the same. Without `pictures` nothing is drawn
    into files of explorations, which would be most of their time.
    """

    files: Files
    commands: tuple[Command, ...] = ()
    reprinted: str | None = None
    pictures: bool = True

    def to_json(self) -> str:
        """ASCII, and the same bytes again: those that are no UTF-8 are lone surrogates."""
        document = {
            "commands": [list(command) for command in self.commands],
            "reprinted": self.reprinted,
            "pictures": self.pictures,
            "files": {name: data.decode("utf-8", "surrogateescape") for name, data in self.files.items()},
        }
        return json.dumps(document, indent=2) + "\n"

    def __str__(self) -> str:
        """What a developer reads: each file, then the commands as a shell takes them."""
        texts = [f"--- {name}\n{data.decode('utf-8', 'backslashreplace')}" for name, data in self.files.items()]
        commands = [f"$ {shlex.join(['arrayol', *command])}" for command in self.commands]
        return "\n".join([*texts, "---", *commands])


def read_case(path: Path) -> Case:
    """A case that `to_json` wrote."""
    document = json.loads(path.read_text(encoding="utf-8"))
    files = {name: text.encode("utf-8", "surrogateescape") for name, text in document["files"].items()}
    return Case(files, tuple(map(tuple, document["commands"])), document["reprinted"], document["pictures"])


@dataclass(frozen=True)
class Outcome:
    """What became of a case: what is `wrong` (None: nothing), and the work that its dearest command took."""

    wrong: str | None
    seconds: float = 0.0
    dearest: Command = ()
    codes: tuple[int, ...] = ()

    @property
    def sort(self) -> str:
        """The first line of what is wrong: the same for inputs that fail alike."""
        return (self.wrong or "").partition("\n")[0]
