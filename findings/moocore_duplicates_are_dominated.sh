#!/usr/bin/env bash
# Question: two designs have the same objectives, and no other design is better than them. Are both non-dominated?
# Usual guess: yes, for moocore as for pymoo: neither is better anywhere, so neither dominates the other.
# Versions: moocore 0.3.2, pymoo 0.6.2
# Behaviour: moocore disagrees with itself. is_nondominated() and filter_dominated() keep the first of equal points
#   only, and any_dominated() is true of a front with a duplicate; pareto_rank() gives both rank 0, the best, and pymoo
#   puts both in the first front. With keep_weakly=True moocore keeps both too.
# Why it matters: designs with equal costs and other decisions (another bank layout, another scan) vanish from a front,
#   and which one stays depends on the order of the rows. A front by rank and a front by is_nondominated differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet moocore==0.3.2 pymoo==0.6.2
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
import moocore
import numpy as np
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

points = np.array([[3.0, 1.0], [3.0, 1.0], [1.0, 3.0], [4.0, 4.0]])
print("is_nondominated", moocore.is_nondominated(points).tolist())
print("filter_dominated", moocore.filter_dominated(points).tolist())
print("any_dominated of the first three", bool(moocore.any_dominated(points[:3])))
print("pareto_rank", moocore.pareto_rank(points).tolist())
print("pymoo", [front.tolist() for front in NonDominatedSorting().do(points)])
print("keep_weakly", moocore.is_nondominated(points, keep_weakly=True).tolist())
PYTHON
diff - "$folder/output" <<'SEEN'
is_nondominated [True, False, True, False]
filter_dominated [[3.0, 1.0], [1.0, 3.0]]
any_dominated of the first three True
pareto_rank [0, 0, 0, 1]
pymoo [[0, 1, 2], [3]]
keep_weakly [True, True, True, False]
SEEN
echo "as seen"
