"""Texts that are nearly right: mutations of tokens, lines and characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

TOKEN = re.compile(
    r"\s+|#[^\n]*|\"[^\"\n]*\"|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|->|<-|\+=|\.\.|//|<<|>>|[=!<>]=|."
)
NUMBERS = (
    "0", "1", "2", "3", "5", "7", "8", "16", "64", "255", "256", "1000", "65535", "65536", "1000003",
    "2147483647", "2147483648", "4294967296", "9007199254740993", "1000000000000", "1152921504606846976",
    "4611686018427387904", "9223372036854775807", "9223372036854775808", "18446744073709551615",
    "18446744073709551616", "10000000000000000000", "100000000000000000000000", "1" + "0" * 39, "7" * 399, "3" * 401,
    "9" * 5000, "0.5", "0.0", "1e3", "1e308", "1e309", "1e-320", "2.5e-3", "1e99999", "1e99999999", "0.1e400",
)  # fmt: skip
SMALL = ("0", "1", "2", "3", "4", "5", "6", "8", "9")
ODD = (
    "\u00a0", "\u2003", "\u2028", "\u2029", "\u3000", "\u0085", "\u200b", "\ufeff", "\u00ad", "\v", "\f", "\r", "\0",
    "\x1b[31m", "\x7f", "\u0661", "\u00b2", "\u212a", "\u00e9", "e\u0301", "\u0130", "\U0001f600", "\U0010ffff",
    "\u2212", "\u201c", "\u2192", "\uff11", "\u05d0", "\u202e", "\\", "$", "@", "`", "'", '"', "?", "!", "~", "\t",
    "\x1c", "\x1f",
)  # fmt: skip
SIGNS = (*'+-*/%&|^<>=(),;:[]{}.#"~', "//", "<<", ">>", "==", "!=", "<=", ">=", "->", "<-", "+=", "..", "**")
DEPTHS = (3, 30, 98, 101, 400, 3000)

Vocabulary = Sequence[str]


def tokens_of(text: str) -> list[str]:
    """All characters of a text, by tokens of any of the languages here."""
    return TOKEN.findall(text)


def mutate(rng: Random, text: str, words: Vocabulary, others: Sequence[str]) -> str:
    """One or a few mutations; `words` may take the place of a name, lines of `others` that of a line."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        change = rng.choice(_CHANGES)
        text = change(rng, text, words, others)
    return text


def number(rng: Random) -> str:
    """A number of any size, small ones as often as others."""
    return rng.choice(rng.choice((SMALL, NUMBERS)))


def _places(tokens: Sequence[str], test: Callable[[str], bool]) -> list[int]:
    return [place for place, token in enumerate(tokens) if test(token)]


def _replace(rng: Random, text: str, test: Callable[[str], bool], new: Callable[[str], str]) -> str:
    tokens = tokens_of(text)
    if places := _places(tokens, test):
        place = rng.choice(places)
        tokens[place] = new(tokens[place])
    return "".join(tokens)


def _is_number(token: str) -> bool:
    return token[0].isdigit()


def _is_name(token: str) -> bool:
    return token.isidentifier()


def _is_sign(token: str) -> bool:
    return token in SIGNS


def _number(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    return _replace(rng, text, _is_number, lambda _: number(rng))


def _near(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    """A number that is nearly the same: a size that does not fit, or one that does."""
    step = rng.choice((-2, -1, 1, 2))
    return _replace(rng, text, str.isdigit, lambda token: str(max(0, int(token) + step)))


def _negative(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    return _replace(rng, text, _is_number, lambda token: f"-{token}")


def _name(rng: Random, text: str, words: Vocabulary, _: Sequence[str]) -> str:
    """A name of the same text, or another word."""
    names = [token for token in tokens_of(text) if _is_name(token)]
    return _replace(rng, text, _is_name, lambda token: rng.choice(rng.choice((names, words)) or [token]))


def _misspelt(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    return _replace(rng, text, _is_name, lambda token: rng.choice((token[1:] or "_", token + "x", token.swapcase())))


def _sign(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    return _replace(rng, text, _is_sign, lambda _: rng.choice(SIGNS))


def _swap(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    tokens = tokens_of(text)
    places = _places(tokens, lambda token: not token.isspace())
    if len(places) > 1:
        first = rng.randrange(len(places) - 1)
        second = min(first + rng.choice((1, 1, 2, 5)), len(places) - 1)
        one, other = places[first], places[second]
        tokens[one], tokens[other] = tokens[other], tokens[one]
    return "".join(tokens)


def _delete(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    return _replace(rng, text, lambda token: not token.isspace(), lambda _: "")


def _repeat(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    times = rng.choice((2, 2, 3, 50))
    return _replace(rng, text, lambda token: not token.isspace(), lambda token: " ".join([token] * times))


def _insert(rng: Random, text: str, words: Vocabulary, _: Sequence[str]) -> str:
    new = rng.choice((rng.choice(SIGNS), number(rng), rng.choice(words), rng.choice(ODD)))
    return _replace(rng, text, lambda _: True, lambda token: rng.choice((f"{token}{new}", f"{token} {new} ")))


def _odd(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    """An odd character, often in the place of white space."""
    test = rng.choice((str.isspace, lambda _: True))
    return _replace(rng, text, test, lambda token: rng.choice(("", token)) + rng.choice(ODD))


def _nest(rng: Random, text: str, _: Vocabulary, __: Sequence[str]) -> str:
    """A name or number deep in brackets, or in a long chain."""
    depth = rng.choice(DEPTHS)
    before, after = rng.choice(
        (("(", ")"), ("[", "]"), ("-", ""), ("~", ""), ("not ", ""), ("abs(", ")"), ("", " + 1"), ("{", "}"))
    )
    return _replace(
        rng,
        text,
        lambda token: _is_name(token) or _is_number(token),
        lambda token: before * depth + token + after * depth,
    )


def _lines(rng: Random, text: str, _: Vocabulary, others: Sequence[str]) -> str:
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3:
            lines[one] = rng.choice(rng.choice(others).split("\n"))
        case 4:
            lines = lines[:one]
        case _:
            lines[one:one] = [lines[one]] * rng.choice((3, 200))
    return "\n".join(lines)


_CHANGES = (
    _number, _number, _near, _near, _negative, _name, _name, _misspelt, _sign, _swap, _delete, _repeat, _insert, _odd,
    _nest, _lines, _lines,
)  # fmt: skip


def as_bytes(rng: Random, text: str) -> bytes:
    """The bytes of a file: mostly UTF-8, sometimes in another encoding, with other line ends, or damaged."""
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.9:
        return data
    forms = (
        text.encode("utf-16", "replace"),
        text.encode("latin-1", "replace") + b"\xe9",
        b"\xef\xbb\xbf" + data,
        data.replace(b"\n", b"\r\n"),
        data.replace(b"\n", b"\r"),
        damaged(rng, data),
    )
    return rng.choice(forms)


def damaged(rng: Random, data: bytes) -> bytes:
    """Bytes cut off, changed, taken out or put in."""
    place = rng.randrange(len(data) + 1)
    match rng.randrange(4):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
        case 2:
            return data[:place] + data[place + rng.choice((1, 4, 100)) :]
    return data[:place] + rng.randbytes(rng.choice((1, 8))) + data[place:]
