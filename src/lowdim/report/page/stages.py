"""The stages of a long report: a progress bar over all, and how long each took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lowdim.core.progress import Bar, watch


class Stages:
    """What is being done: `with stage("clusters"): ...`.

    Attributes
    ----------
    seconds : dict of str to float
        How long the stages took that are done.
    """

    def __init__(self, bar: Bar, shares: Mapping[str, int]):
        self._bar, self._shares = bar, shares
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, title: str) -> Iterator[None]:
        self._bar.update(sum(self._shares[done] for done in self.seconds), title)
        began = time.perf_counter()
        yield
        self.seconds[title] = time.perf_counter() - began


@contextmanager
def stages(title: str, shares: Mapping[str, int]) -> Iterator[Stages]:
    """A progress bar over stages.

    Parameters
    ----------
    title : str
        Of the whole: 'exploring'.
    shares : mapping of str to int
        The stages by their titles, and about what part of the time they take, in percent.
    """
    with watch(title, total=sum(shares.values())) as bar:
        yield Stages(bar, shares)
