"""Files that appear complete or not at all.

A new file is written beside its target, under a name of its own, and takes the target's place at
the very end:

    .lowdim-<place>-<pid>-<start>-<random>.tmp   --os.replace-->   target

A process that is killed leaves such a file behind. Its name says whose it is: the process, when
that process started (numbers of processes are given again), and the place where both mean
something: one start of one machine, seen from one container. The next one to write into the folder
removes it.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2s
from pathlib import Path
from typing import BinaryIO

NAME = re.compile(
    r"\.lowdim-(?P<place>[0-9a-f]{8})-(?P<pid>[0-9]{1,7})-(?P<start>[0-9]{1,20})-[0-9a-f]{16}\.tmp"
)
FOREIGN_SECONDS = 86_400.0  # a file whose process cannot be looked up is kept for so long
# created by this call, or it fails: neither a file nor a link that is there already is opened
NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL
NEW_FILE |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file, open for writing and reading, that becomes `path` when the block ends.

    If the block raises, or anything after it fails, `path` stays as it was and the new file is
    removed. If `path` is a link, the file that it points to is replaced and the link stays. A file
    that is replaced passes on its permissions; other files get those of the umask.

    Parameters
    ----------
    path : str or path-like
        The file to write, in a folder that exists; a regular file if it is there already.
    """
    target = _target(path)
    remove_leftovers(target.parent)
    temporary = target.with_name(_own_name())
    descriptor = os.open(temporary, NEW_FILE, 0o666)
    try:
        with open(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_leftovers(folder: str | os.PathLike[str]) -> None:
    """Remove temporary files that processes of this user left in a folder when they were killed.

    Files of running processes stay. Where processes cannot be looked up (another machine or
    container that shares the folder, an earlier start of this machine, Windows), files stay for a
    day after their last change. What cannot be listed or removed stays, too.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = NAME.fullmatch(entry.name)
            if name and _is_leftover(entry, name["place"], int(name["pid"]), int(name["start"])):
                with suppress(OSError):
                    os.unlink(entry.path)


def _target(path: str | os.PathLike[str]) -> Path:
    """The file that is replaced: `path`, through links, as if it were opened for writing."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "cannot save: this link leads back to itself", str(path))
    if target.exists() and not target.is_file():
        reason = errno.EISDIR if target.is_dir() else errno.EINVAL
        raise OSError(reason, "cannot save: this is not a regular file", str(path))
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "cannot save: there is no such folder", str(target.parent))
    return target


def _own_name() -> str:
    """The name of a new temporary file of this process."""
    pid = os.getpid()
    return f".lowdim-{_place()}-{pid}-{_start(pid) or 0}-{secrets.token_hex(8)}.tmp"


def _is_leftover(entry: os.DirEntry[str], place: str, pid: int, start: int) -> bool:
    """Whether a file that bears one of our names is ours, and nobody writes it any more."""
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        return False
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        return False
    if place == _place() and os.name != "nt":
        return not _is_running(pid, start)
    return time.time() - found.st_mtime > FOREIGN_SECONDS


def _is_running(pid: int, start: int) -> bool:
    """Whether the process with this number, which started then (0: not known), still runs."""
    if start:
        return _start(pid) == start
    try:
        os.kill(pid, 0)  # signal 0 only asks
    except OSError as error:
        return error.errno != errno.ESRCH  # it may run and not be ours
    return True


def _start(pid: int) -> int | None:
    """When a process started, in clock ticks; None: it does not run, or the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    state, start = fields[0], fields[19]  # fields 3 and 22 of proc_pid_stat(5)
    return None if state in "ZX" else int(start)


def _place() -> str:
    """Where numbers of processes mean what they mean here: 8 hexadecimal digits."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        where = f"{boot} {os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        where = platform.node()
    return blake2s(where.encode(), digest_size=4).hexdigest()
