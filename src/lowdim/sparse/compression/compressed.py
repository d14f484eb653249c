"""`Compressed`: what `compress` gives; it can be saved, loaded and turned into a signal again."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from lowdim.core.estimator import SameBits
from lowdim.core.persistence import PlainObject, save_model, saved_size
from lowdim.sparse.compression.bands import default_level, fixed_bands, fixed_kinds
from lowdim.sparse.compression.coding import Reader, Writer
from lowdim.sparse.compression.contents import Factors, Streams
from lowdim.sparse.compression.learnt_blocks import unrounded
from lowdim.sparse.compression.plan import Learnt, Plan, Rounded
from lowdim.sparse.pictures.colors import AXES
from lowdim.sparse.pictures.quality import psnr_of

TYPES = ("|u1", "|i1", *(f"<{kind}{size}" for kind in "iu" for size in "248"), "<f4", "<f8")
MOST_SIDE = 2**31  # pixels


class Compressed(SameBits, PlainObject):
    """A signal or picture in few numbers; `lowdim.compress` makes it.

    Attributes
    ----------
    basis : str
        In which it is sparse.
    shape, dtype
        Of the signal.
    n_kept : int
        Coefficients that are not 0; of 'svd', ranks of all channels.
    error : float
        Sum of squared differences from the signal.
    energy_kept : float
        1 - error / (sum of the squared signal).
    psnr : float
        In dB; infinite without an error.
    ssim : float
        Structural similarity; NaN for signals shorter than its window of 11.
    nbytes : int
        Of the file that `save` writes.
    """

    def __init__(self, contents: Streams | Factors, dtype: np.dtype, found: dict[str, Any]):
        self._contents, self.dtype, self._found = contents, np.dtype(dtype), found

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def basis(self) -> str:
        return self._contents.plan.basis

    @property
    def shape(self) -> tuple[int, ...]:
        return self._contents.plan.shape

    @property
    def level(self) -> int | None:
        """How often the signal is halved, in a wavelet basis."""
        return self._contents.plan.level

    @property
    def step(self) -> float | None:
        """Of the coefficients, in units of the signal; None: they are kept as they are."""
        return self._contents.step if isinstance(self._contents, Streams) else None

    @property
    def n_kept(self) -> int:
        return int(self._found["kept"])

    @property
    def error(self) -> float:
        return float(self._found["error"])

    @property
    def energy_kept(self) -> float:
        energy = float(self._found["energy"])
        return 1.0 - self.error / energy if energy > 0 else 1.0

    @property
    def psnr(self) -> float:
        return psnr_of(self.error / max(int(np.prod(self.shape)), 1), float(self._found["peak"]))

    @property
    def ssim(self) -> float:
        value = self._found["ssim"]
        return float("nan") if value is None else float(value)

    @cached_property
    def nbytes(self) -> int:
        return saved_size(self)

    def reconstruct(self) -> np.ndarray:
        """The signal again, in its shape and type, as near as what is stored allows."""
        out = np.empty(self.shape, self.dtype)
        self._contents.reconstruct(out)
        return out

    def atoms(self) -> np.ndarray | None:
        """Atoms that were learnt from the picture ('pca'), (planes, k, block, block)."""
        learnt = self._contents.plan.learnt
        if not learnt:
            return None
        b = int(self._contents.plan.block or 1)
        return np.stack([one.atoms.reshape(-1, b, b) for one in learnt])

    # ---- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `lowdim.load` reads; it appears complete or not at all."""
        save_model(self, path)

    def _fields(self) -> dict[str, Any]:
        plan = self._contents.plan
        fields = {
            "shape": list(plan.shape),
            "dtype": self.dtype.newbyteorder("<").str,
            "basis": plan.basis,
            "color": plan.color,
            **{name: getattr(plan, name) for name in ("level", "block")},
            **self._found,
        }
        if isinstance(self._contents, Factors):
            return fields | {n: getattr(self._contents, n) for n in ("left", "sizes", "right")}
        rounded = [one.rounded for one in plan.learnt if one.rounded is not None]
        if rounded:
            fields |= _of_rounded(rounded)
        elif plan.learnt:
            fields["means"] = np.stack([one.mean for one in plan.learnt])
            fields["atoms"] = np.stack([one.atoms for one in plan.learnt])
        streams = self._contents.streams
        fields["stream"] = np.frombuffer(b"".join(streams), np.uint8)
        if len(streams) > 1:
            fields["lengths"] = [len(stream) for stream in streams]
        if self._contents.step is not None:
            return fields | {"step": self._contents.step}
        values = self._contents.values
        if len(values) > 1:
            fields["counts"] = [len(part) for part in values]
        return fields | {"values": np.concatenate(values)}

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Compressed:
        plan = _plan(fields)
        _require(fields["dtype"] in TYPES, "its dtype is none of a signal")
        dtype = np.dtype(fields["dtype"]).newbyteorder("=")
        found = {name: fields[name] for name in ("kept", "error", "energy", "peak", "ssim")}
        _check_found(found)
        contents = _factors(plan, fields) if plan.basis == "svd" else _streams(plan, fields)
        contents.check()
        return cls(contents, dtype, found)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.shape))
        return (
            f"<Compressed {shape} in {self.basis}: {self.n_kept:,} kept, {self.nbytes:,} bytes, "
            f"PSNR {self.psnr:.2f} dB>"
        )


# ---- fields of a file ----------------------------------------------------------------------------


def _plan(fields: dict[str, Any]) -> Plan:
    shape, kind, color = fields["shape"], fields["basis"], fields["color"]
    sizes = type(shape) is list and all(type(s) is int and 0 < s < MOST_SIDE for s in shape)
    _require(sizes and len(shape) in (1, 2, 3), "it has no shape of a signal")
    _require(len(shape) < 3 or shape[2] <= 4, "it has too many channels")
    _require(kind in ("pca", "svd") or kind in fixed_kinds(), f"there is no basis {kind!r:.40}")
    _require(color in AXES, f"there are no colours {color!r:.40}")
    level, block = fields["level"], fields["block"]
    _require(level is None or (type(level) is int and 0 <= level <= 31), "its level is impossible")
    _require(block is None or (type(block) is int and 1 <= block <= 64), "its block is impossible")
    learnt: tuple[Learnt, ...] = ()
    if kind == "pca":
        learnt = _learnt(fields, shape[2] if len(shape) == 3 else 1, block)
    elif kind not in ("svd", "dct", "dft", "identity", "hadamard", "lapped"):
        _require(
            level is not None and level <= 2 + default_level("haar", tuple(shape[:2])),
            "its level is too large",
        )
    whole = len(shape) == 1 and "lengths" not in fields
    return Plan(tuple(shape), kind, level, block, color, learnt, whole)


def _of_rounded(rounded: list[Rounded]) -> dict[str, Any]:
    """Mean blocks and atoms in whole numbers, as fields of a file."""
    writer = Writer()
    for one in rounded:
        writer.add(fixed_bands("identity", one.numbers.shape, None, None), [one.numbers])
    return {
        "rounded": np.frombuffer(writer.packed(), np.uint8),
        "bits": [list(one.bits) for one in rounded],
        "mean_step": rounded[0].step,
    }


def _rounded(fields: dict[str, Any], channels: int, block: int) -> tuple[Learnt, ...]:
    stream, bits, step = fields["rounded"], fields["bits"], fields["mean_step"]
    _require(isinstance(stream, np.ndarray) and stream.dtype == np.uint8, "it has no atoms")
    _require(type(step) is float and np.isfinite(step) and step > 0, "its step is no number")
    lists = type(bits) is list and len(bits) == channels and all(type(b) is list for b in bits)
    _require(lists and 1 <= len(bits[0]) <= block**2, "its atoms do not fit")
    k = len(bits[0])
    whole = all(len(b) == k and all(type(n) is int and 0 <= n <= 31 for n in b) for b in bits)
    _require(whole, "its atoms do not fit")
    transform = fixed_bands("identity", (1 + k, block**2), None, None)
    reader = Reader(stream.tobytes(), [transform] * channels)
    numbers = [reader.bands(transform)[0] for _ in range(channels)]
    reader.end()
    return tuple(
        unrounded(Rounded(one, tuple(b), step), block) for one, b in zip(numbers, bits, strict=True)
    )


def _learnt(fields: dict[str, Any], channels: int, block: int | None) -> tuple[Learnt, ...]:
    _require(block is not None, "it has no size of blocks")
    assert block is not None
    if "rounded" in fields:
        return _rounded(fields, channels, block)
    means, atoms = fields["means"], fields["atoms"]
    d = block * block
    _require(_floats(means) and means.shape == (channels, d), "its mean blocks do not fit")
    fitting = _floats(atoms) and atoms.ndim == 3 and atoms.shape[::2] == (channels, d)
    _require(fitting and 1 <= atoms.shape[1] <= d, "its atoms do not fit")
    return tuple(Learnt(m, a) for m, a in zip(means, atoms, strict=True))


def _streams(plan: Plan, fields: dict[str, Any]) -> Streams:
    stream = fields["stream"]
    _require(isinstance(stream, np.ndarray) and stream.dtype == np.uint8, "it has no coefficients")
    n = len(plan.tiles())
    raw, lengths = stream.tobytes(), fields.get("lengths", [len(stream)])
    parts = tuple(raw[a:b] for a, b in _spans(lengths, n, len(raw)))
    if "step" in fields:
        step = fields["step"]
        _require(type(step) is float and np.isfinite(step) and step > 0, "its step is no number")
        return Streams(plan, parts, step)
    values = fields["values"]
    _require(_floats(values) and values.ndim == 1, "its values are no numbers")
    spans = _spans(fields.get("counts", [len(values)]), n, len(values))
    return Streams(plan, parts, None, tuple(values[a:b] for a, b in spans))


def _spans(lengths: Any, n: int, total: int) -> list[tuple[int, int]]:
    whole = type(lengths) is list and all(type(x) is int and x >= 0 for x in lengths)
    _require(whole and len(lengths) == n and sum(lengths) == total, "its parts do not fit")
    ends = np.cumsum(lengths).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _factors(plan: Plan, fields: dict[str, Any]) -> Factors:
    parts = [fields[name] for name in ("left", "sizes", "right")]
    _require(all(map(_floats, parts)) and len(plan.shape) > 1, "it has no factors of a picture")
    return Factors(plan, *parts)


def _check_found(found: dict[str, Any]) -> None:
    for name, value in found.items():
        number = type(value) in (int, float) or (name == "ssim" and value is None)
        _require(number and (value is None or np.isfinite(value)), f"{name!r} is no number")


def _floats(array: Any) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.dtype in (np.float32, np.float64)
        and bool(np.isfinite(array).all())
    )


def _require(condition: Any, problem: str) -> None:
    if not condition:
        raise ValueError(problem)
