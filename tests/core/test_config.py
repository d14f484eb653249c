"""Settings: for a program, for a `with` block, for one thread."""

import threading
from pathlib import Path

import pytest

from lowdim.core import config
from lowdim.core.config import Config, config_context, get_config, set_config


@pytest.fixture(autouse=True)
def defaults_stay(monkeypatch):
    monkeypatch.setattr(config, "_default", Config())


def test_a_setting_holds_within_its_block_and_blocks_may_be_nested():
    before = get_config()
    with config_context(threads=3) as outer:
        assert outer is get_config() and outer.threads == outer.n_threads == 3
        with config_context(progress=True):
            assert get_config().threads == 3 and get_config().progress is True
        assert get_config().progress is None
    assert get_config() == before


def test_a_setting_is_taken_back_after_an_error():
    with pytest.raises(ZeroDivisionError), config_context(threads=3):
        raise ZeroDivisionError
    assert get_config().threads is None


def test_a_block_changes_settings_for_its_own_thread_only():
    seen = []
    with config_context(threads=3):
        thread = threading.Thread(target=lambda: seen.append(get_config().threads))
        thread.start()
        thread.join()
    assert seen == [None]


def test_set_config_changes_settings_for_all_threads():
    seen = []
    set_config(threads=5)
    thread = threading.Thread(target=lambda: seen.append(get_config().threads))
    thread.start()
    thread.join()
    assert seen == [5] and get_config().threads == 5
    with config_context(threads=2):
        assert get_config().threads == 2


def test_without_a_setting_there_is_a_thread_per_core_that_we_may_use():
    import joblib

    assert get_config().n_threads == joblib.cpu_count() >= 1


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("threads", [0, -1, 2.5, "2", True], "must be an int, at least 1, or None for all cores"),
        ("progress", ["yes", 2], "must be True, False or None"),
        ("checkpoint", [5, True], "must be a folder or None"),
        ("checkpoint_seconds", [-1, "5", None, float("nan")], "must be a number, at least 0"),
        ("block_bytes", [0, 2.5, None], "must be an int, at least 1"),
        ("spill_bytes", [0, 2.5, None], "must be an int, at least 1"),
    ],
)
def test_values_that_make_no_sense_are_refused(name, values, message):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name}={value!r} {message}"):
            set_config(**{name: value})
        with pytest.raises(ValueError, match=name), config_context(**{name: value}):
            pass
    assert get_config() == Config()


def test_a_path_is_a_folder():
    with config_context(checkpoint=Path("x"), checkpoint_seconds=0) as settings:
        assert settings.checkpoint == Path("x")


def test_an_unknown_setting_is_named_with_those_there_are():
    with pytest.raises(
        TypeError, match="There is no setting 'thread'; the settings are threads, progress"
    ):
        set_config(thread=2)
    with pytest.raises(TypeError, match="There is no setting 'thread'"), config_context(thread=2):
        pass


def test_settings_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        get_config().threads = 7
