"""Predicted seconds of the search's jobs beside those that they take, by kind of job.

    nice .venv/bin/python benchmarks/job_costs.py [CASE ...] [--budget 20] [--narrow] [--method exact]

CASE is a shipped specification or a graph of `graphs.py`. Each is searched in a process of its own. `predicted` and
`took` are processor seconds of all jobs of a kind, `median` and `worst` the quotients of single jobs that took a tenth
of a second or were thought to, `longest` the longest job. The constants of `dse/search/groups/job_cost.py` are chosen
so that these quotients are near 1, and no job takes much longer than it is thought to: the budget of the search in
rounds, and the choice of the exact search, stand on them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import defaultdict
from typing import Any

import numpy as np
from anytime import context_of
from chains import environment

from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.groups.jobs import GroupJob
from dse.search.rounds.search import search_in_rounds

CASES = ("lpsf", "harris", "conv3x3", "sobel", "stereo", "attention", "camera", "mobilenet", "flow", "downscaler")
HEADS = ("jobs", "predicted, s", "took, s", "ratio", "median", "worst", "longest, s")
LEAST = 0.1  # seconds of jobs whose quotients are looked at


def timed(name: str, asked: argparse.Namespace) -> None:
    """Search a case, and print a line for each kind of job."""
    taken = defaultdict[str, list[tuple[float, float]]](list)
    run = GroupJob.run

    def run_timed(job: GroupJob, context: SearchContext) -> Any:
        began = time.process_time()
        part = run(job, context)
        is_separable = context.space.model.is_separable(job.tasks)
        kind = type(job).__name__ + ("" if is_separable else ", no batch")
        taken[kind].append((job.cost, time.process_time() - began))
        return part

    GroupJob.run = run_timed  # type: ignore[method-assign]
    context, began = context_of(name, narrow=asked.narrow), time.process_time()
    if asked.method == "exact":
        search_exactly(context, SearchRequest(), JobRunner())
    else:
        search_in_rounds(context, SearchRequest(budget=asked.budget, has_budget=True), JobRunner())
    total = time.process_time() - began
    for kind, pairs in sorted(taken.items()):
        predicted, took = np.array(pairs).T
        sides = np.array([took[(predicted > LEAST) | (took > LEAST)], predicted[(predicted > LEAST) | (took > LEAST)]])
        ratios = sides[0] / sides[1] if sides.size else np.array([1.0])
        cells = (
            f"{len(pairs):,}",
            f"{predicted.sum():.1f}",
            f"{took.sum():.1f}",
            f"{took.sum() / predicted.sum():.2f}",
            f"{np.median(ratios):.2f}",
            f"{ratios.max():.2f}",
            f"{took.max():.1f}",
        )
        sys.stdout.write(f"{name:12}{kind:26}" + "".join(f"{cell:>14}" for cell in cells) + "\n")
    jobs = sum(took for pairs in taken.values() for _, took in pairs)
    sys.stdout.write(f"{name:12}{'all, beside jobs':26}{total:.1f} s, {total - jobs:.1f} s\n")


def main() -> int:
    """Each case in its own process."""
    parser = argparse.ArgumentParser(description="Predicted seconds of jobs beside those that they take")
    parser.add_argument("names", metavar="CASE", nargs="*", help="shipped specifications and graphs")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of predicted work in rounds")
    parser.add_argument("--narrow", action="store_true", help="plain designs only")
    parser.add_argument("--method", choices=("rounds", "exact"), default="rounds")
    parser.add_argument("--alone", action="store_true", help="one case, in this process")
    asked = parser.parse_args()
    if asked.alone:
        timed(asked.names[0], asked)
        return 0
    sys.stdout.write(f"{'':38}" + "".join(f"{head:>14}" for head in HEADS) + "\n")
    sys.stdout.flush()
    options = ["--budget", str(asked.budget), "--method", asked.method, *(["--narrow"] if asked.narrow else [])]
    for name in asked.names or CASES:
        subprocess.run([sys.executable, __file__, name, *options, "--alone"], check=True)
    sys.stdout.write(f"{environment()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
