"""A command whose help lists its options by what one wants, not in one long table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

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
