"""What the checks say about the tasks that are shown. A picture is drawn all the same: it is there to find mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from arrayol.checks.bodies import check_body
from arrayol.checks.check import check_tilers
from arrayol.checks.delays import check_delays
from arrayol.checks.pipeline import sound
from arrayol.errors import Diagnostic, Severity
from arrayol.ir.network import Network
from arrayol.ir.spec import Elementary, RepetitiveTask, Spec
from arrayol.language.loader import Settings, load
from arrayol.language.signatures import Signature
from arrayol.pictures.text_graph import reachable, repeated_task

Findings = dict[str, tuple[Diagnostic, ...]]  # by component, those without a mistake left out


def load_to_show(path: Path, settings: Settings | None = None) -> Spec:
    """A specification that can be resolved, and is checked no further. Raises ArrayolError with every mistake else."""
    loaded = load(path, settings)
    return (sound(loaded) if _errors(loaded.diagnostics) else loaded).spec


def find_in_task(spec: Spec, task: RepetitiveTask) -> Findings:
    """The mistakes of a repetitive task's tilers and delays."""
    callee = spec.components[task.callee]
    found = _errors([*check_tilers(task, Signature(callee.inputs, callee.outputs)), *check_delays(task)])
    return {task.name: found} if found else {}


def find_in_graph(spec: Spec, top: str) -> Findings:
    """The mistakes of a component and of all that it calls."""
    findings: Findings = {}
    for name in reachable(spec, top):
        component = spec.components[name]
        if isinstance(component, Elementary):
            found = _errors(check_body(component))
            findings |= {name: found} if found else {}
        elif isinstance(component, RepetitiveTask):
            findings |= find_in_task(spec, component)
    return findings


def by_process(spec: Spec, network: Network, findings: Findings) -> dict[str, tuple[str, ...]]:
    """Codes of what is wrong with each process: with its task, its elementary, or inside the task that it repeats."""
    codes: dict[str, tuple[str, ...]] = {}
    for name, process in network.processes.items():
        inner = repeated_task(process) or process.elementary
        parts = dict.fromkeys((process.task, *reachable(spec, inner)))
        codes[name] = tuple(
            dict.fromkeys(_code(process.task, part, one) for part in parts for one in findings.get(part, ()))
        )
    return codes


def _code(task: str, part: str, found: Diagnostic) -> str:
    return found.code if part == task else f"{found.code} in {part}"


def _errors(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(one for one in found if one.severity is Severity.ERROR)
