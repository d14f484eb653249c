"""`lowdim decompress`: the picture of a compressed file."""

from __future__ import annotations

import click

from lowdim.cli.options import debug_option, quiet_option


@click.command()
@click.argument("path", metavar="FILE.lowdim")
@click.option(
    "-o", "--output", required=True, metavar="PICTURE", help=".png, .jpg, .tif, .webp or .npy."
)
@click.option("--reference", metavar="CLEAN", help="A picture to compare with.")
@quiet_option
@debug_option
def decompress(path: str, output: str, reference: str | None, quiet: bool) -> None:
    """Turn a file of `lowdim compress` into a picture again.

    \b
    Examples:
      lowdim decompress photo.lowdim -o photo.png
    """
    import lowdim
    from lowdim.cli import picture_options as shared
    from lowdim.cli.compress import compressed_lines
    from lowdim.sparse.pictures.files import check_writable, write_picture

    shared.check_paths({"FILE.lowdim": path, "--reference": reference}, {"--output": output})
    check_writable(output)
    found = lowdim.load(path)
    if not isinstance(found, lowdim.Compressed):
        raise ValueError(f"{path} holds a {type(found).__name__}, not a picture.")
    y = found.reconstruct()
    clean = shared.read_reference(reference, y)
    write_picture(output, y)
    lines = compressed_lines(found)
    if clean is not None:
        lines.append(("reference", shared.quality_text(clean, y)))
    shared.say([*lines, ("written", output)], quiet)
