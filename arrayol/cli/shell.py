"""`arrayol completion`: the script by which a shell completes command lines."""

from __future__ import annotations

import click

from arrayol.cli.command_table import COMPLETE_VARIABLE, SHELLS


@click.command(
    epilog="""\b
In ~/.bashrc:    eval "$(arrayol completion bash)"
In ~/.zshrc:     eval "$(arrayol completion zsh)"
For fish, once:  arrayol completion fish > ~/.config/fish/completions/arrayol.fish"""
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes commands, options, their choices, files and names of tasks."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  what a Tab needs, and nothing else

    kind = get_completion_class(shell)
    assert kind is not None, "click has these three"
    click.echo(kind(ctx.find_root().command, {}, "arrayol", COMPLETE_VARIABLE).source(), nl=False)
