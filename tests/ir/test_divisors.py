"""Divisors of numbers of any accepted size, soon and all of them."""

from __future__ import annotations

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from arrayol.ir.divisors import divisors

PRIMES = [2, 3, 37, 41, 43, 97, 1_000_003, 2**31 - 1, 3_037_000_493, 2**61 - 1]


def test_small_numbers_by_trial() -> None:
    for number in range(1, 2_000):
        assert divisors(number) == [other for other in range(1, number + 1) if number % other == 0]


@given(st.lists(st.sampled_from(PRIMES), max_size=6).filter(lambda primes: prod(primes) < 2**70))
def test_products_of_known_primes(primes: list[int]) -> None:
    expected = {1}
    for prime in primes:
        expected |= {divisor * prime for divisor in expected}
    assert divisors(prod(primes)) == sorted(expected)


def test_strong_pseudoprimes_are_seen_through() -> None:
    """The least composites that pass the test with the first 9 and 12 primes as witnesses."""
    assert len(divisors(3_825_123_056_546_413_051)) == 8
    assert len(divisors(318_665_857_834_031_151_167_461)) == 4
