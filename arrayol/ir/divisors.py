"""What divides a number: by its prime factors, so that the time hardly grows with it."""

from __future__ import annotations

from math import gcd
from random import Random

_SMALL = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)  # as witnesses they decide primality below BOUND
BOUND = 3_317_044_064_679_887_385_961_981  # Sorenson and Webster, 2015


def divisors(number: int) -> list[int]:
    """All divisors of a number from 1 to below `BOUND`, ascending."""
    found = [1]
    for prime, power in _factors(number).items():
        found = [divisor * prime**exponent for divisor in found for exponent in range(power + 1)]
    return sorted(found)


def _factors(number: int) -> dict[int, int]:
    """The prime factors, each with its power."""
    powers: dict[int, int] = {}
    pending = [number] if number > 1 else []
    while pending:
        part = pending.pop()
        if _is_prime(part):
            powers[part] = powers.get(part, 0) + 1
        else:
            factor = next((small for small in _SMALL if part % small == 0), None) or _any_factor(part)
            pending += [factor, part // factor]
    return powers


def _is_prime(number: int) -> bool:
    """The test of Miller and Rabin, with witnesses that leave no doubt below `BOUND`."""
    if number < 2 or any(number % small == 0 for small in _SMALL):
        return number in _SMALL
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for witness in _SMALL:
        power = pow(witness, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def _any_factor(number: int) -> int:
    """A factor of a composite number without small ones, by Pollard's rho: about the fourth root of it in steps."""
    random = Random(number)
    factor = number
    while factor == number:  # the walk closed for all factors at once: walk another one
        shift, slow, factor = random.randrange(1, number), random.randrange(number), 1
        fast = slow
        while factor == 1:
            slow = (slow * slow + shift) % number
            fast = (fast * fast + shift) % number
            fast = (fast * fast + shift) % number
            factor = gcd(slow - fast, number)
    return factor
