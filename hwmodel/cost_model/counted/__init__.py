"""The front end by counts: tables of groups whose tilers and delays follow the axes, from one-dimensional counts.

The idea. Blocks are numbered along each dimension by their place in the scan, so a tick is a vector v of places, and
ticks follow each other in lexicographic order (docs/machine.md, section 2). Suppose that every tiler moves one
dimension of a repetition along one axis of an array (`axes`). Then the ticks that need a repetition, or read an
element, are a Cartesian product of sets of places, one set along each dimension. The first tick of a Cartesian product
in lexicographic order is the vector of the first places, and the last tick the vector of the last places. So the first
and last uses are computed along each dimension independently (`first_use`), and the number of repetitions that run at
tick v is the product, over the dimensions, of the number of indices with the place v_k (`counts`, `axis_table`), times
a constant for the indices that move with no block dimension.

Why it is exact. All of this is equalities, with one exception: the elements that several tilers read together are a
union, and a union of Cartesian products is Cartesian only if they differ along at most one dimension. The first (last)
tick of a union is still the vector of the first (last) places if one of its members leads along all dimensions. Each
union records both conditions (`places.Merge`), and they are checked for every structure (`block_order`). Where only the
last uses of a buffer's data are not Cartesian, as with readers of several stages, that buffer is sized from the list of
its data (`coupled_contents`), since nothing else depends on them. All other structures that are not Cartesian are
enumerated. So are structures with cuts, whose inserted ticks break the product.

Recomputation. A task that recomputes runs an index at every place that needs it, not only at the first (`places`). The
ticks that need it are Cartesian too, and all counts use these places in the same way. Results of such a task are used
at the tick that makes them.

Stores. Other groups may need a part of the array that a group makes. If this part is a product of index sets of the
axes, stores count only these indices. The array's buffer then holds data of two kinds (stored or not), and is sized
from the list of its data.

Delay states. A state takes its live count of words if chains close in the order in which they open (`axis_table`). The
other cases are enumerated.

FIFOs. A structure with FIFOs is one of a group with other stages and fewer buffers. Only the tasks that FIFOs join are
scheduled, once for each kind of equal ticks (`fifo_steps`). Structures whose FIFO data stay from tick to tick, or whose
joined tasks have a delay, are enumerated.

Merged dimensions. Where a tiler moves several dimensions along one axis, or one dimension along several axes, these are
merged (`coupling`). A component of the blocks then replaces a dimension; its places are in the order of the scan. A
Cartesian product of components is evaluated like one of dimensions. Only addresses depend on each loop and axis
separately: a buffer with merged axes is sized in each structure on its own (`coupled_contents`).

Pieces. Where several tilers write one array, all of this is computed for the piece that each of them writes (`axes`):
the common part of two boxes is a box.

The modules in the order of the data: `coupling` (merged dimensions), `links` (tilers, axis by axis), `axes` (which
dimension moves along which axis), `places` and `first_use` (the places of each index), `fetches` (keeps of arrays from
outside), `counts` (the counted quantities and their constant factors), `moved` and `runs` (what other groups need,
bursts and their runs along an axis), `axis_table` (counts by place, for many block sides at once), `axis_lines` (births
and last uses of each index, lines along an axis), `place_counts` and `block_order` (dimensions combined into rows and
columns), `step_kinds` (steps with equal counts), `live_sets` (largest live counts), `line_runs`, `line_terms`,
`line_words`, `coupled_contents` and `sizes` (addressed sizes, and depths of banks), `counted_steps` and
`counted_accesses` (the tables), `batch` (tables of many structures), `fifos` (arrays that FIFOs may carry),
`fifo_steps` and `fifo_tables` (the steps of tasks that FIFOs join, and the tables of such a structure).
"""
