"""Public names: what a stub lists is there, is imported late, and is all that is exported."""

import ast
from pathlib import Path

import pytest

import lowdim
from lowdim.core.public import homes, lazy, public_model

PACKAGES = [lowdim, lowdim.tables]
STUB = """\
from collections import (
    OrderedDict as OrderedDict,
    deque as deque,
)
from lowdim._version import __version__ as __version__
from os import path as path
"""


def imports(stub):
    """name -> module, as Python itself reads a stub."""
    return {
        alias.asname: node.module
        for node in ast.parse(stub).body
        for alias in node.names
        if alias.asname != "__version__"
    }


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_the_list_is_what_type_checkers_and_editors_read(package):
    stub = Path(package.__file__).with_suffix(".pyi").read_text()
    assert homes(package.__file__) == imports(stub)
    assert set(homes(package.__file__)) == set(dir(package)) - {"__version__"}


def test_names_in_brackets_are_read_and_private_ones_are_not(tmp_path):
    (tmp_path / "__init__.pyi").write_text(STUB)
    assert homes(str(tmp_path / "__init__.py")) == imports(STUB)


def test_a_name_is_imported_once_and_then_kept(tmp_path, monkeypatch):
    folder = tmp_path / "late"
    folder.mkdir()
    (folder / "__init__.py").write_text("x = 1\n")
    (folder / "__init__.pyi").write_text("from late.inner import thing as thing\n")
    (folder / "inner.py").write_text("thing = object()\n")
    monkeypatch.syspath_prepend(tmp_path)
    get, listed, public = lazy("late", str(folder / "__init__.py"))
    import late

    assert "thing" not in vars(late)
    assert get("thing") is vars(late)["thing"]
    assert listed() == public == ["thing"]
    with pytest.raises(AttributeError, match="module 'late' has no attribute 'other'"):
        get("other")


def test_models_are_found_by_name_and_all_else_is_none():
    assert public_model("PCA") is lowdim.PCA
    assert public_model("Recommender") is lowdim.Recommender
    assert public_model("choose_rank") is public_model("datasets") is None
    assert public_model("os") is public_model("__version__") is None
