"""`lowdim methods`: what lowdim can do."""

from __future__ import annotations

import click

from lowdim.cli.options import debug_option


@click.command()
@click.option("--json", "as_json", is_flag=True, help="For programs: a list of objects.")
@debug_option
def methods(as_json: bool) -> None:
    """List the methods: what each accepts, and what it can do.

    The first columns after the task say what is accepted as data (missing values, sparse matrices,
    weights, streams, Dask), the others which methods the Python class has.

    \b
    Examples:
      lowdim methods
      lowdim methods --json
    """
    import json
    from dataclasses import asdict

    import lowdim

    table = lowdim.methods()
    if as_json:
        click.echo(json.dumps([asdict(row) for row in table], indent=2))
    else:
        click.echo(repr(table))
