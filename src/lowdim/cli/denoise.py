"""`lowdim denoise`: a picture without its noise."""

from __future__ import annotations

import click

from lowdim.cli.options import debug_option, quiet_option, seed_option
from lowdim.cli.picture_options import picture_options


@click.command(epilog="It needs Pillow and PyWavelets: pip install 'lowdim[sparse]'.")
@click.argument("path", metavar="PICTURE")
@click.option("-o", "--output", required=True, metavar="OUT", help="Where to write the picture.")
@click.option(
    "--method",
    type=click.Choice(("auto", "ksvd", "dct", "wavelet", "dft")),
    default="auto",
    show_default=True,
)
@click.option(
    "--sigma",
    type=float,
    metavar="S",
    help="Standard deviation of the noise, in grey levels. [default: estimated]",
)
@click.option(
    "--add-noise",
    type=click.FloatRange(min=0),
    metavar="S",
    help="Add noise first, to see what is left of it.",
)
@seed_option
@picture_options
@quiet_option
@debug_option
def denoise(
    path: str,
    output: str,
    method: str,
    sigma: float | None,
    add_noise: float | None,
    seed: int,
    reference: str | None,
    plot: str | None,
    page: str | None,
    quiet: bool,
) -> None:
    """Take the noise out of PICTURE.

    \b
    Examples:
      lowdim denoise photo.jpg -o clean.png
      lowdim denoise photo.png -o clean.png --add-noise 25 --plot compared.png
      lowdim denoise scan.tif -o clean.tif --method dct --sigma 300
    """
    import numpy as np

    import lowdim
    from lowdim.cli import picture_options as shared
    from lowdim.sparse.pictures.files import check_writable, read_picture, write_picture
    from lowdim.sparse.pictures.signals import Signal, put_planes

    shared.check_paths(
        {"PICTURE": path, "--reference": reference},
        {"--output": output, "--plot": plot, "--page": page},
    )
    check_writable(output)
    x = read_picture(path)
    check_writable(output, x)
    clean = shared.read_reference(reference, x)
    lines = [("picture", shared.picture_line(path, x))]
    if add_noise:
        clean, signal = x if clean is None else clean, Signal(x)
        planes = signal.planes()
        noise = np.random.default_rng(seed).normal(0.0, add_noise, planes[: signal.visible].shape)
        planes[: signal.visible] += noise
        x = np.empty_like(x)
        put_planes(x, (), planes)
    found = lowdim.denoise(x, method=method, sigma=sigma, random_state=seed)
    write_picture(output, found.image)
    how = "given" if sigma is not None else "estimated"
    lines.append(("noise", f"{found.sigma:.4g} ({how}), taken out by {found.method}"))
    if clean is not None:
        lines.append(("before", shared.quality_text(clean, x)))
        lines.append(("after", shared.quality_text(clean, found.image)))
    shared.save_plot(plot, {"before": x, f"after {found.method}": found.image})
    if page is not None:
        made = lowdim.picture_page(x, found.image, name=path, denoised=found, clean=clean)
        made.save(page)
    written = {"written": output, "plot": plot, "page": page}
    lines += [(what, name) for what, name in written.items() if name is not None]
    shared.say(lines, quiet)
