"""The package as it is shipped: its version, its lazy public names, its files, its pins."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import lowdim

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = list(PROJECT["optional-dependencies"])
PINS = {
    canonicalize_name(name): version
    for name, version in re.findall(
        r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE
    )
}
HEAVY = {
    "bokeh", "dask", "distributed", "joblib", "matplotlib", "narwhals", "numba", "numpy", "pandas",
    "polars", "pyarrow", "rich", "scipy", "sklearn", "torch",
}  # fmt: skip


def imported_by(script):
    """The packages among HEAVY that a new process has imported after running `script`."""
    report = f"import sys\n{script}\nprint(*sorted(set(sys.modules) & {HEAVY!r}))"
    run = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def requirements(names):
    """The distributions that `names` (requirement strings) need, all the way down, and who asks."""
    found, waiting = {}, [(Requirement(name), "pyproject.toml") for name in names]
    seen = set()
    while waiting:
        needed, asker = waiting.pop()
        name = canonicalize_name(needed.name)
        if (name, frozenset(needed.extras)) in seen:
            continue
        seen.add((name, frozenset(needed.extras)))
        if name == "lowdim":
            further = [r for extra in needed.extras for r in extra_requires(extra)]
        else:
            found[name] = asker
            further = metadata.requires(name) or []
        for text in further:
            requirement = Requirement(text)
            extras = needed.extras or {""}
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append((requirement, name))
    return found


def extra_requires(extra):
    return PROJECT["optional-dependencies"][extra]


# The version


def test_the_version_is_written_in_one_place():
    assert "version" not in PROJECT and PROJECT["dynamic"] == ["version"]
    written = re.compile(rf"\b{re.escape(lowdim.__version__)}\b")
    sources = [p for folder in ("src", "docs") for p in (ROOT / folder).rglob("*.py")]
    holders = [p for p in sources if written.search(p.read_text(encoding="utf-8"))]
    assert holders == [ROOT / "src" / "lowdim" / "_version.py"]


def test_the_installed_version_is_the_one_in_the_source():
    try:
        installed = metadata.version("lowdim")
    except metadata.PackageNotFoundError:
        pytest.skip("lowdim runs from its sources here, it is not installed")
    assert installed == lowdim.__version__


# The public names


def test_import_lowdim_imports_nothing_heavy():
    assert imported_by("import lowdim; dir(lowdim)") == set()


def test_fitting_pca_imports_neither_numba_nor_any_extra():
    script = "import numpy as np, lowdim\nlowdim.PCA(2).fit(np.eye(5))"
    # scikit-learn imports pandas by itself, where it is installed
    assert imported_by(script) & {"dask", "matplotlib", "numba", "polars", "torch"} == set()


@pytest.mark.parametrize("name", lowdim.__all__)
def test_every_public_name_can_be_had(name):
    assert getattr(lowdim, name) is not None
    assert name in dir(lowdim)


@pytest.mark.parametrize("name", lowdim.__all__)
def test_every_public_thing_has_a_docstring(name):
    thing = getattr(lowdim, name)
    assert name == "__version__" or (thing.__doc__ or "").strip()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'lowdim' has no attribute 'PAC'"):
        _ = lowdim.PAC


# The files


def test_the_wheel_holds_the_types_the_data_and_the_licence_and_only_the_package(tmp_path):
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = f"lowdim-{lowdim.__version__}.dist-info"
        meta = archive.read(f"{info}/METADATA").decode()
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
    assert {"lowdim/py.typed", "lowdim/__init__.pyi", "lowdim/datasets/data/penguins.csv"} <= set(
        names
    )
    assert f"{info}/licenses/LICENSE" in names
    assert {name.split("/")[0] for name in names} == {"lowdim", info}
    assert not [name for name in names if "__pycache__" in name]
    assert "License-Expression: BSD-3-Clause" in meta
    assert "lowdim = lowdim.cli:main" in entry_points


# The pins


def test_torch_comes_only_with_deep_all_and_the_tests():
    asked = {extra: [Requirement(text) for text in extra_requires(extra)] for extra in EXTRAS}
    assert [extra for extra in EXTRAS if any(r.name == "torch" for r in asked[extra])] == ["deep"]
    with_deep = [extra for extra in EXTRAS if any("deep" in r.extras for r in asked[extra])]
    assert with_deep == ["all", "test"]
    assert PINS["torch"] == "2.13.0"


def test_every_direct_dependency_is_pinned():
    asked = [*PROJECT["dependencies"], *(r for extra in EXTRAS for r in extra_requires(extra))]
    names = {canonicalize_name(Requirement(text).name) for text in asked}
    assert sorted(names - {"lowdim"} - set(PINS)) == []


def test_everything_the_tests_run_on_is_pinned_to_the_version_that_runs():
    running = requirements([*PROJECT["dependencies"], "lowdim[test]"])
    wrong = {
        name: f"{PINS.get(name)} pinned, {metadata.version(name)} runs (for {asker})"
        for name, asker in running.items()
        if PINS.get(name) != Version(metadata.version(name)).public  # torch 2.13.0+cpu is 2.13.0
    }
    assert wrong == {}
