"""`lowdim apply`: what a saved model says about further rows."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.table_verb import TableRequest, table_verb


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.argument("model_path", metavar="MODEL")
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="FILE",
    help="Where to write: .csv, .tsv, .parquet, .xlsx, .npy, ...; by default csv on standard "
    "output ('-').",
)
@click.option(
    "--id",
    "id_column",
    metavar="COL",
    help="The column that names the rows. Default: the one the model was fitted with.",
)
@click.option(
    "--text", metavar="COL", help="With a model of topics: the column with the texts of documents."
)
@click.option("--filled", is_flag=True, help="Write the table with its missing values filled.")
@click.option(
    "--std",
    is_flag=True,
    help="With --filled: also a column NAME_std for every column of numbers with missing values.",
)
@click.option("--fill-all", is_flag=True, help="With --filled: also cells that do not apply.")
@table_verb(kinds=False)
def apply(
    request: TableRequest,
    model_path: str,
    output: str,
    id_column: str | None,
    text: str | None,
    filled: bool,
    **filling: bool,
) -> None:
    """Write what MODEL says about the rows of TABLE: their codes, or their clusters.

    MODEL is a file that another verb (--model) or `model.save` in Python wrote. A code is the few
    numbers that stand for a row. Of a clustering, every row's cluster is written, with its distance
    or probability; with --filled the table without its missing values.

    A model of topics (`lowdim topics --model`) takes documents, in what that verb takes, and gives
    the share of each topic.

    Columns are found by name and read as the model's own were: their order does not matter, those
    that are lacking count as missing, further ones are not used.

    \b
    Examples:
      lowdim apply m.lowdim new.csv -o codes.csv
      lowdim apply m.lowdim new.parquet --id person -o codes.parquet
      lowdim apply filled.lowdim new.csv --filled -o new-filled.csv
      lowdim apply m.lowdim - < new.csv > codes.csv
      lowdim apply topics.lowdim new.jsonl -o shares.csv
    """
    import lowdim
    from lowdim.cli.saved_models import load_table_model, row_names, with_marks
    from lowdim.tables.writing import check_outputs

    check_outputs({"output": output}, [request.path, model_path])
    loaded = lowdim.load(model_path)
    if isinstance(loaded, lowdim.TopicModel):
        _refuse_filling(filled=filled, **filling)
        _write_shares(request, loaded, output, id_column, text)
        return
    if text is not None:
        raise ValueError("--text goes with a model of topics, and MODEL is none.")
    model = with_marks(load_table_model(model_path), request.form["missing"])
    wanted = model.encoder_.id if id_column is None else id_column
    table = request.open(lambda names: [name for name in names if name == wanted])
    ids = row_names(model, table, id_column)
    request.say(*table.notes, *_remarks(model, table, ids))
    work = _write_filled if filled else _write_codes
    n_rows = work(request, model, table, output, ids, **filling)
    if output != "-":
        request.show([f"{'table' if filled else 'codes':<9}{output}: {n_rows} rows"])


def _remarks(model: Any, table: Any, ids: str | None) -> list[str]:
    """What of the table is not used, and which row names are not there."""
    from lowdim.tables.errors import listed, quoted

    encoder, notes = model.encoder_, []
    known = {ids, encoder.id_, *(column.name for column in encoder.columns_)}
    further = [name for name in table.names if name not in known] if encoder.encoding_.named else []
    if further:
        notes.append(f"ignored: {listed(further)} (not part of the model)")
    if encoder.id_ is not None and ids is None:
        notes.append(f"no column {quoted(encoder.id_)} here: rows go by their order, without names")
    return notes


def _refuse_filling(**filling: bool) -> None:
    for option in (name for name, given in filling.items() if given):
        raise ValueError(f"--{option.replace('_', '-')}: a model of topics fills no tables.")


def _write_shares(
    request: TableRequest, model: Any, output: str, ids: str | None, text: str | None
) -> None:
    from lowdim.cli.shares import corpus_of, write_shares

    encoding = request.form.get("encoding")
    n = write_shares(model, corpus_of(request.path, text=text, id=ids, encoding=encoding), output)
    if output != "-":
        request.show([f"{'shares':<9}{output}: {n} documents"])


def _write_codes(
    request: TableRequest, model: Any, table: Any, output: str, ids: str | None, **filling: bool
) -> int:
    from lowdim.cli.row_codes import ids_lost, write_codes

    for option in (name for name, given in filling.items() if given):
        raise ValueError(f"--{option.replace('_', '-')} goes with --filled.")
    n_rows = write_codes(model, table, output, ids)
    request.say(*ids_lost(ids, output))
    return n_rows


def _write_filled(
    request: TableRequest,
    model: Any,
    table: Any,
    output: str,
    ids: str | None,
    std: bool,
    fill_all: bool,
) -> int:
    from lowdim.cli.filled import check_fits, filler_of, write_filled
    from lowdim.cli.saved_models import columns_for
    from lowdim.tables.filling import count_empty

    filler = filler_of(model, std=std, fill_all=fill_all)
    check_fits(output, table)
    columns_for(filler.encoding, table, None)  # raises or warns
    to_fill, _ = count_empty(filler, table)
    return write_filled(filler, table, output, to_fill)
