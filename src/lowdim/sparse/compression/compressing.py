"""`compress`: a signal or picture in few coefficients of a basis.

x = U z,   z with few numbers that are not 0

keep, epsilon     only choose: the K largest |z|, or those with |z| >= epsilon
psnr, nbytes      round z to whole numbers of steps, those of less than 0.66 steps to 0, and code
                  them in few bytes; steps are as coarse as the PSNR allows, as fine as bytes do
rank, scales      the first components, the coarsest scales: whatever the picture
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.sparse.compression.bands import default_level, fixed_kinds
from lowdim.sparse.compression.compressed import Compressed
from lowdim.sparse.compression.learnt_blocks import with_components
from lowdim.sparse.compression.low_rank import Decomposed, warn_if_large
from lowdim.sparse.compression.plan import Plan, largest_tile
from lowdim.sparse.compression.searching import for_bytes, for_psnr
from lowdim.sparse.compression.selecting import (
    Rule,
    bands_rule,
    first_rule,
    largest_rule,
    scales_rule,
    threshold_rule,
)
from lowdim.sparse.compression.storing import by_rule
from lowdim.sparse.pictures.colors import AXES
from lowdim.sparse.pictures.signals import Signal, open_signal
from lowdim.sparse.pictures.strips import strips

TARGETS = ("keep", "epsilon", "psnr", "nbytes", "rank", "scales")
WITHOUT_LEVELS = ("dct", "dft", "identity", "hadamard", "lapped", "pca", "svd")
LARGEST_BLOCK = 64
LARGEST = 1.001e150  # value: its square is a number
LARGEST_SINGLE = 1.001e30  # the same for 'svd' and 'pca', whose factors are float32


@single_threaded_blas()
def compress(
    signal: Any,
    basis: str = "bior4.4",
    *,
    keep: int | float | None = None,
    epsilon: float | None = None,
    psnr: float | None = None,
    nbytes: int | None = None,
    rank: int | None = None,
    level: int | None = None,
    block: int | None = 8,
    color: str = "ycc",
    selection: str = "largest",
    scales: int | None = None,
) -> Compressed:
    """Store a signal or picture in few numbers, by one target.

    Cost: a transform or two for `keep` and `epsilon`, about ten for `psnr` and `nbytes`. Memory: a
    few tiles of 1024 x 1024 pixels and the picture that is stored, beside what is returned ('svd':
    all factors). Signals of more than 1024^2 numbers are cut into pieces of about the same length.

    Parameters
    ----------
    signal : array-like of shape (n,), (h, w) or (h, w, c)
        A signal; or a picture, grey or in colour, with or without alpha. Any size; whole numbers or
        floating point numbers.
    basis : str, default='bior4.4'
        Every discrete wavelet of PyWavelets; 'dct' (of a picture, in blocks); 'dft', 'hadamard',
        'lapped', 'identity' (of the whole); 'pca': principal components of the picture's own
        blocks, which are stored, too; 'svd': columns times rows; 'auto': the best of some by
        `sparse.choose_basis`.
    keep : int or float, default=None
        Target: how many coefficients, or which share of the signal's numbers (0 < keep <= 1).
    epsilon : float, default=None
        Target: coefficients of less become 0, in units of the signal.
    psnr : float, default=None
        Target: at least so many dB, in few bytes.
    nbytes : int, default=None
        Target: at most so many bytes of a file.
    rank : int, default=None
        Target of 'svd' (columns times rows) and 'pca' (components).
    level : int, default=None
        How often wavelets halve the signal; None: as often as makes sense. Sizes that cannot be
        halved so often are padded.
    block : int or None, default=8
        Side of the blocks of 'dct' and 'pca'; None: a 'dct' of the whole picture. Signals are not
        cut.
    color : {'ycc', 'opponent', 'rgb'}, default='ycc'
        Axes of colours: lightness and two differences as in JPEG; orthonormal ones; channel by
        channel.
    selection : {'largest', 'first'}, default='largest'
        With `keep`: the largest coefficients, or the first (coarse scales, low frequencies, first
        components), a linear approximation.
    scales : int, default=None
        Target: averages and the details of so many scales, coarsest first; of wavelets.

    Returns
    -------
    Compressed
        With n_kept, error, energy_kept, psnr, ssim, nbytes; `reconstruct()`, `save(path)`.

    See Also
    --------
    sparse.choose_basis : in which basis a signal has the fewest numbers.
    sparse.rate_distortion : PSNR by bytes.
    PCA : components of many signals.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> x = np.array([4.0, 2, 5, 5, 1, 3, 0, 8])
    >>> c = lowdim.compress(x, "haar", keep=2)
    >>> c.n_kept, round(c.error, 4)  # 144 - 98 - 32
    (2, 14.0)
    >>> c.reconstruct()
    array([ 3.5,  3.5,  3.5,  3.5,  3.5,  3.5, -0.5,  7.5])
    """
    given = open_signal("signal", signal, "compress")
    _check_size(given, LARGEST_SINGLE if basis in ("svd", "pca") else LARGEST)
    targets = {
        name: value
        for name, value in zip(TARGETS, (keep, epsilon, psnr, nbytes, rank, scales), strict=True)
        if value is not None
    }
    check_targets(targets)
    target, value = next(iter(targets.items()))
    check_choice("selection", selection, ("largest", "first"))
    check_choice("color", color, AXES)
    if basis == "auto":
        basis = _chosen(given, target, value, block)
    plan = open_plan(given, basis, level, block, color)
    value = _checked(given, plan, target, value, selection)
    if plan.basis == "svd":
        return _of_rank(given, plan, target, value)
    if plan.basis == "pca":
        plan = with_components(plan, given, rounded=target in ("psnr", "nbytes"))
    if target == "psnr":
        return for_psnr(given, plan, value)
    if target == "nbytes":
        return for_bytes(given, plan, value)
    return by_rule(given, plan, _rule(given, plan, target, value, selection))


def _check_size(signal: Signal, limit: float) -> None:
    """No value beyond a limit."""
    if signal.values.dtype.kind != "f":
        return
    largest = max(float(np.abs(signal.values[part]).max()) for part in strips(signal.size))
    if largest > limit:
        raise ValueError(
            f"signal has values as large as {largest:.0e}, too large to be squared or stored; "
            "divide it by its largest."
        )


def check_targets(targets: dict[str, Any]) -> None:
    """One, and only one."""
    if len(targets) != 1:
        found = " and ".join(f"{name}={value!r}" for name, value in targets.items())
        raise ValueError(
            f"compress has {'no target' if not targets else 'the targets ' + found}; choose one of "
            f"{', '.join(TARGETS)}, for instance psnr=35 or keep=0.05."
        )


def open_plan(signal: Signal, basis: str, level: int | None, block: int | None, color: str) -> Plan:
    """How the signal is to be taken apart, checked."""
    known = [*fixed_kinds(), "pca", "svd"]
    if basis not in known:
        raise ValueError(
            f"basis={basis!r} is not known; choose 'dct', 'dft', 'hadamard', 'lapped', 'identity', "
            "'pca', 'svd', 'auto', or a wavelet of PyWavelets, such as 'haar', 'sym8' or 'bior4.4'."
        )
    picture = len(signal.size) == 2
    if basis in ("pca", "svd") and not picture:
        raise ValueError(
            f"basis={basis!r} needs a picture, and signal has the shape {signal.values.shape}; "
            "choose a wavelet or 'dct'. For many signals of one length there is lowdim.PCA."
        )
    if block is not None:
        check_at_least("block", block, 1)
        if block > LARGEST_BLOCK:
            raise ValueError(f"block={block} is too large; choose at most {LARGEST_BLOCK}.")
    if basis == "pca" and block is None:
        raise ValueError("block=None: 'pca' learns from blocks; choose their side, such as 8.")
    used = int(block) if block is not None and picture and basis in ("dct", "pca") else None
    return Plan(signal.values.shape, basis, _level(signal, basis, level), used, color)


def _level(signal: Signal, basis: str, level: int | None) -> int | None:
    if basis in WITHOUT_LEVELS:
        return None
    size = largest_tile(signal.size)
    if level is None:
        return default_level(basis, size)
    level = check_at_least("level", level, 0)
    most = max(1, int(np.ceil(np.log2(min(size)))))
    if level > most:
        raise ValueError(
            f"level={level} halves {' x '.join(map(str, signal.size))} more often than it can be; "
            f"choose at most {most}."
        )
    return level


def _checked(signal: Signal, plan: Plan, target: str, value: Any, selection: str) -> Any:
    """The value of the target, in its range."""
    n = signal.values.size
    if selection == "first" and target not in ("keep", "rank", "scales"):
        raise ValueError(
            f"selection='first' goes with keep, rank or scales, not with {target}={value!r}."
        )
    if target == "keep":
        return _count(value, n, plan.basis)
    if target in ("epsilon", "psnr"):
        return check_number(target, value, 0.0, open_low=target == "psnr")
    count = check_at_least(target, value, 0 if target == "scales" else 1)
    if target == "rank":
        if plan.basis not in ("pca", "svd"):
            raise ValueError(
                f"rank={value} is for basis='svd' and 'pca', not for {plan.basis!r}; choose keep, "
                "epsilon, psnr or nbytes."
            )
        most = min(signal.size) if plan.basis == "svd" else int(plan.block or 1) ** 2
        if count > most:
            raise ValueError(f"rank={value} is more than there are; choose at most {most}.")
    if target == "scales" and (plan.level is None or count > plan.level):
        raise ValueError(
            f"scales={value} is for wavelets"
            + (f", and there are {plan.level} scales here." if plan.level is not None else ".")
        )
    return count


def _count(keep: Any, n: int, basis: str) -> int:
    if basis == "svd":
        raise ValueError(
            f"keep={keep!r} is for coefficients; of basis='svd' choose rank, epsilon (of singular "
            "values), psnr or nbytes."
        )
    if isinstance(keep, float | np.floating):
        share = check_number("keep", keep, 0.0, 1.0, open_low=True)
        return max(1, round(share * n))
    count = check_at_least("keep", keep, 1)
    if count > n:
        raise ValueError(
            f"keep={keep} is more than the {n:,} numbers of signal; choose at most {n}."
        )
    return count


def _rule(signal: Signal, plan: Plan, target: str, value: Any, selection: str) -> Rule:
    if target == "epsilon":
        return threshold_rule(value)
    if target == "scales":
        return scales_rule(plan, value)
    if target == "rank":
        return bands_rule(plan, value)
    return first_rule(plan, value) if selection == "first" else largest_rule(plan, signal, value)


def _of_rank(signal: Signal, plan: Plan, target: str, value: Any) -> Compressed:
    found = Decomposed(signal, plan)
    if target == "rank":
        k = value
    elif target == "epsilon":
        k = max(1, int((found.sizes >= value).sum(axis=1).max()))
    elif target == "psnr":
        k = found.first_rank(lambda one: one.psnr >= value)
    else:
        k = found.last_rank(lambda one: one.nbytes <= value)
        if k == 0:
            least = found.of_rank(1).nbytes
            raise ValueError(f"nbytes={value} is less than the {least} bytes of rank 1.")
    warn_if_large(k, plan.size)
    result = found.of_rank(k)
    if target == "psnr" and result.psnr < value:
        raise ValueError(f"psnr={value:g} is more than all ranks together keep: {result.psnr:.1f}.")
    return result


def _chosen(signal: Signal, target: str, value: Any, block: int | None) -> str:
    """The basis in which the signal has the fewest numbers, or keeps most with so many."""
    from lowdim.sparse.compression.choosing import best_for

    return best_for(signal, target, value, block)
