"""What all tests share: seeds, data sets, and a fair part of the machine for each worker."""

import os
from pathlib import Path

# Workers of pytest-xdist share the cores. BLAS reads these variables when it is loaded: before any
# test module imports NumPy. Subprocesses inherit them.
if "PYTEST_XDIST_WORKER_COUNT" in os.environ:
    fair_part = max(1, (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, str(fair_part))
os.environ.setdefault("MPLBACKEND", "Agg")  # no windows

import gc
import importlib.util
import random

import numpy as np
import pytest
from hypothesis import settings

from tests.apart import watch_kernels

watch_kernels()  # before any of them is imported

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_SEED = "42"


def pytest_configure(config):
    """Draw the seed once, here: the workers of pytest-xdist inherit the environment."""
    seed = os.environ.setdefault("LOWDIM_TEST_SEED", DEFAULT_SEED)
    if seed == "any":
        os.environ["LOWDIM_TEST_SEED"] = str(random.SystemRandom().randrange(100))
    fixed = os.environ["LOWDIM_TEST_SEED"] == DEFAULT_SEED
    settings.register_profile("lowdim", deadline=None, derandomize=fixed, print_blob=True)
    settings.load_profile("lowdim")
    if os.environ.get("LOWDIM_NEEDS_TORCH") and importlib.util.find_spec("torch") is None:
        raise pytest.UsageError("LOWDIM_NEEDS_TORCH is set, and there is no torch")


def pytest_report_header():
    seed = os.environ["LOWDIM_TEST_SEED"]
    return f"lowdim: LOWDIM_TEST_SEED={seed} (a number, a range such as 0-9, any, or all)"


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", _seeds(os.environ["LOWDIM_TEST_SEED"]))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Modules and tests stay until the end: the garbage collector need not look at them again.

    Without this it does so 11 times while they grow (2 s) and again when pytest ends (4 s). What
    tests leave behind is looked for less often than usual, which takes 4% of their time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 50)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples in docstrings are the package's: no test file is searched for them."""
    collectors = yield
    return [each for each in collectors if type(each) is pytest.Module]


def pytest_collection_modifyitems(items):
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


def _seeds(text):
    """The seeds that LOWDIM_TEST_SEED asks for: "7", "0-9" or "all" (0-99)."""
    first, _, last = ("0-99" if text == "all" else text).partition("-")
    return list(range(int(first), int(last or first) + 1))


@pytest.fixture
def rng(seed):
    """A random generator; a test that uses it must hold for every seed."""
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def data_dir():
    """The folder of data sets too large for the repository; tests that use it are marked `data`."""
    folder = Path(os.environ.get("LOWDIM_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}; set LOWDIM_DATA to their folder")
    return folder


@pytest.fixture
def write(tmp_path):
    """Write a file of text or bytes into the folder."""

    def file(name, content):
        content = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(content)
        return name

    return file


@pytest.fixture
def numbers(tmp_path, rng):
    """A table of numbers as numbers.csv, numbers.parquet and numbers.npy; gives its values."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    X = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(40, 5))
    X = 100.0 + X * [1.0, 10.0, 0.1, 5.0, 2.0]
    table = pa.table({name: column for name, column in zip("abcde", X.T, strict=True)})
    pa.csv.write_csv(table, tmp_path / "numbers.csv")
    pa.parquet.write_table(table, tmp_path / "numbers.parquet", row_group_size=7)
    np.save(tmp_path / "numbers.npy", X)
    return X
