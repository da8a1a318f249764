"""What the simulator stops with."""

from __future__ import annotations

from arrayol.errors import ArrayolError, Diagnostic


class SimulatorError(ArrayolError):
    """The simulated machine cannot run the design: `fault` names the rule it breaks."""

    def __init__(self, rule: str, message: str) -> None:
        self.rule = rule
        super().__init__(
            [Diagnostic(f"simulation-{rule}", message, hint="the design does not fit its memories or plan")]
        )


def fault(rule: str, message: str) -> SimulatorError:
    """An error of a rule: plan, read-before-write, overflow, overwrite, fifo-order, deadlock, never-stored."""
    return SimulatorError(rule, message)
