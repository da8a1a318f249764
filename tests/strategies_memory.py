"""Hypothesis strategies for external memories: row models and sequences of bursts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hwmodel.external_memory import Bursts
from hwmodel.platform_memories import RowModel

nanoseconds = st.sampled_from([0, 0.7, 5, 13.25, 32, 52, 60.1, 140])


def row_models() -> st.SearchStrategy[RowModel]:
    """Small rows and few banks, so that short sequences meet every case."""
    return st.builds(
        RowModel,
        row_bytes=st.sampled_from([4, 16, 64]),
        banks=st.sampled_from([1, 2, 3, 8]),
        word_ns=st.sampled_from([0.5, 6.1, 160]),
        row_change_ns=nanoseconds,
        same_bank_activate_ns=nanoseconds,
    )


@st.composite
def bursts(draw: st.DrawFn) -> Bursts:
    """Up to 20 bursts of 1 to 40 bytes in a small address space, of one byte per element; often of local words."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 255), st.integers(1, 40), st.booleans()), max_size=20))
    address, size, write = (np.array([pair[part] for pair in pairs], np.int64) for part in range(3))
    width = draw(st.sampled_from([None, 1, 4, 16]))
    return Bursts(address, size, size, write.astype(bool), 0 if width is None else -(-size // width))
