"""How long a processor with at most one delay takes for a step, in closed form (docs/machine.md, section 4).

A processor starts at multiples of its occupancy, so its time goes in rounds, in each of which every unit starts one
repetition or none. Of a step with n repetitions in C chains the longest has c; the next of a chain starts r rounds or
more after the one before. The greedy list schedule then starts its last repetition in round T - 1, where

    T = max(ceil(n / u), (c - 1) r + ceil(floor(n / c) / u))

for u units, in three cases. (What needs a schedule instead is all else: unequal chains, more than units, r > 1.)

- Equal chains, n = C c. Greedy takes the first repetition of every chain before any second one, and so on, each time in
  scan order: the m-th start, m = k C + i, is the k-th of chain i. Its round s(m) is the least that is no earlier than
  s(m - 1), s(m - u) + 1 (u starts a round) and s(m - C) + r. If C >= u r, floor(m / u) keeps all three, since
  floor((m - C) / u) + r <= floor(m / u); so T = ceil(n / u). If C <= u r, k r + floor(i / u) does: for i < u the start
  u before is, where it is one of the chains' (k-1)-th, in round (k - 1) r + floor((C + i - u) / u), and one more is at
  most k r, since C + i < u r + u. So T = (c - 1) r + ceil(C / u). No round can be less, as each is one of the three
  bounds added up; and each case's T is the larger of the two: multiply C >= u r, or C <= u r, by (c - 1) / u.
- r = 1. Greedy by longest remaining chain with unit times takes max(ceil(n / u), c) (Hu 1961, on chains). With
  C' = floor(n / c), which is at most n / c: c - 1 + ceil(C' / u) is c where C' <= u, and at most ceil(C' c / u) where
  not, by the above. Neither is more than that maximum, so T is the maximum.
- C <= u. Every chain has a unit for itself: T = (c - 1) r + 1, and floor(n / c) <= C makes the quotient 1.

More units make T no larger: both terms fall, and r is `near` from u = C on and `far` below, which is no less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def rounds_of(number: Ints, longest: Ints, units: int | Ints, near: int | Ints, far: int | Ints) -> Ints:
    """T for n repetitions, the longest chain of c; r is `near` where units are as many as chains, else `far`.

    Arrays go element by element. Where there is no repetition the rounds mean nothing.
    """
    chains = number // np.maximum(longest, 1)
    wait = np.where(chains <= units, near, far)
    rounds: Ints = np.maximum(-(-number // units), (longest - 1) * wait - (-chains // units))
    return rounds


def fewest_units(number: Ints, longest: Ints, rounds: Ints, far: int | Ints) -> Ints:
    """The fewest units with which T is at most `rounds`, where that is so with some number of them.

    At all events u >= n / T. With floor(n / c) units or more the chains' waits ask for no more of them; with fewer, the
    quotient of that by u is at most what the waits leave of T.
    """
    chains = number // np.maximum(longest, 1)
    least = np.maximum(-(-number // np.maximum(rounds, 1)), 1)
    left = rounds - (longest - 1) * far
    alone = np.maximum(chains, least)
    fewest: Ints = np.where(left >= 1, np.clip(-(-chains // np.maximum(left, 1)), least, alone), alone)
    return fewest
