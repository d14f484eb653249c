"""`lowdim.sample_page`: drawn rows, images or texts beside real ones, as a page."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.report.generate.findings import ImageFindings, TableFindings, find_images, find_table
from lowdim.report.generate.texts import TextFindings, find_texts
from lowdim.report.page.report import PageReport
from lowdim.tables.encoder import TableEncoder

LEAST_ROWS = 10
MOST_READ = 20_000  # characters of the real text by which bits are counted


@dataclass(frozen=True)
class SamplePage(PageReport):
    """Drawn rows, images or texts beside real ones; `save("page.html")` writes the page.

    Attributes
    ----------
    findings : TableFindings, ImageFindings or TextFindings
        What the page says as plain data; `findings.quality` are the measures of rows and images.
    script : str
        A Python script that gives the measures again.
    """

    findings: TableFindings | ImageFindings | TextFindings
    script: str

    frame_title = "lowdim generate"

    def _make_html(self) -> str:
        from lowdim.report.generate import page

        if isinstance(self.findings, TableFindings):
            return page.table_page(self.findings, self.script)
        if isinstance(self.findings, ImageFindings):
            return page.image_page(self.findings, self.script)
        return page.text_page(self.findings, self.script)

    def __repr__(self) -> str:
        found = self.findings
        if isinstance(found, TextFindings):
            return f"SamplePage({found.name}: {len(found.texts)} texts)"
        what = "rows" if isinstance(found, TableFindings) else "images"
        return f"SamplePage({found.name}: {what} told right: {found.quality.c2st:.2f})"


@single_threaded_blas()
def sample_page(
    real: Any,
    fake: Any,
    *,
    name: str = "sample",
    held_out: Any = None,
    encoder: TableEncoder | None = None,
    model: Any = None,
    random_state: int = 0,
) -> SamplePage:
    """A page of drawn rows, images or texts beside real ones, and how good they are.

    Cost: that of `sample_quality`, for at most 5000 rows of each side.

    Parameters
    ----------
    real : table, array of images of shape (n, h, w) or (n, h, w, 3), or str
        What the model learned from: a table is what `lowdim.tables.open_table` takes, and may have
        missing values. Text may be None: then nothing is said of it.
    fake : the same, or list of str
        What was drawn, or written.
    name : str, default='sample'
        What the page calls it; of a path, its last part.
    held_out : table or None, default=None
        Real rows that the model did not learn from, for the measure `memorised`; not used where
        values are missing.
    encoder : TableEncoder or None, default=None
        A fitted one, which says what columns of tables are; None: as they look.
    model : CausalTransformer or None, default=None
        What wrote the text: the page says how well it reads the real one.
    random_state : int, default=0

    Returns
    -------
    SamplePage
        `save("page.html")` writes the page; a notebook shows it.

    See Also
    --------
    sample_quality : the measures alone.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 2))
    >>> page = lowdim.sample_page(X, lowdim.ProbabilisticPCA(1).fit(X).sample(60, random_state=0))
    >>> bool(page.findings.quality.c2st < 0.8)
    True
    """
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    seed = check_at_least("random_state", random_state, 0)
    short = os.path.basename(str(name)) or "sample"
    if isinstance(fake, str) or (isinstance(fake, list) and fake and isinstance(fake[0], str)):
        return _text(short, real, [fake] if isinstance(fake, str) else fake, model, seed)
    script = _SCRIPT.format(name=str(name))
    images = getattr(np.asarray(fake), "ndim", 0) if _is_array(fake) else 0
    if images >= 3:
        return SamplePage(find_images(short, *_images(real, fake), seed), script)
    return SamplePage(find_table(short, real, fake, held_out, encoder, seed), script)


_SCRIPT = """\
import lowdim

real = {name!r}  # or the table, or the images, themselves
fake = "synthetic.csv"  # what was drawn
print(lowdim.sample_quality(real, fake))
lowdim.sample_page(real, fake).save("page.html")
"""

_TEXT_SCRIPT = """\
import lowdim

text = open({name!r}, encoding="utf-8").read()
model = lowdim.CausalTransformer(max_steps=2000, batch_size=12, random_state=0).fit(text)
print(model.generate("", 300))
"""


def _text(name: str, real: Any, texts: list[str], model: Any, seed: int) -> SamplePage:
    if real is not None and not isinstance(real, str):
        raise TypeError(f"fake is text, and real is of type {type(real).__name__}; give a str.")
    if not any(texts):
        raise ValueError("fake has no text: all its texts are empty.")
    bits = None
    if model is not None and real:
        bits = -float(model.score(real[-MOST_READ:])) / math.log(2.0)
    return SamplePage(find_texts(name, real, texts, seed, bits), _TEXT_SCRIPT.format(name=name))


def _is_array(X: Any) -> bool:
    return isinstance(X, np.ndarray)


def _images(real: Any, fake: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both sides as arrays of images of one shape."""
    if real is None:
        raise ValueError("real is None; give real images to compare with.")
    real, fake = np.asarray(real), np.asarray(fake)
    for what, side in (("real", real), ("fake", fake)):
        if side.ndim not in (3, 4) or side.shape[3:] not in ((), (1,), (3,)):
            raise ValueError(
                f"{what} has shape {side.shape}; give images of shape (n, h, w) or (n, h, w, 3)."
            )
        if len(side) < LEAST_ROWS:
            raise ValueError(f"{what} has {len(side)} images; give {LEAST_ROWS} at least.")
    if real.shape[1:] != fake.shape[1:]:
        raise ValueError(
            f"real has images of shape {real.shape[1:]}, fake of {fake.shape[1:]}; give one shape."
        )
    if real.shape[3:] == (1,):
        real, fake = real[..., 0], fake[..., 0]
    return real, fake
