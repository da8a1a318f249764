"""Cost model evaluations a second of zigzag-dse on its shipped AlexNet and TPU-like accelerator; see machine.py.

Runs in an environment of its own, which has zigzag-dse and six, and prints a line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
logging.disable(logging.CRITICAL)

from importlib.metadata import version  # noqa: E402

import zigzag  # noqa: E402
from zigzag.api import get_hardware_performance_zigzag  # noqa: E402
from zigzag.stages.evaluation import cost_model_evaluation  # noqa: E402

INPUTS = Path(zigzag.__file__).parent / "inputs"


class EnoughError(Exception):
    """The time is up."""


class _Counter:
    """Stands in for the cost model and counts what it evaluates."""

    def __init__(self, seconds: float) -> None:
        self.model = cost_model_evaluation.CostModelEvaluation
        self.seconds = seconds
        self.count = 0
        self.began = time.process_time()

    def __call__(self, *arguments: object, **options: object) -> object:
        if time.process_time() - self.began > self.seconds:
            raise EnoughError
        self.count += 1
        return self.model(*arguments, **options)


def main(seconds: float) -> None:
    """Evaluate mappings for so many seconds of processor time."""
    counter = _Counter(seconds)
    cost_model_evaluation.CostModelEvaluation = counter
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(EnoughError):
        get_hardware_performance_zigzag(
            workload=str(INPUTS / "workload" / "alexnet.onnx"),
            accelerator=str(INPUTS / "hardware" / "tpu_like.yaml"),
            mapping=str(INPUTS / "mapping" / "tpu_like.yaml"),
            dump_folder=folder,
            loma_show_progress_bar=False,
        )
    spent = time.process_time() - counter.began
    found = {"evaluated": counter.count, "seconds": spent, "version": version("zigzag-dse")}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(float(sys.argv[1]))
