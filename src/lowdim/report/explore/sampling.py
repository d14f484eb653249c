"""Which steps look at some of the rows only: those whose cost grows faster than the rows."""

from __future__ import annotations

from lowdim.selection.auto import rank_rows

FIT_ROWS = 50_000  # for a factor model of a table with missing values, and for clusters
FILL_ROWS = 10_000  # for the model that fills missing values
MAP_FIT_ROWS = 10_000  # for t-SNE and UMAP
STABILITY_ROWS = 2_000  # of each resample


def said_of_samples(
    n: int, n_columns: int, *, incomplete: bool, filled: bool, stable: bool
) -> list[str]:
    """A sentence for each step that looked at a sample of n rows.

    incomplete: the table has missing values; filled: some were filled; stable: the stability of
    clusters was judged.
    """
    ranked, drawn = rank_rows(n_columns), "rows drawn at random"
    said = {
        f"The rank was chosen on {ranked:,} {drawn}.": n > ranked,
        f"The factor model was fitted to {FIT_ROWS:,} {drawn}, since the table has missing values; "
        "all rows were then encoded and judged by it.": n > FIT_ROWS and incomplete,
        f"The model that fills missing values was fitted to {FILL_ROWS:,} {drawn}; it then filled "
        "all rows.": n > FILL_ROWS and filled,
        f"The clusters were found in {FIT_ROWS:,} {drawn}; all rows were then assigned to them.": (
            n > FIT_ROWS
        ),
        f"t-SNE and UMAP were fitted to {MAP_FIT_ROWS:,} {drawn}; the other rows were then placed "
        "among them.": n > MAP_FIT_ROWS,
        f"The stability of clusters was judged on {STABILITY_ROWS:,} {drawn}.": (
            n > STABILITY_ROWS and stable
        ),
    }
    return [sentence for sentence, is_so in said.items() if is_so]
