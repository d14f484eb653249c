"""`lowdim.picture_page`: a page with a picture before and after."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.report.page.report import PageReport
from lowdim.sparse.compression.compressed import Compressed
from lowdim.sparse.compression.curves import rate_distortion
from lowdim.sparse.denoising.denoising import Denoised
from lowdim.sparse.pictures.quality import psnr, ssim
from lowdim.sparse.pictures.signals import open_signal, peak_of

CURVE_PIXELS = 2**21  # a larger picture has its curve from every so many pixels
WINDOW = 11


@dataclass(frozen=True)
class PicturePage(PageReport):
    """A picture before and after, as a page; `save("page.html")` writes it.

    Attributes
    ----------
    name, what, sentence : str
    before, after : ndarray
    facts : dict of str to str
    curve : RateDistortion or None
    atoms : ndarray of shape (k, h, w) or None
    script : str
    """

    name: str
    what: str
    sentence: str
    before: np.ndarray
    after: np.ndarray
    peak: float
    facts: dict[str, str]
    curve: Any
    atoms: np.ndarray | None
    script: str

    frame_title = "lowdim picture"

    def _make_html(self) -> str:
        from lowdim.report.pictures.page import page

        return page(self)

    def __repr__(self) -> str:
        return f"PicturePage({self.name}: {self.what}; {self.sentence})"


@single_threaded_blas()
def picture_page(
    before: Any,
    after: Any,
    *,
    name: str = "picture",
    compressed: Compressed | None = None,
    denoised: Denoised | None = None,
    observed: Any = None,
    clean: Any = None,
) -> PicturePage:
    """A page with a slider between a picture before and after, and what there is to say of it.

    Parameters
    ----------
    before, after : array-like of shape (h, w) or (h, w, c)
    name : str, default='picture'
        What the picture is called; of a path, its last part.
    compressed : Compressed or None, default=None
        What `compress` gave: the page then has the curve of PSNR by bytes.
    denoised : Denoised or None, default=None
        What `denoise` gave: the page then has its atoms, if some were learnt.
    observed : bool array or None, default=None
        Which pixels were known to `inpaint`.
    clean : array-like or None, default=None
        The picture as it should be, if that is known.

    Returns
    -------
    PicturePage

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> x = np.add.outer(np.arange(32), np.arange(32)).astype(np.uint8)
    >>> c = lowdim.compress(x, psnr=40.0)
    >>> page = lowdim.picture_page(x, c.reconstruct(), compressed=c)
    >>> "slider" in page.html
    True
    """
    x, y = (
        open_signal(n, v, "picture_page").values for n, v in (("before", before), ("after", after))
    )
    if x.shape != y.shape or x.ndim < 2:
        raise ValueError(
            f"before and after have the shapes {x.shape} and {y.shape}; give pictures of one shape."
        )
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    facts, atoms, curve = {}, None, None
    if compressed is not None:
        what, script = "compressed", _script_of(compressed, name)
        facts = _compressed_facts(compressed)
        learnt = compressed.atoms()
        atoms = None if learnt is None else learnt[0]
        curve = _curve_of(x, compressed.basis)
    elif denoised is not None:
        what, script = "without noise", _denoise_script(denoised, name)
        facts = {"noise (standard deviation)": f"{denoised.sigma:.4g}", "method": denoised.method}
        atoms = _square(denoised.model)
    else:
        what, script = "filled", _line(name, "inpaint(x, observed)")
        facts = {} if observed is None else _filled_facts(np.asarray(observed))
    facts |= _quality(x, y, clean, compressed is not None)
    short = os.path.basename(str(name)) or "picture"
    sentence = ", ".join(f"{key} {value}" for key, value in list(facts.items())[:3]) + "."
    sentence = sentence[0].upper() + sentence[1:]
    return PicturePage(short, what, sentence, x, y, peak_of(x), facts, curve, atoms, script)


def _curve_of(x: np.ndarray, basis: str) -> Any:
    step = int(np.ceil(np.sqrt(max(1.0, x.shape[0] * x.shape[1] / CURVE_PIXELS))))
    return rate_distortion(x[::step, ::step], list(dict.fromkeys([basis, "bior4.4", "dct"])))


def _square(atoms: np.ndarray | None) -> np.ndarray | None:
    """(k, side, side)"""
    if atoms is None:
        return None
    side = round(float(np.sqrt(atoms.shape[1])))
    return atoms.reshape(-1, side, side)


def _filled_facts(observed: np.ndarray) -> dict[str, str]:
    missing = int((~observed).sum())
    return {"pixels filled": f"{missing:,}", "of all": f"{missing / observed.size:.1%}"}


def _denoise_script(d: Denoised, name: str) -> str:
    return _line(name, f"denoise(x, sigma={d.sigma:.6g}, method={d.method!r}).image")


def _compressed_facts(c: Compressed) -> dict[str, str]:
    return {
        "bytes": f"{c.nbytes:,}",
        "PSNR": f"{c.psnr:.2f} dB",
        "SSIM": f"{c.ssim:.4f}",
        "coefficients kept": f"{c.n_kept:,}",
        "energy kept": f"{c.energy_kept:.4%}",
        "basis": c.basis,
    }


def _quality(x: np.ndarray, y: np.ndarray, clean: Any, known: bool) -> dict[str, str]:
    """How near both are to the picture as it should be."""
    if clean is None:
        return {} if known else {"changed by": f"{psnr(x, y):.2f} dB"}
    truth = np.asarray(clean)
    facts = {"PSNR before": f"{psnr(truth, x):.2f} dB", "PSNR after": f"{psnr(truth, y):.2f} dB"}
    if min(x.shape[:2]) >= WINDOW:
        facts["SSIM before"] = f"{ssim(truth, x):.4f}"
        facts["SSIM after"] = f"{ssim(truth, y):.4f}"
    return facts


def _script_of(c: Compressed, name: str) -> str:
    target = f"psnr={c.psnr:.4f}" if c.step is not None else f"keep={c.n_kept}"
    if c.basis == "svd":
        target = f"rank={c.n_kept // (c.shape[2] if len(c.shape) == 3 else 1)}"
    return _line(name, f"compress(x, {c.basis!r}, {target}).reconstruct()")


def _line(name: str, call: str) -> str:
    return (
        "import numpy as np\nfrom PIL import Image\n\nimport lowdim\n\n"
        f"x = np.array(Image.open({str(name)!r}))\ny = lowdim.{call}\n"
    )
