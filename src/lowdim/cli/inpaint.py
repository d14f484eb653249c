"""`lowdim inpaint`: the missing parts of a picture."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import debug_option, quiet_option, seed_option
from lowdim.cli.picture_options import picture_options


@click.command(epilog="It needs Pillow and PyWavelets: pip install 'lowdim[sparse]'.")
@click.argument("path", metavar="PICTURE")
@click.option("-o", "--output", required=True, metavar="OUT", help="Where to write the picture.")
@click.option(
    "--holes", metavar="MASK", help="A picture of the same size: what is not black is missing."
)
@click.option("--color", metavar="HEX", help="Pixels of this colour are missing: '#ff00ff'.")
@click.option(
    "--add-holes",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Take out pixels at random, to see how they are filled.",
)
@click.option(
    "--method",
    type=click.Choice(("auto", "iterated", "dct", "ksvd")),
    default="auto",
    show_default=True,
)
@seed_option
@picture_options
@quiet_option
@debug_option
def inpaint(
    path: str,
    output: str,
    holes: str | None,
    color: str | None,
    add_holes: float | None,
    method: str,
    seed: int,
    reference: str | None,
    plot: str | None,
    page: str | None,
    quiet: bool,
) -> None:
    """Fill the missing parts of PICTURE: transparent ones, those of a mask, or of a colour.

    \b
    Examples:
      lowdim inpaint photo.png -o whole.png --holes scratches.png
      lowdim inpaint photo.png -o whole.png --color '#ff00ff'
      lowdim inpaint photo.png -o whole.png --add-holes .5 --page compared.html
    """
    import numpy as np

    import lowdim
    from lowdim.cli import picture_options as shared
    from lowdim.sparse.pictures.files import check_writable, read_picture, write_picture

    shared.check_paths(
        {"PICTURE": path, "--holes": holes, "--reference": reference},
        {"--output": output, "--plot": plot, "--page": page},
    )
    check_writable(output)
    x = read_picture(path)
    check_writable(output, x)
    clean = shared.read_reference(reference, x)
    known = known_pixels(x, None if holes is None else read_picture(holes), color)
    lines = [("picture", shared.picture_line(path, x))]
    if add_holes is not None:
        clean = x if clean is None else clean
        known &= np.random.default_rng(seed).random(known.shape) >= add_holes
    missing = int((~known).sum())
    if not missing:
        raise ValueError(
            f"{path} has no missing pixels; say which are with --holes, --color or --add-holes."
        )
    y = lowdim.inpaint(x, known, method=method, random_state=seed)
    if y.ndim == 3 and y.shape[2] in (2, 4):  # what was transparent is there now
        opaque = np.iinfo(y.dtype).max if y.dtype.kind in "iu" else 1
        y[..., -1] = np.where(known, y[..., -1], opaque)
    write_picture(output, y)
    lines.append(("filled", f"{missing:,} of {known.size:,} pixels ({missing / known.size:.1%})"))
    if clean is not None:
        lines.append(("after", shared.quality_text(clean, y)))
    before = without(x, known)
    shared.save_plot(plot, {"before": before, "after": y})
    if page is not None:
        lowdim.picture_page(before, y, name=path, observed=known, clean=clean).save(page)
    written = {"written": output, "plot": plot, "page": page}
    lines += [(what, name) for what, name in written.items() if name is not None]
    shared.say(lines, quiet)


def known_pixels(x: Any, mask: Any, color: str | None) -> Any:
    """(h, w): False where the picture is transparent, the mask is not black, or has the colour."""
    import numpy as np

    known = np.ones(x.shape[:2], bool)
    if x.dtype.kind == "f":
        known &= ~np.isnan(x).reshape(*x.shape[:2], -1).any(axis=2)
    if x.ndim == 3 and x.shape[2] in (2, 4):
        known &= x[..., -1] > 0
    if mask is not None:
        if mask.shape[:2] != x.shape[:2]:
            raise ValueError(f"--holes has {mask.shape[:2]} pixels and the picture {x.shape[:2]}.")
        shown = mask.reshape(*mask.shape[:2], -1)
        alpha = shown.shape[2] in (2, 4)
        black = (shown[..., : shown.shape[2] - alpha] == 0).all(axis=2)
        known &= black | (shown[..., -1] == 0) if alpha else black
    if color is not None:
        wanted = color_of(color, x)
        seen = x.reshape(*x.shape[:2], -1)[..., : len(wanted)]
        other = (seen != wanted).any(axis=2)
        if other.all():
            raise ValueError(_lacks(color, seen, wanted))
        known &= other
    return known


def _lacks(color: str, seen: Any, wanted: Any) -> str:
    """What to say of a picture without any pixel of the colour: its nearest one."""
    import numpy as np

    least, nearest = np.inf, seen[0, 0]
    for row in seen:
        distance = np.square(row.astype(float) - wanted).sum(axis=1)
        distance = np.nan_to_num(distance, nan=np.inf)
        if distance.min() < least:
            least, nearest = float(distance.min()), row[distance.argmin()]
    count = int((seen == nearest).all(axis=2).sum())
    full = np.iinfo(seen.dtype).max if seen.dtype.kind in "iu" else 1.0
    digits = "".join(f"{round(255 * float(v) / full):02x}" for v in nearest)
    name = "#" + (digits if len(nearest) == 3 else 3 * digits)
    return (
        f"--color {color!r}: no pixel has this colour. The nearest is {name} "
        f"({count:,} pixels); give that one, or a picture of the missing pixels with --holes "
        "(JPEG and resizing change colours)."
    )


def color_of(text: str, x: Any) -> Any:
    """The channels of '#rrggbb', in the type of the picture."""
    import re

    import numpy as np

    digits = re.fullmatch("#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})", text.strip())
    if digits is None:
        raise ValueError(f"--color {text!r} is no colour, such as '#ff00ff'.")
    code = digits[1] if len(digits[1]) == 6 else "".join(2 * c for c in digits[1])
    levels = [int(code[i : i + 2], 16) for i in (0, 2, 4)]
    if (x.shape[2] if x.ndim == 3 else 1) < 3:
        if len(set(levels)) > 1:
            raise ValueError(f"--color {text!r} is no grey, and the picture is.")
        levels = levels[:1]
    if x.dtype == np.uint16:
        return np.array(levels, np.uint16) * 257
    return np.array(levels) / 255 if x.dtype.kind == "f" else np.array(levels)


def without(x: Any, known: Any) -> Any:
    """The picture with its holes in white."""
    import numpy as np

    most = np.iinfo(x.dtype).max if x.dtype.kind in "iu" else 1
    there = known if x.ndim == 2 else known[..., None]
    return np.where(there, x, most).astype(x.dtype)
