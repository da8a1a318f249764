"""Errors as values: what they hold survives the way from a worker process."""

from __future__ import annotations

import copy
import pickle

import pytest

from arrayol.errors import ArrayolError, Diagnostic, InfeasibleError, Severity, error
from arrayol.source import SourceFile, Span
from dse.space.objectives import WrongObjectiveError
from hwmodel.simulator.schedule.plan import SimulatorError, fault

SOURCE = SourceFile("wrong.aol", "const N = 1\ntask t(x: i32[N]) -> (y: i32[N]) {}\n")
DIAGNOSTICS = (
    Diagnostic("unwritten", "'y' is never written", Span(SOURCE, 31, 40), hint="write it"),
    Diagnostic("unused", "'N' is not used", Span(SOURCE, 6, 7), severity=Severity.WARNING),
    Diagnostic("no-file", "there is no such file", file="a.aol"),
)


@pytest.mark.parametrize("kind", [ArrayolError, InfeasibleError, WrongObjectiveError])
def test_errors_survive_pickling(kind: type[ArrayolError]) -> None:
    given = kind(DIAGNOSTICS)
    given.add_note("of the second worker")
    for found in (pickle.loads(pickle.dumps(given)), copy.copy(given), pickle.loads(pickle.dumps(given, protocol=0))):
        assert type(found) is kind
        assert str(found) == str(given)
        assert str(found).startswith("a.aol: error[no-file]")
        assert found.diagnostics == given.diagnostics
        assert [one.span and one.span.place for one in found.diagnostics] == [
            None, ("wrong.aol", 1, 7), ("wrong.aol", 2, 20)
        ]  # fmt: skip
        assert found.exit_code == kind.exit_code
        assert found.__notes__ == ["of the second worker"]


def test_an_error_that_is_made_from_something_else_survives_too() -> None:
    found = pickle.loads(pickle.dumps(fault("overflow", "the buffer is full")))
    assert isinstance(found, SimulatorError)
    assert (found.rule, found.diagnostics[0].code) == ("overflow", "simulation-overflow")
    assert str(found) == str(fault("overflow", "the buffer is full"))


def test_one_diagnostic_survives() -> None:
    given = error("bad", "it is bad", hint="make it good")
    assert pickle.loads(pickle.dumps(given)).diagnostics == given.diagnostics
