"""Studies that name tasks with parameters: a definition means all its copies, one with values that copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.language.parameters.copies import component_name, copies_of
from dse.space.study import Study


def for_copies(study: Study, spec: Spec, network: Network) -> Study:
    """The study with the processes of a network in the place of what names copies; other names stay as they are.

    What names a copy wins over what names its definition.
    """
    if not spec.copies:
        return study
    named = _Named(spec, network)
    settings = {name: getattr(study, name) for name in study.model_fields_set}
    for key in ("blocks", "outer_blocks", "cuts", "intervals"):
        if isinstance(table := getattr(study, key), Mapping):
            settings[key] = named.table(table)
    if study.fusions != "all":
        settings["fusions"] = tuple(
            tuple(tuple(process for task in group for process in named.processes(task)) for group in fusion)
            for fusion in study.fusions
        )
    return study.model_copy(update=settings)


class _Named:
    def __init__(self, spec: Spec, network: Network) -> None:
        self.spec = spec
        self.network = network

    def table(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """A table by tasks as one by processes."""
        filled: dict[str, Any] = {}
        of_definitions = [key for key in table if key not in self.network.processes and not self._is_copy(key)]
        for key in (*(key for key in table if key not in of_definitions), *of_definitions):
            for process in self.processes(key):
                if process == key or process not in {*table, *filled}:
                    filled[process] = table[key]
        return filled

    def processes(self, name: str) -> tuple[str, ...]:
        """The processes that a name means; the name itself where there is none."""
        return (name,) if name in self.network.processes else tuple(self._meant(name)) or (name,)

    def _is_copy(self, name: str) -> bool:
        return component_name(self.spec, name.partition("@")[0]) is not None

    def _meant(self, name: str) -> Iterator[str]:
        task, _, result = name.partition("@")
        component = component_name(self.spec, task)
        tasks = copies_of(self.spec, task) if component is None else (component,)
        for process in self.network.processes.values():
            if process.task in tasks and (not result or process.name.partition("@")[2] == result):
                yield process.name
