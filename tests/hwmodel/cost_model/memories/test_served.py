"""At which rates memories are served, where there are no rates at all."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hwmodel.cost_model.evaluate.fastest import served


def test_a_resident_array_of_a_structure_without_rates_is_served_at_none_of_them() -> None:
    """FIFOs may leave no combination: of an empty array NumPy cannot tell that it is one of truth values."""
    builder = SimpleNamespace(residents=[("smooth", "KERNEL")], is_served=lambda *_: True)
    there, why = served(builder, None, ("smooth",), np.zeros((1, 0, 1), np.int64), {})
    assert (there.shape, there.dtype, why) == ((1, 0), np.bool_, None)
