"""The site: built offline by `make docs`, with warnings as errors."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict, fields
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
from sklearn.base import BaseEstimator
from sphinx.application import Sphinx

import lowdim
from lowdim.core.public import homes
from lowdim.registry import Method

mpl.use("Agg")

DOCS = Path(__file__).parent
GENERATED = DOCS / "generated"

project = "lowdim"
author = "The lowdim developers"
project_copyright = "2026, The lowdim developers"
version = release = lowdim.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "code"  # `name` in a docstring is code, as in Markdown
smartquotes = False  # an apostrophe is a transpose

myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # the class template lists them
numpydoc_xref_param_type = False

# pages that are left out where torch is absent
NEED_TORCH = "plot_(?:diffusion|faces|generators|hidden_layer|minimize|pixels|play|sequences)"
sphinx_gallery_conf = {
    "abort_on_example_error": True,
    "backreferences_dir": None,
    "examples_dirs": "../examples",
    "filename_pattern": "/plot_",
    "gallery_dirs": "gallery",
    "ignore_pattern": "demo" if find_spec("torch") else f"demo|{NEED_TORCH}",
    "min_reported_time": 60,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "lowdim"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "show_toc_level": 2,
}


# What is written from the package when the site is built


def write_reference(app: Sphinx, config: object) -> None:
    """The reference of everything public, and the table of methods."""
    GENERATED.mkdir(exist_ok=True)
    _write(GENERATED / "methods.inc", methods_table())
    _write(GENERATED / "api.rst", reference())


def methods_table() -> str:
    """`lowdim.methods()` as a Markdown table."""
    names = [field.name for field in fields(Method)]
    lines = [" | ".join(names), " | ".join("---" for _ in names)]
    for method in lowdim.methods():
        cells = [_cell(value) for value in asdict(method).values()]
        lines.append(" | ".join(cells))
    return "\n".join(f"| {line} |" for line in lines)


def reference() -> str:
    """The page that lists all public names, by kind."""
    packages = [name for name, home in homes().items() if home == "lowdim"]
    public = {name: getattr(lowdim, name) for name in homes() if name not in packages}
    kinds: dict[str, list[str]] = {"Methods": [], "Functions": [], "Errors": []}
    for name, thing in public.items():
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
            kinds["Methods"].append(name)
        elif inspect.isclass(thing) and issubclass(thing, Exception):
            kinds["Errors"].append(name)
        else:
            kinds["Functions"].append(name)
    parts = [_heading("Reference", "="), ".. currentmodule:: lowdim"]
    for kind, names in kinds.items():
        parts += [_heading(kind, "-"), _summary(names)]
    parts += [_heading("Settings", "-"), ".. autoclass:: lowdim.core.config.Config"]
    for package in packages:
        module = getattr(lowdim, package)
        parts += [_heading(module.__name__, "-"), f".. currentmodule:: {module.__name__}"]
        own = [name for name in module.__all__ if name not in public]
        parts += [inspect.getdoc(module) or "", _summary(own)]
    return "\n\n".join(parts) + "\n"


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _summary(names: list[str]) -> str:
    return "\n".join([".. autosummary::", "   :toctree: .", "", *(f"   {name}" for name in names)])


def _cell(value: object) -> str:
    return str(value) if not isinstance(value, bool) else "✓" if value else ""


def _write(path: Path, text: str) -> None:
    """Write only what changed: a second build then has nothing to do."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def skip_inherited(
    app: Sphinx, what: str, name: str, thing: object, skip: bool, options: object
) -> bool | None:
    """Leave out what is not ours, or not for users: scikit-learn documents its part itself."""
    from_sklearn = (getattr(thing, "__module__", None) or "").startswith("sklearn")
    field_of_tuple = type(thing).__name__ == "_tuplegetter"  # the class docstring describes it
    return True if from_sklearn or field_of_tuple or name == "open_rows" else None


# Docstrings write mathematics and names as they are: |x| is no substitution, name_ no link. What is
# in backticks is code already.
MARKUP = re.compile(r"(?P<code>`[^`]+`)|(?P<bar>\|)|(?<=\w)(?P<underscore>_)(?!\w)")


def escape_mathematics(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Escape what docutils would take for markup; sessions with Python stay as they are."""
    in_session = False
    for i, line in enumerate(lines):
        in_session = line.lstrip().startswith(">>>") or (in_session and bool(line.strip()))
        if not in_session:
            lines[i] = MARKUP.sub(lambda m: m[0] if m["code"] else "\\" + m[0], line)


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", escape_mathematics, priority=600)  # after numpydoc
    app.connect("config-inited", write_reference)
    app.connect("autodoc-skip-member", skip_inherited)
