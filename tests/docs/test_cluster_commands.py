"""The commands that start a cluster: docs/explore.md and the hint agree, and dask knows what they say."""

from __future__ import annotations

from pathlib import Path

from manual import blocks

ROOT = Path(__file__).resolve().parents[2]
WORKER = "dask worker tcp://HOST:8786 --nworkers -1 --nthreads 1"


def test_the_page_shows_both() -> None:
    (shown,) = (block.text for block in blocks("explore.md", "console") if "dask" in block.text)
    assert shown == f"$ dask scheduler\n$ {WORKER}\n"


def test_the_hint_is_the_same() -> None:
    text = (ROOT / "dse" / "jobs" / "cluster.py").read_text(encoding="utf-8")
    assert WORKER.replace("tcp://HOST:8786", "{address}") in text


def test_dask_takes_them() -> None:
    """Minus one is a worker for each core; `auto` would have fewer with several threads."""
    from distributed.cli import dask_scheduler, dask_worker  # noqa: PLC0415  they take long to load

    assert dask_scheduler.main.make_context("dask scheduler", []).params["port"] is None
    found = dask_worker.main.make_context("dask worker", WORKER.split()[2:]).params
    assert (found["scheduler"], found["n_workers"], found["nthreads"]) == ("tcp://HOST:8786", "-1", 1)
