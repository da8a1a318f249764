"""Specifications from texts."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from arrayol.checks.check import load_checked
from arrayol.errors import Severity
from arrayol.ir.spec import Spec
from arrayol.language.loader import load


def spec_of(text: str) -> Spec:
    """The checked specification of a text, which messages call t.aol."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path("t.aol").write_text(text)
        return load_checked(Path("t.aol"))


def unchecked_spec_of(text: str) -> Spec:
    """The same without the checks, so that what they foresee is left to the execution."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path("t.aol").write_text(text)
        loaded = load(Path("t.aol"))
    assert all(found.severity is Severity.WARNING for found in loaded.diagnostics)
    return loaded.spec
