"""The plugin of pytest under which mutants run: the same cases each time, bounded memory, and the copy's packages."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from hypothesis import Phase, settings

MAXIMUM_BYTES = 4 << 30  # without a rule about sizes, a test may ask for any amount

settings.register_profile(
    "mutants", derandomize=True, database=None, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
settings.load_profile("mutants")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to test any packages but those beside the tests."""
    resource.setrlimit(resource.RLIMIT_AS, (MAXIMUM_BYTES, MAXIMUM_BYTES))
    import arrayol  # noqa: PLC0415  after pytest has set its paths
    import dse  # noqa: PLC0415
    import hwmodel  # noqa: PLC0415

    for package in (arrayol, dse, hwmodel):
        if Path(package.__file__ or "").resolve().parents[1] != config.rootpath.resolve():
            raise pytest.UsageError(f"{package.__file__} is not in {config.rootpath}")
