"""What the verbs for pictures share: amounts, files, and what they say of a picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy as np

KILO, MEGA = 1000, 1_000_000
UNITS = {"b": 1, "k": KILO, "kb": KILO, "kib": 1024, "m": MEGA, "mb": MEGA, "mib": 1024**2}


class Share(click.ParamType):
    """A number of coefficients, or a share: 2000, 5%, 0.05."""

    name = "share"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        if not isinstance(value, str):
            return value
        text = value.strip()
        try:
            if text.endswith("%"):
                return float(text[:-1]) / 100.0
            return int(text) if text.isdigit() else float(text)
        except ValueError:
            self.fail(f"{value!r} is no number and no share, such as 2000, 5% or 0.05.", param, ctx)


class Bytes(click.ParamType):
    """A number of bytes: 40000, 40k, 1.5M."""

    name = "bytes"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        if not isinstance(value, str):
            return int(value)
        text = value.strip().lower()
        digits = text.rstrip("kmib")
        try:
            return int(float(digits) * UNITS[text[len(digits) :] or "b"])
        except (ValueError, KeyError, OverflowError):
            self.fail(f"{value!r} is no size, such as 40000, 40k or 1.5M.", param, ctx)


def picture_options(function: Callable) -> Callable:
    """--reference, --plot and --page."""
    for option in reversed(
        (
            click.option(
                "--reference", metavar="CLEAN", help="A picture to compare with, if there is one."
            ),
            click.option(
                "--plot",
                metavar="FILE",
                help="Before, after and difference side by side: .png, ...",
            ),
            click.option(
                "--page", metavar="HTML", help="A page with a slider between before and after."
            ),
        )
    ):
        function = option(function)
    return function


def check_paths(inputs: Mapping[str, str | None], outputs: Mapping[str, str | None]) -> None:
    """No output is an input or another output, and folders exist."""
    seen = {_real(path): f"{name} {path}" for name, path in inputs.items() if path is not None}
    for name, path in outputs.items():
        if path is None:
            continue
        if _real(path) in seen:
            raise ValueError(
                f"{name} {path} is the same file as {seen[_real(path)]}; name another."
            )
        seen[_real(path)] = f"{name} {path}"
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise ValueError(f"{name} {path}: there is no folder {folder}.")


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def picture_line(name: str, values: np.ndarray) -> str:
    """'x.png: 512 x 768, colour, 8 bit, 210,000 bytes'."""
    kinds = {1: "grey", 2: "grey with alpha", 3: "colour", 4: "colour with alpha"}
    kind = kinds[values.shape[2] if values.ndim == 3 else 1] if values.ndim > 1 else "a signal"
    bits = f"{8 * values.dtype.itemsize} bit" + ("" if values.dtype.kind in "iu" else " numbers")
    size = " x ".join(map(str, values.shape[:2]))
    return f"{os.path.basename(name)}: {size}, {kind}, {bits}, {os.path.getsize(name):,} bytes"


def quality_text(reference: np.ndarray, values: np.ndarray) -> str:
    """'PSNR 33.21 dB, SSIM 0.9123'."""
    from lowdim import sparse

    said = f"PSNR {sparse.psnr(reference, values):.2f} dB"
    if min(values.shape[:2]) >= 11:
        said += f", SSIM {sparse.ssim(reference, values):.4f}"
    return said


def read_reference(path: str | None, values: np.ndarray) -> np.ndarray | None:
    """The picture to compare with, of the same shape and type."""
    if path is None:
        return None
    from lowdim.sparse.pictures.files import read_picture

    found = read_picture(path)
    if found.shape != values.shape or found.dtype != values.dtype:
        raise ValueError(
            f"--reference {path} has the shape {found.shape} and type {found.dtype}; the picture "
            f"has {values.shape} and {values.dtype}."
        )
    return found


def save_plot(path: str | None, pictures: Mapping[str, np.ndarray]) -> None:
    """Pictures side by side."""
    if path is None:
        return
    import matplotlib

    matplotlib.use("Agg")
    from lowdim import plots

    ax = plots.side_by_side(pictures)
    ax.figure.savefig(path)


def say(lines: list[tuple[str, str]], quiet: bool) -> None:
    """What was done, unless it should be quiet."""
    if not quiet:
        width = max(len(what) for what, _ in lines) + 2
        for what, text in lines:
            click.echo(f"{what:<{width}}{text}")
