"""The documentation site: `python -m sphinx -W --keep-going -n docs FOLDER` builds it, and fetches nothing."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from docutils import nodes
from pygments.lexer import RegexLexer, bygroups, using
from pygments.lexers.shell import BashLexer
from pygments.token import Generic

import urisieve
from promised import is_promised

project = "urisieve"
author = "the authors of urisieve"
copyright = f"{author}, Apache-2.0"  # noqa: A001 - the name that Sphinx asks for
release = version = urisieve.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["images"]
html_theme = "furo"
html_show_sphinx = False  # the pages speak of the project alone
html_title = f"urisieve {release}"
html_copy_source = False
html_show_sourcelink = False
html_extra_path = ["record.schema.json", "rejection.schema.json"]
html_static_path = ["static"]
html_css_files = ["pages.css"]
pygments_style = "tango"
pygments_dark_style = "monokai"

# Headings have the anchors that code hosts give them, so that links work in both places.
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Names in single backticks: a link where they are public names, else plain code.
default_role = "py:obj"
nitpicky = True
python_use_unqualified_type_names = True
# The side bar has the pages that are read; links lead to the others (tools/check_site.py).
suppress_warnings = ["toc.not_included"]
# Links to folders beside docs/ are for code hosts; the tests check them, and the site has their text.
nitpick_ignore_regex = [("myst", r"\.\./.*")]
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": True}
napoleon_use_ivar = True
maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

# The public names, by their last parts.
_PUBLIC = {
    name: f"{module.__name__}.{name}"
    for module in (
        *(urisieve.codes, urisieve.types, urisieve.options, urisieve.errors, urisieve.explanation, urisieve.dedupe),
        *(urisieve.sinks.statistics, urisieve.sinks, urisieve),
    )
    for name in module.__all__
}


class _Console(RegexLexer):  # type: ignore[misc]
    """Commands behind `$ ` and their output; other marks of prompts are not looked for."""

    name = "console"
    tokens = {"root": [(r"(\$ )(.*\n)", bygroups(Generic.Prompt, using(BashLexer))), (r".*\n", Generic.Output)]}  # noqa: RUF012


def _resolved(app: Any, environment: Any, node: Any, content: nodes.Element) -> nodes.Node | None:
    """Resolve a reference to a public name by its last part, and leave other names as they are.

    Returns:
        a node; None for a public name that is not documented, which Sphinx reports.
    """
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].removesuffix("()").rpartition(".")[2]
    if name not in _PUBLIC:
        return content
    found: nodes.Node | None = environment.get_domain("py").resolve_xref(
        environment, node["refdoc"], app.builder, "obj", _PUBLIC[name], node, content
    )
    return found


def _code(whole: str, text: str) -> str:
    return whole if re.fullmatch(r"[\w.]+", text) else f"``{text}``"


def _plain(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Make literal text of what stands in backticks and is not a name, before napoleon reads colons in it."""
    if what == "data" or (lines and lines[0].startswith("Alias for field number")):
        lines.clear()  # what the standard library says of a union, and of the fields of named tuples
    lines[:] = [re.sub(r"(`+)(.+?)\1", lambda found: _code(found[0], found[2]), line) for line in lines]
    if what in _ATTRIBUTES:
        _written[name] = list(lines)


def _whole(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Undo what napoleon makes of an attribute: its first line is a sentence, and not `type: meaning`."""
    if what in _ATTRIBUTES:
        lines[:] = _written.pop(name)


_ATTRIBUTES = ("attribute", "property")
_written: dict[str, list[str]] = {}


def _skipped(app: Any, what: str, name: str, value: object, is_skipped: bool, options: Any) -> bool | None:
    """Skip the fields of named tuples and of frozen values, which their class explains, and what is not promised."""
    is_field = type(value).__name__ in ("_tuplegetter", "member_descriptor")
    return True if is_field or not is_promised(app.env.current_document.autodoc_class, name) else None


def _adapted(app: Any, page: str, source: list[str]) -> None:
    """Leave out the empty line at the end of a Python session."""
    source[0] = re.sub(r"^(```pycon\n.*?)\n+^```$", r"\1\n```", source[0], flags=re.MULTILINE | re.DOTALL)


def _without_folders(app: Any, doctree: nodes.document, page: str) -> None:
    """Leave of a link to a folder beside docs/ its text."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refid", "").startswith("../"):
            link.replace_self(link.children)


def setup(app: Any) -> None:
    """Connect the functions above."""
    app.add_lexer("console", _Console)
    app.connect("missing-reference", _resolved)
    app.connect("autodoc-process-docstring", _plain, priority=400)
    app.connect("autodoc-process-docstring", _whole, priority=600)
    app.connect("autodoc-skip-member", _skipped)
    app.connect("source-read", _adapted)
    app.connect("doctree-resolved", _without_folders)
