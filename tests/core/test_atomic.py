"""Files appear complete or not at all, and what killed processes leave is removed."""

import os
import resource
import signal
import stat
import subprocess
import sys
import time

import pytest

from lowdim.core import atomic
from lowdim.core.atomic import NAME, remove_leftovers, replacing

RANDOM = "0123456789abcdef"
WRITES = """
import sys
from lowdim.core.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


@pytest.fixture
def writer(target):
    """A process in the midst of writing the target."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITES, target], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"open\n"
    yield process
    process.kill()
    process.communicate()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def temporary(folder, *, place=None, pid=None, start=None):
    """A file with the name of a temporary one; by default of this process."""
    pid = os.getpid() if pid is None else pid
    start = atomic._start(pid) if start is None else start
    path = folder / f".lowdim-{place or atomic._place()}-{pid}-{start}-{RANDOM}.tmp"
    assert NAME.fullmatch(path.name)
    path.write_bytes(b"half")
    return path


# ---- complete or not at all ----------------------------------------------------------------------


def test_the_file_appears_when_the_block_ends(target):
    target.write_bytes(b"old")
    with replacing(target) as file:
        file.write(b"new ")
        file.flush()
        assert target.read_bytes() == b"old"
        beside = [path for path in target.parent.iterdir() if path != target]
        assert [path.read_bytes() for path in beside] == [b"new "]
        assert NAME.fullmatch(beside[0].name)
        file.write(b"content")
    assert target.read_bytes() == b"new content"
    assert names(target.parent) == ["target"]


def test_the_new_file_can_be_read_and_written_anywhere(target):
    with replacing(str(target)) as file:
        file.write(b"0123")
        file.seek(1)
        assert file.read(2) == b"12"
        file.seek(0)
        file.write(b"x")
    assert target.read_bytes() == b"x123"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("old", [None, b"old"])
def test_after_an_exception_all_is_as_it_was(target, error, old):
    if old is not None:
        target.write_bytes(old)
    with pytest.raises(error), replacing(target) as file:
        file.write(b"half")
        raise error
    assert names(target.parent) == ([] if old is None else ["target"])
    assert old is None or target.read_bytes() == old


def test_a_full_disk_leaves_all_as_it_was(target):
    target.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"), replacing(target) as file:
            file.write(bytes(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert names(target.parent) == ["target"] and target.read_bytes() == b"old"


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_what_fails_at_the_end_leaves_all_as_it_was(target, monkeypatch, function):
    def fails(*args):
        raise OSError("no more")

    target.write_bytes(b"old")
    monkeypatch.setattr(os, function, fails)
    with pytest.raises(OSError, match="no more"), replacing(target) as file:
        file.write(b"new")
    assert names(target.parent) == ["target"] and target.read_bytes() == b"old"


def test_of_two_writers_at_once_the_last_one_to_end_stays(target):
    with replacing(target) as first:
        with replacing(target) as second:
            first.write(b"first, longer")
            second.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first, longer"
    assert names(target.parent) == ["target"]


def test_permissions_are_those_of_the_umask_or_of_the_file_that_was_there(target):
    old = os.umask(0o027)
    try:
        with replacing(target):
            pass
    finally:
        os.umask(old)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o604)
    with replacing(target):
        pass
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


# ---- links ---------------------------------------------------------------------------------------


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    behind, link = tmp_path / "folder" / "behind", tmp_path / "link"
    link.symlink_to("folder/behind")
    for content in (b"created", b"replaced"):
        with replacing(link) as file:
            file.write(content)
            assert len(names(tmp_path / "folder")) == 1 + behind.exists()  # beside the file itself
        assert link.is_symlink() and behind.read_bytes() == content


@pytest.mark.parametrize("plant", ["symlink", "hard link", "file"])
def test_what_is_planted_in_place_of_the_temporary_file_is_not_opened(
    target, tmp_path, monkeypatch, plant
):
    monkeypatch.setattr(atomic.secrets, "token_hex", lambda n: RANDOM)
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    planted = target.with_name(atomic._own_name())
    if plant == "symlink":
        planted.symlink_to(victim)
    elif plant == "hard link":
        planted.hardlink_to(victim)
    else:
        planted.write_bytes(b"precious")
    with pytest.raises(FileExistsError), replacing(target) as file:
        file.write(b"new")
    assert victim.read_bytes() == planted.read_bytes() == b"precious"
    assert planted.is_symlink() == (plant == "symlink") and not target.exists()


def test_a_symlink_to_nowhere_in_place_of_the_temporary_file_is_not_followed(target, monkeypatch):
    monkeypatch.setattr(atomic.secrets, "token_hex", lambda n: RANDOM)
    planted = target.with_name(atomic._own_name())
    planted.symlink_to("nowhere")
    with pytest.raises(FileExistsError), replacing(target):
        pass
    assert names(target.parent) == [planted.name]


# ---- leftovers -----------------------------------------------------------------------------------


def test_the_file_of_a_killed_process_is_removed_by_the_next_writer(target, writer):
    assert len(names(target.parent)) == 1
    writer.kill()
    writer.communicate()
    assert len(names(target.parent)) == 1
    with replacing(target.with_name("other")):
        assert len(names(target.parent)) == 1
    assert names(target.parent) == ["other"]


def test_a_killed_process_that_nobody_has_asked_about_is_gone(target, writer):
    writer.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while names(target.parent) and time.monotonic() < deadline:
        remove_leftovers(target.parent)
    assert writer.returncode is None and names(target.parent) == []


def test_the_file_of_a_running_process_stays(target, writer):
    with replacing(target) as file:
        file.write(b"mine")
    assert len(names(target.parent)) == 2
    writer.communicate()  # closes its input, upon which it ends
    assert names(target.parent) == ["target"] and target.read_bytes() == b"half"


def test_a_number_that_another_process_has_now_does_not_keep_a_file(tmp_path):
    start = atomic._start(os.getpid())
    earlier = temporary(tmp_path, start=start - 1)
    own = temporary(tmp_path)
    remove_leftovers(tmp_path)
    assert not earlier.exists() and own.exists()


def test_without_a_start_the_number_of_the_process_decides(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    gone, running = temporary(tmp_path, pid=process.pid, start=0), temporary(tmp_path, start=0)
    remove_leftovers(tmp_path)
    assert not gone.exists() and running.exists()


def test_a_process_of_another_user_is_running(monkeypatch):
    def refuses(pid, number):
        raise PermissionError(1, "not yours")

    monkeypatch.setattr(os, "kill", refuses)
    assert atomic._is_running(os.getpid(), 0)


def test_files_of_other_machines_stay_for_a_day(tmp_path):
    fresh = temporary(tmp_path, place="00000000")
    remove_leftovers(tmp_path)
    assert fresh.exists()
    os.utime(fresh, (time.time() - 90_000,) * 2)
    remove_leftovers(tmp_path)
    assert not fresh.exists()


def test_where_the_system_says_nothing_of_processes_the_machine_is_known_by_its_name(monkeypatch):
    here = atomic._place()

    def unknown(path):
        raise FileNotFoundError

    monkeypatch.setattr(os, "stat", unknown)
    elsewhere = atomic._place()
    assert elsewhere != here and NAME.fullmatch(f".lowdim-{elsewhere}-1-0-{RANDOM}.tmp")


def test_only_our_own_regular_files_are_removed(tmp_path, monkeypatch):
    leftover = temporary(tmp_path, start=1)
    name = leftover.name
    leftover.rename(tmp_path / "behind")
    (tmp_path / name).symlink_to("behind")
    (tmp_path / name.replace(RANDOM, "0" * 16)).mkdir()
    for other in ("lowdim.tmp", f"a{name}", f"{name}a", name.replace(RANDOM, "0"), ".lowdim-1.tmp"):
        (tmp_path / other).touch()
    before = names(tmp_path)
    remove_leftovers(tmp_path)
    assert names(tmp_path) == before

    strangers = temporary(tmp_path, start=2)
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: strangers.stat().st_uid + 1)
        remove_leftovers(tmp_path)
    assert strangers.exists()
    remove_leftovers(tmp_path)
    assert not strangers.exists()


def test_a_folder_that_cannot_be_listed_can_be_written_to(target, monkeypatch):
    def refuses(path):
        raise PermissionError(13, "not for you")

    monkeypatch.setattr(os, "scandir", refuses)
    with replacing(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"


# ---- the door ------------------------------------------------------------------------------------


def test_what_is_no_regular_file_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_folder").symlink_to(tmp_path)
    before = names(tmp_path)
    for path, error, message in [
        (tmp_path, IsADirectoryError, "this is not a regular file"),
        (tmp_path / "to_folder", IsADirectoryError, "this is not a regular file"),
        (tmp_path / "pipe", OSError, "this is not a regular file"),
        ("/dev/null", OSError, "this is not a regular file"),
        (tmp_path / "loop", OSError, "this link leads back to itself"),
        (tmp_path / "nowhere" / "a", FileNotFoundError, "there is no such folder.*nowhere"),
    ]:
        with pytest.raises(error, match=f"cannot save: {message}"), replacing(path):
            raise AssertionError("not reached")
    assert names(tmp_path) == before
