"""`lowdim topics`, and `lowdim apply` with what it saves."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import lowdim
from lowdim.cli import main
from tests.report.topics.planted import planted_records

RUN = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("topics")
    lines = [json.dumps(record) for record in planted_records(40)]
    (folder / "letters.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def written(folder):
    """All that the verb writes, once."""
    arguments = [
        *("topics", str(folder / "letters.jsonl"), "-o", str(folder / "page.html"), "-k", "3"),
        *("--text", "text", "--id", "name", "--label", "subject", "--time", "day"),
        *("--model", str(folder / "m.lowdim"), "--documents", str(folder / "shares.csv")),
        *("--words", str(folder / "words.csv")),
    ]
    result = RUN.invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result


def test_it_writes_a_page_a_model_shares_and_words(folder, written):
    assert 'id="topics"' in (folder / "page.html").read_text(encoding="utf-8")
    shares = pd.read_csv(folder / "shares.csv")
    assert shares.shape[1] == 4 and shares.columns[0] == "id"
    assert set(pd.read_csv(folder / "words.csv")["topic"]) == {1, 2, 3}
    assert "3 topics" in written.output and "page.html" in written.output


def test_the_saved_model_gives_the_same_shares(folder, written):
    out = str(folder / "again.csv")
    arguments = ["apply", str(folder / "m.lowdim"), str(folder / "letters.jsonl"), "-o", out]
    result = RUN.invoke(main, [*arguments, "--text", "text", "--id", "name"])
    assert result.exit_code == 0, result.output
    first, again = pd.read_csv(folder / "shares.csv"), pd.read_csv(out)
    assert first["id"].tolist() == again["id"].tolist()
    np.testing.assert_allclose(first.iloc[:, 1:], again.iloc[:, 1:], atol=1e-9)


def test_shares_go_to_standard_output(folder, written):
    arguments = ["apply", str(folder / "m.lowdim"), str(folder / "letters.jsonl"), "--text", "text"]
    result = RUN.invoke(main, arguments)
    assert result.exit_code == 0 and result.output.startswith("id,topic1_")


def test_a_sample_gives_shares_of_all_documents(folder):
    out = folder / "all.csv"
    arguments = ["topics", str(folder / "letters.jsonl"), "-k", "2", "--sample", "30", "--text"]
    files = ["-o", str(folder / "sample.html"), "--documents", str(out), "-q"]
    result = RUN.invoke(main, [*arguments, "text", *files])
    assert result.exit_code == 0 and result.output == ""
    assert len(pd.read_csv(out)) == len(planted_records(40))


def test_a_folder_of_texts_is_a_corpus_named_by_paths(tmp_path):
    for i, record in enumerate(planted_records(12, nasty=False)):
        file = tmp_path / "letters" / f"part{i % 2}" / f"{i}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(record["text"])
    arguments = ["topics", str(tmp_path / "letters"), "-k", "2", "-o", str(tmp_path / "page.html")]
    result = RUN.invoke(main, [*arguments, "--documents", "-"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("id,topic1_") and lines[1].startswith("part0/0.txt,")
    assert len(lines) == 15 and "page.html" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.txt"], "There is no file nowhere.txt"),
        (["letters.jsonl", "-k", "0"], "'0' is not a number of topics"),
        (["letters.jsonl", "--text", "body"], "no column 'body'"),
        (["letters.jsonl", "--text", "text", "--label", "topic"], "no column 'topic'"),
        (["letters.jsonl", "--text", "text", "--time", "subject"], "holds no dates"),
        (["letters.jsonl", "-o", "page.pdf"], "page.pdf"),
        (["letters.jsonl", "--text", "text", "--language", "xx"], "not a built-in stop list: xx"),
        (["letters.jsonl", "-o", "letters.html", "--words", "letters.jsonl"], "letters.jsonl"),
    ],
    ids=str,
)
def test_bad_input_is_one_line_and_exit_code_2(folder, monkeypatch, arguments, said):
    monkeypatch.chdir(folder)
    result = RUN.invoke(main, ["topics", *arguments])
    assert result.exit_code == 2 and said in result.output
    assert result.output.count("\n") == 1


def test_options_of_tables_do_not_go_with_topics(folder, written):
    base = ["apply", str(folder / "m.lowdim"), str(folder / "letters.jsonl")]
    result = RUN.invoke(main, [*base, "--filled"])
    assert result.exit_code == 2 and "fills no tables" in result.output
    lowdim.TableModel(lowdim.PCA(1)).fit(np.arange(12.0).reshape(4, 3)).save(folder / "pca.lowdim")
    result = RUN.invoke(main, ["apply", str(folder / "pca.lowdim"), "x.csv", "--text", "text"])
    assert result.exit_code == 2 and "goes with a model of topics" in result.output
