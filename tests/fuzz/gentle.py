"""Changes of a right specification that mostly leave it right: what it computes may change, or only how it looks."""

from __future__ import annotations

import re
from random import Random

from strategies_parameters import with_parameters
from texts import tokens_of

from arrayol.errors import ArrayolError

TYPES = ("u8", "u16", "i16", "i32", "u32", "i64", "f32", "f64")
NARROW = ("u12", "i5", "u1", "i24", "i33", "i4.12", "i20.12", "u0.8", "u8.8", "i1.31")
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
    return re.sub(rf"\b{rng.choice(kinds)}\b", rng.choice(rng.choice((TYPES, NARROW))), text)


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


_TASK = re.compile(r"^task (\w+)\((.*)\) -> \((.*)\) *\{\n((?:.*\n)*?)\}", re.MULTILINE)
_PORT = re.compile(r"(\w+): *\w+(?:\.\d+)?(?:\[([^\]]*)\])?")
_CALL = re.compile(r"^( *)(.*?)( *= *\w+(?:\[[^\]]*\])?)\((.*)\)$", re.MULTILINE)
_EXIT = re.compile(r"^( *)(\w+)( *-> *\w+ +at )", re.MULTILINE)


def _sliced(rng: Random, text: str) -> str:
    """All of an array, as a part of it, where a call names a port of its task."""

    def cut(task: re.Match[str]) -> str:
        ports = {name: dims.split(",") if dims else [] for name, dims in _PORT.findall(f"{task[2]}, {task[3]}")}

        def part(name: str) -> str:
            slices = (rng.choice(("..", "..", f"0..{dim.strip()}", f"0..{dim.strip()} : 1")) for dim in ports[name])
            return f"{name}[{', '.join('..' if '*' in one else one for one in slices)}]"

        def sliced(call: re.Match[str]) -> str:
            results, arguments = (
                re.sub(r"\b\w+\b(?!\[)", lambda word: part(word[0]) if ports.get(word[0]) else word[0], side)
                if "[" not in side
                else side
                for side in (call[2], call[4])
            )
            return f"{call[1]}{results}{call[3]}({arguments})"

        return task[0] if "repeat" in task[4] else task[0].replace(task[4], _CALL.sub(sliced, task[4]))

    return _TASK.sub(cut, text)


def _leaving(rng: Random, text: str) -> str:
    """An exit as long as the repetition space, by which every instance still writes; now and then a shorter one."""

    def left(task: re.Match[str]) -> str:
        space = re.search(r"repeat *\[([^\]]*)\]", task[4])
        extents = [extent.strip() for extent in space[1].split(",")] if space else []
        places = [place for place, extent in enumerate(extents) if extent != "*"]
        if not places:
            return task[0]
        place = rng.choice(places)
        length = rng.choice((extents[place], extents[place], extents[place], f"-({extents[place]})", "1"))
        vector = ", ".join(length if other == place else "0" for other in range(len(extents)))
        return task[0].replace(task[4], _EXIT.sub(rf"\1\2 delay [{vector}]\3", task[4]))

    return _TASK.sub(left, text)


def _parametrised(rng: Random, text: str) -> str:
    """Sizes, other numbers and types of definitions as parameters."""
    names = re.findall(r"\b(?:task|elementary) +(\w+)", text)
    tops = [name for name in names if not re.search(rf"(?:\bof|=) *{name}\b", text)]
    try:
        return with_parameters(rng.choice, text, tops)
    except ArrayolError:
        return text  # one with a mistake in its grammar


def _sized(rng: Random, text: str) -> str:
    """Another number in the place of one, everywhere that it stands."""
    numbers = sorted({token for token in tokens_of(text) if token.isdigit()})
    if not numbers:
        return text
    old = rng.choice(numbers)
    return re.sub(rf"\b{old}\b", str(max(1, int(old) * rng.choice((1, 2)) + rng.choice((-1, 0, 1)))), text)


_CHANGES = (
    _spaced, _spaced, _typed, _typed, _operated, _bracketed, _renamed, _shuffled, _sized, _sliced, _sliced,
    _leaving, _leaving, _parametrised, _parametrised,
)  # fmt: skip
