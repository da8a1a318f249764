"""The front end by counts: tables of groups whose tilers and delays follow the axes, from one-dimensional counts.

The idea. Blocks are numbered along each dimension by their place in the scan, so a tick is a vector v of places, and
ticks follow each other in lexicographic order (docs/machine.md, section 2). Where every tiler moves one dimension of a
repetition along one axis of an array (`axes`), the ticks that need a repetition, or read an element, are a product of
sets, one along each dimension. The first of a product in lexicographic order is the vector of the firsts, and the last
that of the lasts: when something runs, is loaded or is used last is decided along each dimension by itself
(`first_use`). So the number of repetitions that run at tick v is the product over the dimensions of how many indices
have the place v_k there (`counts`, `axis_table`), times a constant for what moves along no dimension of the blocks.

Why it is exact. All of the above are equalities, but for one thing: what several tilers read together is a union, and a
union of products is a product only if they differ along one dimension at most; its first (last) element is still the
vector of the firsts if one of them leads along all. That is recorded of every union (`places.Merge`) and checked for
every structure (`block_order`). Where only the last uses of a buffer's data are no product, as with readers of several
stages, that buffer alone is told from its data (`coupled_contents`), for nothing else hangs on them. What else is no
product is enumerated, and so are cuts: they put in ticks, so that these are no product any more.

A task that recomputes runs an index at every place that needs it, not at the first alone (`places`). The ticks that
need it are a product as well, and all counts are made of these places in the same way. Data that it makes are used at
the tick that makes them.

What the outside needs of an array may be a part of what is made: if that is a product of indices of its axes, stores
count these alone. Its buffer then holds data of two fates, and is told from them.

States take what lives if chains close in the order in which they open (`axis_table`); the others are enumerated.

A structure with FIFOs is one of a group in other stages, with fewer buffers. Only the tasks that FIFOs join are
scheduled: of ticks that do the same one for all (`fifo_steps`). Where a FIFO's data stay from tick to tick, or a
task that it joins has a delay, it is enumerated.

Where a tiler moves several dimensions along one axis, or one along several, these stand as one (`coupling`): a
component of the blocks takes the place of a dimension, with its places in the order in which the scan has them. What is
a product of components is priced as what is one of dimensions. Only addresses are told by each loop and axis: of such
buffers those of each structure by itself (`coupled_contents`).

Where several tilers write one array, all this is asked of what each of them writes, its pieces (`axes`): a box of each
reader's box is a box.

The files, in the order of the data: `coupling` (what stands as one), `links` (tilers, axis by axis), `axes` (which
dimension moves along which axis), `places` and `first_use` (the places of each index), `fetches` (what is kept of
arrays from outside), `needed` (what the outside needs), `counts` (what is counted, and its constant factors), `moved`
and `runs` (bursts, and their runs along an axis), `row_lines` (lines along an axis), `axis_table` (counts by place, for
many block sides at once), `axis_lines` (when each index comes and goes), `place_counts` and `block_order` (the
dimensions put together), `step_kinds` (steps in which the same happens), `live_sets` (what lives at once), `line_runs`,
`line_terms`, `line_words`, `coupled_contents` and `sizes` (what addresses take, and depths of banks), `counted_steps`,
`counted_buffers` and `counted_accesses` (the tables), `batch` (those of many structures), `fifos` (which arrays FIFOs
may carry), `fifo_steps` and `fifo_tables` (what tasks do that FIFOs join, and the tables of such a structure).
"""
