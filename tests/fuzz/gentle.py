"""Changes of a right specification that mostly leave it right: what it computes may change, or only how it looks."""

from __future__ import annotations

import re
from random import Random

from texts import tokens_of

TYPES = ("u8", "u16", "i16", "i32", "u32", "i64", "f32", "f64")
SIGNS = ("+", "-", "*")
COMMENTS = ("# x\n", "  # one, two\n", "#\n", "\n\n\n", "\n", "  ", "\t", " \n\t ")
_DEFINITION = re.compile(r"(?m)^(?=(?:const|tiler|elementary|task) )")


def changed(rng: Random, text: str) -> str:
    """Some of these changes."""
    for change in rng.sample(_CHANGES, rng.choice((1, 2, 2, 3))):
        text = change(rng, text)
    return text


def _spaced(rng: Random, text: str) -> str:
    """Comments, line ends and blanks between tokens, or none where none is needed."""
    share = rng.choice((0.02, 0.2))
    tokens = tokens_of(text)
    for place, token in enumerate(tokens):
        if token.isspace() and rng.random() < share:
            tokens[place] = rng.choice(COMMENTS) if "\n" not in token else rng.choice((*COMMENTS, "")) + token
        elif not token.isspace() and not token.startswith("#") and rng.random() < share / 4:
            tokens[place] = rng.choice((" ", "\n")) + token if token in ",;()[]{}+*" else token
    return "".join(tokens)


def _typed(rng: Random, text: str) -> str:
    """Another element type in the place of one."""
    kinds = sorted({token for token in tokens_of(text) if token in TYPES})
    if not kinds:
        return text
    return re.sub(rf"\b{rng.choice(kinds)}\b", rng.choice(TYPES), text)


def _operated(rng: Random, text: str) -> str:
    """Another operator in a statement."""
    tokens = tokens_of(text)
    places = [place for place, token in enumerate(tokens) if token in SIGNS and place and tokens[place - 1].isspace()]
    if places:
        tokens[rng.choice(places)] = rng.choice(SIGNS)
    return "".join(tokens)


def _bracketed(rng: Random, text: str) -> str:
    """A name or number of a statement in brackets, doubled or with a sign."""
    tokens = tokens_of(text)
    start = text.find("=")
    length, places = 0, []
    for place, token in enumerate(tokens):
        length += len(token)
        if length > start and token.isdigit():
            places.append(place)
    if places:
        place = rng.choice(places)
        form = rng.choice(
            ("({})", "(({}))", "(0 + {})", "-(-{})", "({} * 1)", "max({}, 0)", "abs(-{})", "({} if true else 7)")
        )
        tokens[place] = form.format(tokens[place])
    return "".join(tokens)


def _renamed(rng: Random, text: str) -> str:
    """Another name everywhere."""
    names = sorted(set(re.findall(r"\b(?:task|elementary|const|tiler) +(\w+)", text)))
    return (
        re.sub(rf"\b{rng.choice(names)}\b", rng.choice(("_", "X1", "u9", "long_" * 30, "origins")), text)
        if names
        else text
    )


def _shuffled(rng: Random, text: str) -> str:
    """The definitions in another order."""
    parts = _DEFINITION.split(text)
    rng.shuffle(parts)
    return "\n".join(parts)


def _sized(rng: Random, text: str) -> str:
    """Another number in the place of one, everywhere that it stands."""
    numbers = sorted({token for token in tokens_of(text) if token.isdigit()})
    if not numbers:
        return text
    old = rng.choice(numbers)
    return re.sub(rf"\b{old}\b", str(max(1, int(old) * rng.choice((1, 2)) + rng.choice((-1, 0, 1)))), text)


_CHANGES = (_spaced, _spaced, _typed, _operated, _bracketed, _renamed, _shuffled, _sized)
