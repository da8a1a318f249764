"""The documentation site: how Sphinx makes it of the pages in this folder. CONTRIBUTING.md has the command."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "site"), str(DOCS.parent)]  # our extension, and the packages of this checkout

import arrayol  # noqa: E402  of this checkout

project = "arrayol"
release = arrayol.__version__
copyright = "the arrayol authors"  # noqa: A001  Sphinx's name for it
extensions = ["myst_parser", "sphinx.ext.autodoc", "filled_pages", "accessible_pages"]
exclude_patterns = ["pictures", "site"]
highlight_language = "text"
nitpicky = False  # signatures name types of many packages, which have no page here

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # pages link to headings as on GitHub
suppress_warnings = [
    "misc.highlighting_failure",  # pages show files with mistakes too
    "myst.header",  # a page may skip a level of headings
]

smartquotes = False  # options begin with two hyphens
default_role = "code"  # docstrings write `name` as Markdown does
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = "arrayol"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
