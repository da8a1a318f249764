"""Values that several tests need and one run of pytest computes once, in whichever of its processes comes first."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_FOLDER = "ARRAYOL_TESTS_SHARED"  # environment variable: the folder of the values, for the processes of `-n`


def open_shared_folder(config: Any) -> None:
    """Make the folder of this run's values, in the process that starts the others; gone when it ends."""
    if not hasattr(config, "workerinput"):
        os.environ[_FOLDER] = folder = tempfile.mkdtemp(prefix="arrayol-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def once_a_run(compute: Callable[P, T]) -> Callable[P, T]:
    """Call a function once for each choice of its arguments, which `repr` must tell apart; others get a pickled copy.

    A copy is read once in each process. What the function raises is raised in the process that called it.
    """
    known: dict[str, T] = {}

    @wraps(compute)
    def shared(*args: P.args, **kwargs: P.kwargs) -> T:
        key = f"{compute.__module__}.{compute.__qualname__}{args!r}{sorted(kwargs.items())!r}"
        if key not in known:
            known[key] = _read_or_write(key, lambda: compute(*args, **kwargs))
        return known[key]

    return shared


def _read_or_write(key: str, compute: Callable[[], T]) -> T:
    path = Path(os.environ[_FOLDER]) / hashlib.sha256(key.encode()).hexdigest()
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            value: T = pickle.loads(path.read_bytes())
            return value
        value = compute()
        path.write_bytes(pickle.dumps(value))
        return value
