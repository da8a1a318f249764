"""How large the numbers may be that a user writes: one bound for counts and amounts, one range for what has a fraction.

Two numbers within the bound make a product that 64 bits hold. What is computed of many of them is bounded where that is
done, as in `hwmodel.cost_model.bounds`.
"""

from __future__ import annotations

LARGEST = 10**9  # of what counts: cycles, bits, banks, units, tiles, frames, amounts of a cost
SMALLEST = 1e-9  # of amounts, times and frequencies that are not 0
LARGEST_SEED = 2**64 - 1  # of what is drawn at random
LARGEST_BOUND = 1e30  # of a figure in a constraint
AT_MOST = f"at most {LARGEST:,}"


def in_range(value: float) -> bool:
    """Whether an amount is 0, or neither too small nor too large."""
    return value == 0 or SMALLEST <= abs(value) <= LARGEST


def beyond(value: float) -> str | None:
    """What a number has to be as well, where it is out of range."""
    if abs(value) > LARGEST:
        return AT_MOST
    return f"at least {SMALLEST:.9f}" if 0 < abs(value) < SMALLEST else None
