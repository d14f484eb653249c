"""What the tests of model files share: a file to write, and estimators that files may hold."""

import pytest

from tests.core.persistence.handmade import Required, Toy


@pytest.fixture(autouse=True)
def known_estimators(monkeypatch):
    known = {"Toy": Toy, "Required": Required}
    monkeypatch.setattr("lowdim.core.persistence.models.public_model", known.get)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.lowdim"
