#!/usr/bin/env bash
# Question: a design space has the variables units and interval, 1 to 4 each, in a pymoo Problem(vtype=int). Which designs does NSGA2
#   evaluate, with nothing else said? And with the operators for integers, how many evaluations does it spend on the 16 designs?
# Usual guess: designs of integers; and at most 16, as NSGA2 eliminates duplicates.
# Versions: pymoo 0.6.2, numpy 2.4.6
# Behaviour: vtype=int changes nothing: all 40 designs of five generations have fractions, as 2.54 units at an interval of 3.85. With
#   IntegerRandomSampling and RoundingRepair they are integers, but duplicates are only those within a generation and its
#   parents: 20 generations of 8 evaluate the 16 designs more than a hundred times.
# Why it matters: a model of costs that takes any number gives a front of designs that nobody can build, without an error; and if an
#   evaluation is a synthesis, most of the time goes to designs that are known. Keep your own table of what was evaluated.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pymoo==0.6.2 numpy==2.4.6
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize


class Mapping(Problem):
    """Units and intervals: time against multipliers."""

    def __init__(self):
        super().__init__(n_var=2, n_obj=2, xl=1, xu=4, vtype=int)
        self.evaluated = []

    def _evaluate(self, designs, out, *args, **kwargs):
        self.evaluated += designs.tolist()
        units, interval = designs.T
        out["F"] = np.column_stack([100 * interval / units, 10 * units / interval])


plain = Mapping()
minimize(plain, NSGA2(pop_size=8), ("n_gen", 5), seed=1)
whole = sum(all(value == round(value) for value in design) for design in plain.evaluated)
print(f"vtype=int: {len(plain.evaluated)} designs evaluated, {whole} of integers")
rounded = Mapping()
operators = {
    "sampling": IntegerRandomSampling(),
    "crossover": SBX(vtype=float, repair=RoundingRepair()),
    "mutation": PM(vtype=float, repair=RoundingRepair()),
}
minimize(rounded, NSGA2(pop_size=8, eliminate_duplicates=True, **operators), ("n_gen", 20), seed=1)
different = len({tuple(design) for design in rounded.evaluated})
print(f"with operators for integers: {different} designs, more than 100 evaluations: {len(rounded.evaluated) > 100}")
PYTHON
diff - "$folder/output" <<'SEEN'
vtype=int: 40 designs evaluated, 0 of integers
with operators for integers: 16 designs, more than 100 evaluations: True
SEEN
echo "as seen"
