"""`arrayol lsp`: the language server, for editors to start."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import click

from arrayol.errors import error


@click.command()
def command() -> None:
    """Serve an editor by the Language Server Protocol, on standard input and output.

    The editor starts and ends this command. It needs the extra `lsp`: pip install 'arrayol[lsp]'.
    """
    if find_spec("pygls") is None:
        raise error("no-language-server", "'pygls' is not there", hint="pip install 'arrayol[lsp]'")
    from arrayol.lsp.server import make_server  # noqa: PLC0415  pygls need not be there

    # It closes its streams when the editor leaves; those of the process are flushed after that.
    stdin, stdout = os.fdopen(os.dup(sys.stdin.fileno()), "rb"), os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    make_server().start_io(stdin, stdout)
