"""NSGA-II by pymoo on integer genes; it loads only when asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Genes = NDArray[np.int64]  # of shape (designs, genes)


def evolve(
    most: Genes, objectives: int, first: Genes, resets: NDArray[np.float64], seed: int
) -> Iterator[GenerationJob]:
    """Ask for one generation after the other; each must be told its objectives and excess before the next is asked.

    Gene i lies in 0..most[i]. `first` is the population to start with, `resets` the share of mutations of each gene
    that go to 0. The same seed and answers give the same generations. Ends where no new designs can be made.
    """
    from pymoo.algorithms.moo.nsga2 import NSGA2  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.core.population import Population  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.core.problem import Problem  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.core.termination import NoTermination  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.operators.crossover.ux import UniformCrossover  # type: ignore[import-untyped]  # noqa: PLC0415

    from dse.search.heuristic.mutation import IntegerMutation  # noqa: PLC0415

    problem = Problem(
        n_var=len(most), n_obj=objectives, n_ieq_constr=1, xl=np.zeros(len(most), np.int64), xu=most, vtype=int
    )
    algorithm = NSGA2(
        pop_size=len(first),
        sampling=first,
        crossover=UniformCrossover(prob=0.9),
        mutation=IntegerMutation(resets, np.random.default_rng(seed)),
        eliminate_duplicates=True,
    )
    algorithm.setup(problem, termination=NoTermination(), seed=seed, verbose=False)
    while True:
        population = algorithm.ask()
        if population is None or not len(population):
            return
        asked = GenerationJob(np.asarray(population.get("X"), np.int64))
        yield asked
        population.set("F", asked.objectives)
        population.set("G", asked.excess[:, None])
        for individual in population:
            individual.evaluated.update({"F", "G"})
        algorithm.evaluator.n_eval += len(population)
        algorithm.tell(infills=Population.merge(population, _guests(asked)))


def _guests(asked: GenerationJob) -> Any:
    """Designs that join a generation, as pymoo's individuals."""
    from pymoo.core.population import Population  # noqa: PLC0415

    genes, objectives = asked.guests
    guests = Population.new(X=genes, F=objectives, G=np.zeros((len(genes), 1)))
    for guest in guests:
        guest.evaluated.update({"F", "G"})
    return guests


class GenerationJob:
    """One generation: its genes, and the answer to it, both with one row for each design."""

    def __init__(self, genes: Genes) -> None:
        self.genes = genes
        self.objectives: NDArray[np.float64] = np.zeros((len(genes), 0))
        self.excess: NDArray[np.float64] = np.zeros(0)
        self.guests: tuple[Genes, NDArray[np.float64]] = genes[:0], self.objectives[:0]

    def tell(self, objectives: NDArray[np.float64], excess: NDArray[np.float64]) -> None:
        """The answer: objectives (designs, n) to minimise, and how far each is from being allowed (0: it is)."""
        self.objectives, self.excess = objectives, excess

    def join(self, genes: Genes, objectives: NDArray[np.float64]) -> None:
        """Further designs, allowed ones, that compete with this generation, in any but the first."""
        self.guests = genes, objectives
