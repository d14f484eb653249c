"""A column of a table holds the documents."""

import pytest

import lowdim
from lowdim.text.corpus.documents import CorpusError

TEXTS = ["one, two", '"three"\nfour', "007", ""]


@pytest.fixture
def frame():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"text": TEXTS, "key": ["01", "02", "03", "04"], "n": [1, 2, 3, 4]})


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".parquet", ".json"])
def test_files_give_a_column(tmp_path, frame, ending):
    path = tmp_path / f"t{ending}"
    if ending == ".parquet":
        frame.to_parquet(path)
    elif ending == ".json":
        frame.to_json(path, orient="records")
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == ".tsv" else ",")
    for asked in ({"text": "text"}, {}):
        corpus = lowdim.corpus(path, id="key", columns=["n"], **asked)
        assert list(corpus) == TEXTS and len(corpus) == 4
        assert corpus.ids == ["01", "02", "03", "04"]
        assert list(map(int, corpus.columns["n"])) == [1, 2, 3, 4]
    assert lowdim.corpus(path, text="text").ids == [0, 1, 2, 3]


def test_frames_give_a_column(frame):
    pl = pytest.importorskip("polars")
    dd = pytest.importorskip("dask.dataframe")
    for table in (frame, pl.from_pandas(frame), dd.from_pandas(frame, npartitions=2)):
        corpus = lowdim.corpus(table, text="text", id="key", columns=["n"])
        assert list(corpus) == TEXTS and corpus.ids == ["01", "02", "03", "04"]
        assert corpus.columns["n"] == [1, 2, 3, 4]
    named = frame.set_index("key")
    assert lowdim.corpus(named, text="text").ids == ["01", "02", "03", "04"]


def test_missing_values_are_empty_texts(frame):
    frame.loc[1, "text"] = None
    assert list(lowdim.corpus(frame, text="text"))[1] == ""


def test_columns_of_numbers_are_no_documents(frame):
    with pytest.raises(CorpusError, match="row 0: column 'n' holds int, not text"):
        list(lowdim.corpus(frame, text="n"))
    with pytest.raises(ValueError, match="has no column 'm'"):
        lowdim.corpus(frame, text="text", columns=["m"])
