"""The benchmark harness, on cases so small that their outcome is known."""

import importlib
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse

from benchmarks import __main__ as command
from benchmarks import harness, pca, report
from benchmarks.harness import Case, Entry, Measured, Outcome

TOY_FAMILY = """
import os, time
import numpy as np
from benchmarks.harness import Case, Entry

def lean(X):
    print("libraries may print")
    if len(X) == 10:
        np.ones(8_000_000)   # the small fit that goes before must not count
    time.sleep(0.01)
    return float(X.sum())

def greedy(X):
    time.sleep(0.03)
    return float(np.ones(8_000_000).sum() * 0 + X.sum())   # 64 MB for a moment

fits = []

def tires(X):
    fits.append(X)
    if len(fits) == 3:
        raise ArithmeticError("no third time")
    return 0.0

def dies(X):
    os._exit(3)

def diverges(X):
    return float("nan")

def make(shrink):
    return np.arange(20_000_000.0 // shrink).reshape(-1, 2)   # 16 MB when shrunk by 10

def distance(X, result):
    return abs(result - X.sum())

CASES = [
    Case("toy", "small", make, Entry("lean", lean),
         [Entry("greedy", greedy), Entry("tires", tires), Entry("dies", dies),
          Entry("diverges", diverges)], distance, higher_is_better=False, warm_rows=10),
    Case("once", "slow", make, Entry("lean", lean), [Entry("greedy", greedy)], distance,
         most_rounds=1),
]
"""


@pytest.fixture(scope="module")
def toy_outcomes(tmp_path_factory) -> list[Outcome]:
    folder = tmp_path_factory.mktemp("family")
    (folder / "toy_family.py").write_text(TOY_FAMILY)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setattr(harness, "BREATH", 0.0)
        family = importlib.import_module("toy_family")
        return [harness.run_case(family, case, repeats=2, shrink=10) for case in family.CASES]


@pytest.fixture(scope="module")
def toy_outcome(toy_outcomes) -> Outcome:
    return toy_outcomes[0]


def unused(*_):
    raise AssertionError("only its name is needed")


def fake_case(**changes) -> Case:
    peers = [Entry("quick", unused), Entry("exact", unused), Entry("slow", unused)]
    return Case(**{
        "name": "fake", "about": "made up", "make": unused, "ours": Entry("ours", unused),
        "peers": peers, "quality": unused, **changes,
    })  # fmt: skip


def fake_outcome() -> Outcome:
    """Ours and two peers are exact, one faster than the other; the quickest peer is not exact."""
    return Outcome(
        fake_case(),
        Measured("ours", [2.0, 1.0, 4.0], quality=0.9, loss=0.0, memory=10.0),
        [
            Measured("quick", [0.5, 0.5, 0.5], quality=0.8, loss=0.11, memory=10.0),
            Measured("exact", [2.0, 2.0, 8.0], quality=0.9, loss=1e-9, memory=30.0),
            Measured("slow", [9.0, 9.0], quality=0.9, loss=0.0, memory=5.0),
        ],
    )


# --- Ratios and verdicts ----------------------------------------------------------------------


def test_ratio_compares_the_best_times_and_its_check_the_rounds():
    assert harness.best_ratio([2.0, 1.0, 4.0], [2.0, 3.0, 8.0]) == 0.5
    assert harness.median_ratio([2.0, 1.0, 4.0], [2.0, 3.0, 8.0]) == 0.5  # of 1, 1/3, 1/2
    assert harness.median_ratio([2.0, 1.0, 4.0], [2.0]) == 1.0  # a peer that went home early


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(1 / 1.7, "faster 1.7x"), (1.0, "equal"), (1.04, "equal"), (0.96, "equal"),
     (1.2, "SLOWER 1.20x"), (30.0, "SLOWER 30x")],
)  # fmt: skip
def test_verdict_says_who_is_faster(ratio, words):
    assert harness.verdict(ratio) == words


def test_rival_is_the_fastest_peer_of_equal_quality():
    outcome = fake_outcome()
    assert outcome.rival is outcome.peers[1]
    outcome.peers[1].error = "did not run"
    assert outcome.rival is outcome.peers[2]
    outcome.peers[2].loss = 0.2
    assert outcome.rival is outcome.peers[0]  # nobody is equal: the one that comes closest


@pytest.mark.parametrize(("higher", "losses"), [(True, [0.0, 0.5]), (False, [1.0, 0.0])])
def test_loss_is_the_relative_distance_from_the_best(higher, losses):
    measured = [Measured("a", quality=4.0), Measured("b", quality=2.0)]
    harness._set_losses(fake_case(higher_is_better=higher), measured)
    assert [one.loss for one in measured] == losses


# --- Running ----------------------------------------------------------------------------------


def test_entries_run_in_turn_on_the_same_data(toy_outcome):
    ours, greedy = toy_outcome.ours, toy_outcome.peers[0]
    assert len(ours.seconds) == len(greedy.seconds) == 2
    assert min(ours.seconds) >= 0.01 and min(greedy.seconds) >= 0.03  # as long as they sleep
    assert ours.quality == greedy.quality == ours.loss == greedy.loss == 0
    assert toy_outcome.rival is greedy
    assert 0 <= toy_outcome.disturbance <= 1


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_a_case_of_minutes_has_few_rounds(toy_outcomes):
    once = toy_outcomes[1]
    assert [len(one.seconds) for one in (once.ours, *once.peers)] == [1, 1]


def test_peak_memory_is_that_of_the_largest_moment(toy_outcome):
    moment = 8_000_000 * 8 / 2**20
    assert toy_outcome.ours.memory < 10
    assert moment - 1 < toy_outcome.peers[0].memory < moment + 10


def test_entry_that_fails_is_reported_and_the_others_go_on(toy_outcome):
    assert [(one.entry, one.error) for one in toy_outcome.failures] == [
        ("tires", "ArithmeticError: no third time"),
        ("dies", "the process ended with exit code 3"),
        ("diverges", "ArithmeticError: the quality of its result is nan"),
    ]
    assert "FAILED: ArithmeticError: no third time" in report.section([toy_outcome], ["numpy"])


def test_clearly_slower_peer_goes_home_and_ours_stays():
    class Home:
        def close(self):
            pass

    measured = {name: Measured(name, [seconds]) for name, seconds in
                [("ours", 50.0), ("quick", 1.0), ("exact", 3.9), ("slow", 4.1)]}  # fmt: skip
    workers = {name: Home() for name in measured}
    harness._send_home_the_slow(fake_case(), workers, measured)
    assert list(workers) == ["ours", "quick", "exact"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_data_come_back_from_disk_as_they_were(tmp_path, dtype):
    X = np.arange(6, dtype=dtype).reshape(2, 3)
    harness.save_data(X, tmp_path)
    loaded = harness.load_data(tmp_path)
    assert type(loaded) is np.ndarray and loaded.dtype == dtype and not loaded.flags.writeable
    np.testing.assert_array_equal(loaded, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_data_come_back_from_disk_as_they_were(tmp_path, dtype):
    X = sparse.csr_array(np.eye(3, 4, k=1, dtype=dtype))
    harness.save_data(X, tmp_path)
    loaded = harness.load_data(tmp_path)
    assert isinstance(loaded, sparse.csr_array) and loaded.dtype == dtype
    np.testing.assert_array_equal(loaded.toarray(), X.toarray())


# --- The table --------------------------------------------------------------------------------


def test_summary_compares_with_the_rival():
    row = report.summary_table([fake_outcome()]).splitlines()[-1]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["fake", "exact", "0.50", "0.50", "0.33", "faster 2.0x, less memory 3.0x"]


def test_summary_says_when_our_quality_is_lower():
    outcome = fake_outcome()
    outcome.ours.loss = 1e-3
    assert "LOWER QUALITY" in report.summary_table([outcome])


def test_memory_differences_below_two_megabytes_are_equal():
    def ratio(ours, peer):
        return report.memory_ratio(Measured("a", memory=ours), Measured("b", memory=peer))

    assert ratio(1.9, 0.1) == 1.0
    assert ratio(50.0, 20.0) == 2.5
    assert ratio(None, 20.0) is None


def test_limit_of_memory_is_kept_or_broken():
    outcome = Outcome(fake_case(peers=(), memory_limit=100.0), Measured("ours"), [])
    for peak, words in [(99.0, "kept"), (101.0, "BROKEN")]:
        outcome.ours.process_memory = peak
        assert words in report.promise_table([outcome])


def test_section_is_replaced_and_the_others_stay():
    text = report.replace_section("", "pca", "old")
    text = report.replace_section(text, "nmf", "other")
    text = report.replace_section(text, "pca", "new")
    assert text.startswith("# Benchmark results")
    assert text.count("## pca\n\nnew\n") == text.count("## nmf\n\nother\n") == 1
    assert "old" not in text


def test_only_a_complete_run_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(command, "run_case", lambda *_: fake_outcome())
    for arguments in ["pca", "--quick"], ["pca", "--case", "stream-20GB"]:
        assert CliRunner().invoke(command.main, arguments).exit_code == 0
        assert not command.RESULTS.exists()
    assert CliRunner().invoke(command.main, ["pca"]).exit_code == 0
    assert "| faster 2.0x, less memory 3.0x |" in command.RESULTS.read_text()


def test_exit_code_tells_when_an_entry_failed(monkeypatch):
    outcome = fake_outcome()
    outcome.peers[0].error = "did not run"
    monkeypatch.setattr(command, "run_case", lambda *_: outcome)
    assert CliRunner().invoke(command.main, ["pca", "--quick"]).exit_code == 1


# --- The PCA family ---------------------------------------------------------------------------


def test_captured_variance_is_that_of_the_leading_eigenvalues():
    X = pca.planted(1, n=60, d=8, dtype=np.float64)
    values, vectors = np.linalg.eigh(np.cov(X.T))
    expected = values[-3:].sum() / values.sum()
    stretched = vectors[:, -3:].T * 7  # the basis need not be orthonormal
    for data in X, sparse.csr_array(X):
        assert pca.captured_by(data, stretched, block=7) == pytest.approx(expected, rel=1e-12)


def test_documents_have_the_density_that_the_case_names():
    X = pca.documents(50, n=100_000, d=10_000, words=23)
    assert X.shape == (2_000, 10_000)
    assert 0.0019 < X.nnz / np.prod(X.shape) < 0.0021
    assert X.has_canonical_format and X.data.min() == 1


def test_virtual_table_gives_the_same_rows_in_every_pass():
    table = pca.VirtualTable(pca.stream_noise(100, rows=200))
    first, second = next(table()), next(table())
    np.testing.assert_array_equal(first, second)
    assert first.shape == (2, pca.STREAM_COLUMNS) and table.passes == 2
    assert not np.array_equal(first, table.block(1))
