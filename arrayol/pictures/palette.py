"""The colours of all pictures, plots and pages.

Those of Okabe and Ito (2008), which people who lack the cones for red or for green tell apart too; shades of them where
dark text stands on them.
"""

from __future__ import annotations

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILLION, PURPLE, BLACK = "#0072b2", "#d55e00", "#cc79a7", "#000000"
GREY, PALE_GREY = "#7a8793", "#cfd4d8"

# What they mean.
LOADS, STORES, BOTH, COMPUTING = BLUE, ORANGE, GREEN, GREY
FRONT, OTHER_DESIGNS = VERMILLION, GREY
FIRST_RESULT, SECOND_RESULT = BLUE, VERMILLION
MEMORIES = {"buffer": SKY, "fifo": ORANGE, "state": VERMILLION}  # by kind
MEMORIES |= {"once": GREEN, "rom": PURPLE, "local": YELLOW, "chain": BLUE, "chunk": GREY, "bins": BLACK}

# The same as the variables of a page's style.
PAGE = {
    "front": FRONT,
    "other_designs": OTHER_DESIGNS,
    "loads": LOADS,
    "dark_loads": SKY,
    "stores": STORES,
    "computing": COMPUTING,
    "waiting": PALE_GREY,
    **MEMORIES,
    "task": GREEN,
}
PAGE |= {f"share_{place}": colour for place, colour in enumerate((VERMILLION, SKY, YELLOW, GREEN, PURPLE, GREY))}

# In a row, for things of one kind: bars, and cells with dark text in them.
BARS = (VERMILLION, SKY, YELLOW, GREEN, PURPLE, BLACK)
CELLS = (SKY, "#e08640", GREEN, YELLOW, PURPLE, "#99c7e0", ORANGE, "#e3e6e8", "#eaae80", "#f9f4b3")
