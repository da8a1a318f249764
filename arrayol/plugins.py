"""Plug-ins: what other distributions add by entry points, loaded when it is named (docs/plugins.md).

Names of what is installed are read from metadata alone. A plug-in that cannot be loaded, or is not what its group asks
for, stops only who asks for it, and the message names the distribution that it is from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points
from typing import Any

from arrayol.errors import ArrayolError, error, shown_exception
from arrayol.source import Span

OBJECTIVES, COST_MODELS = "arrayol.objectives", "arrayol.cost_models"
TECHNOLOGIES, METHODS = "arrayol.technologies", "arrayol.methods"
KINDS = {OBJECTIVES: "objective", COST_MODELS: "cost model", TECHNOLOGIES: "technology", METHODS: "method"}


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """What is installed of a group, by name; of two of one name the first, by distribution."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(_entry_points(group), key=lambda one: (one.name, distribution_of(one))):
        found.setdefault(entry.name, entry)
    return found


def plugin(group: str, name: str, is_right: Callable[[Any], bool], asked: str, span: Span | None = None) -> Any:
    """The object behind a name that is installed.

    Raises ArrayolError (`broken-plugin`) where it cannot be loaded, or is not what is `asked` for; `span` is where it
    is named.
    """
    entry = installed(group)[name]
    with blamed(group, name, span=span):
        loaded = entry.load()
        right = is_right(loaded)
    if not right:
        raise broken(group, name, f"'{entry.value}' is no {asked}", span)
    return loaded


@contextmanager
def blamed(group: str, name: str, where: str = "", span: Span | None = None) -> Iterator[None]:
    """A block of a plug-in's code: whatever it raises, exit included, becomes an error of it, `where` first.

    Errors of arrayol's own pass, and so do interrupts and the want of memory. Raises ArrayolError (`broken-plugin`).
    """
    try:
        yield
    except (ArrayolError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as raised:
        raise broken(group, name, f"{where}{shown_exception(raised)}", span) from raised


def broken(group: str, name: str, why: str, span: Span | None = None) -> ArrayolError:
    """The error for a plug-in that does not do what it should."""
    owner = distribution_of(installed(group)[name])
    message = f"the {KINDS[group]} '{name}' of {owner} cannot be used: {why}"
    hint = f"fix it as docs/plugins.md says, or remove it: pip uninstall {owner.partition(' ')[0]}"
    return error("broken-plugin", message, span, hint=hint)


def _entry_points(group: str) -> Iterable[EntryPoint]:
    """Entry points of a group, without those of distributions whose metadata cannot be read."""
    try:
        return entry_points(group=group)
    except Exception:  # of one distribution, whose fault must not stop who does not use it
        return [entry for one in distributions() for entry in _entry_points_of(one) if entry.group == group]


def _entry_points_of(distribution: Distribution) -> Iterable[EntryPoint]:
    try:
        return distribution.entry_points
    except Exception:
        return ()


def distribution_of(entry: EntryPoint) -> str:
    """The distribution of an entry point and its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an unknown distribution"


def plugin_versions() -> dict[str, str]:
    """All plug-ins, and what each is from: finished work counts for these alone."""
    return {
        f"{group}:{name}": f"{entry.value} {distribution_of(entry)}"
        for group in KINDS
        for name, entry in installed(group).items()
    }
