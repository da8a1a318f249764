"""A case of the fuzz test: files, what is run on them, and what is wrong with the outcome."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from arrayol.cli.command_table import cli

Files = dict[str, bytes]
Command = tuple[str, ...]


def _folder(path: Path) -> None:
    path.mkdir()


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _huge(path: Path) -> None:
    """A file of 2 TiB that takes no room."""
    path.touch()
    os.truncate(path, 1 << 41)


# What may stand where a file is expected, by name. None of them is read in the test but by the program.
SPECIAL: Mapping[str, Callable[[Path], None]] = {
    "folder": _folder,
    "pipe": os.mkfifo,  # which nobody writes to: who waits for it, waits for ever
    "socket": _socket,
    "huge": _huge,
    "empty": Path.touch,
    "loop": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("not-there"),
    "zeros": lambda path: path.symlink_to("/dev/zero"),  # the guard bounds what is read of it
    "above": lambda path: path.symlink_to(".."),
}


def made(path: Path, kind: str) -> None:
    """Put something else in the place of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    SPECIAL[kind](path)


def command_of(words: Sequence[str]) -> click.Command | None:
    """The command that a line names; of a group its first one."""
    command = cli.get_command(click.Context(cli), words[0])
    return next(iter(command.commands.values())) if isinstance(command, click.Group) else command


@dataclass(frozen=True)
class Case:
    """`files` by their names, and the command lines that run one after another where they lie.

    `special` are names of what is no plain file, each with its kind, one of `SPECIAL`. `reprinted` names a
    specification that must check, reprint and compute the same. Without `pictures` nothing is drawn into files of
    explorations, which would be most of their time.
    """

    files: Files
    commands: tuple[Command, ...] = ()
    reprinted: str | None = None
    pictures: bool = True
    special: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """ASCII, and the same bytes again: those that are no UTF-8 are lone surrogates."""
        document = {
            "commands": [list(command) for command in self.commands],
            "reprinted": self.reprinted,
            "pictures": self.pictures,
            "special": dict(self.special),
            "files": {name: data.decode("utf-8", "surrogateescape") for name, data in self.files.items()},
        }
        return json.dumps(document, indent=2) + "\n"

    def __str__(self) -> str:
        """What a developer reads: each file, then the commands as a shell takes them."""
        texts = [f"--- {name}: {kind}" for name, kind in self.special.items()]
        texts += [f"--- {name}\n{data.decode('utf-8', 'backslashreplace')}" for name, data in self.files.items()]
        commands = [f"$ {shlex.join(['arrayol', *command])}" for command in self.commands]
        return "\n".join([*texts, "---", *commands])


def read_case(path: Path) -> Case:
    """A case that `to_json` wrote."""
    document = json.loads(path.read_text(encoding="utf-8"))
    files = {name: text.encode("utf-8", "surrogateescape") for name, text in document["files"].items()}
    return Case(
        files,
        tuple(map(tuple, document["commands"])),
        document["reprinted"],
        document["pictures"],
        document.get("special", {}),
    )


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
