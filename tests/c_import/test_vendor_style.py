"""Kernels as benchmarks and vision libraries have them, written anew, imported as they are, and compared with gcc.

The golden file says what each became. Their comments `// name in low..high` are the range of a parameter's data.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from beside_gcc import Arrays, compiled, first_difference
from many_cases import draws_all_cases

from arrayol.c_import.import_c import Imported, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

FOLDER = Path(__file__).parent / "vendor_style"
GOLDEN = Path(__file__).parent.parent / "golden" / "import-vendor-style.txt"
LEAST_SHARE = 0.9  # of the kernels that must be read
SHARE = 3

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value", "ignore:divide by zero")
def test_kernels(request: pytest.FixtureRequest, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    """All of them at night, each third by day."""
    rows: dict[str, str] = {}
    different: dict[str, str] = {}
    paths = sorted(FOLDER.glob("*.c"))
    for path in paths if draws_all_cases() or request.config.getoption("--update-golden") else paths[::SHARE]:
        text = path.read_text(encoding="utf-8")
        try:
            imported = import_source(SourceFile(path.name, text))
        except ArrayolError as refused:
            rows[path.stem] = f"refused: {refused.diagnostics[0].message}"
            continue
        rows[path.stem] = imported.summary()[0].removeprefix("stages: ")
        (tmp_path / path.stem).mkdir()
        name = list(imported.spec.tasks)[-1]
        library = compiled(text, tmp_path / path.stem)
        states: Arrays = {"shift_reg": np.zeros(11, "i4")} if path.stem == "fir_shift" else {}
        difference = first_difference(library, name, imported, _data(imported, name, text), states)
        if difference is not None:
            different[path.stem] = difference
    assert different == {}
    if len(rows) == len(paths):
        assert sum(not row.startswith("refused") for row in rows.values()) >= LEAST_SHARE * len(rows)
        golden(GOLDEN, "".join(f"{name}: {row}\n" for name, row in rows.items()))
    assert {f"{name}: {row}" for name, row in rows.items()} <= {*GOLDEN.read_text(encoding="utf-8").splitlines()}


def _data(imported: Imported, name: str, text: str) -> Arrays:
    """Data for the parameters of a function, in their order."""
    ranges = {
        found[1]: (int(found[2]), int(found[3])) for found in re.finditer(r"// (\w+) in (-?\d+)\.\.(-?\d+)", text)
    }
    plain = re.sub(r"\[[^\]]*\]", "[]", text)
    head = re.search(rf"\b{name}\s*\(([^)]*)\)", plain[plain.rindex(f" {name}(") :])
    assert head is not None
    task, rng, data = imported.spec.tasks[name], np.random.default_rng(3), Arrays()
    ports = {imported.outputs[port.name]: port for port in task.outputs}
    ports |= {imported.inputs[port.name]: port for port in task.inputs if port.name in imported.inputs}
    for parameter in head[1].split(","):
        key = re.findall(r"[A-Za-z_]\w*", parameter)[-1]
        port = ports.get(key)
        if port is None:  # the function does not use it
            data[key] = np.array(3, "i4") if "[" not in parameter else np.zeros(4096, "i8")
            continue
        low, high = ranges.get(key, ranges.get("all", (0, 100)))
        kind = np.dtype(port.type.numpy_name)
        values = rng.uniform(low, high, port.shape) if kind.kind == "f" else rng.integers(low, high, port.shape)
        data[key] = np.asarray(values).astype(kind)
    return data
