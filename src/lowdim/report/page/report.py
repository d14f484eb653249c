"""What users hold of a page: it can be saved, and a notebook shows it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from functools import cached_property
from html import escape
from pathlib import Path

FRAME_HEIGHT = 800  # pixels of the page in a notebook


class PageReport(ABC):
    """Findings that have a page.

    A subclass says what its page is by `_make_html`, and what a notebook calls it by `frame_title`.
    """

    frame_title = "lowdim"

    @abstractmethod
    def _make_html(self) -> str:
        """The page as text."""

    @cached_property
    def html(self) -> str:
        """The page: one HTML file that needs no network."""
        return self._make_html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # a frame without the notebook's origin: the page cannot reach the notebook, nor it the page
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 0" '
            f'title="{escape(self.frame_title)}"></iframe>'
        )
