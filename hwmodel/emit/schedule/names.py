"""Names of a network in hardware: letters, digits and underscores, and a `$`, which no name of a specification has."""

from __future__ import annotations

import re


def plain(name: str) -> str:
    """A name with a `$` for each character that tools do not take, as in the names of calls: "t2@y" is "t2$y"."""
    return re.sub(r"\W", "$", name)
