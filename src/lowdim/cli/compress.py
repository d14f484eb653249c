"""`lowdim compress`: a picture in few bytes."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import debug_option, quiet_option
from lowdim.cli.picture_options import Bytes, Share, picture_options


@click.command(epilog="It needs Pillow and PyWavelets: pip install 'lowdim[sparse]'.")
@click.argument("path", metavar="PICTURE")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Where to write: .lowdim holds the few numbers (`lowdim decompress` reads it); .png, "
    ".jpg, .tif, .webp or .npy show what they stand for.",
)
@click.option(
    "--basis",
    default="bior4.4",
    show_default=True,
    metavar="NAME",
    help="A wavelet, dct, dft, hadamard, pca, svd, or auto.",
)
@click.option(
    "--psnr", type=float, metavar="DB", help="At least so near to the picture. [default: 35]"
)
@click.option(
    "--size", "nbytes", type=Bytes(), metavar="BYTES", help="At most so large: 40k, 1.5M."
)
@click.option("--keep", type=Share(), metavar="N", help="So many coefficients, or a share: 5%.")
@click.option("--epsilon", type=float, metavar="E", help="Coefficients of less become 0.")
@click.option("--rank", type=click.IntRange(min=1), metavar="K", help="Of svd and pca.")
@click.option(
    "--color", type=click.Choice(("ycc", "opponent", "rgb")), default="ycc", show_default=True
)
@picture_options
@quiet_option
@debug_option
def compress(
    path: str,
    output: str,
    basis: str,
    color: str,
    reference: str | None,
    plot: str | None,
    page: str | None,
    quiet: bool,
    **targets: Any,
) -> None:
    """Store PICTURE in few bytes.

    Large wavelet coefficients are kept, rounded and packed; at the same quality files are smaller
    than JPEG's.

    \b
    Examples:
      lowdim compress photo.jpg -o photo.lowdim --psnr 38
      lowdim compress photo.png -o photo.lowdim --size 40k --page photo.html
      lowdim compress photo.png -o few.png --keep 5% --basis dct
    """
    import lowdim
    from lowdim.cli import picture_options as shared
    from lowdim.sparse.pictures.files import check_writable, read_picture, write_picture

    shared.check_paths(
        {"PICTURE": path, "--reference": reference},
        {"--output": output, "--plot": plot, "--page": page},
    )
    stored = output.lower().endswith(".lowdim")
    if not stored:
        check_writable(output)
    chosen = {name: value for name, value in targets.items() if value is not None} or {"psnr": 35.0}
    if len(chosen) > 1:
        names = {"nbytes": "size"}
        both = " and ".join(f"--{names.get(name, name)}" for name in chosen)
        raise click.UsageError(f"{both} are two targets; choose one.")
    x = read_picture(path)
    if not stored:
        check_writable(output, x)
    clean = shared.read_reference(reference, x)
    found = lowdim.compress(x, basis, color=color, **chosen)
    y = found.reconstruct()
    if stored:
        found.save(output)
    else:
        write_picture(output, y)
    lines = [("picture", shared.picture_line(path, x)), *compressed_lines(found)]
    if clean is not None:
        lines.append(("reference", shared.quality_text(clean, y)))
    shared.save_plot(plot, {"before": x, f"{found.basis}, {found.nbytes:,} bytes": y})
    if page is not None:
        lowdim.picture_page(x, y, name=path, compressed=found, clean=clean).save(page)
    written = {"written": output, "plot": plot, "page": page}
    lines += [(what, name) for what, name in written.items() if name is not None]
    shared.say(lines, quiet)


def compressed_lines(found: Any) -> list[tuple[str, str]]:
    """What is kept of a picture, and what it costs."""
    n = 1
    for s in found.shape:
        n *= s
    similar = "" if found.ssim != found.ssim else f", SSIM {found.ssim:.4f}"
    return [
        ("kept", f"{found.n_kept:,} of {n:,} numbers in {found.basis}"),
        ("quality", f"PSNR {found.psnr:.2f} dB{similar}"),
        ("bytes", f"{found.nbytes:,} ({8 * found.nbytes / n:.3g} bits for each number)"),
    ]
