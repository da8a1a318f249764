"""What front ends other than Icarus say of the modules of an emitted folder."""

from __future__ import annotations

from pathlib import Path

from pyslang import DiagnosticEngine, DiagnosticSeverity
from pyslang.driver import Driver

# The sum of two numbers is a bit longer than they are, and what takes it is as long as they are.
SLANG_WARNINGS = ("-Wextra", "-Wno-width-trunc")


def slang_says(folder: Path) -> list[str]:
    """The first lines of slang's errors and warnings; modules without an instance are tops."""
    driver = Driver()
    driver.addStandardArgs()
    sources = sorted(str(path) for path in (folder / "rtl").glob("*.v"))
    assert driver.parseCommandLine(" ".join(["slang", *SLANG_WARNINGS, *sources]))
    assert driver.processOptions()
    parsed = driver.parseAllSources()
    compilation = driver.createCompilation()
    found = [*compilation.getAllDiagnostics(), *driver.runAnalysis(compilation).getDiagnostics()]
    engine, manager = driver.diagEngine, driver.sourceManager
    seen = [one for one in found if engine.getSeverity(one.code, one.location) != DiagnosticSeverity.Ignored]
    assert parsed or seen, "slang reads no file"
    return [_message(DiagnosticEngine.reportAll(manager, [one])) for one in seen]


def _message(text: str) -> str:
    """The first line that is not about the instance."""
    return next(line for line in text.splitlines() if not line.startswith("  in instance"))
